/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of programs that Node.js runs, as an addon in one file (Node-API, so one for all versions):
 *
 *	cc -O2 -shared -fPIC -I/usr/include/node node.c -o spt_mark.node
 *
 *	const mark = require('./spt_mark.node');
 *	const start = mark.now();
 *	...
 *	mark.span('db', 'query', 'from users', start);
 *	mark.begin('http', 'request');		and so on, with the names of spt/mark.h
 *
 * Spans that cross an await are made by now() and span(), or by open() and close(): begin() and end
 * nest in a thread.  Arguments are looked at only while somebody records.  What is missing, or
 * is no string, is "".
 */
#define NAPI_VERSION 6
#include <node_api.h>

#include <spt/mark.h>

#define MOST_ARGUMENTS 4

struct arguments {
	char texts[3][SPT_MARK_TEXT + 1];
	napi_value values[MOST_ARGUMENTS];
};

/* The first @n_texts arguments as texts, cut where marks are. */
static void node_take_arguments(napi_env env, napi_callback_info info, size_t n_texts,
				struct arguments *ret)
{
	size_t n = MOST_ARGUMENTS;

	napi_get_cb_info(env, info, &n, ret->values, NULL, NULL);
	for (size_t i = 0; i < n_texts; i++)
		if (napi_get_value_string_utf8(env, ret->values[i], ret->texts[i],
					       sizeof(ret->texts[i]), NULL) != napi_ok)
			ret->texts[i][0] = '\0';
}

static uint64_t node_take_id(napi_env env, napi_value value)
{
	uint64_t id = 0;
	int64_t number = 0;
	bool is_whole;

	if (napi_get_value_bigint_uint64(env, value, &id, &is_whole) != napi_ok &&
	    napi_get_value_int64(env, value, &number) == napi_ok)
		id = (uint64_t)number;
	return id;
}

/* One text, for @mark. */
static napi_value node_mark_text(napi_env env, napi_callback_info info,
				 void (*mark)(const char *text))
{
	struct arguments arguments;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 1, &arguments);
		mark(arguments.texts[0]);
	}
	return NULL;
}

/* Category and name, for @mark. */
static napi_value node_mark_pair(napi_env env, napi_callback_info info,
				 void (*mark)(const char *category, const char *name))
{
	struct arguments arguments;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 2, &arguments);
		mark(arguments.texts[0], arguments.texts[1]);
	}
	return NULL;
}

static napi_value node_mark_flow(napi_env env, napi_callback_info info,
				 void (*mark)(const char *name, uint64_t id))
{
	struct arguments arguments;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 1, &arguments);
		mark(arguments.texts[0], node_take_id(env, arguments.values[1]));
	}
	return NULL;
}

static napi_value node_begin_span(napi_env env, napi_callback_info info)
{
	return node_mark_pair(env, info, spt_mark_begin);
}

static napi_value node_end_span(napi_env env, napi_callback_info info)
{
	return node_mark_text(env, info, spt_mark_end);
}

static napi_value node_open_span(napi_env env, napi_callback_info info)
{
	return node_mark_pair(env, info, spt_mark_open);
}

static napi_value node_close_span(napi_env env, napi_callback_info info)
{
	return node_mark_text(env, info, spt_mark_close);
}

static napi_value node_mark_instant(napi_env env, napi_callback_info info)
{
	struct arguments arguments;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 3, &arguments);
		spt_mark_instant(arguments.texts[0], arguments.texts[1], arguments.texts[2]);
	}
	return NULL;
}

static napi_value node_mark_message(napi_env env, napi_callback_info info)
{
	return node_mark_text(env, info, spt_mark_message);
}

static napi_value node_mark_counter(napi_env env, napi_callback_info info)
{
	struct arguments arguments;
	double value;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 1, &arguments);
		if (napi_get_value_double(env, arguments.values[1], &value) == napi_ok)
			spt_mark_counter(arguments.texts[0], value);
	}
	return NULL;
}

static napi_value node_flow_begin(napi_env env, napi_callback_info info)
{
	return node_mark_flow(env, info, spt_mark_flow_begin);
}

static napi_value node_flow_end(napi_env env, napi_callback_info info)
{
	return node_mark_flow(env, info, spt_mark_flow_end);
}

static napi_value node_mark_now(napi_env env, napi_callback_info info)
{
	napi_value value = NULL;

	(void)info;
	napi_create_bigint_uint64(env, spt_mark_now(), &value);
	return value;
}

static napi_value node_mark_span(napi_env env, napi_callback_info info)
{
	struct arguments arguments;

	if (spt_mark_is_recorded()) {
		node_take_arguments(env, info, 3, &arguments);
		spt_mark_span(arguments.texts[0], arguments.texts[1], arguments.texts[2],
			      node_take_id(env, arguments.values[3]));
	}
	return NULL;
}

static napi_value node_is_recorded(napi_env env, napi_callback_info info)
{
	napi_value value = NULL;

	(void)info;
	napi_get_boolean(env, spt_mark_is_recorded(), &value);
	return value;
}

NAPI_MODULE_INIT()
{
#define FUNCTION(name, function) { name, NULL, function, NULL, NULL, NULL, napi_enumerable, NULL }
	const napi_property_descriptor functions[] = {
		FUNCTION("begin", node_begin_span),
		FUNCTION("end", node_end_span),
		FUNCTION("open", node_open_span),
		FUNCTION("close", node_close_span),
		FUNCTION("instant", node_mark_instant),
		FUNCTION("message", node_mark_message),
		FUNCTION("counter", node_mark_counter),
		FUNCTION("now", node_mark_now),
		FUNCTION("flow_begin", node_flow_begin),
		FUNCTION("flow_end", node_flow_end),
		FUNCTION("is_recorded", node_is_recorded),
		FUNCTION("span", node_mark_span),
	};

	napi_define_properties(env, exports, sizeof(functions) / sizeof(functions[0]), functions);
	return exports;
}

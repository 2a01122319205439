/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests with profiles of pprof: a series for each set of labels, with one profile.  Names of
 * labels are Prometheus': letters, digits and '_'.
 */
#include "agent/target.h"

#ifdef SPT_HAS_AGENT

#include <string.h>

#include "export/json-text.h"
#include "formats/pyroscope.pb-c.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"

/* Takes a set's profile; @data is the caller's. */
typedef void (*TakeSeries)(const SptLabelSet *set, const GString *profile, void *data);

/* By number of the set: whether a selected sample is of it. */
static bool *find_sets(const SptExportInput *input)
{
	unsigned n = spt_labels_n_sets(input->labels);
	bool *has = g_new0(bool, MAX(n, 1));
	g_autoptr(GArray) sums =
		spt_stack_sums_new(input->capture, input->symbols,
				   spt_profile_metric(input->profile), input->filter);

	for (guint i = 0; i < sums->len; i++) {
		const SptProcessRow *process = spt_process_of_thread(
			input->capture, g_array_index(sums, SptStackSum, i).thread);
		unsigned set = spt_labels_of(input->labels, process ? process->id : 0);

		if (set < n)
			has[set] = true;
	}
	return has;
}

static bool encode_set(const SptExportInput *input, unsigned set, GString *to, GError **error)
{
	const SptCapture *capture = input->capture;
	g_autofree bool *processes = g_new0(bool, MAX(capture->n_processes, 1));
	SptFilter filter = input->filter ? *input->filter : (SptFilter){ 0 };
	SptExportInput of_set = *input;
	g_autoptr(SptOut) out = spt_out_new_memory(to);

	for (uint32_t i = 0; i < capture->n_processes; i++)
		processes[i] = spt_labels_of(input->labels, i) == set;
	filter.processes = processes;
	of_set.filter = &filter;
	return spt_export_pprof.write(&of_set, out, error) && spt_out_finish(out, error);
}

static bool each_series(const SptExportInput *input, TakeSeries take, void *data, GError **error)
{
	g_autofree bool *has = find_sets(input);

	for (unsigned set = 0; set < spt_labels_n_sets(input->labels); set++) {
		g_autoptr(GString) profile = g_string_new(NULL);

		if (!has[set])
			continue;
		if (!encode_set(input, set, profile, error))
			return false;
		take(spt_labels_set(input->labels, set), profile, data);
	}
	return true;
}

static char *name_of_key(const char *key)
{
	char *name = g_ascii_isdigit(*key) ? g_strconcat("_", key, NULL) : g_strdup(key);

	return g_strcanon(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_", '_');
}

/* The name of a metric's series. */
static char *name_of_metric(const SptExportInput *input)
{
	const SptMetric *metric = spt_profile_metric(input->profile);

	return metric->is_cpu ? g_strdup("process_cpu") : name_of_key(metric->name);
}

struct series {
	GString *to;
	const char *metric;
	unsigned n;
};

static void take_pyroscope(const SptLabelSet *set, const GString *profile, void *data)
{
	struct series *into = data;
	GString *to = into->to;
	g_autofree char *id = g_uuid_string_random();
	SptPyroscopeRequest part = SPT_PYROSCOPE_REQUEST__INIT;
	SptPyroscopeSeries series = SPT_PYROSCOPE_SERIES__INIT, *only = &series;
	SptPyroscopeSample sample = SPT_PYROSCOPE_SAMPLE__INIT, *samples = &sample;
	SptPyroscopeLabel labels[SPT_LABELS_MAX + 1], *list[SPT_LABELS_MAX + 1];
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	gsize at = to->len;

	for (unsigned i = 0; i <= set->n; i++) {
		spt_pyroscope_label__init(&labels[i]);
		list[i] = &labels[i];
		if (i == set->n)
			break;
		g_ptr_array_add(names, name_of_key(set->labels[i].key));
		labels[i].name = names->pdata[i];
		labels[i].value = (char *)set->labels[i].value;
	}
	labels[set->n].name = (char *)"__name__";
	labels[set->n].value = (char *)into->metric;
	sample.profile = (ProtobufCBinaryData){ profile->len, (uint8_t *)profile->str };
	sample.id = id;
	series.n_labels = set->n + 1;
	series.labels = list;
	series.n_samples = 1;
	series.samples = &samples;
	part.n_series = 1;
	part.series = &only;
	g_string_set_size(to, at + spt_pyroscope_request__get_packed_size(&part));
	spt_pyroscope_request__pack(&part, (uint8_t *)to->str + at);
}

bool spt_target_encode_pyroscope(const SptExportInput *input, GString *to, GError **error)
{
	g_autofree char *metric = name_of_metric(input);
	struct series series = { to, metric, 0 };

	return each_series(input, take_pyroscope, &series, error);
}

static void append_json_label(GString *to, const char *key, const char *value, bool is_first)
{
	g_autofree char *name = name_of_key(key);

	g_string_append_printf(to, "%s{\"name\":\"%s\",\"value\":", is_first ? "" : ",", name);
	spt_json_append_text(to, value);
	g_string_append_c(to, '}');
}

static void take_parca(const SptLabelSet *set, const GString *profile, void *data)
{
	struct series *series = data;
	GString *to = series->to;
	g_autofree char *text = g_base64_encode((const guchar *)profile->str, profile->len);

	g_string_append(to, series->n++ ? "," : "{\"series\":[");
	g_string_append(to, "{\"labels\":{\"labels\":[");
	append_json_label(to, "__name__", series->metric, true);
	for (unsigned i = 0; i < set->n; i++)
		append_json_label(to, set->labels[i].key, set->labels[i].value, false);
	g_string_append_printf(to, "]},\"samples\":[{\"rawProfile\":\"%s\"}]}", text);
}

/* Addresses are those of a space in which each file is whole: Parca takes mappings off them. */
bool spt_target_encode_parca(const SptExportInput *input, GString *to, GError **error)
{
	g_autofree char *metric = name_of_metric(input);
	struct series series = { to, metric, 0 };

	if (!each_series(input, take_parca, &series, error))
		return false;
	if (series.n)
		g_string_append(to, "],\"normalized\":false}");
	return true;
}

#endif

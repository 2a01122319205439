/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests over HTTP, by libcurl: it knows proxies, by the usual variables, and TLS. */
#ifndef SPT_AGENT_HTTP_H
#define SPT_AGENT_HTTP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Files and headers that go with each request; members may be NULL. */
typedef struct {
	const char *token;		/* a file; its first line is sent as a bearer token */
	const char *ca, *certificate, *key;	/* files: whom to believe, and who this is */
	const char *const *headers;	/* "Name: value", up to a NULL */
	unsigned timeout_ms;		/* 0: 30 s */
} SptHttpOptions;

typedef struct {
	const char *url, *content_type;
	bool is_packed;			/* by gzip */
	bool is_grpc;			/* HTTP/2 from the first byte on, and headers behind it */
	const char *body;
	size_t bytes;
} SptHttpRequest;

typedef struct {
	unsigned status;		/* of HTTP, or what says the same; 0: no answer */
	unsigned retry_after_s;		/* as the answer asks; 0: it does not */
	GString *answer;		/* what came, at most 64 KiB */
	char *problem;			/* NULL, or why there was none, or what it says */
} SptHttpResult;

typedef struct SptHttp SptHttp;

/* Called before there are threads.  False: libcurl is not there; a sentence. */
bool spt_http_init(GError **error);
/* For one thread; keeps its connection. */
SptHttp *spt_http_new(const SptHttpOptions *options);
void spt_http_free(SptHttp *http);

/*
 * Posts @request.  *@stop becoming true ends it early.  The token's file is read each time, since
 * tokens expire.
 */
void spt_http_post(SptHttp *http, const SptHttpRequest *request, const int *stop,
		   SptHttpResult *ret);
void spt_http_result_clear(SptHttpResult *result);

G_END_DECLS

#endif

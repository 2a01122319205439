/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing is followed elsewhere: a token is for the server that was named. */
#include "agent/http-client.h"

#include <string.h>

#include "base/words.h"
#include "capture/capture.h"

#ifdef SPT_HAS_AGENT

#include <curl/curl.h>

#include "agent/client.h"
#include "agent/grpc.h"

#define ANSWER_BYTES	   (64u << 10)
#define TIMEOUT_MS	   30000
#define CONNECT_TIMEOUT_MS 10000
#define TOKEN_BYTES	   (16u << 10)

static struct {
	__typeof__(curl_global_init) *global_init;
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_cleanup) *cleanup;
	__typeof__(curl_easy_reset) *reset;
	__typeof__(curl_easy_setopt) *setopt;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_strerror) *strerror;
	__typeof__(curl_easy_getinfo) *getinfo;
	__typeof__(curl_slist_append) *append;
	__typeof__(curl_slist_free_all) *free_all;
} lib;

struct SptHttp {
	CURL *curl;
	SptHttpOptions options;
};

bool spt_http_init(GError **error)
{
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };
	static const SptLibraryFunction functions[] = {
		{ "curl_global_init", &lib.global_init },
		{ "curl_easy_init", &lib.init },
		{ "curl_easy_cleanup", &lib.cleanup },
		{ "curl_easy_reset", &lib.reset },
		{ "curl_easy_setopt", &lib.setopt },
		{ "curl_easy_perform", &lib.perform },
		{ "curl_easy_strerror", &lib.strerror },
		{ "curl_easy_getinfo", &lib.getinfo },
		{ "curl_slist_append", &lib.append },
		{ "curl_slist_free_all", &lib.free_all },
	};

	if (!spt_client_load(names, functions, G_N_ELEMENTS(functions), error))
		return false;
	if (lib.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		return true;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "libcurl does not start; is its TLS library installed completely?");
	return false;
}

SptHttp *spt_http_new(const SptHttpOptions *options)
{
	SptHttp *http = g_new0(SptHttp, 1);

	http->options = *options;
	http->curl = lib.init();
	return http;
}

void spt_http_free(SptHttp *http)
{
	if (!http)
		return;
	lib.cleanup(http->curl);
	g_free(http);
}

/* What is beyond the bound is read and dropped. */
static size_t take_answer(char *bytes, size_t one, size_t n, void *data)
{
	GString *answer = data;
	size_t room = ANSWER_BYTES - MIN(answer->len, ANSWER_BYTES);

	g_string_append_len(answer, bytes, (gssize)MIN(room, one * n));
	return one * n;
}

static int is_stopped(void *data, G_GNUC_UNUSED curl_off_t all_down,
		      G_GNUC_UNUSED curl_off_t down, G_GNUC_UNUSED curl_off_t all_up,
		      G_GNUC_UNUSED curl_off_t up)
{
	return g_atomic_int_get((const int *)data);
}

/* "Authorization: Bearer ..." of the token's file; NULL: there is none.  False: a clause. */
static bool read_token(const SptHttp *http, char **ret_header, char **ret_problem)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) why = NULL;
	gsize bytes;

	*ret_header = NULL;
	if (!http->options.token)
		return true;
	if (!g_file_get_contents(http->options.token, &text, &bytes, &why)) {
		*ret_problem = g_strdup(why->message);
		return false;
	}
	text[strcspn(text, "\r\n")] = '\0';
	g_strstrip(text);
	if (!*text || strlen(text) > TOKEN_BYTES) {
		*ret_problem = g_strdup_printf("%s has no token in its first line",
					       http->options.token);
		return false;
	}
	*ret_header = g_strconcat("Authorization: Bearer ", text, NULL);
	return true;
}

static struct curl_slist *list_headers(const SptHttp *http, const SptHttpRequest *request,
				       const char *token)
{
	g_autofree char *type = g_strconcat("Content-Type: ", request->content_type, NULL);
	struct curl_slist *list = lib.append(NULL, type);

	/* Without an answer to it curl would wait a second. */
	list = lib.append(list, "Expect:");
	if (request->is_grpc)
		list = lib.append(list, "TE: trailers");
	if (request->is_packed)
		list = lib.append(list, request->is_grpc ? "grpc-encoding: gzip" :
							   "Content-Encoding: gzip");
	if (token)
		list = lib.append(list, token);
	for (const char *const *header = http->options.headers; header && *header; header++)
		list = lib.append(list, *header);
	return list;
}

static size_t take_header(char *line, size_t one, size_t n, void *data)
{
	spt_grpc_take_line(data, line, one * n);
	return one * n;
}

/* False: this libcurl has no HTTP/2; a clause. */
static bool set_grpc(SptHttp *http, const char *url, SptGrpcStatus *status, char **ret_problem)
{
	bool is_plain = g_str_has_prefix(url, "http://");

	lib.setopt(http->curl, CURLOPT_HEADERFUNCTION, take_header);
	lib.setopt(http->curl, CURLOPT_HEADERDATA, status);
	/* A second call on such a connection fails in libcurl 7.88, which Debian 12 has. */
	lib.setopt(http->curl, CURLOPT_FORBID_REUSE, (long)is_plain);
	if (lib.setopt(http->curl, CURLOPT_HTTP_VERSION,
		       (long)(is_plain ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE :
					 CURL_HTTP_VERSION_2TLS)) == CURLE_OK)
		return true;
	*ret_problem = g_strdup("this libcurl has no HTTP/2, use otlp= instead");
	return false;
}

/* What the call's status says, instead of HTTP's. */
static void take_grpc_status(const SptGrpcStatus *status, SptHttpResult *ret)
{
	if (ret->status != 200)
		return;
	ret->status = spt_grpc_http_status(status);
	if (status->status < 0)
		ret->problem = g_strdup("the answer has no status of gRPC");
	else if (status->status > 0)
		ret->problem = g_strdup_printf("gRPC status %d: %s", status->status,
					       status->message ? status->message : "");
	else if (!spt_grpc_unpack(ret->answer))
		g_string_truncate(ret->answer, 0);
}

static void set_options(SptHttp *http, const char *url, const int *stop, SptHttpResult *ret)
{
	const SptHttpOptions *options = &http->options;
	CURL *curl = http->curl;

	lib.reset(curl);
	lib.setopt(curl, CURLOPT_URL, url);
	lib.setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	lib.setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	lib.setopt(curl, CURLOPT_USERAGENT, "sysprof/" SPT_VERSION);
	lib.setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
	lib.setopt(curl, CURLOPT_TIMEOUT_MS,
			 (long)(options->timeout_ms ? options->timeout_ms : TIMEOUT_MS));
	lib.setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	lib.setopt(curl, CURLOPT_WRITEDATA, ret->answer);
	lib.setopt(curl, CURLOPT_NOPROGRESS, 0L);
	lib.setopt(curl, CURLOPT_XFERINFOFUNCTION, is_stopped);
	lib.setopt(curl, CURLOPT_XFERINFODATA, stop);
	if (options->ca)
		lib.setopt(curl, CURLOPT_CAINFO, options->ca);
	if (options->certificate)
		lib.setopt(curl, CURLOPT_SSLCERT, options->certificate);
	if (options->key)
		lib.setopt(curl, CURLOPT_SSLKEY, options->key);
}

void spt_http_post(SptHttp *http, const SptHttpRequest *request, const int *stop,
		   SptHttpResult *ret)
{
	SptGrpcStatus grpc = { .status = -1 };
	g_autofree char *token = NULL;
	struct curl_slist *headers;
	curl_off_t retry_after = 0;
	long status = 0;
	CURLcode code;

	*ret = (SptHttpResult){ .answer = g_string_new(NULL) };
	if (!read_token(http, &token, &ret->problem))
		return;
	set_options(http, request->url, stop, ret);
	if (request->is_grpc && !set_grpc(http, request->url, &grpc, &ret->problem))
		return;
	headers = list_headers(http, request, token);
	lib.setopt(http->curl, CURLOPT_HTTPHEADER, headers);
	lib.setopt(http->curl, CURLOPT_POST, 1L);
	lib.setopt(http->curl, CURLOPT_POSTFIELDS, request->body);
	lib.setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->bytes);
	code = lib.perform(http->curl);
	lib.free_all(headers);
	if (code != CURLE_OK) {
		ret->problem = spt_one_line(lib.strerror(code));
		spt_grpc_status_clear(&grpc);
		return;
	}
	lib.getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	lib.getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
	ret->status = (unsigned)CLAMP(status, 0, 999);
	ret->retry_after_s = (unsigned)CLAMP(retry_after, 0, G_MAXINT);
	if (request->is_grpc)
		take_grpc_status(&grpc, ret);
	spt_grpc_status_clear(&grpc);
}

void spt_http_result_clear(SptHttpResult *result)
{
	if (result->answer)
		g_string_free(result->answer, TRUE);
	g_free(result->problem);
}

#endif

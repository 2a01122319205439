/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of engines, and what is common to their requests. */
#include "agent/target.h"

#include <string.h>

#include "agent/grpc.h"
#include "base/words.h"
#include "capture/capture.h"

#ifdef SPT_HAS_AGENT

#include <zlib.h>

#include "formats/otlp.pb-c.h"

#define GZIP_WINDOW   (15 + 16)
#define MESSAGE_BYTES 200
#define ENCODE(how)   how

static bool encode_otlp(const SptExportInput *input, GString *to, GError **error)
{
	g_autoptr(SptOut) out = spt_out_new_memory(to);

	return spt_export_otlp.write(input, out, error) && spt_out_finish(out, error);
}

#else

#define ENCODE(how) NULL

#endif

static const SptTargetKind kinds[] = {
	{ "otlp", "/v1development/profiles", "application/x-protobuf", true, false,
	  ENCODE(encode_otlp) },
	{ "otlp-grpc",
	  "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
	  SPT_GRPC_CONTENT_TYPE, true, true, ENCODE(encode_otlp) },
	{ "pyroscope", "/push.v1.PusherService/Push", "application/proto", false, false,
	  ENCODE(spt_target_encode_pyroscope) },
	{ "parca", "/api/profiles/writeraw", "application/json", false, false,
	  ENCODE(spt_target_encode_parca) },
};

static const SptTargetKind *find_kind(const char *text, size_t bytes)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strlen(kinds[i].name) == bytes && strncmp(kinds[i].name, text, bytes) == 0)
			return &kinds[i];
	return NULL;
}

/* "host:1", "[::1]:1" or "host": with a name, and a number that can be a port's. */
static bool is_host(const char *host, size_t bytes)
{
	const char *end = host + bytes, *name_end = host;
	guint64 port;
	g_autofree char *digits = NULL;

	if (bytes && *host == '[')
		name_end = memchr(host, ']', bytes);
	if (!name_end)
		return false;
	while (name_end < end && *name_end != ':')
		name_end++;
	if (name_end == end)
		return bytes;
	digits = g_strndup(name_end + 1, (gsize)(end - name_end - 1));
	return name_end > host &&
	       g_ascii_string_to_unsigned(digits, 10, 1, G_MAXUINT16, &port, NULL);
}

/* "https://me:secret@host:1/path" -> "host:1"; NULL: it is no URL of HTTP. */
static char *host_of_url(const char *url)
{
	const char *host = g_str_has_prefix(url, "http://")  ? url + strlen("http://") :
			   g_str_has_prefix(url, "https://") ? url + strlen("https://") :
							       NULL;
	size_t bytes = host ? strcspn(host, "/?#") : 0;
	const char *at;

	if (!bytes || strspn(url, " \t") || strpbrk(url, " \t\r\n"))
		return NULL;
	at = g_strrstr_len(host, (gssize)bytes, "@");
	if (at) {
		bytes -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	return is_host(host, bytes) ? g_strndup(host, bytes) : NULL;
}

/* For gRPC people write HOST:PORT.  The caller's; NULL: @given is. */
static char *url_of_target(const SptTargetKind *kind, const char *given)
{
	bool is_address = given && kind->is_grpc && *given && !strstr(given, "://");

	return is_address ? g_strconcat("http://", given, NULL) : g_strdup(given);
}

SptTarget *spt_target_new(const char *text, GError **error)
{
	size_t name_bytes = strcspn(text, "=");
	const SptTargetKind *kind = text[name_bytes] ? find_kind(text, name_bytes) : NULL;
	const char *given = kind ? text + name_bytes + 1 : NULL, *path;
	g_autofree char *url = url_of_target(kind, given), *host = url ? host_of_url(url) : NULL;
	SptTarget *target;

	if (!host) {
		spt_set_error(
			error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			"Cannot send to \"%.*s\": give otlp=, otlp-grpc=, pyroscope= or parca= with the URL of a server, like otlp=http://localhost:4318",
			(int)name_bytes, text);
		return NULL;
	}
	target = g_new0(SptTarget, 1);
	target->kind = kind;
	target->host = g_steal_pointer(&host);
	path = strchr(strstr(url, "//") + 2, '/');
	target->url = !path		  ? g_strconcat(url, kind->path, NULL) :
		      strcmp(path, "/") == 0 ? g_strconcat(url, kind->path + 1, NULL) :
					       g_strdup(url);
	return target;
}

void spt_target_free(SptTarget *target)
{
	if (!target)
		return;
	g_free(target->url);
	g_free(target->host);
	g_free(target);
}

#ifdef SPT_HAS_AGENT

static bool pack_text(GString *text, GError **error)
{
	z_stream stream = { 0 };
	g_autoptr(GByteArray) packed = g_byte_array_new();
	int status;

	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM,
			      "There is not enough memory to compress the profile");
		return false;
	}
	g_byte_array_set_size(packed, (guint)deflateBound(&stream, text->len));
	stream.next_in = (Bytef *)text->str;
	stream.avail_in = (uInt)text->len;
	stream.next_out = packed->data;
	stream.avail_out = packed->len;
	status = deflate(&stream, Z_FINISH);
	g_string_truncate(text, 0);
	if (status == Z_STREAM_END)
		g_string_append_len(text, (const char *)packed->data, (gssize)stream.total_out);
	deflateEnd(&stream);
	return status == Z_STREAM_END;
}

bool spt_target_encode(const SptTarget *target, const SptExportInput *input, GString *to,
		       GError **error)
{
	const SptTargetKind *kind = target->kind;

	if (!kind->encode(input, to, error) ||
	    (kind->is_packed && to->len && !pack_text(to, error)))
		return false;
	if (kind->is_grpc && to->len)
		spt_grpc_pack(to, kind->is_packed);
	return true;
}

uint64_t spt_target_rejected(const SptTarget *target, const char *answer, size_t bytes,
			     char **ret_message)
{
	SptOtlpResponse *response;
	uint64_t rejected = 0;

	*ret_message = NULL;
	if (target->kind->encode != encode_otlp)
		return 0;
	response = spt_otlp_response__unpack(NULL, bytes, (const uint8_t *)answer);
	if (response && response->partial && response->partial->rejected > 0) {
		g_autofree char *cut = g_strndup(response->partial->message, MESSAGE_BYTES);

		rejected = (uint64_t)response->partial->rejected;
		*ret_message = spt_one_line(cut);
	}
	if (response)
		spt_otlp_response__free_unpacked(response, NULL);
	return rejected;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd parses what comes, in a thread for each connection: somebody who waits for a
 * profile holds up nobody else.  Bytes, time and number of connections are bounded.
 */
#include "agent/http-door.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "base/words.h"

#ifdef SPT_HAS_AGENT

#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>

#include "agent/client.h"

#define CONNECTIONS_MAX	 16
#define CONNECTION_BYTES (16u << 10)
#define TIMEOUT_S	 30
#define SECONDS_DEFAULT	 10

static struct {
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_create_response_from_buffer) *create_response;
	__typeof__(MHD_add_response_header) *add_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
	__typeof__(MHD_lookup_connection_value) *lookup_value;
} lib;

static bool load_server(GError **error)
{
	static const char *const names[] = { "libmicrohttpd.so.12", NULL };
	static const SptLibraryFunction functions[] = {
		{ "MHD_start_daemon", &lib.start_daemon },
		{ "MHD_stop_daemon", &lib.stop_daemon },
		{ "MHD_get_daemon_info", &lib.get_daemon_info },
		{ "MHD_create_response_from_buffer", &lib.create_response },
		{ "MHD_add_response_header", &lib.add_header },
		{ "MHD_queue_response", &lib.queue_response },
		{ "MHD_destroy_response", &lib.destroy_response },
		{ "MHD_lookup_connection_value", &lib.lookup_value },
	};

	return spt_client_load(names, functions, G_N_ELEMENTS(functions), error);
}

struct SptDoor {
	struct MHD_Daemon *daemon;
	SptAgent *agent;
	char *token;			/* file, or NULL */
	char *name;			/* of this machine alone, that callers may use; NULL: any */
	SptDoorMetrics metrics;
	void *metrics_data;
};

static const struct {
	const char *path, *metric;
} profiles[] = {
	{ "/debug/pprof/profile", "cpu" },
	{ "/debug/pprof/offcpu", "off-cpu" },
	{ "/debug/pprof/locks", "lock" },
	{ "/debug/pprof/kmem", "kmem" },
};

static enum MHD_Result door_answer(struct MHD_Connection *connection, unsigned status,
			      const char *type, const GString *text)
{
	struct MHD_Response *response = lib.create_response(
		text->len, text->str, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	lib.add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	lib.add_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_TOO_MANY_REQUESTS)
		lib.add_header(response, MHD_HTTP_HEADER_RETRY_AFTER,
			       G_STRINGIFY(SPT_AGENT_CAPTURE_PAUSE_S));
	if (status == MHD_HTTP_UNAUTHORIZED)
		lib.add_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	result = lib.queue_response(connection, status, response);
	lib.destroy_response(response);
	return result;
}

static enum MHD_Result answer_sentence(struct MHD_Connection *connection, unsigned status,
				       const char *sentence)
{
	g_autoptr(GString) text = g_string_new(sentence);

	g_string_append_c(text, '\n');
	return door_answer(connection, status, "text/plain; charset=utf-8", text);
}

/* Sums are compared, so that the time says nothing of where two tokens differ. */
static bool is_same_token(const char *a, const char *b)
{
	g_autofree char *x = g_compute_checksum_for_string(G_CHECKSUM_SHA256, a, -1),
			*y = g_compute_checksum_for_string(G_CHECKSUM_SHA256, b, -1);

	return strcmp(x, y) == 0;
}

/* Whether the caller has the token, if there has to be one. */
static bool is_let_in(const SptDoor *door, struct MHD_Connection *connection)
{
	const char *given = lib.lookup_value(connection, MHD_HEADER_KIND,
							MHD_HTTP_HEADER_AUTHORIZATION);
	g_autofree char *token = NULL;

	if (!door->token)
		return true;
	if (!given || g_ascii_strncasecmp(given, "Bearer ", strlen("Bearer ")) != 0 ||
	    !g_file_get_contents(door->token, &token, NULL, NULL))
		return false;
	token[strcspn(token, "\r\n")] = '\0';
	g_strstrip(token);
	return *token && is_same_token(given + strlen("Bearer "), token);
}

/* "HOST", "HOST:PORT", "[HOST]:PORT" -> HOST, in small letters; the caller's. */
static char *host_of_header(const char *text)
{
	const char *end = *text == '[' ? strchr(text, ']') : text + strcspn(text, ":");
	const char *begin = *text == '[' ? text + 1 : text;
	g_autofree char *host = g_strndup(begin, end ? (gsize)(end - begin) : 0);

	/* "localhost." is the same name. */
	if (g_str_has_suffix(host, "."))
		host[strlen(host) - 1] = '\0';
	return g_ascii_strdown(host, -1);
}

static bool is_loopback_text(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
	return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool spt_door_is_named(const char *name, const char *header)
{
	g_autofree char *host = header ? host_of_header(header) : NULL;

	return !host || strcmp(host, "localhost") == 0 || is_loopback_text(host) ||
	       g_ascii_strcasecmp(host, name) == 0;
}

/*
 * Whether it is this door that the caller means.  A browser's page may ask what its own name leads
 * to, and its owner can let that lead to 127.0.0.1.
 */
static bool is_meant(const SptDoor *door, struct MHD_Connection *connection)
{
	return !door->name ||
	       spt_door_is_named(door->name, lib.lookup_value(connection, MHD_HEADER_KIND,
							      MHD_HTTP_HEADER_HOST));
}

/* False: it is no number of seconds. */
static bool find_seconds(struct MHD_Connection *connection, unsigned *ret)
{
	const char *text =
		lib.lookup_value(connection, MHD_GET_ARGUMENT_KIND, "seconds");
	guint64 seconds = SECONDS_DEFAULT;

	if (text && !g_ascii_string_to_unsigned(text, 10, 1, SPT_AGENT_PROFILE_SECONDS_MAX,
						&seconds, NULL))
		return false;
	*ret = (unsigned)seconds;
	return true;
}

static enum MHD_Result answer_profile(SptDoor *door, struct MHD_Connection *connection,
				      const char *metric)
{
	g_autoptr(GString) profile = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	unsigned seconds;

	if (!find_seconds(connection, &seconds))
		return answer_sentence(connection, MHD_HTTP_BAD_REQUEST,
				       "seconds= takes a number from 1 to 300");
	if (!spt_agent_profile(door->agent, metric, seconds, NULL, profile, &error))
		return answer_sentence(connection,
				       g_error_matches(error, SPT_CAPTURE_ERROR,
						       SPT_CAPTURE_ERROR_EMPTY) ?
					       MHD_HTTP_NOT_FOUND :
					       MHD_HTTP_SERVICE_UNAVAILABLE,
				       error->message);
	return door_answer(connection, MHD_HTTP_OK, "application/octet-stream", profile);
}

static void append_metric(GString *to, const char *name, const char *label, uint64_t value)
{
	g_string_append_printf(to, "sysprof_agent_%s%s %" PRIu64 "\n", name, label, value);
}

static enum MHD_Result answer_metrics(SptDoor *door, struct MHD_Connection *connection)
{
	g_autoptr(GString) text = g_string_new(NULL);
	SptAgentStatus status;

	spt_agent_status(door->agent, &status);
	door->metrics(text, door->metrics_data);
	append_metric(text, "windows_total", "", status.windows);
	append_metric(text, "windows_empty_total", "", status.empty);
	append_metric(text, "windows_dropped_total", "", status.dropped);
	if (status.has_keep) {
		append_metric(text, "kept_windows_total", "", status.keep.kept);
		append_metric(text, "kept_windows_failed_total", "", status.keep.failed);
	}
	if (status.has_captures) {
		append_metric(text, "captures_total", "", status.captures.kept);
		append_metric(text, "captures_failed_total", "", status.captures.failed);
		append_metric(text, "captures_too_soon_total", "", status.too_soon);
	}
	g_string_append_printf(text, "sysprof_agent_encoding_cpu_seconds_total %.6f\n",
			       (double)status.encoding_ns / 1e9);
	for (unsigned i = 0; i < spt_agent_n_senders(door->agent); i++) {
		SptSender *sender = spt_agent_sender(door->agent, i);
		g_autofree char *label = g_strdup_printf(
			"{to=\"%s-%u\"}", spt_sender_target(sender)->kind->name, i + 1);
		SptSenderStatus of;

		spt_sender_status(sender, &of);
		append_metric(text, "sent_requests_total", label, of.sent);
		append_metric(text, "sent_bytes_total", label, of.sent_bytes);
		append_metric(text, "retries_total", label, of.retries);
		append_metric(text, "unauthorized_total", label, of.unauthorized);
		append_metric(text, "refused_requests_total", label, of.refused);
		append_metric(text, "rejected_profiles_total", label, of.rejected);
		append_metric(text, "last_http_status", label, of.status);
		append_metric(text, "spool_requests", label, of.spool.requests);
		append_metric(text, "spool_bytes", label, of.spool.bytes);
		append_metric(text, "spool_dropped_total", label, of.spool.dropped);
		append_metric(text, "spool_damaged_total", label, of.spool.damaged);
		append_metric(text, "spool_failed_total", label, of.spool.failed);
	}
	return door_answer(connection, MHD_HTTP_OK, "text/plain; version=0.0.4", text);
}

static enum MHD_Result answer_index(struct MHD_Connection *connection)
{
	g_autoptr(GString) text = g_string_new("Profiles of pprof, with ?seconds=N:\n");

	for (unsigned i = 0; i < G_N_ELEMENTS(profiles); i++)
		g_string_append_printf(text, "%s\n", profiles[i].path);
	g_string_append(text, "/metrics\nPOST /capture keeps what was recorded last, with a token\n");
	return door_answer(connection, MHD_HTTP_OK, "text/plain; charset=utf-8", text);
}

/* Nobody starts one without a token, also where profiles are for everybody. */
static enum MHD_Result answer_capture(SptDoor *door, struct MHD_Connection *connection)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL, *name = NULL;

	if (!door->token)
		return answer_sentence(connection, MHD_HTTP_FORBIDDEN,
				       "Captures need a token: --door-token");
	if (!is_let_in(door, connection))
		return answer_sentence(connection, MHD_HTTP_UNAUTHORIZED, "The token is missing");
	path = spt_agent_capture(door->agent, "http", &error);
	if (!path)
		return answer_sentence(connection,
				       g_error_matches(error, SPT_CAPTURE_ERROR,
						       SPT_CAPTURE_ERROR_BUSY) ?
					       MHD_HTTP_TOO_MANY_REQUESTS :
					       MHD_HTTP_SERVICE_UNAVAILABLE,
				       error->message);
	name = g_path_get_basename(path);
	return answer_sentence(connection, MHD_HTTP_CREATED, name);
}

static enum MHD_Result door_take(void *data, struct MHD_Connection *connection, const char *url,
				    const char *method, G_GNUC_UNUSED const char *version,
				    G_GNUC_UNUSED const char *upload, size_t *upload_bytes,
				    void **state)
{
	static int seen;
	SptDoor *door = data;

	/* First comes the head alone; a body is not taken. */
	if (!*state) {
		*state = &seen;
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (!is_meant(door, connection))
		return answer_sentence(connection, MHD_HTTP_MISDIRECTED_REQUEST,
				       "This door has names of this machine alone, as in http://localhost");
	if (strcmp(method, MHD_HTTP_METHOD_POST) == 0 && strcmp(url, "/capture") == 0)
		return answer_capture(door, connection);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return answer_sentence(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				       "Only GET is known, and POST /capture");
	if (!is_let_in(door, connection))
		return answer_sentence(connection, MHD_HTTP_UNAUTHORIZED, "The token is missing");
	for (unsigned i = 0; i < G_N_ELEMENTS(profiles); i++)
		if (strcmp(url, profiles[i].path) == 0)
			return answer_profile(door, connection, profiles[i].metric);
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(door, connection);
	if (strcmp(url, "/") == 0 || strcmp(url, "/debug/pprof/") == 0)
		return answer_index(connection);
	return answer_sentence(connection, MHD_HTTP_NOT_FOUND, "There is no such profile");
}

/* The host of "[HOST]:PORT", "HOST:PORT" or "PORT", and the port; the caller's. */
static void split_address(const char *address, char **ret_host, char **ret_port)
{
	const char *colon = strrchr(address, ':');

	*ret_port = g_strdup(colon ? colon + 1 : address);
	*ret_host = colon ? g_strndup(address, (gsize)(colon - address)) : g_strdup("127.0.0.1");
	if (**ret_host == '[' && g_str_has_suffix(*ret_host, "]")) {
		memmove(*ret_host, *ret_host + 1, strlen(*ret_host));
		(*ret_host)[strlen(*ret_host) - 1] = '\0';
	}
}

static bool is_loopback_address(const struct sockaddr *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	return address->sa_family == AF_INET6 ?
		       IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) :
		       ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Which name a door has besides those of the loopback; NULL: it is open to other machines. */
static char *name_of_door(const char *address, const struct addrinfo *found)
{
	g_autofree char *host = NULL, *port = NULL;

	if (!is_loopback_address(found->ai_addr))
		return NULL;
	split_address(address, &host, &port);
	return g_steal_pointer(&host);
}

static struct addrinfo *resolve_address(const char *address, GError **error)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	g_autofree char *host = NULL, *port = NULL;
	struct addrinfo *found = NULL;
	guint64 number;
	int status;

	split_address(address, &host, &port);
	if (!g_ascii_string_to_unsigned(port, 10, 0, G_MAXUINT16, &number, NULL)) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot listen at \"%s\": it has no port up to 65535; give a PORT of this machine, or ADDRESS:PORT",
			      address);
		return NULL;
	}
	status = getaddrinfo(*host ? host : NULL, port, &hints, &found);
	if (status == 0)
		return found;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "Cannot listen at \"%s\": %s; give a PORT of this machine, or ADDRESS:PORT",
		      address, gai_strerror(status));
	return NULL;
}

SptDoor *spt_door_new(const char *address, const char *token, SptAgent *agent,
		      SptDoorMetrics metrics, void *data, GError **error)
{
	struct addrinfo *found =
		load_server(error) ? resolve_address(address, error) : NULL;
	unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD;
	SptDoor *door;

	if (!found)
		return NULL;
	door = g_new0(SptDoor, 1);
	door->agent = agent;
	door->token = g_strdup(token);
	door->name = name_of_door(address, found);
	door->metrics = metrics;
	door->metrics_data = data;
	door->daemon = lib.start_daemon(
		flags | (found->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL,
		door_take, door, MHD_OPTION_SOCK_ADDR, found->ai_addr,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
		MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
	freeaddrinfo(found);
	if (door->daemon)
		return door;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "Cannot listen at %s; does another program have the port?", address);
	spt_door_free(door);
	return NULL;
}

void spt_door_free(SptDoor *door)
{
	if (!door)
		return;
	if (door->daemon)
		lib.stop_daemon(door->daemon);
	g_free(door->token);
	g_free(door->name);
	g_free(door);
}

unsigned spt_door_port(const SptDoor *door)
{
	const union MHD_DaemonInfo *info =
		lib.get_daemon_info(door->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info ? info->port : 0;
}

#endif

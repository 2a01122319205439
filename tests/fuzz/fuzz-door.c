/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of all kinds to an agent's door: fuzz-door [--rounds N] FILE..., whose bytes are sent
 * over a connection of their own.  Whatever comes, the door answers who asks properly, and gives
 * nothing to who has not the token.
 */
#include <arpa/inet.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/http-door.h"
#include "agent/pods.h"

#include "mutate.h"

#define TOKEN	     "a-token-that-no-mutation-makes"
#define SECRET	     "what_only_the_token_shows"
#define ANSWER_BYTES 4096
#define ANSWER_MS    2000
#define ASK_EACH     4096	/* requests */

static char *directory;
static SptAgent *agent;
static SptDoor *door;
static unsigned n_tried;

static void say_nothing(G_GNUC_UNUSED const char *sentence, G_GNUC_UNUSED void *data)
{
}

static void put_secret(GString *to, G_GNUC_UNUSED void *data)
{
	g_string_append(to, SECRET " 1\n");
}

static void open_door(void)
{
	static SptAgentOptions options;
	static const char *const nowhere[] = { NULL };
	g_autoptr(GError) error = NULL;
	g_autofree char *token = NULL;

	directory = g_dir_make_tmp("fuzz-door-XXXXXX", NULL);
	token = g_build_filename(directory, "token", NULL);
	options = (SptAgentOptions){ .targets = nowhere, .tell = say_nothing };
	g_assert_true(g_file_set_contents(token, TOKEN "\n", -1, NULL));
	agent = spt_agent_new(&options, &error);
	g_assert_no_error(error);
	door = spt_door_new("0", token, agent, put_secret, NULL, &error);
	g_assert_no_error(error);
}

static void close_door(void)
{
	g_autofree char *token = g_build_filename(directory, "token", NULL);

	spt_agent_close(agent);
	spt_door_free(door);
	spt_agent_free(agent, 0);
	g_unlink(token);
	g_rmdir(directory);
	g_free(directory);
}

/* The beginning of the answer; it may not have come completely. */
static void ask_door(const void *request, size_t bytes, char answer[ANSWER_BYTES])
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)spt_door_port(door)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* Without it each request would leave a port behind for a minute. */
	struct linger at_once = { 1, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t at = 0;
	ssize_t n;

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(connect(fd, (struct sockaddr *)&to, sizeof(to)), ==, 0);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	if (send(fd, request, bytes, MSG_NOSIGNAL) == (ssize_t)bytes)
		shutdown(fd, SHUT_WR);
	while (at + 1 < ANSWER_BYTES) {
		struct pollfd ready = { fd, POLLIN, 0 };

		g_assert_cmpint(poll(&ready, 1, ANSWER_MS), >=, 0);
		if (!ready.revents)
			break;
		n = recv(fd, answer + at, ANSWER_BYTES - 1 - at, 0);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	answer[at] = '\0';
	close(fd);
}

/* Who has the token is answered, whatever came before. */
static void ask_properly(void)
{
	static const char request[] =
		"GET /metrics HTTP/1.0\r\nAuthorization: Bearer " TOKEN "\r\n\r\n";
	char answer[ANSWER_BYTES];

	ask_door(request, strlen(request), answer);
	g_assert_nonnull(strstr(answer, SECRET));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char answer[ANSWER_BYTES];
	const char *metric = NULL;
	unsigned seconds = 0;

	if (spt_pods_parse((const char *)data, bytes, &metric, &seconds) == 0)
		g_assert_true(metric && seconds >= 1 && seconds <= SPT_AGENT_PROFILE_SECONDS_MAX);
	if (!door)
		open_door();
	ask_door(data, bytes, answer);
	g_assert_null(strstr(answer, SECRET));
	g_assert_null(strstr(answer, " 200 OK\r\n"));
	g_assert_null(strstr(answer, " 201 "));
	if (n_tried++ % ASK_EACH == 0)
		ask_properly();
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	status = mutate_main(argc, argv, "fuzz-door", mutate_bytes);
	if (door)
		close_door();
	return status;
}

#endif

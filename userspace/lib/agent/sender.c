/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread sleeps until something is put, or the time of the next attempt has come. */
#include "agent/sender.h"

#include "base/realtime.h"
#include "base/words.h"

#ifdef SPT_HAS_AGENT

#define FIRST_US	(1 * G_TIME_SPAN_SECOND)
#define MOST_US		(60 * G_TIME_SPAN_SECOND)
#define MOST_ASKED_S	600
#define DOUBLINGS_MAX	6

struct SptSender {
	SptTarget *target;
	SptSpool *spool;
	SptHttp *http;
	SptSenderTell tell;
	void *tell_data;
	GThread *thread;
	GMutex lock;
	GCond cond;
	bool has_news, is_closing;
	int is_stopped;			/* atomic: ends an attempt early */
	int has_ended;			/* atomic: the thread has */
	unsigned failures;		/* since the last success; the thread's */
	bool is_reported;		/* that it does not work */
	SptSenderStatus status;
};

uint64_t spt_sender_backoff_us(unsigned failures, unsigned retry_after_s, double chance)
{
	uint64_t us = (uint64_t)FIRST_US << MIN(failures - 1, DOUBLINGS_MAX);

	us = MIN(us, (uint64_t)MOST_US);
	us = us / 2 + (uint64_t)((double)(us / 2) * chance);
	return MAX(us, (uint64_t)MIN(retry_after_s, MOST_ASKED_S) * G_TIME_SPAN_SECOND);
}

/* A token may be renewed soon, and a server may be replaced by one that knows the path. */
bool spt_sender_is_for_now(unsigned status)
{
	return status == 0 || status == 401 || status == 403 || status == 404 || status == 408 ||
	       status == 425 || status == 429 || status >= 500;
}

static bool is_taken(unsigned status)
{
	return status >= 200 && status < 300;
}

static void sender_tell_failure(SptSender *sender, const SptHttpResult *result, bool is_for_now)
{
	const SptTarget *target = sender->target;
	g_autofree char *answer = result->problem ? g_strdup(result->problem) :
						    g_strdup_printf("HTTP status %u",
								    result->status);
	g_autofree char *sentence =
		is_for_now ?
			g_strdup_printf(
				"Cannot send to %s at %s: %s; profiles wait in the spool, and it is tried again",
				target->kind->name, target->host, answer) :
			g_strdup_printf(
				"%s at %s refused a request (%s), and it was dropped; does the server know this kind of request?",
				target->kind->name, target->host, answer);

	if (!sender->is_reported || !is_for_now)
		sender->tell(sentence, sender->tell_data);
	sender->is_reported = true;
}

static void take_success(SptSender *sender, const SptHttpResult *result, size_t bytes)
{
	const SptTarget *target = sender->target;
	g_autofree char *message = NULL, *sentence = NULL;
	uint64_t rejected = spt_target_rejected(target, result->answer->str, result->answer->len,
						&message);

	if (rejected) {
		sentence = g_strdup_printf(
			"%s at %s dropped %" G_GUINT64_FORMAT " profiles of a request: %s",
			target->kind->name, target->host, rejected, message);
		sender->tell(sentence, sender->tell_data);
	} else if (sender->is_reported) {
		sentence = g_strdup_printf("%s at %s takes profiles again", target->kind->name,
					   target->host);
		sender->tell(sentence, sender->tell_data);
		sender->is_reported = false;
	}
	sender->failures = 0;
	g_mutex_lock(&sender->lock);
	sender->status.sent++;
	sender->status.sent_bytes += bytes;
	sender->status.rejected += rejected;
	g_mutex_unlock(&sender->lock);
}

/* Returns how long to wait before the next attempt. */
static uint64_t try_to_send(SptSender *sender, const char *request, size_t bytes, uint64_t number)
{
	const SptTargetKind *kind = sender->target->kind;
	SptHttpResult result;
	uint64_t wait_us = 0;
	bool is_for_now;

	spt_http_post(sender->http,
		      &(SptHttpRequest){ .url = sender->target->url,
					 .content_type = kind->content_type,
					 .is_packed = kind->is_packed,
					 .is_grpc = kind->is_grpc,
					 .body = request,
					 .bytes = bytes },
		      &sender->is_stopped, &result);
	is_for_now = spt_sender_is_for_now(result.status);
	if (is_taken(result.status)) {
		take_success(sender, &result, bytes);
	} else if (!g_atomic_int_get(&sender->is_stopped)) {
		sender_tell_failure(sender, &result, is_for_now);
		g_mutex_lock(&sender->lock);
		sender->status.retries += is_for_now;
		sender->status.unauthorized += result.status == 401 || result.status == 403;
		sender->status.refused += !is_for_now;
		g_mutex_unlock(&sender->lock);
		if (is_for_now)
			wait_us = spt_sender_backoff_us(++sender->failures, result.retry_after_s,
							g_random_double());
	}
	if (!is_for_now)
		spt_spool_done(sender->spool, number);
	g_mutex_lock(&sender->lock);
	sender->status.status = result.status;
	g_mutex_unlock(&sender->lock);
	spt_http_result_clear(&result);
	return wait_us;
}

/* Until @until (0: for ever), the end, or, while nothing has failed, a new request. */
static void wait_for_work(SptSender *sender, gint64 until, bool heeds_news)
{
	g_mutex_lock(&sender->lock);
	while (!sender->is_closing && !(heeds_news && sender->has_news)) {
		if (!until)
			g_cond_wait(&sender->cond, &sender->lock);
		else if (!g_cond_wait_until(&sender->cond, &sender->lock, until))
			break;
	}
	sender->has_news = false;
	g_mutex_unlock(&sender->lock);
}

static bool sender_is_closing(SptSender *sender)
{
	bool is_closing;

	g_mutex_lock(&sender->lock);
	is_closing = sender->is_closing;
	g_mutex_unlock(&sender->lock);
	return is_closing;
}

static gpointer send_all(gpointer data)
{
	SptSender *sender = data;

	spt_realtime_none();
	while (!g_atomic_int_get(&sender->is_stopped)) {
		size_t bytes;
		uint64_t number, wait_us;
		g_autofree char *request = spt_spool_oldest(sender->spool, &bytes, &number);

		if (!request && sender_is_closing(sender))
			break;
		if (!request) {
			wait_for_work(sender, 0, true);
			continue;
		}
		wait_us = try_to_send(sender, request, bytes, number);
		if (wait_us && sender_is_closing(sender))
			break;
		if (wait_us)
			wait_for_work(sender, g_get_monotonic_time() + (gint64)wait_us, false);
	}
	g_atomic_int_set(&sender->has_ended, 1);
	return NULL;
}

SptSender *spt_sender_new(SptTarget *target, const char *directory, uint64_t spool_bytes,
			  const SptHttpOptions *http, SptSenderTell tell, void *data,
			  GError **error)
{
	SptSpool *spool = spt_spool_new(directory, spool_bytes, error);
	SptSender *sender;

	if (!spool) {
		spt_target_free(target);
		return NULL;
	}
	sender = g_new0(SptSender, 1);
	sender->target = target;
	sender->spool = spool;
	sender->http = spt_http_new(http);
	sender->tell = tell;
	sender->tell_data = data;
	g_mutex_init(&sender->lock);
	g_cond_init(&sender->cond);
	sender->thread = g_thread_new("sender", send_all, sender);
	return sender;
}

void spt_sender_free(SptSender *sender, unsigned patience_ms)
{
	gint64 until = g_get_monotonic_time() + patience_ms * G_TIME_SPAN_MILLISECOND;
	SptSpoolStatus spool;

	if (!sender)
		return;
	g_mutex_lock(&sender->lock);
	sender->is_closing = true;
	g_cond_signal(&sender->cond);
	g_mutex_unlock(&sender->lock);
	do {
		spt_spool_status(sender->spool, &spool);
		if (spool.requests)
			g_usleep(10 * G_TIME_SPAN_MILLISECOND);
	} while (spool.requests && !g_atomic_int_get(&sender->has_ended) &&
		 g_get_monotonic_time() < until);
	g_atomic_int_set(&sender->is_stopped, 1);
	g_thread_join(sender->thread);
	g_mutex_clear(&sender->lock);
	g_cond_clear(&sender->cond);
	spt_http_free(sender->http);
	spt_spool_free(sender->spool);
	spt_target_free(sender->target);
	g_free(sender);
}

const SptTarget *spt_sender_target(const SptSender *sender)
{
	return sender->target;
}

void spt_sender_put(SptSender *sender, const void *bytes, size_t n)
{
	spt_spool_put(sender->spool, bytes, n);
	g_mutex_lock(&sender->lock);
	sender->has_news = true;
	g_cond_signal(&sender->cond);
	g_mutex_unlock(&sender->lock);
}

void spt_sender_status(SptSender *sender, SptSenderStatus *ret)
{
	g_mutex_lock(&sender->lock);
	*ret = sender->status;
	g_mutex_unlock(&sender->lock);
	spt_spool_status(sender->spool, &ret->spool);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the wakings by time says who is whose server, a second one cuts each thread's time
 * into spans.
 */
#include "profile/clients.h"

#include <string.h>

#include "base/pairs.h"
#include "base/sort.h"
#include "capture/declared.h"
#include "capture/stream-rows.h"
#include "events/facts.h"
#include "profile/selection.h"

/* Callers that serve calls themselves, one in another; and calls that one process answers. */
#define MOST_NESTED  8
#define MOST_AT_ONCE 1024

/* A thread that slept and was woken. */
struct waking {
	uint64_t time, begin;	/* begin: of the sleep */
	uint32_t thread, waker; /* waker: 0: none is known */
};

/* From @from up to the next one. */
struct client_span {
	uint64_t from;
	uint32_t client;
};

struct client_call {
	uint64_t begin, end;
	uint64_t earliest;	/* begin, of this one and those that end later */
	uint32_t caller;
};

/* One that is woken and wakes: a thread, or for those of other processes its process. */
struct party {
	bool is_process;
	uint32_t id;
};

/* Who woke the other one first, of the two with the smaller number first; then whether both did. */
enum { FIRST_DID = 1, SECOND_DID = 2, FIRST_WAS_FIRST = 4 };

struct clients {
	const SptCapture *capture;
	GArray **spans;	   /* by thread: struct client_span; NULL: it is its own */
	GHashTable *calls; /* pid of the server -> GArray of struct client_call by end */
	bool is_thinned, has_wakers;
	/* Only while they are made: */
	GArray *wakings;
	struct spt_pairs pairs[2]; /* of threads, of processes: enum above */
	uint32_t *n_partners[2];   /* who woke it, and whom it woke */
	/* By process: how often others woke it, and it woke others but threads of the kernel. */
	uint32_t *n_woken, *n_woke;
	uint64_t *since; /* by thread: when what it does now has begun */
	uint32_t *now;	 /* for whom */
};

typedef enum { REQUEST, REPLY, NEITHER } Meaning;

static bool is_sleep(const SptWaitRow *wait)
{
	return (wait->state == SPT_STATE_SLEEP || wait->state == SPT_STATE_OTHER) &&
	       !(wait->flags & SPT_WAIT_CUT_END) && wait->runnable_ns < wait->duration_ns;
}

static void add_waking(struct clients *clients, const SptWaitRow *wait)
{
	bool has_waker = wait->waker_context == SPT_IN_TASK && wait->waker != wait->thread;
	const struct waking waking = { wait->time - MIN(wait->runnable_ns, wait->time),
				       wait->time - MIN(wait->duration_ns, wait->time),
				       wait->thread, has_waker ? wait->waker : 0 };

	if (wait->weight_ns != wait->duration_ns)
		clients->is_thinned = true;
	clients->has_wakers |= waking.waker != 0;
	if (is_sleep(wait) && clients->wakings->len < UINT32_MAX)
		g_array_append_val(clients->wakings, waking);
}

static void read_wakings(struct clients *clients)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(clients->capture, SPT_ROW_WAIT);
	g_autoptr(GArray) read = g_array_new(FALSE, FALSE, sizeof(struct waking));
	struct spt_item *items, *spare;
	const SptWaitRow *waits;
	uint32_t n;

	clients->wakings = read;
	while ((waits = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			add_waking(clients, &waits[i]);
	items = g_new(struct spt_item, read->len);
	spare = g_new(struct spt_item, read->len);
	for (uint32_t i = 0; i < read->len; i++)
		items[i] = (struct spt_item){ g_array_index(read, struct waking, i).time, i };
	spt_sort_items(&items, &spare, read->len);
	clients->wakings = g_array_sized_new(FALSE, FALSE, sizeof(struct waking), read->len);
	for (uint32_t i = 0; i < read->len; i++)
		g_array_append_val(clients->wakings,
				   g_array_index(read, struct waking, items[i].index));
	g_free(items);
	g_free(spare);
}

/* Both sides of a waking. */
static void find_parties(const struct clients *clients, const struct waking *waking,
			 struct party *ret_waker, struct party *ret_woken)
{
	const SptThreadRow *threads = clients->capture->threads;
	uint32_t from = threads[waking->waker].process, to = threads[waking->thread].process;

	*ret_waker =
		from != to ? (struct party){ true, from } : (struct party){ false, waking->waker };
	*ret_woken =
		from != to ? (struct party){ true, to } : (struct party){ false, waking->thread };
}

static bool is_kernel_party(const struct clients *clients, uint32_t process)
{
	return clients->capture->processes[process].flags & SPT_PROCESS_KTHREAD;
}

static void learn_pair(struct clients *clients, const struct waking *waking)
{
	struct party waker, woken;
	uint32_t *known, bit;
	bool is_first;

	find_parties(clients, waking, &waker, &woken);
	if (waker.is_process) {
		clients->n_woken[woken.id]++;
		clients->n_woke[waker.id] += !is_kernel_party(clients, woken.id);
	}
	is_first = waker.id < woken.id;
	bit = is_first ? FIRST_DID : SECOND_DID;
	known = spt_pairs_at(&clients->pairs[waker.is_process], MIN(waker.id, woken.id),
			     MAX(waker.id, woken.id));
	if (*known == UINT32_MAX)
		*known = is_first ? FIRST_WAS_FIRST : 0;
	if (!(*known & bit) && *known & (FIRST_DID | SECOND_DID)) {
		clients->n_partners[waker.is_process][waker.id]++;
		clients->n_partners[waker.is_process][woken.id]++;
	}
	*known |= bit;
}

/*
 * Who is woken by a server and passes nothing on may be a client whose requests always found it
 * awake, or one who keeps what he gets.
 */
static bool is_handed_on(const struct clients *clients, const struct party *waker,
			 const struct party *woken)
{
	return !waker->is_process || !clients->n_partners[1][waker->id] ||
	       is_kernel_party(clients, woken->id) ||
	       2ULL * clients->n_woke[woken->id] >= clients->n_woken[woken->id];
}

static Meaning meaning_of(const struct clients *clients, const struct waking *waking)
{
	struct party waker, woken;
	uint32_t known, of_waker, of_woken;
	bool is_first, woke_first;

	find_parties(clients, waking, &waker, &woken);
	is_first = waker.id < woken.id;
	known = spt_pairs_get(&clients->pairs[waker.is_process], MIN(waker.id, woken.id),
			      MAX(waker.id, woken.id));
	if ((known & (FIRST_DID | SECOND_DID)) != (FIRST_DID | SECOND_DID))
		return is_handed_on(clients, &waker, &woken) ? REQUEST : NEITHER;
	of_waker = clients->n_partners[waker.is_process][waker.id];
	of_woken = clients->n_partners[waker.is_process][woken.id];
	if (waker.is_process && of_waker != of_woken)
		return of_waker < of_woken ? REQUEST : REPLY;
	if (!waker.is_process)
		return of_waker == of_woken && of_waker > 1 ? NEITHER : REQUEST;
	woke_first = !(known & FIRST_WAS_FIRST) != is_first;
	return woke_first ? REQUEST : REPLY;
}

/* What @thread did up to @time was for @client. */
static void end_client_span(struct clients *clients, uint32_t thread, uint64_t time,
			    uint32_t client)
{
	const struct client_span span = { clients->since[thread], client };
	GArray **spans = &clients->spans[thread];

	clients->since[thread] = time;
	if (!*spans && client == thread)
		return;
	if (!*spans) {
		const struct client_span own = { 0, thread };

		*spans = g_array_new(FALSE, FALSE, sizeof(struct client_span));
		g_array_append_val(*spans, own);
	}
	if (g_array_index(*spans, struct client_span, (*spans)->len - 1).client != client)
		g_array_append_val(*spans, span);
}

static void begin_client_span(struct clients *clients, uint32_t thread, uint64_t time,
			      uint32_t client)
{
	end_client_span(clients, thread, time, clients->now[thread]);
	clients->now[thread] = client;
}

static void follow_waking(struct clients *clients, const struct waking *waking)
{
	uint32_t woken = waking->thread, waker = waking->waker;
	Meaning meaning = waker ? meaning_of(clients, waking) : REQUEST;

	if (meaning == REQUEST) {
		begin_client_span(clients, woken, waking->time,
				  waker ? clients->now[waker] : woken);
	} else if (meaning == REPLY) {
		/* It cannot have worked for the other one before that had asked. */
		if (waking->begin > clients->since[waker])
			end_client_span(clients, waker, waking->begin, clients->now[waker]);
		end_client_span(clients, waker, waking->time, clients->now[woken]);
		clients->now[waker] = clients->now[woken];
	}
}

static void find_client_spans(struct clients *clients)
{
	const SptCapture *capture = clients->capture;
	const uint32_t n_of[2] = { capture->n_threads, capture->n_processes };

	read_wakings(clients);
	for (unsigned i = 0; i < 2; i++)
		clients->n_partners[i] = g_new0(uint32_t, n_of[i] + 1);
	clients->n_woken = g_new0(uint32_t, capture->n_processes + 1);
	clients->n_woke = g_new0(uint32_t, capture->n_processes + 1);
	clients->since = g_new0(uint64_t, capture->n_threads + 1);
	clients->now = g_new(uint32_t, capture->n_threads + 1);
	for (uint32_t i = 0; i <= capture->n_threads; i++)
		clients->now[i] = i;
	for (uint32_t i = 0; i < clients->wakings->len; i++)
		if (g_array_index(clients->wakings, struct waking, i).waker)
			learn_pair(clients, &g_array_index(clients->wakings, struct waking, i));
	for (uint32_t i = 0; i < clients->wakings->len; i++)
		follow_waking(clients, &g_array_index(clients->wakings, struct waking, i));
	for (uint32_t i = 1; i < capture->n_threads; i++)
		end_client_span(clients, i, UINT64_MAX, clients->now[i]);
	for (unsigned i = 0; i < 2; i++) {
		g_clear_pointer(&clients->n_partners[i], g_free);
		spt_pairs_clear(&clients->pairs[i]);
	}
	g_clear_pointer(&clients->n_woken, g_free);
	g_clear_pointer(&clients->n_woke, g_free);
	g_clear_pointer(&clients->since, g_free);
	g_clear_pointer(&clients->now, g_free);
	g_clear_pointer(&clients->wakings, g_array_unref);
}

/* Calls on D-Bus. */

struct call_fields {
	unsigned server_pid, error;
};

static const SptDeclared *find_call_kind(const SptCapture *capture, struct call_fields *ret)
{
	const SptDeclared *kind = spt_declared_find(capture, "dbus");

	if (!kind || kind->shape != SPT_DECLARED_INTERVAL ||
	    !spt_declared_find_field(kind, "server_pid", &ret->server_pid) ||
	    kind->fields[ret->server_pid].type != SPT_VALUE_ID ||
	    !spt_declared_find_field(kind, "error", &ret->error) ||
	    kind->fields[ret->error].type != SPT_VALUE_TEXT)
		return NULL;
	return kind;
}

static void add_call(struct clients *clients, const struct call_fields *fields,
		     const SptDeclaredRow *row)
{
	gpointer pid = GSIZE_TO_POINTER(row->values[fields->server_pid].number);
	const struct client_call call = { row->time, row->time + row->duration_ns, row->time,
					  row->thread };
	GArray *calls = g_hash_table_lookup(clients->calls, pid);

	if (!pid || !row->thread || !row->duration_ns ||
	    strcmp(row->values[fields->error].text, "[no reply]") == 0)
		return;
	if (!calls) {
		calls = g_array_new(FALSE, FALSE, sizeof(struct client_call));
		g_hash_table_insert(clients->calls, pid, calls);
	}
	g_array_append_val(calls, call);
}

static gint compare_calls(gconstpointer a, gconstpointer b)
{
	const struct client_call *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

static void read_calls(struct clients *clients)
{
	struct call_fields fields;
	const SptDeclared *kind = find_call_kind(clients->capture, &fields);
	g_autoptr(SptDeclaredReader) reader =
		kind ? spt_declared_reader_new(clients->capture, kind) : NULL;
	const SptDeclaredRow *rows;
	GHashTableIter each;
	GArray *calls;
	uint32_t n;

	clients->calls = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	while (reader && (rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			add_call(clients, &fields, &rows[i]);
	g_hash_table_iter_init(&each, clients->calls);
	while (g_hash_table_iter_next(&each, NULL, (void **)&calls)) {
		struct client_call *all = (struct client_call *)calls->data;

		g_array_sort(calls, compare_calls);
		for (unsigned i = calls->len; i-- > 1;)
			all[i - 1].earliest = MIN(all[i - 1].earliest, all[i].earliest);
	}
}

/* The call that @thread's process answers next; NULL: there is none. */
static const struct client_call *call_at(const struct clients *clients, uint32_t thread,
					 uint64_t time)
{
	const SptProcessRow *process = spt_process_of_thread(clients->capture, thread);
	const GArray *calls =
		process ? g_hash_table_lookup(clients->calls, GSIZE_TO_POINTER(process->pid)) :
			  NULL;
	uint32_t low = 0, high = calls ? calls->len : 0, last = high;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g_array_index(calls, struct client_call, middle).end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	last = MIN(last, low + MOST_AT_ONCE);
	for (uint32_t i = low; i < last; i++) {
		const struct client_call *call = &g_array_index(calls, struct client_call, i);

		if (call->begin <= time)
			return call;
		if (call->earliest > time)
			break;
	}
	return NULL;
}

static uint32_t client_by_spans(const struct clients *clients, uint32_t thread, uint64_t time)
{
	const GArray *spans = clients->spans[thread];
	uint32_t low = 0, high = spans ? spans->len : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g_array_index(spans, struct client_span, middle).from <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? g_array_index(spans, struct client_span, low - 1).client : thread;
}

static void clients_free(gpointer data)
{
	struct clients *clients = data;

	for (uint32_t i = 0; i < clients->capture->n_threads; i++)
		if (clients->spans[i])
			g_array_unref(clients->spans[i]);
	g_free(clients->spans);
	g_hash_table_unref(clients->calls);
	g_free(clients);
}

static gpointer make_clients(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	struct clients *clients = g_new0(struct clients, 1);

	clients->capture = capture;
	clients->spans = g_new0(GArray *, capture->n_threads + 1);
	read_calls(clients);
	find_client_spans(clients);
	return clients;
}

static const struct clients *clients_of(const SptCapture *capture)
{
	static const char key;

	return spt_capture_keep(capture, (gpointer)&key, make_clients, clients_free);
}

uint32_t spt_client_of(const SptCapture *capture, uint32_t thread, uint64_t time)
{
	const struct clients *clients = clients_of(capture);
	const struct client_call *call;

	if (!thread || thread >= capture->n_threads)
		return thread;
	for (unsigned i = 0; i < MOST_NESTED && (call = call_at(clients, thread, time)); i++) {
		thread = call->caller;
		time = call->begin;
	}
	return client_by_spans(clients, thread, time);
}

bool spt_clients_are_thinned(const SptCapture *capture)
{
	return clients_of(capture)->is_thinned;
}

bool spt_clients_have_wakers(const SptCapture *capture)
{
	return clients_of(capture)->has_wakers;
}

/* Waits of calls have no wakers. */
const char *spt_clients_lack(const SptCapture *capture)
{
	struct call_fields fields;

	if (find_call_kind(capture, &fields) ||
	    (spt_capture_has_stream(capture, SPT_ROW_WAIT) &&
	     g_strcmp0(spt_capture_host(capture, "waits"), "calls") != 0))
		return NULL;
	return "--waits=all";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the whole recording the recorder has counted (record/ends.h); its facts become texts.  For a
 * part of it the samples are counted here.
 */
#include "profile/wholeness.h"

#include <string.h>

#include "base/words.h"
#include "capture/format.h"
#include "events/facts.h"
#include "profile/selection.h"

#define OBJECTS_SHOWN 3

enum cause {
	FRAME_POINTERS,
	CUT,
	CUT_WAITS,			/* copies at a switch are shorter, whatever is asked for */
	RUN_TIME,
	NO_INFO,
	OTHER,
	CAUSES,				/* of none */
};

/* %s: the objects in which stacks stop. */
static const struct {
	const char *cause, *where, *where_unnamed, *cure;
} causes[] = {
	[FRAME_POINTERS] = { "frame_pointers",
			     SPT_WORDS("%.0f %% stop in %s (no frame pointers)"),
			     SPT_WORDS("%.0f %% are along frame pointers, which not all code keeps"),
			     "sudo systemctl enable --now sysprof-tables" },
	[CUT] = { "cut", NULL, SPT_WORDS("%.0f %% are cut off (the copies are too short)"),
		  "--stacks dwarf,57344" },
	[CUT_WAITS] = { "cut_waits", NULL,
			SPT_WORDS("%.0f %% are cut off (the copies are too short)"), NULL },
	[RUN_TIME] = { "run_time", NULL,
		       SPT_WORDS("%.0f %% stop in code made at run time, which has to keep frame "
				 "pointers"), NULL },
	[NO_INFO] = { "no_info", SPT_WORDS("%.0f %% stop in %s (no unwind table)"),
		      SPT_WORDS("%.0f %% stop in code without an unwind table"), NULL },
	[OTHER] = { "other", NULL, SPT_WORDS("%.0f %% stop at memory that is no stack"), NULL },
};

/* @stopped: stacks cut by @cause, the most frequent cause. */
typedef struct {
	uint64_t seen, whole, stopped;
	enum cause cause;
	char *where;
	bool is_of_command;
} Ends;

static void ends_clear(Ends *ends)
{
	g_clear_pointer(&ends->where, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Ends, ends_clear)

/* Counts of the recorder.  The file may have any values. */

static uint64_t number(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	guint64 value;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value :
											   0;
}

static void read_stop(const SptCapture *capture, Ends *ends)
{
	const char *stop = spt_capture_host(capture, "stacks_stop");
	g_auto(GStrv) parts = g_strsplit(stop ? stop : "", " ", 3);
	guint64 weight;

	if (g_strv_length(parts) < 3 ||
	    !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT64_MAX, &weight, NULL))
		return;
	for (unsigned i = 0; i < CAUSES; i++) {
		if (strcmp(parts[0], causes[i].cause) != 0)
			continue;
		ends->cause = i;
		ends->stopped = weight;
		ends->where = g_strdup(parts[2]);
	}
}

static void read_ends(const SptCapture *capture, Ends *ends)
{
	*ends = (Ends){ .seen = number(capture, "stacks_seen"),
			.whole = number(capture, "stacks_whole"),
			.cause = CAUSES };
	ends->whole = MIN(ends->whole, ends->seen);
	if (ends->whole < ends->seen)
		read_stop(capture, ends);
}

/* Of samples. */

/* Weights by object, of one cause. */
static uint64_t *weight_of(GHashTable **objects, enum cause cause, uint32_t object)
{
	uint64_t *weight;

	if (!objects[cause])
		objects[cause] = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	weight = g_hash_table_lookup(objects[cause], GUINT_TO_POINTER(object));
	if (!weight) {
		weight = g_new0(uint64_t, 1);
		g_hash_table_insert(objects[cause], GUINT_TO_POINTER(object), weight);
	}
	return weight;
}

/* The user part's outermost object, or, if @is_innermost, its innermost one; 0: there is none. */
static uint32_t object_of(const SptCapture *capture, uint32_t at, bool is_innermost)
{
	uint32_t object = 0;

	for (; at && !(object && is_innermost); at = capture->nodes[at].parent) {
		uint32_t here = capture->nodes[at].frame.object;

		/*
		 * Neither the kernel, nor the object that represents an unknown caller, nor a
		 * script: no table helps there.
		 */
		if (capture->objects[here].kind >= SPT_OBJECT_ANON &&
		    capture->objects[here].kind != SPT_OBJECT_SOURCE)
			object = here;
	}
	return object;
}

static void count_stop(const SptCapture *capture, GHashTable **objects, const SptSampleRow *sample)
{
	uint8_t end = sample->user_end;
	enum cause cause = end & SPT_END_FRAME_POINTERS ? FRAME_POINTERS :
			   end == SPT_END_CUT		? CUT :
			   end == SPT_END_NO_INFO	? NO_INFO :
							  OTHER;
	uint32_t object = object_of(capture, sample->node, cause == FRAME_POINTERS);

	if (capture->objects[object].kind == SPT_OBJECT_ANON)
		cause = RUN_TIME;
	*weight_of(objects, cause, object) += sample->weight;
}

static uint64_t sum_of(GHashTable *objects)
{
	GHashTableIter iter;
	void *weight;
	uint64_t sum = 0;

	if (!objects)
		return 0;
	g_hash_table_iter_init(&iter, objects);
	while (g_hash_table_iter_next(&iter, NULL, &weight))
		sum += *(uint64_t *)weight;
	return sum;
}

/* The heaviest objects, and those that have a tenth of it. */
static char *name_objects(const SptCapture *capture, GHashTable *objects)
{
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t first = 0;

	for (unsigned i = 0; i < OBJECTS_SHOWN; i++) {
		g_autofree char *name = NULL;
		GHashTableIter iter;
		void *object, *weight, *most = NULL;
		uint64_t heaviest = 0;

		g_hash_table_iter_init(&iter, objects);
		while (g_hash_table_iter_next(&iter, &object, &weight))
			if (*(uint64_t *)weight > heaviest) {
				heaviest = *(uint64_t *)weight;
				most = object;
			}
		first = i ? first : heaviest;
		if (!heaviest || heaviest < first / 10)
			break;
		*(uint64_t *)g_hash_table_lookup(objects, most) = 0;
		if (capture->objects[GPOINTER_TO_UINT(most)].kind != SPT_OBJECT_FILE)
			continue;
		name = g_path_get_basename(capture->objects[GPOINTER_TO_UINT(most)].path);
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", name);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void count_ends(const SptCapture *capture, const SptFilter *filter, Ends *ends)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	GHashTable *objects[CAUSES] = { NULL };
	struct spt_selection selection;
	const SptSampleRow *rows;
	uint32_t n;

	*ends = (Ends){ .cause = CAUSES };
	spt_selection_init(&selection, capture, filter);
	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++) {
			if (rows[i].user_end == SPT_END_NONE ||
			    !spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu))
				continue;
			ends->seen += rows[i].weight;
			if (rows[i].user_end == SPT_END_ROOT)
				ends->whole += rows[i].weight;
			else
				count_stop(capture, objects, &rows[i]);
		}
	spt_selection_clear(&selection);
	for (unsigned i = 0; i < CAUSES; i++) {
		uint64_t sum = sum_of(objects[i]);

		if (sum > ends->stopped) {
			ends->stopped = sum;
			ends->cause = i;
		}
	}
	if (ends->cause < CAUSES)
		ends->where = name_objects(capture, objects[ends->cause]);
	for (unsigned i = 0; i < CAUSES; i++)
		g_clear_pointer(&objects[i], g_hash_table_unref);
}

/* Words. */

static bool asks_for_part(const SptFilter *filter)
{
	return filter && (filter->process || filter->processes || filter->thread || filter->cpus ||
			  spt_filter_is_about_time(filter));
}

/* False: there are no stacks. */
static bool find_ends(const SptCapture *capture, const SptFilter *filter, Ends *ends)
{
	read_ends(capture, ends);
	/* If all are whole, so are those of each part. */
	if (ends->whole < ends->seen && asks_for_part(filter)) {
		ends_clear(ends);
		count_ends(capture, filter, ends);
	}
	return ends->seen > 0;
}

static double pct_of(const Ends *ends, uint64_t part)
{
	return MIN(100 * (double)part / (double)ends->seen, 100);
}

static char *tell_stop(const SptCapture *capture, const Ends *ends, const char **ret_cure)
{
	const char *source = spt_capture_host(capture, "source");
	double pct = pct_of(ends, ends->stopped);

	*ret_cure = NULL;
	if (ends->cause >= CAUSES)
		return NULL;
	*ret_cure = causes[ends->cause].cure;
	/* Only the module has tables. */
	if (ends->cause == FRAME_POINTERS && g_strcmp0(source, "perf") == 0)
		*ret_cure = "sudo modprobe sysprof";
	/* Calls of a command's own have whole stacks. */
	if (ends->cause == CUT_WAITS && ends->is_of_command)
		*ret_cure = "--waits=calls";
	/* The recorder made copies shorter, as all programs together were too much for it. */
	if (ends->cause == CUT && number(capture, "copy_bytes"))
		*ret_cure = "-p PID";
	if (*ends->where && causes[ends->cause].where)
		return g_strdup_printf(spt_words(causes[ends->cause].where), pct, ends->where);
	return g_strdup_printf(spt_words(causes[ends->cause].where_unnamed), pct);
}

static char *tell_ends(const SptCapture *capture, const Ends *ends)
{
	g_autofree char *whole = NULL, *stop = NULL;
	const char *cure;

	if (pct_of(ends, ends->whole) >= SPT_WHOLE_ENOUGH_PCT)
		return NULL;
	whole = g_strdup_printf(spt_words("Call stacks: %.0f %% complete"),
				pct_of(ends, ends->whole));
	stop = tell_stop(capture, ends, &cure);
	if (!stop)
		return g_steal_pointer(&whole);
	if (!cure)
		return g_strdup_printf("%s; %s", whole, stop);
	return g_strdup_printf(spt_words("%s; %s. Fix: %s"), whole, stop, cure);
}

bool spt_wholeness(const SptCapture *capture, const SptFilter *filter, double *ret_pct,
		   char **ret_line)
{
	g_auto(Ends) ends = { 0 };
	bool any = find_ends(capture, filter, &ends);

	*ret_pct = any ? pct_of(&ends, ends.whole) : 0;
	if (ret_line)
		*ret_line = any ? tell_ends(capture, &ends) : NULL;
	return any;
}

char *spt_wholeness_line(const SptCapture *capture, const SptFilter *filter)
{
	double pct;
	char *line;

	spt_wholeness(capture, filter, &pct, &line);
	return line;
}

/* What other metrics have of stacks is in their functions. */
static void sum_cut(const SptProfile *profile, Ends *ends)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	bool is_of_waits = spt_profile_metric(profile)->parts & SPT_METRIC_HAS_STATE;
	uint64_t cut = 0;

	/* Another sentence is about what has no stack. */
	ends->seen = spt_profile_total(profile) - spt_profile_without_stack(profile);
	for (uint32_t i = 0; i < n; i++) {
		if (!spt_function_is_cut(&functions[i]))
			continue;
		cut += functions[i].total;
		if (strcmp(functions[i].name, SPT_STACK_CUT_OFF) == 0)
			ends->stopped += functions[i].total;
	}
	ends->whole = ends->seen - MIN(cut, ends->seen);
	ends->cause = ends->stopped * 2 <= cut ? CAUSES : is_of_waits ? CUT_WAITS : CUT;
	ends->where = g_strdup("");
}

bool spt_wholeness_of(const SptProfile *profile, const SptCapture *capture,
		      const SptFilter *filter, double *ret_pct, char **ret_line)
{
	g_auto(Ends) ends = { 0 };

	if (spt_profile_metric(profile)->is_cpu)
		return spt_wholeness(capture, filter, ret_pct, ret_line);
	sum_cut(profile, &ends);
	ends.is_of_command = filter && filter->processes && !filter->process;
	*ret_pct = ends.seen ? pct_of(&ends, ends.whole) : 0;
	*ret_line = ends.whole < ends.seen ? tell_ends(capture, &ends) : NULL;
	return ends.whole < ends.seen;
}

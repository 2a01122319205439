/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choices are kept as row numbers, and switches as 0 or 1. */
#include "record-choices.h"

#include <glib/gi18n.h>

#include "record/memory.h"
#include "state.h"
#include "text.h"
#include "trace/trace.h"

/* perf's numbers of generic hardware events. */
enum { CYCLES, INSTRUCTIONS, CACHE_REFERENCES, CACHE_MISSES, BRANCHES, BRANCH_MISSES };

struct item {
	const char *name;		/* to be translated */
	const char *option;		/* NULL: none is needed */
	unsigned number;
};

static const struct item rates[] = {
	{ N_("As the budget of CPU time allows, up to 1,000 a second"), NULL, 0 },
	{ N_("100 a second"), "-F 100", 100 },
	{ N_("1,000 a second"), "-F 1000", 1000 },
	{ N_("4,000 a second"), "-F 4000", 4000 },
	{ N_("10,000 a second"), "-F 10000", 10000 },
	{ NULL, NULL, 0 },
};

static const struct item stacks[] = {
	{ N_("Whole, also where there are no frame pointers"), NULL, SPT_STACKS_AUTO },
	{ N_("Along frame pointers"), "--stacks fp", SPT_STACKS_FP },
	{ N_("Only in the kernel"), "--stacks none", SPT_STACKS_NONE },
	{ NULL, NULL, 0 },
};

/* 0: a timer. */
static const struct item events[] = {
	{ N_("A timer"), NULL, 0 },
	{ N_("CPU cycles"), "--clock pmu --event 0", CYCLES + 1 },
	{ N_("Instructions"), "--clock pmu --event 1", INSTRUCTIONS + 1 },
	{ N_("Cache references"), "--clock pmu --event 2", CACHE_REFERENCES + 1 },
	{ N_("Cache misses"), "--clock pmu --event 3", CACHE_MISSES + 1 },
	{ N_("Branches"), "--clock pmu --event 4", BRANCHES + 1 },
	{ N_("Branches predicted wrongly"), "--clock pmu --event 5", BRANCH_MISSES + 1 },
	{ NULL, NULL, 0 },
};

static const struct {
	const char *key;
	const struct item *items;
} choices[] = {
	[SPT_CHOICE_RATE] = { "rate", rates },
	[SPT_CHOICE_STACKS] = { "call-stacks", stacks },
	[SPT_CHOICE_EVENT] = { "event", events },
};

static unsigned chosen(SptChoice choice)
{
	int value = spt_state_get(choices[choice].key, 0);
	unsigned n = 0;

	while (choices[choice].items[n].name)
		n++;
	return value >= 0 && (unsigned)value < n ? (unsigned)value : 0;
}

static const struct item *item_of(SptChoice choice)
{
	return &choices[choice].items[chosen(choice)];
}

static void record_choices_on_chosen(AdwComboRow *row, G_GNUC_UNUSED GParamSpec *spec,
				     gpointer choice)
{
	spt_state_set(choices[GPOINTER_TO_UINT(choice)].key, (int)adw_combo_row_get_selected(row));
}

void spt_record_choices_fill(AdwComboRow *row, SptChoice choice)
{
	g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

	for (const struct item *item = choices[choice].items; item->name; item++)
		gtk_string_list_append(names, _(item->name));
	adw_combo_row_set_model(row, G_LIST_MODEL(names));
	spt_record_choices_recall(row, choice);
	g_signal_connect(row, "notify::selected", G_CALLBACK(record_choices_on_chosen),
			 GUINT_TO_POINTER(choice));
}

void spt_record_choices_recall(AdwComboRow *row, SptChoice choice)
{
	adw_combo_row_set_selected(row, chosen(choice));
}

static void on_switched(GtkSwitch *widget, G_GNUC_UNUSED GParamSpec *spec, gpointer key)
{
	spt_state_set(key, gtk_switch_get_active(widget));
}

void spt_record_choices_bind(GtkSwitch *widget, const char *key, int otherwise)
{
	gtk_switch_set_active(widget, spt_state_get(key, otherwise) != 0);
	g_signal_connect_data(widget, "notify::active", G_CALLBACK(on_switched), g_strdup(key),
			      (GClosureNotify)(void (*)(void))g_free, 0);
}

static char *record_choices_problem_of(const SptTraceConfig *config)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = spt_trace_open(&error);

	if (trace && spt_trace_can(trace, config, &error))
		return NULL;
	return g_strdup(error->message);
}

char *spt_record_source_problem(const SptEventOption *source)
{
	const SptTraceConfig config = {
		.kernel = source->bit,
		.waits = { .is_on = !source->bit && !source->of_command,
			   .period_ns = SPT_TRACE_WAITS_NS },
	};

	return record_choices_problem_of(&config);
}

char *spt_record_statement_problem(const SptStatementOption *option)
{
	g_autoptr(GError) error = NULL;

	if (!option->is_possible || option->is_possible(&error))
		return NULL;
	return g_strdup(error->message);
}

char *spt_record_counters_problem(void)
{
	return record_choices_problem_of(&(SptTraceConfig){ .clock = SPT_TRACE_PMU });
}

static bool record_choices_is_wanted(const SptEventOption *source, const SptRecordOptions *options)
{
	g_autofree char *problem = NULL;

	if (!spt_state_get(source->key, 0) || (source->of_command && !options->command))
		return false;
	problem = spt_record_source_problem(source);
	return !problem;
}

static void apply_statements(SptRecordOptions *options)
{
	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++) {
		const SptStatementOption *option = spt_statement_option(i);
		g_autofree char *problem = NULL;

		if (!spt_state_get(option->key, 0))
			continue;
		problem = spt_record_statement_problem(option);
		if (!problem)
			options->statements |= 1u << i;
	}
	if (!options->command)
		return;
	options->start_at = spt_state_get_text(SPT_CHOICE_START_AT, "");
	options->stop_at = spt_state_get_text(SPT_CHOICE_STOP_AT, "");
}

void spt_record_choices_apply(SptRecordOptions *options)
{
	const SptEventOption *source;

	options->rate_hz = item_of(SPT_CHOICE_RATE)->number;
	options->stacks = item_of(SPT_CHOICE_STACKS)->number;
	options->no_command_lines = !spt_state_get("command-lines", 1);
	options->only_command = options->command && spt_state_get("only-command", 0);
	options->event = options->everything ? 0 : item_of(SPT_CHOICE_EVENT)->number;
	options->names = options->everything ? NULL : spt_state_get_text(SPT_CHOICE_NAMES, "");
	options->only_count = options->names && *options->names && spt_state_get("only-count", 0);
	if (options->event) {
		g_autofree char *problem = spt_record_counters_problem();

		options->event = problem ? 0 : options->event;
	}
	apply_statements(options);
	for (unsigned i = 0; (source = spt_event_option(i)); i++) {
		if (!record_choices_is_wanted(source, options))
			continue;
		/* Root's opener has no other events than samples and waits. */
		if (options->everything && source->bit)
			continue;
		options->kernel |= source->bit;
		options->memory = options->memory || source->of_command;
		options->waits = options->waits || (!source->bit && !source->of_command);
	}
}

/* Once the choices are in @options. */
static bool is_recorded(const SptEventOption *source, const SptRecordOptions *options)
{
	if (source->of_command)
		return options->memory;
	return source->bit ? options->kernel & source->bit : options->waits;
}

static void add_option(GString *line, const char *option)
{
	if (option)
		g_string_append_printf(line, " %s", option);
}

/* An option with names of events or marks, if there are any. */
static void add_names(GString *line, const char *option, const char *names)
{
	g_autofree char *quoted = names && *names ? g_shell_quote(names) : NULL;

	if (quoted)
		g_string_append_printf(line, " %s %s", option, quoted);
}

char *spt_record_choices_line(const SptRecordOptions *wanted)
{
	SptRecordOptions options = *wanted;
	bool has_directory = options.directory && *options.directory,
	     has_environment = options.environment && *options.environment;
	const SptEventOption *source;
	GString *line = g_string_new(NULL);

	spt_record_choices_apply(&options);
	if (options.command && has_directory) {
		g_autofree char *directory = g_shell_quote(options.directory);

		g_string_append_printf(line, "cd %s && ", directory);
	}
	g_string_append_printf(line, "%s record", spt_text_cli());
	add_option(line, item_of(SPT_CHOICE_RATE)->option);
	add_option(line, item_of(SPT_CHOICE_STACKS)->option);
	add_option(line, options.event ? item_of(SPT_CHOICE_EVENT)->option : NULL);
	for (unsigned i = 0; (source = spt_event_option(i)); i++)
		if (is_recorded(source, &options))
			add_option(line, source->flag);
	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++)
		if (options.statements & 1u << i)
			add_option(line, spt_statement_option(i)->flag);
	add_names(line, "-e", options.names);
	add_option(line, options.only_count ? "--only-count" : NULL);
	add_names(line, "--start-at", options.start_at);
	add_names(line, "--stop-at", options.stop_at);
	add_option(line, options.no_command_lines ? "--no-command-lines" : NULL);
	add_option(line, options.only_command ? "--only-command" : NULL);
	if (options.pid)
		g_string_append_printf(line, " -p %u", options.pid);
	if (options.command)
		g_string_append_printf(line, " --%s%s %s", has_environment ? " env " : "",
				       has_environment ? options.environment : "",
				       options.command);
	g_free(options.names);
	g_free(options.start_at);
	g_free(options.stop_at);
	return g_string_free(line, FALSE);
}

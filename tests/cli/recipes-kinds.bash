# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # work, copy: of test-recipes.sh
#
# Recipes for kinds of events, followed in the copy of the tree that test-recipes.sh has made.

# source_files NAME NUMBER: timers that the kernel ends, as a source of the module.
source_files()
{
	sed "s/tiny/$1/g; s/TINY/${1^^}/g" >"module/sources/$1.c" <<'END_OF_FILE'
// SPDX-License-Identifier: GPL-2.0-only
/* Timers that end. */
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <trace/events/timer.h>

#include "sources/immediate.h"

static void timer_expire_exit_hit(void *data, struct timer_list *timer)
{
	struct sysprof_immediate_event event = { .immediate = SYSPROF_IMMEDIATE_TINY, .value = 1 };
	unsigned long flags;

	event.context = sysprof_immediate_context();
	local_irq_save(flags);
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
	local_irq_restore(flags);
}

static struct sysprof_hook hooks[] = {
	{ "timer_expire_exit", timer_expire_exit_hit },
};

static void __maybe_unused tiny_check_prototypes(void)
{
	check_trace_callback_type_timer_expire_exit(timer_expire_exit_hit);
}

struct sysprof_hooking sysprof_tiny = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_tiny),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
};
END_OF_FILE
	insert module/sources/immediate.h '^.ROW\(LOCK, ' <<<"	ROW(${1^^}, EVENTS, 1, $1) \\" &&
		insert module/uapi/sysprof-event.h '^	SYSPROF_SOURCE_BLOCK_DONE' \
			<<<"	SYSPROF_SOURCE_${1^^} = $2,	/* timers that end */" &&
		insert tests/abi/layout.txt '^SYSPROF_SOURCE_BLOCK_DONE' \
			<<<"SYSPROF_SOURCE_${1^^} $2"
}

source_of_kernel()
{
	source_files tiny 63 &&
		insert userspace/lib/events/interrupts.c '^static const SptEventRequest irqs_off' \
			<<'END_OF_FILE' &&
static const SptEventRequest tiny = {
	.has_stacks = true,
	.is_optional = true,
	.period = 1,
	.part = "timers",
};

static const SptEventMetric tiny_metrics[] = {
	{
		.name = "timers",
		.title = SPT_WORDS("Tiny Timers"),
		.value = "timers that ended",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
	},
	{ 0 },
};

const SptEventKind spt_event_tiny = {
	.name = "timers",
	.number = SYSPROF_SOURCE_TINY,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_interrupts,
	.request = &tiny,
	.metrics = tiny_metrics,
};

END_OF_FILE
		insert userspace/lib/events/event.h '^.KIND\(faults\)' <<<'	KIND(tiny) \' &&
		printf '\nmsgid "Tiny Timers"\nmsgstr "Winzige Wecker"\n' >>userspace/po/de.po
}

# The same as a kind with a part of its record, an option, a grouping and a pane.
wide_source()
{
	source_files wide 62 &&
		insert module/sources/wide.c '^	struct sysprof_immediate_event event' <<'END_OF_FILE' &&
	struct sysprof_part part = { .type = SYSPROF_PART_WIDE, .size = 1, .a = 1 };
END_OF_FILE
		sed -i 's/\(event = {\) \(.immediate = SYSPROF_IMMEDIATE_WIDE\), /\1 .part = \&part, \2,\n\t\t/' \
			module/sources/wide.c &&
		insert module/uapi/sysprof-event.h '^	SYSPROF_PART_STALL' \
			<<<'	SYSPROF_PART_WIDE	= 63,	/* no more than a: 1, a wheel; b: 0 */' &&
		insert tests/abi/layout.txt '^SYSPROF_PART_STALL' <<<'SYSPROF_PART_WIDE 63'
}

wide_kind()
{
	cat >userspace/lib/events/wide.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers that end, by what they are in. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

const SptEventOption spt_option_wide = {
	.name = "wide",
	.flag = "--wide",
	.key = "wide",
	.title = SPT_WORDS("Wide Timers"),
	.note = SPT_WORDS("Timers, and what they are in"),
	.help = "Also record timers that end",
	.bit = 1u << 10,
};

static const char *const wheels[] = { NULL, "wheel" };

static const SptEventGrouping by_wheel = {
	.name = "wheel",
	.note = " (of timers)",
	.menu = SPT_WORDS("By W_heel"),
	.root = SPT_WORDS("(wheel)"),
};

static const SptEventSubject wheel = {
	.part = SYSPROF_PART_WIDE,
	.names = wheels,
	.n_names = G_N_ELEMENTS(wheels),
	.grouping = &by_wheel,
};

static const SptEventField fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ 0 },
};

static const SptEventRequest request = { .has_stacks = true, .period = 1 };

static const SptEventMetric metrics[] = {
	{
		.name = "wide-timers",
		.title = SPT_WORDS("Wide Timers"),
		.value = "timers that ended",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU,
	},
	{ 0 },
};

const SptEventKind spt_event_wide = {
	.name = "wide-timers",
	.number = SYSPROF_SOURCE_WIDE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_wide,
	.request = &request,
	.metrics = metrics,
	.subject = &wheel,
};
END_OF_FILE
	insert userspace/lib/events/event.h '^.OPTION\(faults\)' <<<'	OPTION(wide) \' &&
		insert userspace/lib/events/event.h '^.KIND\(faults\)' <<<'	KIND(wide) \'
}

wide_pane()
{
	cat >userspace/viewer/wide-pane.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there are timers. */
#include <glib/gi18n.h>

#include "pages.h"
#include "profile/metric.h"

static GtkWidget *wide_pane_new(void)
{
	return gtk_label_new(NULL);
}

static bool wide_pane_is_for(const SptDocument *document)
{
	return spt_metric_is_in(spt_metric_find("wide-timers"), document->recording->capture);
}

static void wide_pane_set_function(GtkWidget *pane, SptDocument *document,
				   G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	if (wide_pane_is_for(document))
		gtk_label_set_text(GTK_LABEL(pane), _("Wide Timers"));
}

const SptPage spt_page_wide = {
	.name = "wide",
	.title = N_("Wide Timers"),
	.key = "<Ctrl><Alt>w",
	.new = wide_pane_new,
	.show = wide_pane_set_function,
	.is_for = wide_pane_is_for,
};
END_OF_FILE
	insert userspace/viewer/pages.h '^.ROW\(logs\)' <<<'	ROW(wide) \'
}

whole_source()
{
	wide_source && wide_kind && wide_pane &&
		insert userspace/po/POTFILES '^userspace/lib/export' \
			<<<'userspace/lib/events/wide.c' &&
		insert userspace/po/POTFILES '^userspace/viewer/window.ui' \
			<<<'userspace/viewer/wide-pane.c' &&
		cat >>userspace/po/de.po <<'END_OF_FILE'

msgid "Wide Timers"
msgstr "Weite Wecker"

msgid "Timers, and what they are in"
msgstr "Wecker, und worin sie sind"

msgid "By W_heel"
msgstr "Nach _Rad"

msgid "(wheel)"
msgstr "(Rad)"
END_OF_FILE
}

# variable NAME: of the Makefile.
variable()
{
	make -s --eval "print: ; @echo \$($1)" print
}

# The option is in help, the metric in the report, and the grouping with it and no other.  Nearly
# everything includes event.h: only what lists kinds and options is built again.
run_whole()
{
	local objects

	objects=$(printf 'build/obj/%s\n' userspace/cli/*.c | sed '/record-options/d; s/c$/o/')
	# shellcheck disable=SC2046,SC2086 # flags and files
	gcc $(variable flags) -Werror -o build/sysprof-cli userspace/lib/events/*.c \
		userspace/cli/record-options.c $objects build/libspt.a $(variable libs) &&
		"$GEN_CAPTURE" "$work/example" || return
	build/sysprof-cli record --help | grep -q '^  --wide  *Also record timers that end$' &&
		build/sysprof-cli report --help | grep -q ', wheel (of timers)' || return
	build/sysprof-cli record --also moon 2>&1 | grep -q 'locks,wide,faults' &&
		build/sysprof-cli report --metric wide-timers --by wheel "$work/example" 2>&1 |
		grep -q 'record with --wide to have it' || return
	build/sysprof-cli report --by wheel "$work/example" 2>&1 |
		grep -q 'wheel does not go with metric "cpu"' || return
	# shellcheck disable=SC2046 # flags
	gcc $(variable flags) -Werror -Iuserspace/viewer -fsyntax-only \
		$(pkg-config --cflags libadwaita-1 gtk4) userspace/viewer/{wide-pane,pages}.c
}

# The module's parts compile, the interface is what it was and the new numbers, and the table of
# kinds has the new ones.
run_source()
{
	local kernel objects=$copy/build/module

	make -s -C module links OUT="$objects" && kernel=$(cat "$objects/.kdir") || return
	make -s -C "$kernel" M="$objects" sources/{tiny,wide,sources}.o >"$work/said" 2>&1 ||
		{ cat "$work/said"; return 1; }
	grep 'warning:' "$work/said" && return 1
	tests/abi/layout.sh >"$work/abi" || { cat "$work/abi"; return 1; }
	cat >"$work/kinds.c" <<'END_OF_FILE'
#include <stdio.h>
#include "events/event.h"

int main(void)
{
	for (unsigned i = 0; spt_event_kind(i); i++)
		printf("%u %s\n", spt_event_kind(i)->number, spt_event_kind(i)->name);
	return 0;
}
END_OF_FILE
	# shellcheck disable=SC2046 # flags
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -Iuserspace/lib -Imodule/uapi -o "$work/kinds" \
		"$work/kinds.c" userspace/lib/events/*.c userspace/lib/base/words.c \
		$(pkg-config --cflags --libs glib-2.0) && "$work/kinds" | grep -qx '63 timers'
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures nothing.
#
# The recipes of CONTRIBUTING.md, followed by script: a report, a grouping, a metric, an export
# format, an importer, a counter, a source of the kernel, one with all that belongs to it, a type of
# mark, a finder of names and a record type are added to a copy of the tree.  Each recipe changes the
# files that it names and no others, and not more than are allowed.  Then sysprof-cli is built
# (objects that have not changed are copied, too), and all of them work; the first four are listed
# in help, man pages and completions.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/cli/recipes-kinds.bash
. "$(dirname "$0")/recipes-kinds.bash"
# What is built here is no part of the make that runs this.
unset MAKEFLAGS MFLAGS MAKELEVEL
top=$PWD
copy=$top/build/recipes
rm -rf "$copy"
mkdir -p "$copy/build/tests" || exit 1
packaging/sources | xargs -d '\n' cp -p --parents -t "$copy"
cp -a build/gen build/obj build/libspt.a "$copy/build"
cp -a build/tests/gen-capture build/tests/gen-declared "$copy/build/tests"
mkdir "$copy/build/workloads" && cp -a build/workloads/marks "$copy/build/workloads"
cd "$copy" || exit 1
export CLI=$copy/build/sysprof-cli GEN_CAPTURE=$copy/build/tests/gen-capture LC_ALL=C.UTF-8

# insert FILE REGEX [BEGIN]: standard input goes before the first line that matches REGEX; with
# BEGIN, before the first one behind a line that matches BEGIN.
insert()
{
	awk -v regex="$2" -v begin="${3-}" 'NR == FNR { text = text $0 "\n"; next }
		begun && !done && $0 ~ regex { printf "%s", text; done = 1 }
		$0 ~ begin { begun = 1 }
		{ print }
		END { exit !done }' - "$1" >"$work/inserted" && cat "$work/inserted" >"$1"
}

# Tests for test-cli.sh, from standard input.
add_test()
{
	insert tests/cli/test-cli.sh '^echo "1\.\.'
}

report()
{
	cat >userspace/cli/report-tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tiny: how many samples there are. */
#include <inttypes.h>
#include <stdio.h>

#include "report.h"

static void print_text(const struct spt_report *report)
{
	printf("%" PRIu64 " tiny samples\n", spt_profile_n_samples(report->profile));
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	spt_json_count(json, "tiny", spt_profile_n_samples(report->profile));
}

const struct spt_report_kind spt_report_tiny = {
	.option = { "tiny", 0, 0, G_OPTION_ARG_NONE, NULL, "How many samples there are", NULL },
	.text = print_text,
	.json = add_json,
};
END_OF_FILE
	insert userspace/cli/report.h '^.REPORT\(tree\)' <<<'	REPORT(tiny) \' &&
		insert userspace/cli/json.schema.json '"\$ref": "#/.defs/report_tree"' \
			<<<'  {"$ref": "#/$defs/report_tiny"},' &&
		insert userspace/cli/json.schema.json '^  "report_tree": ' <<'END_OF_FILE' &&
  "report_tiny": {
   "type": "object",
   "description": "report --json --tiny.",
   "required": ["file", "samples", "metric", "unit", "sum", "lost", "tiny"],
   "properties": {
    "file": {"type": "string", "description": "The recording."},
    "samples": {"type": "integer", "minimum": 0, "description": "Samples that were selected."},
    "metric": {"$ref": "#/$defs/metric"},
    "unit": {"$ref": "#/$defs/unit"},
    "sum": {"$ref": "#/$defs/sum"},
    "periods": {"$ref": "#/$defs/periods"},
    "period_ns": {"$ref": "#/$defs/period_ns"},
    "lost": {"type": "integer", "minimum": 0, "description": "Lost periods."},
    "resident": {"$ref": "#/$defs/resident"},
    "heap": {"$ref": "#/$defs/heap"},
    "sampled_pct": {"$ref": "#/$defs/sampled_pct"}, "waits_of": {"$ref": "#/$defs/waits_of"},
    "scope": {"$ref": "#/$defs/scope"},
    "sentences": {"$ref": "#/$defs/sentences"},
    "tiny": {"type": "integer", "minimum": 0, "description": "The samples once more."}
   }
  },
END_OF_FILE
		add_test <<'END_OF_FILE'
contains 'report --tiny' '^305 tiny samples$' report --tiny "$capture"
contains 'report --tiny with a condition' '^90 tiny samples$' report --tiny --kernel "$capture"
complains 'report --tiny --tree' 2 '--tiny.* exclude each other' report --tiny --tree "$capture"
END_OF_FILE
}

grouping()
{
	insert userspace/lib/profile/groups.c '^static const SptGrouping ' <<'END_OF_FILE' &&
static SptGroupRow group_of_side(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);

	return (SptGroupRow){
		.name = g_array_index(base->functions, SptFunction, node->function).is_kernel ?
				"kernel" :
				"user",
	};
}

END_OF_FILE
		insert userspace/lib/profile/groups.c '^};$' '^static const SptGrouping ' \
			<<'END_OF_FILE' &&
	{
		.name = "side",
		.menu = SPT_WORDS("By _Side"),
		.root = "",
		.parts = SPT_GROUP_HAS_NAME,
		.key = key_of_leaf,
		.group = group_of_side,
	},
END_OF_FILE
		printf '\nmsgid "By _Side"\nmsgstr "Nach _Seite"\n' >>userspace/po/de.po &&
		add_test <<'END_OF_FILE'
contains 'report --by side' '^  29\.51 +90 +90  kernel$' report --by side "$capture"
complains 'report --by: unknown, and side' 2 'takes .*object, language, comm, client, mark, host, context or side, not "moon"$' report --by moon "$capture"
contains 'report --help: by side' 'by process, .*, side' report --help
END_OF_FILE
}

metric()
{
	cat >userspace/lib/profile/tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many samples there are. */
#include "profile/weights.h"

static bool is_in(G_GNUC_UNUSED const SptCapture *capture)
{
	return true;
}

static uint64_t count(const SptCapture *capture)
{
	return capture->n_samples;
}

static gpointer begin(const SptCapture *capture)
{
	return spt_weights_new(capture, &spt_weights_periods);
}

static uint32_t next(gpointer cursor, SptWeightRow *rows)
{
	const SptWeightRow *samples;
	uint32_t n;

	samples = spt_weights_next(cursor, &n);
	for (uint32_t i = 0; i < n; i++) {
		rows[i] = samples[i];
		rows[i].weight = 1;
	}
	return n;
}

static void end(gpointer cursor)
{
	spt_weights_free(cursor);
}

const SptWeightSource spt_weights_tiny = {
	.is_in = is_in, .count = count, .begin = begin, .next = next, .end = end
};
END_OF_FILE
	insert userspace/lib/profile/weights.h '^	METRIC."mapped",' \
		<<<'	METRIC("tiny", tiny) \' &&
		insert userspace/lib/events/memory.c '^	{ 0 },' <<'END_OF_FILE' &&
	{
		.name = "tiny",
		.title = SPT_WORDS("Tiny Samples"),
		.value = "tiny samples",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU,
		.is_computed = true,
	},
END_OF_FILE
		printf '\nmsgid "Tiny Samples"\nmsgstr "Winzige Proben"\n' >>userspace/po/de.po &&
		add_test <<'END_OF_FILE'
contains 'report --metric tiny' '^ +59\.02 +59\.02 +180  hot ' report --metric tiny "$capture"
contains 'report --metric tiny --by' ' 150 +150  CPU 1$' report --metric tiny --by cpu "$capture"
complains 'report --metric: unknown, and tiny' 2 ', tiny(,| or) ' report --metric moon "$capture"
END_OF_FILE
}

format()
{
	cat >userspace/lib/export/tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many periods there are. */
#include <inttypes.h>

#include "base/words.h"
#include "export/export.h"

static bool write_tiny(const SptExportInput *input, SptOut *out, GError **error)
{
	(void)error;
	g_string_append_printf(spt_out_text(out), "%" PRIu64 " tiny periods\n",
			       spt_profile_total(input->profile));
	return true;
}

const SptExport spt_export_tiny = {
	.name = "tiny",
	.ending = ".tiny",
	.help = "the number of periods",
	.menu = SPT_WORDS("Export Ti_ny…"),
	.write = write_tiny,
};
END_OF_FILE
	insert userspace/lib/export/export.h '^.ROW\(svg\)' <<<'	ROW(tiny) \' &&
		insert userspace/po/POTFILES '^userspace/lib/object' \
			<<<'userspace/lib/export/tiny.c' &&
		printf '\nmsgid "Export Ti_ny…"\nmsgstr "Wi_nzig…"\n' >>userspace/po/de.po &&
		add_test <<'END_OF_FILE'
prints 'export --format tiny' '305 tiny periods' export --format tiny "$capture"
complains 'export: unknown format' 2 'takes .*, tiny,' export --format poem "$capture"
contains 'export --help: tiny' 'tiny: the number of periods' export --help
END_OF_FILE
}

importer()
{
	cat >userspace/lib/import/tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples without a stack, of one process: "tiny N". */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "import/import.h"
#include "import/stacks.h"

static bool probe_tiny(const char *begin, size_t bytes)
{
	return bytes > 5 && memcmp(begin, "tiny ", 5) == 0;
}

static bool read_tiny(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(SptImportStacks) stacks = spt_import_stacks_new(writer);
	SptSampleRow row = { .thread = spt_import_stacks_thread(stacks, 0, 0, "tiny", "tiny") };
	char text[32] = "";
	unsigned weight;

	if (pread(input->fd, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "tiny %u", &weight) != 1)
		return spt_import_stacks_refuse(stacks, "has no number", error);
	spt_import_stacks_sample(stacks, &row, weight);
	return spt_import_stacks_finish(stacks, error);
}

const SptImporter spt_import_tiny = { "tiny", probe_tiny, read_tiny, false };
END_OF_FILE
	insert userspace/lib/import/import.h '^.ROW\(speedscope\)' <<<'	ROW(tiny) \' &&
		insert userspace/po/POTFILES '^userspace/lib/import/values' \
			<<<'userspace/lib/import/tiny.c' &&
		add_test <<'END_OF_FILE'
echo 'tiny 7' >"$work/file.tiny"
contains 'a file of the importer tiny' '^ +100\.00 +7 +1  tiny ' report --by process "$work/file.tiny"
echo 'tiny x' >"$work/bad.tiny"
complains 'one without a number' 1 'has no number' report "$work/bad.tiny"
END_OF_FILE
}

counter()
{
	cat >userspace/lib/record/counter-tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the machine has been up. */
#include "record/counters.h"

static void read_tiny(SptCounting *counting)
{
	double seconds;

	if (spt_counting_number(counting, "proc/uptime", &seconds))
		spt_counting_put(counting, "tiny.up", "s", seconds);
}

const struct spt_counter_source spt_counter_tiny = { "tiny", read_tiny };
END_OF_FILE
	insert userspace/lib/record/counters.h '^.ROW\(cpu\)' <<<'	ROW(tiny) \' &&
		insert tests/unit/test-counters.c '^int main' <<'END_OF_FILE' &&
static void test_tiny(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "proc/uptime", "12.5 3\n");
	begin(fixture, false);
	read_at(fixture, 1);
	end(fixture);
	assert_value(fixture, "tiny.up", "s", 12.5);
}

END_OF_FILE
		insert tests/unit/test-counters.c '^.ADD.power' <<<'	ADD(tiny);'
}

mark_type()
{
	insert userspace/include/spt/mark.h '^	SPT_MARK_TYPES,' <<<'	SPT_MARK_TINY = 11,' &&
		insert userspace/include/spt/mark.h '^/. A line of the log, of severity' \
			<<'END_OF_FILE' &&
static inline void spt_mark_tiny(const char *name)
{
	if (spt_mark_is_recorded() && spt_mark_link.marks->n_types > SPT_MARK_TINY)
		spt_mark_put(SPT_MARK_TINY, 0, "tiny", name, NULL);
}

END_OF_FILE
		insert userspace/lib/record/marks.c '^	case SPT_MARK_OPEN:' <<'END_OF_FILE' &&
	case SPT_MARK_TINY:
		put_span(marks, ring->thread, record, time, time);
		break;
END_OF_FILE
		insert userspace/data/man/sysprof-marks.man '^.SH SEE ALSO' <<'END_OF_FILE' &&
.I spt_mark_tiny(name)
is a small instant.
END_OF_FILE
		insert tests/unit/test-marks.c '^int main' <<'END_OF_FILE' &&
static void test_tiny(void)
{
	struct spt_marks_header *marks = connect_here();
	SptMarksReader reader;
	SptMarkRecord record;

	spt_mark_tiny("unknown to recorders of before");
	marks->n_types = SPT_MARK_TYPES;
	spt_mark_tiny("known");
	spt_marks_reader_init(&reader, marks, 0);
	g_assert_true(spt_marks_reader_begin(&reader));
	g_assert_true(spt_marks_reader_next(&reader, &record));
	g_assert_cmpstr(record.name, ==, "known");
	spt_marks_reader_end(&reader);
	disconnect(marks);
}

END_OF_FILE
		insert tests/unit/test-marks.c '^.return g_test_run' \
			<<<'	g_test_add_func("/marks/tiny", test_tiny);'
}

# A program's mark is in its recording.
run_mark_type()
{
	cat >"$work/tiny.c" <<'END_OF_FILE'
#include <unistd.h>
#include <spt/mark.h>

int main(void)
{
	spt_mark_tiny("found");
	return !sleep(1) ? 0 : 1;
}
END_OF_FILE
	gcc -Wall -Werror -D_GNU_SOURCE -Iuserspace/include -o "$work/tiny" "$work/tiny.c" || return
	build/sysprof-cli record -F 10 -o "$work/marked" -- "$work/tiny" >"$work/said" 2>&1 ||
		{ cat "$work/said"; return 1; }
	build/sysprof-cli report --marks "$work/marked" | grep -q 'found'
}

finder()
{
	cat >userspace/lib/symbols/finder-tiny.c <<'END_OF_FILE'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first byte of each file. */
#include "symbols/symbols-private.h"

static bool find_tiny(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret)
{
	(void)symbols;
	*ret = (SptSymbol){ .name = "tiny", .bytes = 1, .source = SPT_SOURCE_CAPTURE };
	return place->offset == 0;
}

const SptSymbolFinder spt_finder_tiny = {
	.name = "tiny",
	.knows = "where files begin",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_FILE),
	.find = find_tiny,
};
END_OF_FILE
	insert userspace/lib/symbols/finder.h '^.ROW\(recorded\)' <<<'	ROW(tiny) \' &&
		insert userspace/data/man/info.man '^.B recorded' <<'END_OF_FILE' &&
.B tiny
where files begin
.TP
END_OF_FILE
		insert tests/unit/test-finders.c '^	{ GONE, 0x99' \
			<<<'	{ GONE, 0, &spt_finder_tiny, "tiny", SPT_SOURCE_CAPTURE },'
}

run_finder()
{
	"$GEN_CAPTURE" "$work/example" &&
		build/sysprof-cli info "$work/example" | grep -q '^ *0 .* tiny: where files begin$'
}

# A recording has what the counter says.
run_counter()
{
	build/sysprof-cli record -F 1 --counters -o "$work/counted" -- sleep 1 >"$work/said" 2>&1 ||
		{ cat "$work/said"; return 1; }
	build/sysprof-cli report --counters "$work/counted" | grep -q ' s .*tiny\.up$' || return
	# shellcheck disable=SC2046 # flags
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -Iuserspace/lib -Imodule/uapi -fsyntax-only \
		$(pkg-config --cflags glib-2.0) tests/unit/test-counters.c
}

record()
{
	insert userspace/lib/record/intake.c '^static G_GNUC_NO_INLINE void intake_take_other\(' <<'END_OF_FILE' &&
static void take_tiny(SptRecorder *recorder, const struct sysprof_record *record)
{
	SptTinyRow row = { .time = record->time, .cpu = record->cpu, .tid = record->tid };

	spt_output_put(recorder->output, SPT_ROW_TINY, &row);
}

END_OF_FILE
		insert userspace/lib/record/intake.c '^	case SYSPROF_RESYNC:' <<'END_OF_FILE' &&
	case UINT16_MAX:
		take_tiny(recorder, record);
		break;
END_OF_FILE
		insert userspace/lib/capture/capture.h '^#define SPT_LOST_REASONS' <<'END_OF_FILE' \
			&&
typedef struct {
	uint64_t time;
	uint32_t cpu, tid;
} SptTinyRow;

END_OF_FILE
		insert userspace/lib/capture/capture.h '^	SPT_ROWS,' <<<'	SPT_ROW_TINY,' &&
		insert userspace/lib/capture/capture.h '^	GPtrArray .texts;' \
			<<<'	SptTinyRow *tiny;		uint64_t n_tiny;' &&
		insert userspace/lib/capture/format.h '^} SptBlockType;' \
			<<<'	SPT_BLOCK_TINY = 100,' &&
		insert userspace/lib/capture/schema.c '^#define IN_CAPTURE' <<'END_OF_FILE' &&
static const SptField tiny_fields[] = {
	{ 1, SPT_FIELD_U64, offsetof(SptTinyRow, time) },
	{ 2, SPT_FIELD_U32, offsetof(SptTinyRow, cpu) },
	{ 3, SPT_FIELD_U32, offsetof(SptTinyRow, tid) },
};
static const SptSchema schema_tiny = SCHEMA(SptTinyRow, tiny_fields);

END_OF_FILE
		insert userspace/lib/capture/schema.c '^};$' '^const SptRowType spt_row_types' \
			<<'END_OF_FILE' &&
	[SPT_ROW_TINY] = { .block = SPT_BLOCK_TINY,
			   .schema = &schema_tiny,
			   IN_CAPTURE(tiny),
			   .by_time = true,
			   .time_at = offsetof(SptTinyRow, time),
			   .cpu_at = offsetof(SptTinyRow, cpu) },
END_OF_FILE
		printf '\n### 100 TINY: threads\n1 time, 2 CPU, 3 thread.\n' \
			>>userspace/lib/capture/format.md &&
		insert tests/unit/test-capture.c '^int main\(' <<'END_OF_FILE' &&
/* From the flight recorder's memory, of which the first half was forgotten. */
static void test_tiny(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptSink) flight = spt_flight_new(5);
	g_autoptr(SptSink) file = spt_writer_sink_new(g_steal_pointer(&fixture->writer));
	g_autoptr(SptCapture) capture = NULL;

	(void)data;
	spt_sink_put(flight, SPT_ROW_ACCOUNT, &(SptAccountRow){ .time = 5 });
	for (unsigned i = 0; i < 10; i++)
		spt_sink_put(flight, SPT_ROW_TINY, &(SptTinyRow){ .time = i, .tid = 70 + i });
	g_assert_true(spt_sink_flush(flight, fixture->stash, 10, NULL));
	spt_sink_give(flight, file);
	g_assert_true(spt_sink_finish(file, fixture->stash, 10, NULL));
	capture = open_whole(fixture->path);
	g_assert_cmpuint(capture->n_tiny, ==, 5);
	g_assert_cmpuint(capture->tiny[0].time, ==, 5);
	g_assert_cmpuint(capture->tiny[4].tid, ==, 79);
}

END_OF_FILE
		insert tests/unit/test-capture.c '^.return g_test_run' \
			<<<'	g_test_add("/capture/tiny", Fixture, NULL, set_up, test_tiny, tear_down);' &&
		insert tests/unit/test-capture.c '^#include "opened.h"' \
			<<<'#include "record/flight.h"'
}

# The files that the recipe of $1 names, where NAME is $2.
named()
{
	local file

	sed -n "/^### To add an\{0,1\} $1\$/,/^##/s/^[0-9]*\. \`\([^\`]*\)\`.*/\1/p" \
		CONTRIBUTING.md |
		sed "s/NAME/$2/; s/FAMILY/interrupts/" | while read -r file; do
		# shellcheck disable=SC2086 # *.po
		printf '%s\n' $file
	done | sort
}

state()
{
	find . -path ./build -prune -o -type f -print0 | xargs -0 sha1sum | sort
}

# follow WHAT MOST RECIPE [NAME]: the recipe changes the files that it names, and at most MOST.
follow()
{
	state >"$work/before"
	"$3" || return
	state >"$work/after"
	comm -13 "$work/before" "$work/after" | sed 's|.* \./||' | sort >"$work/touched"
	diff <(named "$1" "${4-tiny}") "$work/touched" || return
	[ "$(wc -l <"$work/touched")" -le "$2" ] ||
		{ echo "it takes more than $2 files"; return 1; }
}

build()
{
	make -s "-j$(nproc)" CFLAGS='-O0 -Werror' build/sysprof-cli build/manual/made
}

# What the recipes have added to test-cli.sh, and what that begins and ends with.
run_added()
{
	{
		sed '/^# Usage\.$/,$d' tests/cli/test-cli.sh
		diff "$top/tests/cli/test-cli.sh" tests/cli/test-cli.sh | sed -n 's/^> //p'
		tail -n 2 tests/cli/test-cli.sh
	} >tests/cli/added.sh
	bash tests/cli/added.sh >"$work/added" || { cat "$work/added"; return 1; }
	grep -qx '1\.\.14' "$work/added"
}

# Nearly everything includes capture.h: of it this builds what the test needs, and the recorder.
run_unit()
{
	local flags='-std=gnu11 -D_GNU_SOURCE -DSPT_VERSION="0" -Wall -Werror' libraries

	libraries=$(pkg-config --cflags --libs glib-2.0 libzstd) || return
	flags+=' -Iuserspace/lib -Imodule/uapi'
	# shellcheck disable=SC2086 # flags
	gcc $flags $libraries -fsyntax-only userspace/lib/record/intake.c &&
		gcc $flags -o "$work/test-capture" tests/unit/test-capture.c \
			userspace/lib/{events,base,stash,process,capture}/*.c \
			userspace/lib/record/flight{,-declared}.c \
			$libraries -lm -pthread &&
		"$work/test-capture" -p /capture/tiny >"$work/tiny" &&
		grep -q '^ok .*tiny' "$work/tiny"
}

# Each is tried against the schema, though no test names it.
holds_schema()
{
	tests/cli/test-json.sh >"$work/json" || { grep -A 5 "^not ok" "$work/json" || tail -n 5 "$work/json"; return 1; }
	grep -q 'report: report_tiny$' "$work/json" && grep -q 'groups by side add up$' "$work/json" &&
		grep -q 'ok .* tiny: the tree adds up$' "$work/json"
}

# lists REGEX FILE...: it is in each of the files of the manual.
lists()
{
	local file

	for file in "${@:2}"; do
		grep -q -- "$1" "build/manual/$file" || { echo "$file lacks $1"; return 1; }
	done
}

lists_all()
{
	lists 'tiny' bash zsh fish sysprof-cli-report.1 &&
		lists 'by process, .*, side' zsh fish sysprof-cli-report.1 &&
		lists 'metric.*: .*tiny .tiny samples' zsh fish sysprof-cli-export.1 &&
		lists 'tiny.*: the number of periods' zsh fish sysprof-cli-export.1
}

is_translated()
{
	packaging/pot 0 "$work" && msgcmp userspace/po/de.po "$work/sysprof-trace.pot"
}

check 'a report is added as its recipe says, in 4 files' follow report 4 report
check 'a grouping in 3' follow grouping 3 grouping
check 'a metric in 5' follow metric 5 metric
check 'an export format in 5' follow 'export format' 5 format
check 'an importer in 4' follow importer 4 importer
check 'a counter in 3' follow counter 3 counter
check 'a type of mark in 4' follow 'type of mark' 4 mark_type
check 'a finder of names in 4' follow 'finder of names' 4 finder
check 'that builds' build
check 'what the recipes test passes' run_added
check 'the counter counts' run_counter
check 'the mark is recorded' run_mark_type
check 'the finder is asked' run_finder
check 'reports and groupings print what the schema says' holds_schema
check 'man pages and completions have them' lists_all
check "the viewer's items are translated" is_translated

check 'a source of the kernel is added in 7' follow 'event kind' 7 source_of_kernel
check 'one with an option, a part, a grouping and a pane in 10' \
	follow 'event kind with an option, a part, a grouping and a pane' 10 whole_source wide
check 'they compile, and their kinds are in the table' run_source
check 'the option, the metric and the grouping are there' run_whole
check 'a record type is added in 6' follow 'record type' 6 record
check 'its rows come back from a file' run_unit

cd "$top" || exit 1
rm -rf "$copy"
echo "1..$number"
exit $broken

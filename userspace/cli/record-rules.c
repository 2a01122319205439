/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record-rules.h"

#include <glib.h>

#include "cmd.h"
#include "record-options.h"

/* With all of @with, all of @needs have to be there, and none of @excludes. */
struct rule {
	unsigned with, needs, excludes;
	const char *sentence;
};

static const struct rule rules[] = {
	{ SPT_GIVEN_ONLY_COMMAND, SPT_GIVEN_COMMAND, 0,
	  "--only-command is for a recording of a command: put it behind \"--\"" },
	{ SPT_GIVEN_ONLY_COMMAND, 0, SPT_GIVEN_PID,
	  "--only-command and --pid exclude each other; give one of them" },
	{ SPT_GIVEN_ONLY_COMMAND, 0, SPT_GIVEN_ALL_CPUS,
	  "--only-command and --all-cpus exclude each other; give one of them" },
	{ SPT_GIVEN_ATTACH, SPT_GIVEN_ONE_PID | SPT_GIVEN_MEMORY_SIZE, 0,
	  "--memory of a process that runs already takes one process (--pid) and a size, as in --memory=64K" },
	{ SPT_GIVEN_ATTACH, 0, SPT_GIVEN_MAPPINGS,
	  "--mappings is for what a command maps: put it behind \"--\"" },
	{ SPT_GIVEN_MEMORY, SPT_GIVEN_ALLOCATING, 0,
	  "--memory is for what a command allocates: put it behind \"--\"; --memory-limit SIZE bounds the recorder's own memory" },
	{ SPT_GIVEN_MEMORY, 0, SPT_GIVEN_LAST,
	  "--memory keeps all that is recorded, --last the last seconds: give one of them" },
	{ SPT_GIVEN_CALLS, SPT_GIVEN_COMMAND, 0,
	  "--waits=calls is for the calls of a command: put it behind \"--\"" },
	{ SPT_GIVEN_CALLS, 0, SPT_GIVEN_LAST,
	  "--waits=calls keeps all that is recorded, --last the last seconds: give one of them" },
	{ SPT_GIVEN_SCRIPT_NAMES, SPT_GIVEN_COMMAND, 0,
	  "--script-names asks interpreters that a command runs: put it behind \"--\"" },
	{ SPT_GIVEN_START_STOP, SPT_GIVEN_COMMAND, 0,
	  "--start-at and --stop-at are for marks of a command: put it behind \"--\"" },
	{ SPT_GIVEN_FREE_STACKS, SPT_GIVEN_MEMORY, 0,
	  "--free-stacks is about what --memory records: give both" },
	{ SPT_GIVEN_MAPPINGS, SPT_GIVEN_MEMORY, 0,
	  "--mappings is about what --memory records: give both" },
	{ SPT_GIVEN_KMEM, 0, SPT_GIVEN_LAST,
	  "--kmem keeps all that is recorded, --last the last seconds: give one of them" },
	{ SPT_GIVEN_WHEN_LATE, SPT_GIVEN_LAST, 0,
	  "--when-late writes what --last TIME keeps: give both" },
	{ SPT_GIVEN_WHEN_LATE, 0, SPT_GIVEN_PERF, SPT_RECORD_NO_DELAYS },
	{ SPT_GIVEN_WHEN_MARK, SPT_GIVEN_LAST, 0,
	  "--when-mark writes what --last TIME keeps: give both" },
	{ SPT_GIVEN_WHEN_MARK, SPT_GIVEN_COMMAND, 0,
	  "--when-mark is about a mark of a command: put it behind \"--\"" },
	{ SPT_GIVEN_BUNDLE, 0, SPT_GIVEN_LAST,
	  "--bundle is for a recording that ends here: with --last run \"" SPT_CLI
	  " bundle FILE\" on what was written" },
	{ SPT_GIVEN_BUNDLE, 0, SPT_GIVEN_TO,
	  "--bundle is for a recording that ends here: with --to run \"" SPT_CLI
	  " bundle FILE\" on what was written" },
	{ SPT_GIVEN_COUNTED_PROBES, 0, SPT_GIVEN_PID | SPT_GIVEN_ONLY_COMMAND,
	  "--only-count counts functions and probes for all processes: leave out the choice of processes, or choose by --cgroup" },
	{ SPT_GIVEN_TO, 0, SPT_GIVEN_LAST,
	  "--last writes files and --to a connection: give one of them" },
};

bool spt_record_rules_check(unsigned given)
{
	for (const struct rule *rule = rules; rule < rules + G_N_ELEMENTS(rules); rule++) {
		if ((given & rule->with) != rule->with ||
		    ((given & rule->needs) == rule->needs && !(given & rule->excludes)))
			continue;
		spt_cli_complain("%s", spt_cli_named(rule->sentence));
		return false;
	}
	return true;
}

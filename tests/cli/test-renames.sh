#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads that get another name while they run: shown by the last one, found by each that they had.
# With perf events, of all processes and of a user's own.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

own=$work/nobody
by_nobody()
{
	chmod 755 "$work" && install -d -o nobody "$own" && cd "$own" &&
		setpriv --reuid=nobody --regid=nogroup --clear-groups env XDG_CACHE_HOME="$own/cache" \
			"$cli" record --source perf -o own.capture -- "$workloads/renames"
}

# judge CAPTURE: says what is wrong with it.
judge()
{
	python3 tests/cli/renames.py "$cli" "$1" >"$work/wrong" && [ ! -s "$work/wrong" ] || { cat "$work/wrong"; return 1; }
}

anonymous()
{
	"$cli" bundle --anonymize -o "$work/shared.capture" "$work/root.capture" &&
		"$cli" info --json "$work/shared.capture" >"$work/shared.json" &&
		! grep -E 'early|later|rename' "$work/shared.json"
}

check 'recorded by root' "$cli" record --source perf -o "$work/root.capture" -- "$workloads/renames"
check '... each thread has its last name' judge "$work/root.capture"
check 'recorded by nobody' by_nobody
check '... likewise' judge "$own/own.capture"
check 'anonymised, no name is left' anonymous

echo "1..$number"
exit $broken

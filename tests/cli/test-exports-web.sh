#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What goes to other viewers has the same totals as reports: profiles for the Firefox Profiler,
# traces for Chrome and Perfetto, and the page.  exports-web.py reads the files without our code.

# shellcheck source=tests/cli/exports.bash
. "$(dirname "$0")/exports.bash"
judge=tests/cli/exports-web.py

for format in firefox chrome perfetto; do
	same 'totals of a report' $format "$work/busy.capture"
	same 'totals of many stacks' $format "$work/many.capture"
	same 'with conditions' $format "$work/many.capture" --time 1..3 --cpu 1,2
	same 'another metric' $format "$work/waits.capture" --metric wall
	same 'events' $format "$work/waits.capture" --metric lock
done
# Pages have times in microseconds of each part, so only others are the same to the last digit.
same 'totals of a report' html "$work/busy.capture"
same 'totals of many stacks' html "$work/many.capture"
same 'with conditions' html "$work/many.capture" --time 1..3 --cpu 1,2

# Of a long recording, too, a page can be mailed.
build/tests/gen-samples "$work/long.capture" 1000000 100000 || exit 1
"$cli" export --format html -o "$work/long.html" "$work/long.capture"
bytes=$(stat -c %s "$work/long.html")
result 'html: at most 10 MB' "$([ "$bytes" -gt 100000 ] && [ "$bytes" -lt 10000000 ] || echo "$bytes")"
result 'html: says what is not in it' "$(grep -q 'without [0-9]* light branches' \
	"$work/long.html" || echo nothing)"
finish

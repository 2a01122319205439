#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recipe for CI: ci.sh BASE COMMAND [ARG...] records COMMAND and compares it with the recording
# BASE.  It fails with status 3 if any function of COMMAND grew by more than POINTS percentage points
# (5), and prints which.  Without BASE it makes one, to be kept for the next time.  The recording of
# this run is BASE.now: keep it, too, to look at what grew.  COMMAND should run for some seconds,
# since few samples make percentages rough.  SYSPROF is the program (sysprof-cli).  Names are
# bundled, as the next build replaces the program.

set -eu

[ $# -ge 2 ] || {
	echo "usage: ${0##*/} BASE COMMAND [ARG...]" >&2
	exit 2
}
base=$1
shift
sysprof=${SYSPROF:-sysprof-cli}
now=$base.now

rm -f "$now"
"$sysprof" record --only-command --bundle -o "$now" -- "$@"
"$sysprof" report --summary "$now"
if [ -e "$base" ]; then
	"$sysprof" diff "$base" "$now" --limit 10 --fail-above "${POINTS:-5}%"
else
	cp "$now" "$base"
	echo "$base is new: keep it for the next run"
fi

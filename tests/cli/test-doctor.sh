#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What doctor says of names, on this machine as it is.  The way to an open device is for
# tests/vm/75-doctor.test.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
unset DEBUGINFOD_URLS

# says TEXT REGEX FILE...: the doctor of that name says so.
says()
{
	local text=$1 regex=$2
	shift 2
	result "$text" "$("$@" doctor 2>&1 | grep -qE -- "$regex" ||
		{ echo "no line like '$regex' in:"; "$@" doctor 2>&1; })"
}

# What is said with the command that helps below it, but "ok".
helpless()
{
	awk \
		'/^(note|MISSING)/ { if (held) print held; held = $0; next } /^ +-> / { held = "" } END { if (held) print held }' <<<"$1" |
		grep -vE 'perf events'
}

said=$(build/sysprof-cli doctor)
status=$?
result "it begins with a verdict, and its status is that" "$(
	head -n 1 <<<"$said" | grep -q '^You can record'; [ $? = "$status" ] || echo "$status: $said")"
result "--source module is about the module" "$(build/sysprof-cli doctor --source module >/dev/null
	status=$?; head -n 1 <<<"$said" | grep -q 'kernel module'; [ $? = $status ] || echo "$status: $said")"
result "each thing that could be better has what helps below it" "$(helpless "$said")"
case $(uname -m) in
x86_64)
	says "whether libraries have frame pointers, or what does without" \
		'^ok .*with frame pointers|^ok .*without frame pointers; record follows' \
		build/sysprof-cli
	says "... also where the program has no libraries" \
		'^ok .*with frame pointers|^ok .*without frame pointers; record follows' \
		build/static/sysprof-cli ;;
esac
says "whether debug packages are there" '^(ok|note) .*/usr/lib/debug' build/sysprof-cli
says "by what the process is confined that reads files" \
	'^ok .*is confined by: .*no privileges.*a list of system calls' build/sysprof-cli
says "... also where the program is all there is" \
	'^ok .*is confined by: .*no privileges.*a list of system calls' build/static/sysprof-cli
says "that debuginfod is off, and what switches it on" '^ +-> export DEBUGINFOD_URLS=' \
	build/sysprof-cli
says "that it is on" '^ok .*debuginfod is on.* http://localhost:1' env \
	DEBUGINFOD_URLS=http://localhost:1 build/sysprof-cli
finish

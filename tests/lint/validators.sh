#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others' tools say of scripts, texts and desktop files.  A tool that is missing is a failure: packaging/deps check.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

scripts()
{
	sources | grep -E "^($1)/" | while read -r file; do
		! head -n 1 "$file" | grep -qaE '^#!.*/(ba)?sh$' || printf '%s\0' "$file"
	done
}

# Scripts that run as root on other people's machines are held to more.
result "shellcheck finds no error in scripts" "$(scripts 'tests|\.ci' | xargs -0 shellcheck -x -S error 2>&1)"
result "shellcheck finds nothing to warn of in what installs" "$(scripts 'packaging|tests/packages' | xargs -0 shellcheck -x -S warning 2>&1)"
result "codespell finds no slip in what users read" \
	"$(codespell README.md CONTRIBUTING.md TODO packaging/debian/control udev userspace/data/man userspace/lib/capture/format.md 2>&1)"
result "the desktop file is one" "$(desktop-file-validate userspace/data/*.desktop 2>&1)"
for file in userspace/data/*.metainfo.xml; do
	[ ! -e "$file" ] || result "$file is well-formed" "$(appstreamcli validate --no-net "$file" >/dev/null 2>&1 || appstreamcli validate --no-net "$file" 2>&1)"
done
finish

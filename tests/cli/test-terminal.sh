#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures nothing.
#
# A name may hold anything, such as what a terminal obeys: no text that comes out of a capture does.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli=$PWD/build/sysprof-cli

# A capture of one process, thread, object and function that are all called so.
build/tests/gen-names "$work/names.capture" || exit 1

# plain TEXT COMMAND...: it says the name, and nothing in it that a terminal would obey.
plain()
{
	local text=$1
	shift
	"$@" >"$work/said" 2>&1
	result "$text" "$(python3 - "$work/said" <<'END'
import sys
said = open(sys.argv[1], "rb").read()
if b"evil" not in said:
    print("without the name:", said[:500])
odd = [c for c in said.decode("utf-8", "surrogateescape")
       if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or 0xd800 <= ord(c) < 0xe000
       or ord(c) in (0x202e, 0x2028)]
if odd:
    print("has", sorted(set(map(ascii, odd))))
END
)"
}

capture=$work/names.capture
plain "report" "$cli" report "$capture"
plain "report, by processes" "$cli" report --by process "$capture"
plain "report, a tree" "$cli" report --tree "$capture"
plain "report, of one function" "$cli" report --callers 'evil*' "$capture"
plain "report, the latest ticks" "$cli" report --latest 3 "$capture"
plain "annotate" "$cli" annotate "$capture" 'evil*'
plain "export, folded" "$cli" export --format folded "$capture"
plain "diff" "$cli" diff --min 0 "$capture" "$capture"
plain "info" "$cli" info "$capture"
plain "info, mappings" "$cli" info --maps "$capture"
plain "an error" "$cli" report $'/nonexistent/evil\e[31m\xc2\x9b'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What people read is plain: short sentences, and no word that has a plainer one.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prose=tests/lint/prose.py

packaging/messages >"$work/messages.tsv"
printf 'It is gone, and so many wishes lie in it.\n' >"$work/bad.md"
printf 'A word is a word%s.\n' "$(printf ' and a word%.0s' {1..12})" >>"$work/bad.md"
result "it finds what it looks for" "$([ "$($prose "$work/bad.md" | wc -l)" = 6 ] ||
	$prose "$work/bad.md")"
result "README, NEWS and SECURITY" "$($prose README.md NEWS SECURITY.md)"
for page in userspace/data/man/*.man; do
	result "${page##*/}" "$($prose "$page")"
done
cp build/manual/sysprof-messages.7 "$work/messages.man"
result "sysprof-messages" "$($prose "$work/messages.man")"
result "TODO and CONTRIBUTING" "$($prose TODO CONTRIBUTING.md)"
result "other pages" "$($prose packaging/*.md tests/bench/README.md userspace/cli/json.md \
	userspace/lib/capture/format.md)"
printf '#!/bin/sh\n# It lies in what is told.\nlies in || echo "told"  # so\n' >"$work/bad.sh"
printf '/* a */\nint gone;\n/*\n * It is\n * gone, told|untold, and @told "told".\n */\n' >"$work/bad.c"
result "it finds words in comments, and nothing in code" "$([ "$($prose --comments "$work/bad.sh" \
	"$work/bad.c" | wc -l)" = 3 ] || $prose --comments "$work/bad.sh" "$work/bad.c")"
# What is written in C or a shell, and Python; this test and its program name what they refuse.
scripts()
{
	packaging/sources | grep -E '^(tests|packaging|udev|\.ci)/|^Makefile$'
}
result "comments of tests and scripts" "$(scripts | grep -vE \
	'\.(md|txt|po|json|svg|png|xml|ui|patch|config)$|^tests/lint/prose\.' |
	xargs grep -IlE '^(#|/[/*])' | xargs $prose --comments --most 60)"
build/sysprof-cli --list-options | cut -f 6 | sed 's/$/.\n/' >"$work/options.txt"
result "comments of the module and of user space" "$(packaging/sources |
	grep -E '^(module|userspace)/.*\.[ch]$' | grep -v '^module/uapi/' | xargs $prose --comments)"
# These have tables in their comments.
result "comments of module/uapi" "$($prose --comments --most 200 module/uapi/*.h)"
result "options" "$($prose --most 100 --mean 40 "$work/options.txt")"
result "there are messages" "$([ "$(wc -l <"$work/messages.tsv")" -gt 300 ] ||
	wc -l "$work/messages.tsv")"
result "messages" "$($prose --most 40 "$work/messages.tsv")"
finish

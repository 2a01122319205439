#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysprof-cli tables, as an ordinary user: what it makes, keeps, and says.  What the module does
# with tables is for tests/vm/36-tables.test.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/programs" "$work/programs/below" "$work/cache"
cp build/workloads/nofp-shares "$work/programs/one"
cp build/workloads/nofp-recursion "$work/programs/below/other"
ln -s one "$work/programs/link"
echo text >"$work/programs/text"
chmod 755 "$work" "$work/programs/text"
user=()
if [ "$(id -u)" = 0 ]; then
	chown -R 65534 "$work"
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
cp build/sysprof-cli build/sysprof-helper "$work"

tables()
{
	"${user[@]}" env HOME="$work" XDG_CACHE_HOME="$work/cache" "$work/sysprof-cli" tables "$@" \
		2>&1
}

# is TEXT EXPECTED-REGEX SAID
is()
{
	result "$1" "$(grep -qE -- "$2" <<<"$3" || echo "no line like '$2' in: $3")"
}

is "those of all programs below a directory, links and text left out" \
	'^2 unwind tables, [0-9.]+ [KM]?i?B' "$(tables "$work/programs")"
kept=$(ls -i "$work/cache/sysprof/unwind")
result "one file each is kept" "$([ "$(wc -l <<<"$kept")" = 2 ] || echo "$kept")"
is "of a file" '^1 unwind table, .*, in /' "$(tables "$work/programs/one")"
result "what is kept is not made again" "$(diff <(ls -i "$work/cache/sysprof/unwind") <(echo \
	"$kept"))"
said=$(tables "$work/nothing")
result "of what is not there: its status" "$(tables "$work/nothing" >/dev/null && echo "success")"
is "... and which it is" "Cannot read $work/nothing: No such file" "$said"
chmod 777 "$work/cache/sysprof/unwind"
is "a directory into which others write is not trusted" \
	'^sysprof-cli: Cannot keep unwind tables in the user.s cache directory' "$(tables \
	"$work/programs")"
chmod 700 "$work/cache/sysprof/unwind"
# What reads the first file crashes, and the next one reads on.
mv "$work/sysprof-helper" "$work/reads"
printf \
	'#!/bin/sh\n[ -e "$HOME/cache/was-here" ] && exec "$HOME/reads"; touch "$HOME/cache/was-here"; kill -SEGV $$\n' >"$work/sysprof-helper"
chmod 755 "$work/sysprof-helper"
rm -r "$work/cache/sysprof"
said=$(tables "$work/programs" && echo success)
is "a file that crashes what reads it: which, and why" \
	"^sysprof-cli: $work/programs/.* cannot be read: the process that reads it crashed \\(Segmentation fault\\)" "$said"
is "... costs its own table" '^1 unwind table, .*, in /' "$said"
is "... and nothing else" '^success$' "$said"
is "it is tried again the next time" '^2 unwind tables, ' "$(tables "$work/programs")"
[ -e /dev/sysprof-trace ] ||
	is "without the module there is nobody to hand them to" 'sudo modprobe sysprof' "$(tables \
	--serve)"
finish

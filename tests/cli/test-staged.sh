#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install into a staging directory and make uninstall: part by part, in any order, nothing is
# left and nothing of others is taken.  And the tarball of make dist has all the sources, the same
# bytes each time.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^VERSION := //p' Makefile)
stage=$work/stage
mkdir -p "$stage/usr/bin" "$stage/usr/share/man/man1" "$stage/usr/lib/empty"
echo other >"$stage/usr/bin/other"

packaging()
{
	DESTDIR=$stage prefix=/usr program=${program:-} VERSION=$version packaging/install "$@" 2>&1
}

tree()
{
	(cd "$stage" && find . -printf '%y %m %p\n' | sort)
}

# Files named by the manifest, and those that are there and were not before.
made()
{
	sed -n 's|^[a-z]* file /|./|p' "$stage/usr/share/sysprof/manifest" | sort
}
found()
{
	(cd "$stage" && find . \( -type f -o -type l \) ! -path ./usr/bin/other ! -name manifest |
		sort)
}

tree >"$work/before"
result "install says nothing and works" "$(packaging install userspace udev seat polkit ||
	echo "status $?")"
result "the manifest names each file" "$(diff <(made) <(found))"
result "the program that was installed runs" "$("$stage/usr/bin/sysprof-cli" --version |
	grep -vxF "sysprof-cli $version")"
result "it has the name that packages give it, too" "$("$stage/usr/bin/sysprof-trace-cli" --version |
	grep -vE " $version\$")"
result "and messages say that name" "$("$stage/usr/bin/sysprof-trace-cli" nothing 2>&1 |
	grep -v '^sysprof-trace-cli: ')"
result "units name the program where it is" "$(grep -h '^ExecStart=' \
	"$stage"/usr/lib/systemd/*/sysprof-*.service | grep -v '=/usr/bin/sysprof-cli ')"
tree >"$work/whole"
result "a second install is as the first" "$(packaging install userspace udev seat polkit; tree |
	diff "$work/whole" -)"
result "a part is taken away" "$(packaging uninstall userspace; find "$stage" -name \
	'*sysprof-cli*')"
result "the other part stays" "$(ls "$stage/usr/lib/udev/rules.d/60-sysprof.rules" 2>&1 >/dev/null)"
result "polkit knows the programs that were installed by the names they have" "$(cd "$stage" &&
	for policy in usr/share/polkit-1/actions/*.policy; do
		[ -x ".$(sed -n 's|.*exec\.path">\(.*\)</annotate>|\1|p' "$policy")" ] || echo "$policy"
	done; [ "$(find . -name '*opener*' | wc -l)" = 2 ] || find . -name '*opener*')"
result "parts by choice are taken away" "$(packaging uninstall seat polkit; find "$stage" -name \
	'*seat*' -o -name '*polkit*' -o -name '*opener*')"
result "the last part leaves all as it was" "$(packaging uninstall udev; tree |
	diff "$work/before" -)"
packaging install udev
packaging install userspace seat polkit
touch "$stage/usr/lib/sysusers.d/another"
result "what others put into our directories stays" "$(packaging uninstall; ls \
	"$stage/usr/lib/sysusers.d/another" 2>&1 >/dev/null)"
rm -r "$stage/usr/lib/sysusers.d"
result "and nothing else" "$(tree | diff "$work/before" -)"
program=sysprof-trace packaging install userspace
result "with another name nothing has the plain one" "$(grep -rIE 'sysprof(\\)?-cli' "$stage"; \
	find "$stage" -name '*sysprof-cli*')"
result "and its man pages are well-formed" "$(mandoc -Tlint -W warning \
	"$stage"/usr/share/man/man?/* 2>&1)"
packaging uninstall
result "uninstall of nothing is refused" "$(packaging uninstall >/dev/null &&
	echo "was not refused")"

# By make itself, all at once and each part alone: something is put there, and nothing of it is
# left.
for part in "" -userspace -module -udev -seat -polkit -devel; do
	result "make install$part, make uninstall$part" "$(make -s "install$part" DESTDIR="$stage" \
		prefix=/usr 2>&1 | grep -v '^Skipping BTF generation'
		[ -n "$(found)" ] || echo "nothing was installed"
		diff <(made) <(found)
		make -s "uninstall$part" DESTDIR="$stage" prefix=/usr 2>&1
		tree | diff "$work/before" -)"
done

own=$work/own
make -s install-devel prefix="$own" >/dev/null
export PKG_CONFIG_PATH=$own/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
for name in analyse record; do
	# shellcheck disable=SC2046
	result "the example $name is built on the library as installed" "$(gcc -std=gnu11 -Wall \
		-Wextra -Werror -o "$work/$name" \
		"userspace/examples/$name.c" $(pkg-config --cflags --libs spt) 2>&1)"
done
build/tests/gen-capture "$work/example.capture"
result "an analyser of thirty lines finds the function with most of the time" \
	"$("$work/analyse" "$work/example.capture" 2>&1 | head -n 1 | grep -vF ' hot (busy)')"
"$work/record" >"$work/busy" 2>&1
result "a recorder of thirty lines tells how busy CPUs were, or why it cannot" \
	"$(grep -qE '^(CPU 0: [0-9]+ ms busy|record: .{20,})$' "$work/busy" || cat "$work/busy")"
result "the library leaves nothing" "$(prefix=$work/own VERSION=$version packaging/install \
	uninstall devel; ls "$work/own" 2>/dev/null)"

result "what make static makes needs no library" "$(readelf -l build/static/sysprof-cli 2>&1 |
	grep -E 'INTERP|DYNAMIC|Error')"
mkdir "$work/alone"
cp build/static/sysprof-cli "$work/alone"
"$work/alone/sysprof-cli" record --source perf -F 500 -o "$work/alone.capture" -- \
	build/workloads/shares 1 >/dev/null 2>"$work/alone.err"
result "and nothing beside it to name functions of files" \
	"$("$work/alone/sysprof-cli" report --process shares "$work/alone.capture" 2>&1 |
	grep -q burn_fifty || cat "$work/alone.err")"

packaging/dist "$version" "$work/one" >/dev/null && packaging/dist "$version" "$work/two" >/dev/null
result "make dist makes the same tarball again" "$(cmp "$work/one/sysprof-$version.tar.gz" \
	"$work/two/sysprof-$version.tar.gz" 2>&1)"
tar -xzf "$work/one/sysprof-$version.tar.gz" -C "$work"
result "it has each file of the sources" "$(diff <(sources) <(cd "$work/sysprof-$version" &&
	find . -type f | sed 's|^\./||' | LC_ALL=C sort) | head)"
result "make finds all it needs there" "$(make -s -n -C "$work/sysprof-$version" lib cli manual \
	2>&1 >/dev/null)"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What check-kernels and check-debug-kernel do not run again: a row that has passed with the same
# files and kernel, and no other.  In a copy of the tree without kernels, where a test says only that
# it ran, and passes if there is a file that says so.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TESTS LOGS LIMIT UNTIL ROTATE AGAIN SYSPROF_VM SYSPROF_KERNEL KERNELS FORCE
mkdir -p "$work"/{packaging,module,tests/vm,userspace/lib}
cp packaging/sources "$work/packaging"
cp tests/run tests/list tests/table "$work/tests"
cp tests/vm/{check-kernels,check-debug-kernel,state} "$work/tests/vm"
echo 'int one;' >"$work/module/one.c"
echo 'a kernel' >"$work/image"
touch "$work/good"

# made NAME: a program of that name, a script on stdin.
made()
{
	{ echo '#!/bin/sh'; cat; } >"$work/tests/vm/$1"
	chmod +x "$work/tests/vm/$1"
}

made kernel <<<"echo image=$work/image"
made build-module <<<"mkdir -p build/kernels/\$1/module"
made build-kernel <<<'echo tree'
made qemu <<<'command -v true'
# Each seeded mistake is seen.
made run <<'END'
cat <<'SAID'
sleeping function called from invalid context; Invalid wait context; KASAN: slab-use-after-free
possible circular locking dependency; unreferenced object
SAID
exit 125
END
read -ra debug_tests < <(sed -n "s/^\(tests\|sources\)='\(.*\)'$/\2/p" \
	tests/vm/check-debug-kernel | tr '\n' ' '; echo 45-fuzz 45-crossed 46-stress)
for test in "${debug_tests[@]}"; do
	made "$test.test" <<-END
	echo $test >>$work/ran
	if [ -e $work/good ]; then echo "ok 1 - good"; else echo "not ok 1 - bad"; fi
	echo 1..1
	END
done
# In place of make, which would build modules.
mkdir "$work/bin"
ln -s /bin/true "$work/bin/make"

# runs PROGRAM ARGUMENT...: how many tests ran and how many rows passed, were taken from before, and
# failed.
runs()
{
	rm -f "$work/ran"
	touch "$work/ran"
	PATH=$work/bin:$PATH "$work/tests/vm/$1" "${@:2}" >"$work/said" 2>"$work/errors"
	echo "$(wc -l <"$work/ran") ran, $(grep -c 'PASS' "$work/said") passed, $(grep -c \
		'(before; FORCE=1 runs it)$' "$work/said") of them before, $(grep -c \
		'FAIL' "$work/said") failed"
}

# is TEXT EXPECTED PROGRAM ARGUMENT...
is()
{
	local seen

	seen=$(runs "${@:3}")
	result "$1" "$([ "$seen" = "$2" ] || { echo "$seen, and not $2:"
		cat "$work/said" "$work/errors"; })"
}

# One row of one test; and one of each test, and of six seeded mistakes.
for program in "check-kernels --short" check-debug-kernel; do
	name=${program%% *}
	case $name in
	check-kernels) tests=1 rows=1 ;;
	*) tests=${#debug_tests[@]} rows=$((tests + 6)) ;;
	esac
	again="0 ran, $rows passed, $rows of them before, 0 failed"
	anew="$tests ran, $rows passed, 0 of them before, 0 failed"
	# shellcheck disable=SC2086
	set -- $program
	touch "$work/good"
	is "$name: what was not run yet runs" "$anew" "$@" one
	is "$name: what has passed does not" "$again" "$@" one
	is "$name: another kernel does" "$anew" "$@" other
	echo "// $name" >>"$work/module/one.c"
	is "$name: with another module all run" "$anew" "$@" one
	is "$name: ... once" "$again" "$@" one
	echo "$name" >>"$work/image"
	is "$name: the kernel itself is another one" "$anew" "$@" one
	echo "# $name" >>"$work/tests/run"
	is "$name: the tests are others" "$anew" "$@" one
	FORCE=1 is "$name: who asks for it has all" "$anew" "$@" one
	echo "$name" >"$work/README.md"
	is "$name: prose is no reason" "$again" "$@" one
	rm "$work/good"
	FORCE=1 is "$name: what fails" \
		"$tests ran, $((rows - tests)) passed, 0 of them before, $tests failed" "$@" one
	is "$name: ... is run again" \
		"$tests ran, $((rows - tests)) passed, $((rows - tests)) of them before, $tests failed" \
		"$@" one
done
finish

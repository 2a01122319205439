#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One thing has one spelling and one way to be written, in whichever command: aliases, times and
# sizes.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
here=$PWD

gen_capture=${GEN_CAPTURE:-$PWD/build/tests/gen-capture}
example=$work/example.capture
"$gen_capture" "$example" || { echo "Bail out! $gen_capture does not write a capture"; exit 1; }
cd "$work" || exit 1
# What every recording finds, of the user's code and of the kernel's.
taskset -c 0 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
busy=$!
trap 'kill $busy; rm -rf "$work"' EXIT

# refuses WORDS COMMAND...: one line that has them, status 2.
refuses()
{
	local words=$1 said status=0

	shift
	said=$(timeout 60 "$cli" "$@" 2>&1 >/dev/null </dev/null) || status=$?
	[ $status = 2 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qF -- "$words" <<<"$said" ||
		{ echo "status $status: $said"; return 1; }
}

# same COMMAND... : COMMAND...: both print the same, and something.
same()
{
	local first=()

	while [ "$1" != : ]; do first+=("$1"); shift; done
	shift
	"$cli" "${first[@]}" >first && "$cli" "$@" >second && [ -s first ] && diff first second
}

# records OPTIONS...: and ends by itself.
records()
{
	timeout 60 "$cli" record --source perf "$@" 2>err
}

# shows OPTIONS...: one page.
shows()
{
	timeout 60 "$cli" top --source perf --count 1 "$@" >page && grep -q 'CPUs busy' page
}

# Spellings.

for command in report 'export --format folded' 'annotate --source' "diff $example"; do
	function=
	[[ $command = annotate* ]] && function=work
	# shellcheck disable=SC2086
	check "${command%% *}: --cpus is --cpu" same $command --cpu 1 "$example" $function : \
		$command --cpus 1 "$example" $function
	[ "$function" ] && continue
	for side in user kernel; do
		# shellcheck disable=SC2086
		check "${command%% *}: --$side-only is --$side" same $command --$side "$example" : \
			$command --$side-only "$example"
	done
done
for options in '--cpu 0' '--cpus 0' --user --user-only --kernel --kernel-only; do
	# shellcheck disable=SC2086
	check "record takes $options" records $options --duration 200ms
done
for options in -a -g -ag '--call-graph fp' '--call-graph dwarf,8192' '-C 0'; do
	# shellcheck disable=SC2086
	check "record takes perf's $options" records $options --duration 200ms
done
check "top takes perf's -a -g" shows -a -g --interval 200ms
for options in --stdio --children --no-children '-C 0-1'; do
	# shellcheck disable=SC2086
	check "report takes perf's $options" same report "$example" : report $options -i "$example"
done
check "annotate takes perf's --stdio" same annotate "$example" work : annotate --stdio -i "$example" work
check 'both sides' refuses '--user and --kernel exclude each other' record --user-only --kernel
check '--memory without a command' refuses 'put it behind "--"; --memory-limit SIZE bounds' record \
	--memory
check '... does not take the next word' refuses '"256M" is no option' record --memory 256M
check '... of no bytes' refuses '--memory-limit SIZE bounds' record --memory=0 -- true
check 'aliases are in no list' bash -c \
	'! "$1" --list-options | cut -f 1,2 | grep -E "	(cpus|user-only|kernel-only)$"' - \
	"$cli"

# Conditions.

# has_options COMMAND OPTION...: all of them are in its list.
has_options()
{
	"$cli" --list-options | awk -F '\t' -v command="$1" '$1 == command { print $2 }' >list
	printf '%s\n' "${@:2}" | grep -vxFf list | sed "s/^/$1 has no --/" >missing
	[ ! -s missing ] || { cat missing; return 1; }
}

conditions=(metric process thread cpu parallelism with without where object kernel user)
for command in report export diff annotate; do
	check "$command has every condition" has_options $command "${conditions[@]}" time \
		only-command vmlinux debuginfod short-templates full-names all
done
check 'top has every condition but time' has_options top "${conditions[@]}"

# Where perf events are refused.

refused()
{
	local status=0

	timeout 60 python3 "$here/tests/cli/without-perf.py" "$@" >out 2>&1 || status=$?
	[ $status = 1 ] && [ "$(wc -l <out)" = 1 ] && grep -q 'A seccomp filter.*forbids perf events' out ||
		{ echo "status $status:"; cat out; return 1; }
}
check 'a container that refuses perf events: its seccomp filter is named' refused "$cli" record \
	--source perf --duration 100ms

# Times.

for range in 10ms..100ms 10000us..0.1s 10000000ns..0.1 0.01..100ms; do
	check "report --time $range" same report --time 0.01..0.1 "$example" : report --time \
		$range "$example"
done
for time in 0.2 0.2s 200ms 200000us 200000000ns; do
	check "record --duration $time" records --duration $time
	[ "$time" = 0.2s ] || check "top --interval $time" shows --interval $time
done
for time in soon 5m -1 1h ''; do
	check "no time: '$time'" refuses '--duration takes' record "--duration=$time"
	check "no interval: '$time'" refuses '--interval takes' top "--interval=$time"
	check "no last seconds: '$time'" refuses '--last takes' record "--last=$time"
	[ "$time" ] && check "no range: '$time..'" refuses 'is not a range' report \
		--time="$time.." "$example"
done

# Sizes.

for size in 131072 128K 128KiB 0.125M; do
	check "record --ring-bytes $size" records --ring-bytes $size --duration 200ms
	check "record --memory-limit of $size is too little" refuses \
		'--memory-limit takes at least 16M' record --memory-limit $size
done
check 'record --memory-limit 0.5G' records --memory-limit 0.5G --duration 200ms
for bytes in 32K 32KiB 32768; do
	check "record --stacks dwarf,$bytes" records --stacks dwarf,$bytes --duration 200ms
done
check 'record --stacks dwarf,1G' refuses 'Unknown --stacks "dwarf,1G"' record --stacks dwarf,1G
for size in much -1 4G 1T ''; do
	check "no ring: '$size'" refuses '--ring-bytes takes' record "--ring-bytes=$size"
done

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report --by language: programs whose CPU time is known: of C++, C and the kernel 50, 30 and 20 %,
# and of Rust, if its compiler is here.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

cat >"$work/shares.cc" <<'END'
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

static double cpu_seconds()
{
	timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

namespace work {
template <typename T> __attribute__((noinline)) T spin(T n)
{
	volatile T sum = 0;

	for (T i = 0; i < n; i++)
		sum = sum + i;
	return sum;
}
}

extern "C" __attribute__((noinline)) long spin_in_c(long n)
{
	volatile long sum = 0;

	for (long i = 0; i < n; i++)
		sum = sum + i;
	return sum;
}

static char zeros[1 << 20];

int main()
{
	double used[3] = { 0, 0, 0 };
	const double part[3] = { 0.5, 0.3, 0.2 };
	int zero = open("/dev/zero", O_RDONLY);

	for (int round = 1; round <= 50; round++)
		for (int kind = 0; kind < 3; kind++)
			while (used[kind] < part[kind] * 0.02 * round) {
				double before = cpu_seconds();

				if (kind == 0)
					work::spin(100000L);
				else if (kind == 1)
					spin_in_c(100000);
				else if (read(zero, zeros, sizeof(zeros)) < 0)
					return 1;
				used[kind] += cpu_seconds() - before;
			}
}
END
cat >"$work/spin.rs" <<'END'
#[inline(never)]
fn spin(n: u64) -> u64 {
    let mut sum = 0u64;
    for i in 0..n {
        sum = std::hint::black_box(sum.wrapping_add(i));
    }
    sum
}
fn main() {
    println!("{}", spin(250_000_000));
}
END
record()
{
	local way=$1

	shift
	timeout 60 "$cli" record --source perf -F 1000 -o "$work/$way.capture" -- "$@" >"$work/out" 2>"$work/err"
}

# judge WAY TEXT: a condition on @of, the share of each language, on all samples of the command.
judge()
{
	"$cli" report "$work/$1.capture" --by language --only-command --json >"$work/groups.json" || return
	python3 -c "
import json
$timed_python
groups = json.load(open('$work/groups.json'))['groups']
total = sum(group['weight'] for group in groups)
of = {group['name']: group['weight'] / total for group in groups}
assert $2, of
timed($3, of)"
}

check 'C++, C and the kernel: compiled' g++ -O1 -o "$work/shares" "$work/shares.cc"
check '... recorded' record shares "$work/shares"
check '... each has its share' judge shares 'set(of) >= {"C++", "native", "kernel"}' \
	'abs(of["C++"] - 0.5) < 0.08 and abs(of["native"] - 0.3) < 0.08 and abs(of["kernel"] - 0.2) < 0.08'
check '... bundled' "$cli" bundle "$work/shares.capture" -o "$work/bundled.capture"
rm "$work/shares"
check '... and again, when the program is deleted' judge bundled 'set(of) >= {"C++", "native", "kernel"}' \
	'abs(of["C++"] - 0.5) < 0.08'
if rustc --version >/dev/null 2>&1; then
	check 'Rust: compiled' rustc -C opt-level=1 -o "$work/spin" "$work/spin.rs"
	check '... recorded' record rust "$work/spin"
	check '... it is Rust' judge rust '"C++" not in of' 'of["Rust"] > 0.8'
fi
echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Marks of programs in Python, JavaScript and Rust, by the modules in userspace/bindings: a program
# in each says the same, with spans whose durations it measures itself.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

bindings=$PWD/userspace/bindings
flags=(-O2 -Wall -Wextra -Werror -I "$PWD/userspace/include")

cat >"$work/said.py" <<'END'
import threading, time
import spt_mark as mark

def say(name):
    for i in range(20):
        begin = time.monotonic_ns()
        with mark.span('known', name, 'number %d' % i):
            time.sleep(0.001)
        times.append(time.monotonic_ns() - begin)
    mark.begin('known', 'outer'); mark.begin('known', 'inner')
    mark.end('inner'); mark.end('outer')

times = []
assert mark.is_recorded()
say('span')
mark.open('known', 'request')
thread = threading.Thread(target=lambda: (mark.close('request'), mark.flow_end('job', 7)))
mark.flow_begin('job', 7)
thread.start(); thread.join()
mark.instant('known', 'here', 'gr\u00fc\u00dfe')
mark.instant(None, 'no category')
mark.message('a line')
mark.counter('depth', 4.5)
for wrong in (lambda: mark.begin(1, 2), lambda: mark.counter('depth', 'x'), lambda: mark.end(),
              lambda: mark.flow_begin('job', -1), lambda: mark.instant('a', '\ud800'),
              lambda: mark.span('a')):
    try:
        wrong()
        raise SystemExit('no exception')
    except (TypeError, OverflowError, UnicodeError):
        pass
print(sum(times))
END
cat >"$work/said.js" <<'END'
const mark = require(process.argv[2]);
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
if (!mark.is_recorded())
	process.exit(1);
let sum = 0n;
for (let i = 0; i < 20; i++) {
	const before = process.hrtime.bigint(), start = mark.now();
	sleep();
	mark.span('known', 'span', `number ${i}`, start);
	sum += process.hrtime.bigint() - before;
}
mark.begin('known', 'outer'); mark.begin('known', 'inner');
mark.end('inner'); mark.end('outer');
mark.open('known', 'request');
mark.flow_begin('job', 7); mark.flow_end('job', 7n);
setImmediate(() => mark.close('request'));
mark.instant('known', 'here', 'gr\u00fc\u00dfe');
mark.instant(null, 'no category');
mark.message('a line');
mark.counter('depth', 4.5);
mark.counter('depth', 'x'); mark.end(); mark.flow_begin(); mark.span(1, 2, 3);
console.log(String(sum));
END
cat >"$work/said.rs" <<'END'
mod spt_mark;
use std::time::{Duration, Instant};

fn main() {
    assert!(spt_mark::is_recorded());
    let mut sum = Duration::ZERO;
    for _ in 0..20 {
        let before = Instant::now();
        {
            let _span = spt_mark::span("known", "span");
            std::thread::sleep(Duration::from_millis(1));
        }
        sum += before.elapsed();
    }
    spt_mark::begin("known", "outer");
    spt_mark::begin("known", "inner");
    spt_mark::end("inner");
    spt_mark::end("outer");
    spt_mark::open("known", "request");
    spt_mark::flow_begin("job", 7);
    std::thread::spawn(|| {
        spt_mark::close("request");
        spt_mark::flow_end("job", 7);
    })
    .join()
    .unwrap();
    spt_mark::instant("known", "here", "grüße");
    spt_mark::instant("", "no category", "");
    spt_mark::message("a line");
    spt_mark::counter("depth", 4.5);
    println!("{}", sum.as_nanos());
}
END

# said LANGUAGE COMMAND...: what it has said is what was recorded of it.
said()
{
	local language=$1

	shift
	"$cli" record --source perf -F 100 --no-embed -o "$work/a" -- "$@" >"$work/out" 2>"$work/err" ||
		return
	for what in marks counters logs "events flow" "events mark"; do
		# shellcheck disable=SC2086
		"$cli" report "$work/a" --json --limit 0 --$what >"$work/${what// /-}.json" || return
	done
	python3 - "$work" "$language" <<'END'
import json, sys
work, language = sys.argv[1:]
marks, counters, logs, flows, rows = (
    json.load(open(f'{work}/{what}.json'))
    for what in ('marks', 'counters', 'logs', 'events-flow', 'events-mark'))
found = {mark['name']: mark for mark in marks['marks']}
known = {'span': 20, 'outer': 1, 'inner': 1, 'request': 1, 'here': 1, 'no category': 1}
for name, n in known.items():
    assert found[name]['count'] == n, (name, found.get(name))
assert all(name in known or language == 'js' for name in found), found
assert 20000000 <= found['span']['sum_ns'] <= int(open(f'{work}/out').read()), found['span']
assert found['span']['category'] == 'known' and found['no category']['category'] == ''
assert [row['fields'].get('message') for row in rows['rows'] if row['fields']['name'] == 'here'] == ['grüße']
assert [c['last'] for c in counters['counters'] if c['name'] == 'depth'] == [4.5], counters
assert 'a line' in [line['text'] for line in logs['lines']], logs
jobs = [row for row in flows['rows'] if row['fields']['name'] == 'job']
assert sorted(row['fields']['side'] for row in jobs) == ['begin', 'end'], jobs
assert len({row['tid'] for row in jobs}) == (1 if language == 'js' else 2), jobs
END
}

# headers FILE...: where the first of these is, or nothing.
headers()
{
	local file

	for file; do
		[ ! -f "$file" ] || { dirname "$file"; return; }
	done
}

# left_out LANGUAGE WHAT
left_out()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

python=/usr/bin/python3
include=$($python -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null)
if [ -f "$include/Python.h" ]; then
	check 'the module of Python is compiled' gcc "${flags[@]}" -shared -fPIC -I "$include" \
		"$bindings/python.c" -o "$work/spt_mark.abi3.so"
	check 'Python: what is said is recorded, and wrong arguments are exceptions' \
		said py env PYTHONPATH="$work" $python "$work/said.py"
	check '... where nobody records, nothing is said, and nothing looked at' \
		env PYTHONPATH="$work" $python -c '
import spt_mark as mark
assert not mark.is_recorded()
mark.begin(1, 2); mark.counter(); mark.end("x")
with mark.span("a", "b"): pass'
else
	left_out Python "it needs libpython3-dev"
fi
node=$(headers /usr/include/node/node_api.h /usr/include/nodejs/src/node_api.h)
if [ -n "$node" ] && [ -n "$(command -v node)" ]; then
	check 'the addon of Node.js is compiled' gcc "${flags[@]}" -shared -fPIC -I "$node" \
		"$bindings/node.c" -o "$work/spt_mark.node"
	check 'Node.js: what is said is recorded, and wrong arguments harm nothing' \
		said js node "$work/said.js" "$work/spt_mark.node"
else
	left_out Node.js "it needs node and libnode-dev"
fi
# shellcheck disable=SC2016
if rustc --version >/dev/null 2>&1; then
	cp "$bindings/spt_mark.rs" "$work"
	check 'the module of Rust is compiled' bash -c 'cd "$0" && gcc "${@:2}" -c "$1/rust.c" &&
		ar rcs libspt_mark.a rust.o && rustc -O -L . -l static=spt_mark said.rs' \
		"$work" "$bindings" "${flags[@]}"
	check 'Rust: what is said is recorded' said rs "$work/said"
else
	left_out Rust "it needs rustc"
fi

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lines of systemd's journal beside a recording, from a journalctl of this test that prints what a
# real one would, and what nobody should; and the conditions of report --logs.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# A journalctl whose entries have the times at which it prints them, unless they are given.
mkdir "$work/bin"
cat >"$work/bin/journalctl" <<'END'
#!/usr/bin/python3
import os, sys, time
assert sys.argv[1:] == ["--follow", "--lines=0", "--boot", "--output=export"], sys.argv
out = sys.stdout.buffer
def entry(message, us=None, **fields):
    us = us if us is not None else time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    fields.setdefault("_COMM", "someone")
    text = b"__CURSOR=s=1\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=0123\n" % us
    for key, value in fields.items():
        text += f"{key}={value}\n".encode()
    if b"\n" in message or b"\0" in message:
        text += b"MESSAGE\n" + len(message).to_bytes(8, "little") + message + b"\n"
    else:
        text += b"MESSAGE=" + message + b"\n"
    out.write(text + b"\n")
    return us
way = os.environ["JOURNAL_WAY"]
go = os.environ["JOURNAL_GO"]
# The command has begun, and so has the recording.
while not os.path.exists(go):
    time.sleep(0.02)
if way == "plain":
    us = entry(b"a warning", PRIORITY=4, SYSLOG_IDENTIFIER="made", _PID=os.getppid())
    open(os.environ["JOURNAL_US"], "w").write(str(us))
    entry(b"an error of a stranger", PRIORITY=3, SYSLOG_IDENTIFIER="other", _PID=3999999)
    entry(b"two\nlines", PRIORITY=6)
    entry(b"nothing special")
    entry(b"from long ago", us=1000)
    sys.stderr.write("Hint: You are currently \x1b[31mnot seeing messages\n")
elif way == "hostile":
    entry(b"\x1b]0;title\x07 and \x9b31m", SYSLOG_IDENTIFIER="\x1b[2J", PRIORITY="99999999999999999999")
    entry(b"zero\0behind", PRIORITY=5)
    entry(b"x" * (1 << 20), PRIORITY=5)
    out.write(b"N" * (1 << 20) + b"=" + b"v" * 100 + b"\n")
    entry(b"negative", _PID=-1)
    out.write(b"__MONOTONIC_TIMESTAMP=18446744073709551615\nMESSAGE=far away\n\n")
    out.write(b"\n\n\n=\n==\n\n")
    entry(b"last one", PRIORITY=5)
    out.write(b"MESSAGE\n" + b"\xff" * 8 + b"never ends")
elif way == "flood":
    open(go + ".said", "w").close()
    for i in range(200000):
        entry(b"line %d" % i, PRIORITY=7)
out.flush()
sys.stderr.flush()
open(go + ".said", "w").close()
if way == "ends":
    sys.exit(1)
time.sleep(1000)
END
chmod +x "$work/bin/journalctl"

# The command ends a moment after the journalctl has said everything.
record()
{
	rm -f "$work/go" "$work/go.said"
	JOURNAL_GO=$work/go JOURNAL_WAY=$1 JOURNAL_US=$work/us PATH=$work/bin:$PATH "$cli" record \
		--source perf -F 100 --no-embed --journal -o "$work/a" "${@:2}" -- sh -c \
		': >"$0"; until [ -e "$0.said" ]; do sleep 0.05; done; sleep 0.5' "$work/go" \
		>"$work/out" 2>"$work/err"
}

judge()
{
	local program

	program=$(cat)
	"$cli" report "$work/a" --logs --json --limit 0 "$@" >"$work/json" 2>"$work/err" &&
		python3 -c "import json
lines = json.load(open('$work/json'))['lines']
texts = [line['text'] for line in lines]
$program"
}

check 'lines of the journal are recorded' record plain
check '... with time, process and severity' judge <<END
by = {line['text']: line for line in lines}
assert len(lines) == 4, lines
line = by['a warning']
assert line['time_ns'] == int(open('$work/us').read()) * 1000, line
assert line['severity'] == 4 and line['severity_name'] == 'warning', line
assert line['process'] == 'sysprof-cli' and line['pid'] > 0 and line['source'] == 'made', line
line = by['an error of a stranger']
assert line['pid'] == 0 and line['source'] == 'other[3999999]', line
assert by['nothing special']['severity'] == 6 and by['nothing special']['source'] == 'someone'
END
complaint()
{
	grep -q '^Note: the journal: Hint: You are currently .*not seeing messages$' "$work/err2" &&
		! LC_ALL=C grep -q $'\e' "$work/err2"
}
record plain
cp "$work/err" "$work/err2"
check 'what journalctl complains of is printed, without escapes' complaint
check 'none came from before the recording' judge <<'END'
assert 'from long ago' not in texts, texts
END
check '--severity chooses' judge --severity warning <<'END'
assert sorted(texts) == ['a warning', 'an error of a stranger'], texts
END
check '... also by number' judge --severity 3 <<'END'
assert texts == ['an error of a stranger'], texts
END
check '--grep chooses' judge --grep 'a[n]? (warn|err)' <<'END'
assert sorted(texts) == ['a warning', 'an error of a stranger'], texts
END
check '... both together' judge --grep 'a' --severity error <<'END'
assert texts == ['an error of a stranger'], texts
END
for options in "--logs --severity nothing" "--logs --severity 8" "--logs --grep (" "--grep a" \
	"--marks --severity 3" "--logs --grep nothing-has-this"; do
	# shellcheck disable=SC2086
	check "refused in a sentence: $options" bash -c '! "$@" 2>"$0" >"$0.out" &&
		[ "$(wc -l <"$0")" = 1 ] && ! [ -s "$0.out" ]' "$work/said" \
		"$cli" report "$work/a" $options
done

check 'a hostile journal breaks nothing' record hostile
check '... what can be read is there, and bounded' judge <<'END'
assert 'last one' in texts and 'negative' in texts and 'zero' in texts, [t[:20] for t in texts]
assert 'far away' not in texts
assert max(len(t) for t in texts) <= 1024
assert all(0 <= line['severity'] <= 7 for line in lines)
END
plain()
{
	"$cli" report "$work/a" --logs --limit 0 >"$work/text" && ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$work/text"
}
check '... and nothing reaches the terminal' plain
check 'a flood of lines is taken, or left in the pipe' record flood
check '... in order' judge <<'END'
numbers = [int(t.split()[1]) for t in texts]
assert numbers == list(range(len(numbers))) and len(numbers) > 1000, numbers[:5]
END
check 'a journalctl that ends is no end of the recording' record ends
gone()
{
	! PATH=$work/empty "$cli" record --source perf --journal -o "$work/x" -- /bin/true 2>"$work/err" &&
		grep -q '^sysprof-cli: Cannot read the journal: ' "$work/err"
}
check 'without journalctl it says so' gone
left()
{
	! pgrep -f "python3 $work/bin/journalctl"
}
check 'none is left running' left
check 'the last seconds have lines' record plain --last 5
check '... too' judge <<'END'
assert 'a warning' in texts, texts
END

echo "1..$number"
exit $broken

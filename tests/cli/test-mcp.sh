#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures nothing.
#
# sysprof-cli mcp as a program uses it: it begins, lists the tools, asks questions, reads long
# answers in parts, and asks what must be refused.  No answer of a tool is longer than 2 KiB.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/tests/gen-capture "$work/busy.capture" || exit 1
build/tests/gen-waits "$work/waits.capture" || exit 1
build/tests/gen-big "$work/big.capture" 3000 || exit 1
mkfifo "$work/pipe.capture"
head -c 1500 "$work/busy.capture" >"$work/damaged.capture"

python3 - "$PWD/build/sysprof-cli" "$work" <<'END' >"$work/results"
import json, os, re, subprocess, sys

cli, work = sys.argv[1:]
os.chdir(work)
server = subprocess.Popen([cli, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
number = 0


def ok(good, what, seen=""):
    print("ok" if good else "not ok", "\t", what, "\t", str(seen)[:600].replace("\n", " | "), sep="")
    sys.stdout.flush()


def send(line):
    server.stdin.write(line + b"\n")
    server.stdin.flush()
    return server.stdout.readline()


def ask(method, params=None, **more):
    global number
    number += 1
    message = {"jsonrpc": "2.0", "id": number, "method": method, **more}
    if params is not None:
        message["params"] = params
    line = send(json.dumps(message).encode())
    answer = json.loads(line)
    assert answer["jsonrpc"] == "2.0" and answer["id"] == number, line
    return answer, len(line)


def call(name, **arguments):
    """The text of a tool's answer, and whether it failed."""
    answer, size = ask("tools/call", {"name": name, "arguments": arguments})
    sizes.append(size)
    result = answer["result"]
    return result["content"][0]["text"], result["isError"]


sizes = []
for asked, given in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
    answer, _ = ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    ok(answer["result"]["protocolVersion"] == given and "tools" in answer["result"]["capabilities"],
       f"it begins with version {asked}", answer)
server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
ok(ask("ping")[0]["result"] == {}, "a notification has no answer, a ping an empty one")
tools = {tool["name"]: tool for tool in ask("tools/list")[0]["result"]["tools"]}
ok(set(tools) == {"record", "summary", "top_functions", "tree", "annotate", "waits", "memory", "diff", "info", "doctor", "more"},
   "the tools", sorted(tools))
ok(all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools.values()), "... have schemas")

# Questions.

questions = [
    ("summary", {"file": "busy.capture"}, "is in hot itself"),
    ("top_functions", {"file": "busy.capture", "limit": 2}, "do_syscall"),
    ("tree", {"file": "busy.capture"}, "work"),
    ("tree", {"file": "busy.capture", "below": "work"}, "hot"),
    ("tree", {"file": "busy.capture", "above": "hot"}, "work"),
    ("annotate", {"file": "busy.capture", "function": "hot"}, "hot"),
    ("info", {"file": "busy.capture"}, "samples            305"),
    ("waits", {"file": "waits.capture"}, "wait_for_work"),
    ("waits", {"file": "waits.capture", "by": "thread"}, "worker"),
    ("waits", {"file": "waits.capture", "waker": "wait_for_work"}, "By waker"),
    ("diff", {"before": "busy.capture", "after": "busy.capture"}, "no more than chance"),
    ("top_functions", {"file": "busy.capture", "where": "work and do_syscall", "limit": 1}, "100.00"),
    ("doctor", {}, "perf"),
]
for name, arguments, wanted in questions:
    text, failed = call(name, **arguments)
    ok(wanted in text and (not failed or name == "doctor"), f"{name} {arguments}", text)
text, failed = call("record", command=["sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; echo $0", "a word"],
                    file="made.capture")
ok(not failed and "Recorded" in text and "a word" in text and os.path.exists("made.capture"), "a command is recorded", text)
text, failed = call("summary", file="made.capture")
ok(not failed and "sh ran" in text, "... and its summary says how it ran", text)

# Long answers, in parts that are the whole.

text, failed = call("top_functions", file="big.capture", limit=200)
parts, marker = [], '; more: call "more" with cursor "'
while marker in text:
    body, _, rest = text.rpartition("[")
    parts.append(body)
    text, failed = call("more", cursor=rest.split('"')[3])
parts.append(text)
whole = subprocess.run([cli, "report", "--limit=200", "big.capture"], capture_output=True, text=True,
                       env={**os.environ, "SYSPROF_COLUMNS": "100"}).stdout
ok(len(parts) > 3 and "".join(parts) == whole, "a long answer comes in parts", (len(parts), len(whole)))
ok(max(sizes) <= 2048, "no answer is longer than 2 KiB", max(sizes))

text, _ = call("waits", file="waits.capture")
steps = [line for line in text.splitlines() if line.startswith("Next: ")]
ok(len(steps) > 2 and all("\"metric\":\"blocked\"" in step for step in steps), "next steps keep the metric", steps)
ok(re.search(r"; Blocked, [0-9.]+ m?s; without threads that hardly ran: all in wait_for_work\n", text), "... and how much it is", text)
for step in steps:
    tool, arguments = re.match(r"Next: (\w+) ({.*})$", step).groups()
    text, failed = call(tool, **json.loads(arguments))
    ok(not failed and text, f"a next step is a call: {step}", text)

# What is refused, in words.

refused = [
    ("summary", {"file": 7}, "has to be a string"),
    ("summary", {"file": ""}, "1 to 1024 bytes"),
    ("summary", {"file": "x" * 5000}, "1 to 1024 bytes"),
    ("summary", {"file": "a\0b"}, "without NUL"),
    ("summary", {"file": "missing.capture"}, "there is no file"),
    ("summary", {"file": "pipe.capture"}, "there is no file"),
    ("summary", {"file": "."}, "there is no file"),
    ("summary", {"file": "\x1b[2Jx"}, "there is no file ?[2Jx"),
    ("summary", {"file": "--version"}, "there is no file"),
    ("summary", {"file": "/etc/shadow" if os.getuid() else "/proc/self/mem"}, ""),
    ("summary", {"file": "busy.capture", "evil": 1}, 'takes no argument "evil"'),
    ("summary", {"file": "busy.capture", "metric": "--all"}, "metric"),
    ("summary", [1], "have to be an object"),
    ("top_functions", {"limit": 0}, "integer from 1 to 1000"),
    ("top_functions", {"limit": 10 ** 30}, "integer from 1 to 1000"),
    ("top_functions", {"limit": "5"}, "integer from 1 to 1000"),
    ("top_functions", {"file": "busy.capture", "all": "yes"}, "true or false"),
    ("annotate", {"file": "busy.capture"}, 'needs "function"'),
    ("annotate", {"file": "busy.capture", "function": "--help"}, "--help"),
    ("waits", {"file": "waits.capture", "by": "thread --all"}, "takes one of"),
    ("waits", {"file": "waits.capture", "waker": "nosuchfunction"}, "no samples that meet the conditions"),
    ("memory", {"file": "busy.capture", "metric": "cpu"}, "takes one of"),
    ("memory", {"file": "busy.capture"}, "record with --memory"),
    ("record", {"command": "sh -c true"}, "array of 1 to 64 strings"),
    ("record", {"command": []}, "array of 1 to 64 strings"),
    ("record", {"command": ["true"] * 65}, "array of 1 to 64 strings"),
    ("record", {"command": [["true"]]}, "has to be a string"),
    ("record", {"command": ["/nonexistent; touch injected"], "file": "new.capture"}, "/nonexistent"),
    ("record", {"command": ["true"], "file": "/etc/passwd"}, "end with .capture"),
    ("record", {"command": ["true"], "seconds": 301}, "integer from 1 to 300"),
    ("record", {"command": ["true"], "seconds": -1}, "integer from 1 to 300"),
    ("more", {"cursor": "0:99999999"}, "ask the question again"),
    ("more", {"cursor": "99:0"}, "ask the question again"),
    ("more", {"cursor": "../../etc/passwd"}, "ask the question again"),
    ("more", {"cursor": 3}, "ask the question again"),
]
sizes.clear()
for name, arguments, wanted in refused:
    answer, size = ask("tools/call", {"name": name, "arguments": arguments})
    sizes.append(size)
    text = answer["result"]["content"][0]["text"]
    ok(answer["result"]["isError"] and wanted in text, f"refused: {name} {str(arguments)[:60]!r}", text)
ok(max(sizes) <= 2048, "refusals are short, too", max(sizes))
ok(not os.path.exists("injected"), "there is no shell")
text, failed = call("summary", file="damaged.capture")
ok("busy" in text or failed, "a damaged recording", text)


def error_of(line):
    return json.loads(send(line)).get("error", {}).get("code")


ok(ask("tools/call", {"name": "shell"})[0]["error"]["code"] == -32602, "an unknown tool is an error")
ok(ask("tools/call", {"name": 7})[0]["error"]["code"] == -32602, "... so is one that is no name")
ok(ask("tools/call")[0]["error"]["code"] == -32602, "... and none")
ok(ask("resources/list")[0]["error"]["code"] == -32601, "an unknown method is an error")
for line, code, what in [(b"{", -32700, "half a message"), (b"\xff\xfe", -32700, "no UTF-8"), (b"[" * 100, -32700, "too deep"),
                         (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700, "more behind it"),
                         (b'{"a":1}\0', -32700, "a NUL"), (b"[]", -32600, "a batch"), (b"7", -32600, "a number"),
                         (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, "another version"),
                         (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, "an id that is none"),
                         (b'{"jsonrpc":"2.0","id":"' + b"x" * 99 + b'","method":"ping"}', -32600, "an id that is long"),
                         (b'{"jsonrpc":"2.0","id":1}', -32600, "no method"),
                         (b"x" * (2 << 20), -32600, "2 MiB")]:
    ok(error_of(line) == code, f"a message of {what} is an error")
ok(ask("ping")[0]["result"] == {}, "after all that it answers")
server.stdin.close()
ok(server.wait(10) == 0, "it ends with its input")
END
while IFS=$'\t' read -r found what seen; do
	result "$what" "$([ "$found" = ok ] || printf '%s\n' "not so: $seen")"
done <"$work/results"
result 'all questions were asked' \
	"$(grep -q 'it ends with its input' "$work/results" || tail -n 1 "$work/results")"
finish

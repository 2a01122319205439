#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The agent, by perf events on this machine, and engines that decode what it sends by the public
# schemas: what they add up to is what was recorded, whatever happens to them.
#
# PART=collector: a real Collector of OpenTelemetry alone, of the packages of Debian's sid, which are
# fetched and compiled first.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/cli/agent.bash
. "$(dirname "$0")/agent.bash"
: >"$work/pids"
# shellcheck disable=SC2046,SC2154 # pids are words; number and broken are record.bash's
trap 'kill $(cat "$work/pids") 2>/dev/null; umount "$work/small" "$work/tiny" 2>/dev/null; sleep 0.5; rm -rf "$work"' EXIT

# receiver NAME [PORT]: an engine with its files in $work/NAME.
receiver()
{
	mkdir -p "$work/$1"
	rm -f "$work/$1/port"
	python3 tests/cli/agent-receiver.py "$work/$1" ${2:+"$2"} >/dev/null 2>"$work/$1/err" &
	receiver_pid=$!
	echo $! >>"$work/pids"
	wait_for 60 test -s "$work/$1/port"
}

port_of() { cat "$work/$1/port"; }

lines_of() { [ -e "$work/$1/log" ] && [ "$(wc -l <"$work/$1/log")" -ge "$2" ]; }

# logged NAME TEXT: a request of an engine has it.
logged() { grep -qsF "$2" "$work/$1/log"; }

# judge PYTHON: log(NAME) has the requests of an engine, taken(NAME) the profiles that it took.
judge()
{
	python3 - "$work" <<END
$timed_python
import json, os, sys
work = sys.argv[1]
def log(name):
    with open(os.path.join(work, name, "log"), encoding="utf-8") as file:
        requests = [json.loads(line) for line in file]
    for request in requests:
        assert "problem" not in request, request["problem"]
    return requests
def taken(name, path=None):
    return [profile for request in log(name) if request["status"] == 200 and
            path in (None, request["path"]) for profile in request["profiles"]]
def add(profiles):
    stacks = {}
    for profile in profiles:
        for stack, value in profile["stacks"].items():
            stacks[stack] = stacks.get(stack, 0) + value
    return stacks
OTLP, PUSH, RAW = ("/v1development/profiles", "/push.v1.PusherService/Push", "/api/profiles/writeraw")
$1
END
}

cat >"$work/busy.c" <<'END'
#include <unistd.h>
static volatile unsigned long x;
__attribute__((noinline)) void agent_busy(void) { for (long i = 0; i < 1000000; i++) x += i; }
int main(void) { alarm(600); for (;;) agent_busy(); }
END
gcc -O1 -fno-omit-frame-pointer -o "$work/busy" "$work/busy.c" || exit 1
# To compile it can take longer than the program runs.
if [ "${PART:-}" = collector ]; then
	collector=$(env -u XDG_CACHE_HOME tests/cli/collector 2>"$work/err") ||
		{ cat "$work/err"; exit 1; }
fi
"$work/busy" &
echo $! >>"$work/pids"

# A Collector decodes what comes, and sends it on to an engine that decodes it by the public schema,
# one request at a time: what the engine answers is what the agent gets.
begin_collector()
{
	cat >"$work/collector.yaml" <<-END
		receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:$port"}}}}
		exporters:
		  otlphttp:
		    endpoint: "http://127.0.0.1:$(port_of behind)"
		    sending_queue: {enabled: false}
		    retry_on_failure: {enabled: false}
		service:
		  telemetry: {metrics: {level: none}}
		  pipelines: {profiles: {receivers: [otlp], exporters: [otlphttp]}}
	END
	"$collector" --feature-gates=service.profilesSupport --config="file:$work/collector.yaml" \
		>"$work/collector.out" 2>&1 &
	collector_pid=$!
	echo $! >>"$work/pids"
	wait_for 60 grep -qs 'Everything is ready' "$work/collector.out"
}
taken_behind() { [ "$(grep -c '"status": 200' "$work/behind/log")" -ge "$1" ]; }
collecting()
{
	local kept

	receiver behind
	begin_collector || return
	agent real --to otlp="http://127.0.0.1:$port" --to pprof=0 --every 3s --rate 25 \
		--keep "$work/kept" || return
	wait_for 200 taken_behind 2 || return
	echo 503 >"$work/behind/mode"
	wait_for 150 logged behind '"status": 503' || return
	echo 429 >"$work/behind/mode"
	wait_for 150 logged behind '"status": 429' || return
	echo 200 3 >"$work/behind/mode"
	sleep 6
	rm "$work/behind/mode"
	kill -KILL "$collector_pid"
	wait "$collector_pid" 2>/dev/null
	sleep 4
	begin_collector || return
	wait_for 200 drained_into_collector || return
	end_agent "$agent_pid" || return
	for kept in "$work"/kept/*.capture; do
		"$cli" export --all --no-inlines --format folded "$kept" || return
	done >"$work/folded"
}
drained_into_collector() { [ "$(metric real 'spool_requests{to="otlp-1"}')" = 0 ]; }
if [ "${PART:-}" = collector ]; then
	port=$((20000 + RANDOM % 10000))
	check "a real Collector, refusing, slow, killed and restarted" collecting
	# What it had sent on when it was killed comes again, and says so by its id.
	check "passes on all that was recorded, each window once or with the same id" judge '
theirs, ours, once = {}, {}, {}
for profile in taken("behind"):
    before = once.setdefault(profile["id"], profile)
    assert before["stacks"] == profile["stacks"], profile["id"]
assert len(taken("behind")) - len(once) <= 4, len(once)
for stack, value in add(once.values()).items():
    theirs[stack.replace("\n", " ")] = theirs.get(stack.replace("\n", " "), 0) + value
for line in open(work + "/folded"):
    stack, weight = line.rstrip("\n").rsplit(" ", 1)
    ours[stack] = ours.get(stack, 0) + int(weight)
assert sum(theirs.values()) == sum(ours.values()) > 0, (sum(theirs.values()), sum(ours.values()))
most = sorted(ours, key=ours.get)[-10:]
assert len(most) == 10 and any("agent_busy" in stack for stack in most), most
# Files of programs that have ended may not be there any more for the names of others.
assert all(theirs.get(stack) == ours[stack] for stack in most), [(s, theirs.get(s), ours[s]) for s in most]
assert all(profile["labels"]["service.name"] for profile in taken("behind"))'
	echo "1..$number"
	exit $broken
fi

# The format by itself: a capture with a known answer.
exports_the_same()
{
	build/tests/gen-capture "$work/busy.capture" &&
		"$cli" export --all --format otlp -o "$work/otlp" "$work/busy.capture" 2>/dev/null &&
		"$cli" export --all --format folded "$work/busy.capture" >"$work/folded" 2>/dev/null &&
		python3 tests/cli/agent-receiver.py --decode "$work/otlp" >"$work/decoded" &&
		python3 - "$work/decoded" "$work/folded" <<'END'
import json, sys
theirs = {}
for profile in json.load(open(sys.argv[1])):
    assert profile["type"] == "samples" and profile["period_type"] == "cpu", profile["type"]
    for stack, value in profile["stacks"].items():
        theirs[stack.replace("\n", " ")] = theirs.get(stack, 0) + value
ours = {}
for line in open(sys.argv[2]):
    stack, weight = line.rstrip("\n").rsplit(" ", 1)
    ours[stack] = ours.get(stack, 0) + int(weight)
assert theirs == ours, (sorted(set(theirs.items()) ^ set(ours.items()))[:4])
END
}
check "an exported request has the stacks and sums of the recording" exports_the_same

# Three engines of the same windows, a door, and windows that stay.
all_at_once()
{
	receiver all
	local url samples
	url=http://127.0.0.1:$(port_of all)

	agent all --to otlp="$url" --to pyroscope="$url" --to parca="$url" --to pprof=0 --every 2s \
		--rate 200 --keep "$work/kept" --label team=red --header "X-Scope-OrgID: one" || return
	curl -s -o "$work/fetched.pb.gz" -w '%{http_code}' \
		"http://127.0.0.1:$(door_of all)/debug/pprof/profile?seconds=3" >"$work/code" &
	wait_for 30 lines_of all 9
	wait $!
	samples=$(metric all samples_total)
	end_agent "$agent_pid" || { cat "$work/all.err"; return 1; }
	for kept in "$work"/kept/*.capture; do
		"$cli" info --json "$kept" || return
		echo ,
	done >"$work/infos"
	echo "$samples" >"$work/samples"
}
check "three engines, a door, and windows that stay, at once" all_at_once
check "all three get the same stacks with the same sums" judge '
import glob
left = glob.glob(work + "/all.spool/*/[0-9]*")
timed(not left, ("engines too slow for the last window of an agent that ends", left))
otlp, push, raw = (add(taken("all", path)) for path in (OTLP, PUSH, RAW))
assert otlp == push == raw, (sum(otlp.values()), sum(push.values()), sum(raw.values()))
assert any("agent_busy" in stack for stack in otlp), list(otlp)[:5]
infos = json.loads("[" + open(work + "/infos").read().rstrip().rstrip(",") + "]")
kept = sum(info["samples"] for info in infos)
assert sum(p["threads"] > 0 for p in taken("all", OTLP)) > 0
assert kept == sum(otlp.values()), (kept, sum(otlp.values()))
assert kept >= int(open(work + "/samples").read()), kept'
check "windows follow each other, each once, with the time of day" judge '
import time
profiles = taken("all", OTLP)
ids = [profile["id"] for profile in profiles]
assert len(ids) == len(set(ids)) and all(len(i) == 32 for i in ids)
windows = sorted({(p["time"], p["duration"]) for p in profiles})
assert abs(windows[0][0] / 1e9 - time.time()) < 120, windows[0]
for (begin, length), (after, _) in zip(windows, windows[1:]):
    timed(abs(begin + length - after) < 0.3e9, (begin + length - after) / 1e9)'
check "labels say whose it is, and what was added" judge '
for profile in taken("all", OTLP):
    labels = profile["labels"]
    assert labels["host.name"] == os.uname().nodename and labels["team"] == "red", labels
    assert labels["kernel.release"] == os.uname().release and labels["service.name"], labels
names = {p["labels"]["service.name"] for p in taken("all", OTLP)}
assert "kernel" in names or "system" in names, names
for profile in taken("all", PUSH):
    assert profile["labels"]["__name__"] == "process_cpu" and profile["labels"]["service_name"]
    assert profile["types"] == ["samples", "cpu"]
assert {request["header"] for request in log("all")} == {"one"}'
fetches()
{
	[ "$(cat "$work/code")" = 200 ] && python3 - "$work/fetched.pb.gz" <<END
$timed_python
import importlib.util, sys
spec = importlib.util.spec_from_file_location("receiver", "tests/cli/agent-receiver.py")
receiver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(receiver)
profile = receiver.decode_pprof(open(sys.argv[1], "rb").read())
assert profile["total"] > 0 and any("agent_busy" in stack for stack in profile["stacks"])
timed(2.9e9 < profile["duration"] < 6e9, profile["duration"])
END
}
check "the door gives a profile of the time that was asked for" fetches
# Go's own client, which asks for what it is given and says what it understood.
pulled_by_go()
{
	agent pulled --to pprof=0 --every 1s --rate 200 || return
	PPROF_TMPDIR=$work go tool pprof -top -nodecount 5 -sample_index cpu \
		"http://127.0.0.1:$(door_of pulled)/debug/pprof/profile?seconds=2" \
		>"$work/top" 2>"$work/err" || return
	end_agent "$agent_pid"
	grep -q '^Type: cpu' "$work/top" && grep -q ' agent_busy' "$work/top" ||
		{ cat "$work/top"; return 1; }
}
check "go tool pprof pulls one" pulled_by_go
named_elsewhere()
{
	local kept

	mv "$work/busy" "$work/elsewhere"
	for kept in "$work"/kept/*.capture; do
		"$cli" report --all --functions "$kept" || echo "$kept"
	done >"$work/reports" 2>"$work/err"
	"$cli" report --all --functions "$work/kept" >"$work/summed" 2>>"$work/err"
	mv "$work/elsewhere" "$work/busy"
	grep -q agent_busy "$work/reports" && grep -q agent_busy "$work/summed"
}
check "what stays names functions whose files are not there" named_elsewhere
check "what stays is a recording like others, which diff compares" bash -c '
	set -- '"$work"'/kept/*.capture; [ $# -ge 2 ] && '"$cli"' diff "$1" "$2" >/dev/null'

# Engines that fail.
failing()
{
	receiver bad
	echo 500 >"$work/bad/mode"
	agent bad --to otlp="http://127.0.0.1:$(port_of bad)" --to pprof=0 --every 1s --rate 200 \
		|| return
	wait_for 20 lines_of bad 2
	echo 429 0 1 >"$work/bad/mode"
	wait_for 20 lines_of bad 4
	local port
	port=$(port_of bad)
	# Slower than windows come.
	echo 200 2.5 >"$work/bad/mode"
	wait_for 30 logged bad '"status": 200' || return
	sleep 3
	kill "$receiver_pid"
	wait "$receiver_pid" 2>/dev/null
	sleep 3
	rm -f "$work/bad/mode"
	receiver bad "$port"
	wait_for 100 drained || return
	end_agent "$agent_pid"
	grep -q "Cannot send to otlp at 127.0.0.1:$port" "$work/bad.err" || { cat "$work/bad.err"; \
		return 1; }
	grep -q 'takes profiles again' "$work/bad.err"
}
drained() { [ "$(metric bad 'spool_requests{to="otlp-1"}')" = 0 ]; }
check "an engine that fails, asks for time, is slow, and is killed" failing
check "gets everything later, in order, and each window once" judge '
profiles = taken("bad")
windows = [p["time"] for p in profiles]
assert windows == sorted(windows), "order"
ids = [p["id"] for p in profiles]
assert len(ids) == len(set(ids))
spans = sorted({(p["time"], p["duration"]) for p in profiles})
for (begin, length), (after, _) in zip(spans, spans[1:]):
    timed(abs(begin + length - after) < 0.5e9, (begin + length - after) / 1e9)
assert any(r["status"] == 500 for r in log("bad")) and any(r["status"] == 429 for r in log("bad"))'

# gRPC: the same windows by two protocols, and statuses of calls.
by_grpc()
{
	receiver http
	mkdir -p "$work/grpc"
	/usr/bin/python3 tests/cli/agent-grpc.py "$work/grpc" >/dev/null 2>"$work/grpc/err" &
	echo $! >>"$work/pids"
	wait_for 20 test -s "$work/grpc/port" || { cat "$work/grpc/err"; return 1; }
	agent grpc --to otlp-grpc="127.0.0.1:$(port_of grpc)" --to pprof=0 --every 1s --rate 200 \
		--to otlp="http://127.0.0.1:$(port_of http)" || return
	wait_for 60 lines_of grpc 3 || { cat "$work/grpc/err" "$work/grpc.err"; return 1; }
	echo 14 >"$work/grpc/mode"
	wait_for 60 logged grpc '"status": 14' || return
	echo 8 c29vbg >"$work/grpc/mode"
	wait_for 60 logged grpc '"status": 8' || return
	wait_for 60 all_refused_for_now || return
	echo 0 >"$work/grpc/mode"
	wait_for 90 all_taken || return
	end_agent "$agent_pid"
	grep -q 'Cannot send to otlp-grpc at .*: gRPC status 14: as the test says;' "$work/grpc.err" &&
		grep -q 'otlp-grpc at .* takes profiles again' "$work/grpc.err"
}
all_refused_for_now() { [ "$(metric grpc 'retries_total{to="otlp-grpc-1"}')" -ge 2 ]; }
all_taken() { [ "$(metric grpc 'spool_requests{to="otlp-grpc-1"}')" = 0 ]; }
check "an engine that speaks gRPC gets profiles, and says how a call ended" by_grpc
check "the same ones as by HTTP, each once" judge '
ours, theirs = add(taken("grpc")), add(taken("http"))
assert ours == theirs and any("agent_busy" in stack for stack in ours), (len(ours), len(theirs))
ids = [profile["id"] for profile in taken("grpc")]
assert len(ids) == len(set(ids))'
too_large()
{
	echo 8 >"$work/grpc/mode"
	agent large --to otlp-grpc="http://127.0.0.1:$(port_of grpc)" --to pprof=0 --every 1s || return
	wait_for 30 dropped_as_too_large || return
	end_agent "$agent_pid"
}
dropped_as_too_large() { [ "$(metric large 'refused_requests_total{to="otlp-grpc-1"}')" -ge 1 ]; }
check "a message that is too large is dropped and counted" too_large

# A spool that is too small, and a restart.
overflowing()
{
	agent over --to otlp=http://127.0.0.1:1 --to pprof=0 --every 1s --rate 5000 --spool-limit 1M \
		|| return
	end_agent "$agent_pid"
	head -c 2000000 /dev/urandom >"$(echo "$work/over.spool/otlp-"*)/00000000000000000000" ||
		return
	agent over --to otlp=http://127.0.0.1:1 --to pprof=0 --every 1s --spool-limit 1M || return
	[ "$(metric over 'spool_dropped_total{to="otlp-1"}')" -ge 1 ] || return
	[ "$(du -sb "$work/over.spool" | cut -f1)" -lt 1200000 ] || return
	end_agent "$agent_pid"
}
check "a spool has its bound, and a restart counts what it drops" overflowing

full_disk()
{
	mkdir -p "$work/small"
	mount -t tmpfs -o size=64k none "$work/small" || return
	agent full --to otlp=http://127.0.0.1:1 --to pprof=0 --every 1s --rate 1000 --spool \
		"$work/small/spool" || return
	head -c 100000 /dev/zero >"$work/small/filler" 2>/dev/null
	wait_for 20 refused_by_disk || return
	kill -0 "$agent_pid" && end_agent "$agent_pid"
}
refused_by_disk() { [ "$(metric full 'spool_failed_total{to="otlp-1"}')" -ge 1 ]; }
check "a full disk is counted, and the agent goes on" full_disk

# Names that a page in a browser could have asked for.
names_of_doors()
{
	local url name

	agent named --to pprof=0 --every 1s || return
	url=http://127.0.0.1:$(door_of named)/metrics
	for name in localhost 127.0.0.1 '[::1]:1' LOCALHOST; do
		[ "$(curl -s -o /dev/null -w '%{http_code}' -H "Host: $name" "$url")" = 200 ] ||
			{ echo "$name"; return 1; }
	done
	for name in rebound.example localhost.rebound.example 10.0.0.1; do
		[ "$(curl -s -o "$work/answer" -w '%{http_code}' -H "Host: $name" "$url")" = 421 ] ||
			{ echo "$name"; return 1; }
		! grep sysprof_agent "$work/answer" || return
	done
	end_agent "$agent_pid"
	agent named --to pprof=0.0.0.0:0 --every 1s || return
	url=http://127.0.0.1:$(door_of named)/metrics
	[ "$(curl -s -o /dev/null -w '%{http_code}' -H "Host: agent.example" "$url")" = 200 ] || return
	end_agent "$agent_pid"
}
check "a door of this machine alone takes no other machine's name" names_of_doors

# The socket for containers as systemd hands it in: it is open before the agent is, and stays.
handed_in()
{
	mkdir -p "$work/pods"
	systemd-socket-activate -l "$work/pods/socket" "$cli" agent --source perf --every 1s \
		2>"$work/pods.err" &
	agent_pid=$!
	echo $! >>"$work/pids"
	wait_for 20 test -S "$work/pods/socket" || return
	wait_for 20 answers_pods || { cat "$work/pods.err" "$work/answer"; return 1; }
	end_agent "$agent_pid" && [ -S "$work/pods/socket" ]
}
# 403 is for who is in the root group, as in some containers.
answers_pods()
{
	case $(curl -s -o "$work/answer" -w '%{http_code}' --unix-socket "$work/pods/socket" \
		'http://pod/debug/pprof/profile?seconds=0') in
	400 | 403) ;;
	*) return 1 ;;
	esac
}
check "a socket for containers that systemd hands in" handed_in

# Tokens, and options that change.
tokens()
{
	receiver key
	echo old >"$work/token"
	echo new >"$work/key/token"
	agent key --to otlp="http://127.0.0.1:$(port_of key)" --to pprof=0 --every 1s \
		--token "$work/token" || return
	wait_for 20 lines_of key 2
	echo new >"$work/token"
	wait_for 20 logged key '"status": 200'
	[ "$(metric key 'unauthorized_total{to="otlp-1"}')" -ge 1 ] || return
	end_agent "$agent_pid"
	! grep -e old -e new "$work/key.err"
}
check "a token that has expired is read again, and is in no message" tokens

reloading()
{
	receiver conf
	printf '%s\n' '# where' "to otlp=http://127.0.0.1:$(port_of conf)" 'every 1s' 'label stage=one' \
		>"$work/conf.txt"
	agent conf --config "$work/conf.txt" || return
	wait_for 20 logged conf '"stage": "one"' || return
	echo 'evry 1s' >>"$work/conf.txt"
	kill -HUP "$agent_pid"
	wait_for 20 grep -q 'The options stay as they were' "$work/conf.err" || return
	sed -i '/evry/d; s/stage=one/stage=two/' "$work/conf.txt"
	kill -HUP "$agent_pid"
	wait_for 30 logged conf '"stage": "two"' || return
	kill -0 "$agent_pid" && end_agent "$agent_pid"
}
check "SIGHUP takes new options, and keeps the old ones if they are wrong" reloading

# Rules.
rules()
{
	receiver rule
	agent rule --to otlp="http://127.0.0.1:$(port_of rule)" --every 1s --only service.name=kern* \
		--except service.name=nothing || return
	sleep 5
	end_agent "$agent_pid"
}
check "only what the rules let through" rules
check "is sent" judge '
assert {p["labels"]["service.name"] for p in taken("rule")} <= {"kernel"}, taken("rule")[0]["labels"]'

# A program that publishes the attributes of its service, as OpenTelemetry's SDKs do.
cat >"$work/shop.c" <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long x;
__attribute__((noinline)) void shop_busy(void) { for (long i = 0; i < 1000000; i++) x += i; }
int main(void)
{
	/* ProcessContext: Resource: service.name "shop", host.name "lie". */
	static const char message[] = "\x0a\x2e\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop"
				      "\x0a\x14\x0a\x09host.name\x12\x07\x0a\x05" "a lie";
	struct { char signature[8]; uint32_t version, bytes; uint64_t time, address; } *header;
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (header == MAP_FAILED)
		return 1;
	close(fd);
	memcpy(header->signature, "OTEL_CTX", 8);
	header->version = 2;
	header->bytes = sizeof(message) - 1;
	header->address = (uintptr_t)message;
	header->time = 1;
	alarm(600);
	for (;;)
		shop_busy();
}
END
gcc -O1 -fno-omit-frame-pointer -o "$work/shop" "$work/shop.c" || exit 1
published()
{
	receiver own
	"$work/shop" &
	echo $! >>"$work/pids"
	shop=$!
	agent own --to otlp="http://127.0.0.1:$(port_of own)" --every 1s --rate 200 || return
	wait_for 60 logged own '"service.name": "shop"' || return
	end_agent "$agent_pid"
	kill "$shop"
}
check "a program that publishes the attributes of its service" published
check "has their labels, and no other program has" judge '
shops = [p for p in taken("own") if p["labels"]["service.name"] == "shop"]
stacks = add(shops)
assert stacks and all("shop_busy" in s or s.startswith("shop") for s in stacks), list(stacks)[:5]
assert {p["labels"]["host.name"] for p in taken("own")} == {os.uname().nodename}'

dry()
{
	"$cli" agent --source perf --to otlp=http://127.0.0.1:1 --to parca=http://u:secret@localhost:2/x \
		--every 1s --dry-run >"$work/dry" 2>"$work/err" || return
	grep -q '^otlp at 127.0.0.1:1: cpu, [0-9]* bytes of application/x-protobuf, packed$' "$work/dry" &&
		grep -q '^parca at localhost:2: ' "$work/dry" && ! grep -q secret "$work/dry" &&
		grep -q '  cpu, [0-9]* samples: .*host.name=' "$work/dry"
}
check "a dry run says what would be sent, and no password" dry

# Captures: by a call with the token alone, and by a condition.
posts() { curl -s -o "$work/answer" -w '%{http_code}' -X POST "$@" \
	"http://127.0.0.1:$(door_of "$name")/capture"; }

captures_by_call()
{
	local name=calls

	agent calls --to pprof=0 --every 2s --captures "$work/calls" --capture-last 4s --rate 200 ||
		return
	[ "$(posts)" = 403 ] || return
	end_agent "$agent_pid"
	[ ! -e "$work/calls" ] || [ -z "$(ls "$work/calls")" ] || return
	echo secret >"$work/door-token"
	agent calls --to pprof=0 --every 2s --captures "$work/calls" --capture-last 4s --rate 200 \
		--door-token "$work/door-token" || return
	sleep 6
	[ "$(posts)" = 401 ] && [ "$(posts -H 'Authorization: Bearer secre')" = 401 ] &&
		[ -z "$(ls "$work/calls")" ] || return
	[ "$(posts -H 'Authorization: Bearer secret' -d body)" = 201 ] || return
	[ -s "$work/calls/$(cat "$work/answer")" ] || return
	[ "$(posts -H 'Authorization: Bearer secret')" = 429 ] || return
	grep -q 'Kept the last 4 s (http): ' "$work/calls.err" || return
	end_agent "$agent_pid"
	"$cli" info --json "$work/calls/"*+http-*.capture >"$work/info" &&
		"$cli" report "$work/calls/"*+http-*.capture | grep -q agent_busy
}
check "a call with the token, and no other, keeps what was last" captures_by_call
lasts()
{
	python3 - "$work/info" <<END
$timed_python
import json, sys
info = json.load(open(sys.argv[1]))
assert info["samples"] > 0
timed(2.5 < info["duration_ns"] / 1e9 < 9, info["duration_ns"])
END
}
check "as long as was asked for" lasts

captures_by_condition()
{
	agent load --every 2s --captures "$work/load" --capture-on load=0.001 \
		--capture-on late=1s || return
	wait_for 20 grep -q 'Kept the last 30 s (load): ' "$work/load.err" || return
	sleep 3
	end_agent "$agent_pid"
	[ "$(ls "$work/load")" = "$(cd "$work/load" && echo *+load-*.capture)" ] &&
		grep -q 'late ticks are seen by the module alone' "$work/load.err"
}
check "a condition that holds keeps one capture" captures_by_condition

few_stay()
{
	local host i

	host=$(uname -n)
	mkdir -p "$work/many"
	for i in $(seq -w 30); do
		echo >"$work/many/$host+load-202601${i}T000000.000000Z.capture"
		echo >"$work/many/other-$host-202601${i}T000000.000000Z.capture"
	done
	agent many --every 1s --captures "$work/many" --capture-on load=0.001 || return
	wait_for 20 grep -q 'Kept the last 30 s' "$work/many.err" || return
	end_agent "$agent_pid"
	[ "$(find "$work/many" -name "$host+*" | wc -l)" = 20 ] &&
		[ "$(find "$work/many" -name 'other-*' | wc -l)" = 30 ]
}
check "few of them stay, and nothing of others is removed" few_stay

# A recorder for each 16,384 threads.
cat >"$work/threads.c" <<'END'
#include <pthread.h>
static void *nothing(void *data) { return data; }
int main(void)
{
	for (int i = 0; i < 18000; i++) {
		pthread_t thread;

		if (pthread_create(&thread, 0, nothing, 0))
			return 1;
		pthread_join(thread, 0);
	}
	return 0;
}
END
gcc -O1 -o "$work/threads" "$work/threads.c" -lpthread || exit 1
renewed() { [ "$(metric renew renewals_total)" -ge 1 ]; }
renewing()
{
	agent renew --to pprof=0 --every 1s --keep "$work/renew" || return
	"$work/threads" && wait_for 30 renewed || return
	metric renew renewal_missed_seconds_total >"$work/missed"
	sleep 3
	end_agent "$agent_pid"
	for kept in "$work"/renew/*.capture; do
		"$cli" info "$kept" || return
	done >"$work/infos"
	python3 - "$work" <<'END'
import re, sys
missed = float(open(sys.argv[1] + "/missed").read())
pauses = set(re.findall(r"^pause@(\d+) +(\d+)$", open(sys.argv[1] + "/infos").read(), re.M))
assert missed > 0 and abs(sum(int(ns) for _, ns in pauses) / 1e9 - missed) < 1e-3, (missed, pauses)
END
}
check "what a new recorder misses is counted, and in the recordings" renewing

# The clock of the day jumps, for the agent alone.
cat >"$work/clock.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *time)
{
	int status = (int)syscall(SYS_clock_gettime, id, time);
	FILE *file = id == CLOCK_REALTIME ? fopen(getenv("CLOCK_FILE"), "r") : NULL;
	long seconds = 0;

	if (file && fscanf(file, "%ld", &seconds) == 1)
		time->tv_sec += seconds;
	if (file)
		fclose(file);
	return status;
}
END
gcc -shared -fPIC -o "$work/clock.so" "$work/clock.c" || exit 1
steps_are() { [ "$(metric steps clock_steps_total)" = "$1" ]; }
set_clock() { echo "$1" >"$work/clock.new" && mv "$work/clock.new" "$work/clock"; }
clock_steps()
{
	set_clock 0
	LD_PRELOAD=$work/clock.so CLOCK_FILE=$work/clock agent steps --to pprof=0 --at '*/2s' \
		--keep "$work/steps" || return
	sleep 3
	set_clock -3600
	wait_for 20 steps_are 1 || return
	sleep 3
	set_clock 7200
	wait_for 20 steps_are 2 || return
	sleep 3
	end_agent "$agent_pid"
	grep -q 'The clock of the day was set by -3600' "$work/steps.err" &&
		grep -q 'The clock of the day was set by +10800' "$work/steps.err" || return
	for kept in "$work"/steps/*.capture; do
		"$cli" info --json "$kept" || return
		echo ,
	done >"$work/infos"
	python3 - "$work" <<END
$timed_python
import json, sys
infos = json.loads("[" + open(sys.argv[1] + "/infos").read().rstrip().rstrip(",") + "]")
lengths = [info["duration_ns"] / 1e9 for info in infos]
assert len(lengths) >= 3
timed(max(lengths) < 3.5, lengths)
END
}
check "a clock that is set is counted, and windows stay as long" clock_steps

no_room()
{
	mkdir -p "$work/tiny"
	mount -t tmpfs -o size=16k none "$work/tiny" || return
	agent tiny --to pprof=0 --every 1s --rate 1000 --keep "$work/tiny/kept" || return
	head -c 100000 /dev/zero >"$work/tiny/filler" 2>/dev/null
	wait_for 20 lost_for_room || return
	kill -0 "$agent_pid" && end_agent "$agent_pid"
	umount "$work/tiny"
}
lost_for_room() { [ "$(metric tiny kept_windows_failed_total)" -ge 1 ]; }
check "windows that find no room are counted" no_room

# The door, from outside.
fuzzed()
{
	agent door --to pprof=0 --door-token "$work/token" --every 1s --captures "$work/fuzzed" ||
		return
	python3 tests/cli/agent-fuzz.py "$(door_of door)" "${DOOR_REQUESTS:-2000}" new || return
	[ -z "$(ls "$work/fuzzed")" ] || return
	kill -0 "$agent_pid" && end_agent "$agent_pid"
}
check "a door with a token lets nobody else in, and stands what comes" fuzzed

refuses()
{
	"$cli" agent --spool "$work/refused" "${@:2}" >"$work/out" 2>"$work/err"
	[ $? = 2 ] && grep -qF -- "$1" "$work/err"
}
check "no target" refuses 'agent needs to know where profiles go'
check "a kind that is none" refuses 'Cannot send to "jaeger"' --to jaeger=http://x
check "a URL that is none" refuses 'Cannot send to "otlp"' --to otlp=localhost:4318
check "a port that is none" refuses 'Cannot send to "otlp"' --to otlp=http://localhost:99999
check "no host" refuses 'Cannot send to "otlp-grpc"' --to otlp-grpc=:4317
check "a server twice" refuses '--to has the server h:1 twice' --to otlp=http://h:1 --to otlp=http://h:1
check "two doors" refuses '--to has pprof= twice' --to pprof=0 --to pprof=1
: >"$work/nothing"
check "a token that is not there" refuses '--token names a file that cannot be read' \
	--to otlp=http://h:1 --token "$work/none"
check "a door's token that is empty" refuses '--door-token takes a file with the token' \
	--to pprof=0 --door-token "$work/nothing"
check "a token without its door" refuses '--door-token needs --to pprof=PORT' \
	--to otlp=http://h:1 --door-token "$work/nothing"
check "a certificate that is none" refuses '--cert takes a file in PEM' --to otlp=http://h:1 \
	--cert "$work/nothing"
check "a header that is none" refuses '--header takes a line' --to otlp=http://h:1 --header team
check "a limit of nothing" refuses '--keep-limit needs --keep' --to pprof=0 --keep-limit 1G
check "two lengths of windows" refuses '--at says how long' --to pprof=0 --at '*/5s' --every 10s
check "a pressure above all" refuses '--capture-on takes' --captures "$work/x" --capture-on cpu=200
printf 'to pprof=0\nevery\n' >"$work/options"
check "a line without a value" refuses '"every" in the file of options' --config "$work/options"
printf 'to pprof=0\nconfig %s\n' "$work/options" >"$work/nested"
check "a file that names another" refuses 'cannot name another one' --config "$work/nested"
# As systemd hands a socket in: descriptor 3, of this process.
refuses_beside_socket()
{
	sh -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3</dev/null' sh "$cli" agent \
		--pods "$work/pods" >"$work/out" 2>"$work/err"
	[ $? = 2 ] && grep -q 'systemd has handed in another' "$work/err"
}
check "a socket beside systemd's" refuses_beside_socket
check "a window that is too short" refuses 'A window lasts from 1 s' --to pprof=0 --every 0.1
check "a label without a value" refuses '--label takes KEY=VALUE' --to pprof=0 --label team
check "a condition that is none" refuses '--capture-on takes load=' --captures "$work/x" \
	--capture-on heat=5
check "a condition without a place" refuses '--capture-on needs --captures' --to pprof=0 \
	--capture-on load=5
check "a rate that is none" refuses '--rate takes 1 to 10000' --to pprof=0 --rate 0

echo "1..$number"
exit $broken

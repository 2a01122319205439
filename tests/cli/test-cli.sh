#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysprof-cli on a capture with known answers, and on everything that is none: what it prints,
# where, and how it ends.

set -u

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
gen_capture=${GEN_CAPTURE:-$PWD/build/tests/gen-capture}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
broken=0

ok()
{
	number=$((number + 1))
	echo "ok $number - $1"
}

# not_ok TEXT WHAT-WAS-SEEN
not_ok()
{
	number=$((number + 1))
	broken=1
	echo "not ok $number - $1"
	printf '%s\n' "$2" | head -n 20 | sed 's/^/# /'
}

# run ARGUMENTS...: leaves the output in $work/out and err, the exit status in $status.
run()
{
	status=0
	timeout 60 "$cli" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

seen()
{
	echo "status $status, stdout:"
	cat "$work/out"
	echo "stderr:"
	cat "$work/err"
}

# prints TEXT EXPECTED ARGUMENTS...: status 0, exactly this on stdout, nothing on stderr.
prints()
{
	local text=$1 expected=$2

	shift 2
	run "$@"
	if [ $status = 0 ] && [ "$(cat "$work/out")" = "$expected" ] && [ ! -s "$work/err" ]; then
		ok "$text"
	else
		not_ok "$text" "$(seen)"
	fi
}

# contains TEXT REGEX ARGUMENTS...: status 0 and a line that matches.
contains()
{
	local text=$1 regex=$2

	shift 2
	run "$@"
	if [ $status = 0 ] && grep -qE -- "$regex" "$work/out"; then
		ok "$text"
	else
		not_ok "$text" "$(seen)"
	fi
}

# complains TEXT STATUS REGEX ARGUMENTS...: this status, nothing on stdout, one line on stderr that
# matches.
complains()
{
	local text=$1 wanted=$2 regex=$3

	shift 3
	run "$@"
	if [ $status = "$wanted" ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
	   grep -qE -- "^sysprof-cli: .*$regex" "$work/err"; then
		ok "$text"
	else
		not_ok "$text" "$(seen)"
	fi
}

# json TEXT PYTHON-EXPRESSION-ON-d ARGUMENTS...
json()
{
	local text=$1 expression=$2

	shift 2
	run "$@"
	if [ $status = 0 ] && python3 -c "import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if ($expression) else 1)" "$work/out" 2>>"$work/err"; then
		ok "$text"
	else
		not_ok "$text" "$(seen)"
	fi
}

capture=$work/example.syscap
"$gen_capture" "$capture" || { echo "Bail out! $gen_capture does not write a capture"; exit 1; }
cp "$capture" "$work/running.syscap.part"
size=$(stat -c %s "$capture")
head -c $((size - 60)) "$capture" >"$work/cut.syscap"
head -c 40 "$capture" >"$work/head.syscap"
: >"$work/empty.syscap"
echo 'just a text' >"$work/text.syscap"
mkfifo "$work/fifo"

# Usage.

contains 'alone: the usage, listing the commands' '^  record '
contains '--help: the usage' '^  doctor ' --help
contains '--version' '^sysprof-cli [0-9]' --version
complains 'unknown command' 2 'no command "fly"' fly "$capture"
for command in report export info; do
	contains "$command --help" '^  sysprof-cli '"$command" "$command" --help
	complains "$command with two files" 2 'takes one FILE' "$command" "$capture" "$capture"
	complains "$command with an unknown option" 2 '--fly' "$command" --fly "$capture"
done

# What no FILE means.

mkdir "$work/here"
cd "$work/here" || exit 1
for command in report 'export --format folded' info 'annotate work' diff; do
	complains "$command without a file, where there is none" "$([ "$command" = diff ] &&
		echo 1 || echo 2)" 'sysprof\.capture' $command
done
cp "$capture" sysprof.capture
for command in report 'report --tree' 'export --format folded' info 'annotate --source work'; do
	"$cli" $command >"$work/without" 2>/dev/null
	file=sysprof.capture
	[[ $command = annotate* ]] && file="$file ${command##* }" && command=${command% *}
	prints "$command without a file: sysprof.capture" "$(cat "$work/without")" $command $file
	[[ $file = *' '* ]] && file="${file##* } -i ${file%% *}" || file="-i $file"
	prints "$command -i: the same" "$(cat "$work/without")" $command $file
	complains "$command with a file and -i" 2 "${command%% *} takes" $command other $file
done
complains 'annotate without anything' 2 'takes a function' annotate
complains 'annotate with a recording alone' 2 'takes a function' annotate "$capture"
complains 'report of a pipe' 1 'is no file' report /dev/null
complains 'report of the standard input' 1 'is no file' report -
complains 'bundle wants its file to be named' 2 'bundle takes one FILE' bundle
run bundle -i sysprof.capture -o bundled.capture
if [ $status = 0 ] && [ -s bundled.capture ]; then
	ok 'bundle -i'
else
	not_ok 'bundle -i' "$(seen)"
fi
complains 'diff alone, without the one before' 1 'sysprof\.capture\.old' diff
cp "$capture" sysprof.capture.old
json 'diff alone: the one before and the last' \
	'd["a"]["file"] == "sysprof.capture.old" and d["b"]["file"] == "sysprof.capture"' diff \
	--json
cd "$OLDPWD" || exit 1

# Recordings that are none.  (A FIFO must not hang; "--" protects odd names.)

for command in report info 'export --format folded'; do
	complains "${command%% *}: no such file" 1 'missing.syscap' $command "$work/missing.syscap"
	mkdir -p "$work/hollow"
	complains "${command%% *}: a directory without recordings" 1 "$work/hollow" $command "$work/hollow"
	complains "${command%% *}: an empty file" 1 'empty.syscap' $command "$work/empty.syscap"
	complains "${command%% *}: a text" 1 'text.syscap' $command "$work/text.syscap"
	complains "${command%% *}: a file cut in its first block" 1 'head.syscap' $command \
		"$work/head.syscap"
	complains "${command%% *}: a FIFO" 1 'fifo' $command "$work/fifo"
	complains "${command%% *}: a recording still being written" 1 'running.syscap.part' \
		$command "$work/running.syscap"
done
complains 'a name like an option' 1 '--odd' info -- --odd

run report "$work/cut.syscap"
if [ $status = 0 ] && grep -q 'damaged; shown is what can be read of it' "$work/out" &&
	! grep -q 'last flush' "$work/out" &&
	grep -q 'damaged' "$work/err"; then
	ok 'a truncated recording: shown, with a warning'
else
	not_ok 'a truncated recording: shown, with a warning' "$(seen)"
fi
for bytes in 12 100 500 1000 1500 2000 2500 3000 3500; do
	head -c $bytes "$capture" >"$work/cut-$bytes.syscap"
	run report --tree "$work/cut-$bytes.syscap"
	if [ $status -le 1 ]; then
		ok "cut after $bytes bytes: shown or refused"
	else
		not_ok "cut after $bytes bytes: shown or refused" "$(seen)"
	fi
done

# Reports.

contains 'report: samples, lost, duration, CPUs' '^305 samples, 6 lost, in 304.00 ms on 2 CPUs' \
	report "$capture"
contains 'report: a function' '^ +59\.02 +59\.02 +180 +hot +busy$' report "$capture"
contains 'report: a kernel function' '^ +29\.51 +29\.51 +90 +do_syscall +\[kernel\]$' report \
	--functions "$capture"
run report "$capture"
if grep -qE ' busy +\(process\)' "$work/out"; then
	not_ok 'report: no processes among functions' "$(seen)"
else
	ok 'report: no processes among functions'
fi
contains 'report --tree' '^ +88\.52 +0\.00      work  busy$' report --tree "$capture"
contains 'report --tree --min cuts' '^ +88\.52' report --tree --min 60 "$capture"
if grep -q hot "$work/out"; then
	not_ok 'report --tree --min leaves out what is below' "$(seen)"
else
	ok 'report --tree --min leaves out what is below'
fi
LC_ALL=C run report --tree "$capture"
if grep -q '|- hot' "$work/out"; then
	ok 'report --tree in ASCII'
else
	not_ok 'report --tree in ASCII' "$(seen)"
fi
contains 'report --callers' '^ *100\.00 +88\.52 +270 +main +busy$' report --callers work "$capture"
contains 'report --callees' '^ *33\.33 +29\.51 +90 +do_syscall +\[kernel\]$' report --callees work \
	"$capture"
contains 'report --process' '^305 samples' report --process busy "$capture"
contains 'report --process by pid' '^305 samples' report --process 100 "$capture"
contains 'report --time' '^10 of 305 samples' report --time 0..0.01 "$capture"
contains 'report --time open to the right' '^5 of 305 samples' report --time 0.3.. "$capture"
contains 'report --time open to the left' '^300 of 305 samples' report --time ..0.3 "$capture"
complains 'report: unknown function' 1 'function "wor".*did you mean "work"' report --callers wor \
	"$capture"
complains 'report: unknown process' 1 'process "bus".*did you mean "busy"' report --process bus \
	"$capture"
contains 'report --thread' '^100 of 305 samples' report --thread worker "$capture"
contains 'report --thread by tid' '^205 of 305 samples' report --thread 100 "$capture"
contains 'report --cpu' '^150 of 305 samples' report --cpu 1 "$capture"
contains 'report --cpu: a list' '^305 samples' report --cpu 0-1,7 "$capture"
contains 'report --with' '^270 of 305 samples' report --with work "$capture"
contains 'report --with twice' '^90 of 305 samples' report --with work --with do_syscall "$capture"
contains 'report --without' '^125 of 305 samples' report --without hot "$capture"
contains 'report --where' '^180 of 305 samples' report --where \
	'work and not (do_syscall or nothing)' "$capture"
contains 'report --where: wild' '^270 of 305 samples' report --where 'wo*' "$capture"
contains 'report --where, --with and --without together' '^90 of 305 samples' report --where \
	'hot or do_*' --with main --without hot "$capture"
contains 'report --hide' '^ +59\.02 +59\.02 +├─ hot ' report --tree --hide work "$capture"
contains 'report --hide: its own time' '^ *59\.02 +88\.52 +180 +work ' report --hide 'h?t|none' "$capture"
contains 'report --merge' '^ *88\.52 +88\.52 +270 +hot\|do_\* ' report --merge 'hot|do_*' "$capture"
contains 'report --merge twice' '^ *11\.48 +100\.00 +35 +main\|work ' report --merge 'hot|do_*' --merge \
	'main|work' "$capture"
contains 'report --root-at' '^270 of 305 samples' report --root-at work "$capture"
contains 'report --root-at: the top' '^ *100\.00 +0\.00 +└─ work ' report --tree --root-at '/^wo/' "$capture"
contains 'export --root-at and --hide' '^busy;work;do_syscall 90$' export --format folded --root-at work \
	--hide hot "$capture"
contains 'export --hide, of a format with single samples' '"main"' export --format firefox --hide hot \
	"$capture"
if grep -q '"hot"' "$work/out"; then
	not_ok 'no frame of it is left' "$(seen)"
else
	ok 'no frame of it is left'
fi
contains 'diff --merge' '^.* hot\|work ' diff --merge 'hot|work' --limit 0 --min 0 "$capture" "$capture"
complains 'report --hide: no name' 2 '--hide a\|\|b: a function.s name is missing' report --hide 'a||b' \
	"$capture"
complains 'report --merge: no regular expression' 2 '--merge /\(/' report --merge '/(/' "$capture"
complains 'report --by: no stacks to hide functions of' 2 '--by thread shows no stacks' report --hide a \
	--by thread "$capture"
complains 'report --root-at: nobody' 1 'no samples that meet' report --root-at nobody "$capture"
contains 'report --object' '^90 of 305 samples' report --object '[kernel]' "$capture"
contains 'report --kernel' '^90 of 305 samples' report --kernel "$capture"
contains 'report --user' '^215 of 305 samples' report --user "$capture"
contains 'report --min of functions' '^ +59\.02 .* hot ' report --min 50 "$capture"
if grep -q do_syscall "$work/out"; then
	not_ok 'report --min leaves out functions below' "$(seen)"
else
	ok 'report --min leaves out functions below'
fi
contains 'report --callers of several' \
	'^Callers of hot, do_syscall \(2 functions\), self 88\.52 %, total 88\.52 %' \
	report --callers hot --callers do_syscall "$capture"
contains 'report --callers of a pattern' '^ *100\.00 +88\.52 +270 +main +busy$' report --callers \
	'w?rk' "$capture"
contains 'report --callees of several' '^ *59\.02 +59\.02 +180 +hot +busy$' report --callees work \
	--callees main "$capture"
# By another program's computation of Wilson's interval.
contains 'report --confidence' '^ *59\.02 +53\.42-64\.39 +59\.02 +53\.42-64\.39 +180 +hot +busy$' \
	report --confidence "$capture"
contains 'report --confidence --by' '^ *100\.00 +98\.76-100\.00 ' report --confidence --by process \
	"$capture"
complains 'report --confidence of a summary' 2 'has no shares that --confidence' report \
	--confidence --summary "$capture"
complains 'report --callers of a pattern that matches nothing' 1 'function "x\*"' report --callers \
	'x*' "$capture"
complains 'report --where: no expression' 2 'no expression.*character 10' report --where \
	'foo and (' "$capture"
complains 'report: conditions that hold nowhere' 1 'meet the conditions' report --with work \
	--without main "$capture"
complains 'report: a time with nothing in it' 1 'no samples in the time 5\.\.; it lasts 0\.304 s' \
	report --time 5.. "$capture"
complains 'report: a process that is not there then' 1 'process "busy" in that time$' report \
	--time 5.. --process busy "$capture"
complains 'report --latest of nothing' 1 'meet the conditions' report --latest 3 --cpu 7 \
	"$capture"
complains 'report --delay of nothing' 1 'meet the conditions' report --delay --cpu 7 "$capture"
complains 'report --delay of another metric' 2 'no metric but "delay"' report --delay --metric cpu \
	"$capture"
contains 'report --delay' '^ +704 ns +704 ns +90  do_syscall  \[kernel\]$' report --delay "$capture"
contains 'report --metric: what it is, and all of it' 'ticks came.*: 211\.2 µs$' report --metric \
	delay "$capture"
contains 'report --metric' '^ +60\.00 +60\.00 +126\.7 µs  hot +busy$' report --metric delay \
	"$capture"
LC_ALL=C run report --metric delay "$capture"
if grep -qE '^ +60\.00 +60\.00 +126\.7 us  hot +busy$' "$work/out"; then
	ok 'report --metric in ASCII'
else
	not_ok 'report --metric in ASCII' "$(seen)"
fi
contains 'report --metric --tree' '^ +30\.00 +30\.00 .*do_syscall' report --metric delay --tree \
	"$capture"
contains 'report --metric --callers' '^ *100\.00 +90\.00 +190\.1 µs +main +busy$' report --metric \
	delay --callers work "$capture"
contains 'report --metric --by' '^  50\.00 +105\.6 µs +150  CPU 1$' report --metric delay --by cpu \
	"$capture"
contains 'report --metric with conditions' '^ *100\.00 +100\.00 +21\.1 µs  do_syscall' report \
	--metric delay --kernel --cpu 1 "$capture"
contains 'annotate --metric' '^hot: self 60\.00 %, total 60\.00 %' annotate --metric delay \
	"$capture" hot
contains 'annotate FUNCTION FILE: the same' '^hot: self 60\.00 %, total 60\.00 %' annotate --metric \
	delay hot "$capture"
complains 'annotate with no such file' 1 'nosuch' annotate nosuch hot
contains 'annotate --kernel' '^do_syscall: self 100\.00 %, total 100\.00 % of 90 samples' annotate \
	--kernel "$capture" do_syscall
contains 'annotate --user' '^hot: self 83\.72 %, total 83\.72 % of 215 samples' annotate --user \
	"$capture" hot
contains 'annotate --with and --without' '^work: self 0\.00 %, total 100\.00 % of 180 samples' annotate \
	--with hot --without do_syscall "$capture" work
contains 'annotate --where' '^do_syscall: self 33\.33 %, total 33\.33 % of 270 samples' annotate --where \
	'hot or do_*' "$capture" do_syscall
contains 'annotate --thread, --cpu, --time and a metric' '^do_syscall: self 100\.00 %' annotate --kernel \
	--cpu 1 --time ..0.3 --metric delay "$capture" do_syscall
complains 'annotate: conditions that hold nowhere' 1 'meet the conditions' annotate --with work \
	--without main "$capture" work
complains 'annotate: the conditions have none of it' 1 'no samples with a function "hot"' annotate \
	--kernel "$capture" hot
complains 'annotate --where: no expression' 2 'no expression.*character 10' annotate --where \
	'foo and (' "$capture" work
complains 'annotate --kernel --user' 2 'exclude each other' annotate --kernel --user "$capture" work
contains 'diff --metric' '^No difference' diff --metric delay "$capture" "$capture"
prints 'export --metric: microseconds, the rest carried' \
	$'busy;main 21\nbusy;main;work;do_syscall 64\nbusy;main;work;hot 126' export -f folded --metric \
	delay "$capture"
contains 'export --metric: a flame graph' '126 microseconds' export -f svg --metric delay "$capture"
complains 'report --metric: none' 2 'Unknown --metric "delta": use cpu, delay, latency, wall, off-cpu, blocked, .* or duration$' report --metric \
	delta "$capture"
complains 'report --metric: nearly one' 2 'mean "delay"\? Use cpu, delay, latency, wall, off-cpu, blocked, .* or duration$' report --metric dealy \
	"$capture"
for command in report annotate diff export; do
	complains "$command --metric: none" 2 'Unknown --metric "moon"' "$command" --metric moon
done
complains 'report --metric calls: not recorded' 1 'no metric "calls"; record with --function' \
	report --metric calls "$capture"
complains 'report --metric: not recorded' 1 'no metric "blocked"; record with --waits' report --metric \
	blocked "$capture"
complains 'report --by: what the metric has not' 2 \
	'--by cpu does not go with metric "live", which takes process, thread, object, language, comm, client, mark, host, size' \
	report --metric live --by cpu "$capture"
complains 'report --kernel --user' 2 'exclude each other' report --kernel --user "$capture"
complains 'report --latest with an expression' 2 'conditions on stacks' report --latest 3 --with \
	work "$capture"
contains 'report --latest --thread' 'late, on CPU' report --latest 1 --thread worker "$capture"
for list in a 2-1 1, 99999 -1; do
	complains "report --cpu $list" 2 'takes CPU numbers and ranges' report "--cpu=$list" "$capture"
done
printf '%s\n' '# kinds' 'heat = hot' 'system = * @ [kernel]' 'unused = free' >"$work/rules"
contains 'report --categories' '^ +59\.02 +180  heat$' report --categories "$work/rules" "$capture"
contains 'report --per' '^ +1 +1 +180 +180  hot +busy$' report --per cpu "$capture"
json 'report --json --categories' \
	'[(c["category"], c["weight"] // 10**6) for c in d["categories"]] == [("heat", 180), ("system", 90),
	("unused", 0), ("other", 35)]' report --json --categories "$work/rules" "$capture"
echo 'no rule' >"$work/no-rules"
complains 'report --categories: no rules' 1 'no-rules: line 1 is no rule' report --categories \
	"$work/no-rules" "$capture"
complains 'report --categories: no such file' 1 'Cannot read the rules' report --categories \
	"$work/missing" "$capture"
contains 'report --by process' '^ 100\.00 +305 +305  busy \(pid 100\)$' report --by process \
	"$capture"
contains 'report --by thread' '^  32\.79 +100 +100  worker \(pid 100, tid 101\)$' report --by \
	thread "$capture"
contains 'report --by cpu' '^  49\.18 +150 +150  CPU 1$' report --by cpu "$capture"
contains 'report --by object, with conditions' '^ 100\.00 +90 +90  \[kernel\]$' report --by object \
	--kernel "$capture"
complains 'report --by: nearly one' 2 'mean "thread"\?$' report --by treads "$capture"
complains 'export --format: nearly one' 2 'mean "folded"\?$' export --format foldd "$capture"
complains 'record --stacks: nearly one' 2 'mean "dwarf"\?$' record --stacks dwraf
complains 'record --also: nearly one' 2 'mean "waits"\?$' record --also wait
complains 'report --with: nearly one' 1 'no function is called "wrok", did you mean "work"\?$' report \
	--with wrok "$capture"
complains 'report --thread: nearly one' 1 'no thread is called "wroker", did you mean "worker"\?$' report \
	--thread wroker "$capture"
complains 'report --object: nearly one' 1 'no object is called "bsuy", did you mean "busy"\?$' report \
	--object bsuy "$capture"
contains 'annotate --metric says which' 'metric delay; percentages' annotate --metric delay "$capture" hot
complains 'report --by: unknown' 2 '--by takes .*, not "moon"' report --by moon "$capture"
complains 'report: two kinds at once' 2 'exclude each other' report --tree --callers work "$capture"
for range in 3 a..b 2..1 -1..2 1..nan 1e300..; do
	complains "report --time $range" 2 'is not a range' report "--time=$range" "$capture"
done
complains 'report --limit below 0' 2 '--limit' report --limit -1 "$capture"
run report "$capture"
if "$cli" report "$capture" | grep -q $'\033'; then
	not_ok 'report: no escape sequences into a pipe' "$(seen)"
else
	ok 'report: no escape sequences into a pipe'
fi

# JSON.

json 'report --json' \
	'd["samples"] == 305 and d["periods"] == 305 and d["period_ns"] == 1000000 and d["lost"] == 6 and
	d["metric"] == "cpu" and d["unit"] == "ns" and d["sum"] == 305 * 10**6 and
	[(f["function"], f["object"], f["self"] // 10**6, f["total"] // 10**6) for f in d["functions"]] == [("hot", "busy", 180, 180),
	("do_syscall", "[kernel]", 90, 90), ("main", "busy", 35, 305), ("work", "busy", 0, 270)] and
	abs(d["functions"][0]["self_pct"] - 59.016) < 0.001 and abs(d["functions"][2]["total_pct"] - 100) < 0.001' \
	report --json "$capture"
json 'report --json --limit' 'len(d["functions"]) == 2' report --json --limit 2 "$capture"
json 'report --json --tree' \
	'd["tree"]["total"] == 305 * 10**6 and d["tree"]["children"][0]["function"] == "busy" and
	d["tree"]["children"][0]["children"][0]["self"] == 35 * 10**6 and "functions" not in d' report --json --tree "$capture"
json 'report --json --callers' \
	'd["function"] == "work" and d["callers"] == [{"function": "main", "object": "busy",
	"weight": 270 * 10**6, "pct": d["callers"][0]["pct"]}] and d["total"] == 270 * 10**6 and d["self"] == 0 and
	d["members"] == [{"function": "work", "object": "busy"}]' report --json --callers work "$capture"
json 'report --json --callees' \
	'[(c["function"], c["weight"] // 10**6) for c in d["callees"]] == [("hot", 180), ("do_syscall", 90)]' \
	report --json --callees work "$capture"
json 'report --json --latest' \
	'[(t["delay_ns"], t["cpu"], t["pid"], t["process"], t["frames"][-1]) for t in d["latest"]] ==
	2 * [(704, 0, 100, "busy", {"function": "main", "object": "busy"})] and d["latest"][0]["time_ns"] < d["latest"][1]["time_ns"]' \
	report --json --latest 2 --cpu 0 --thread 100 "$capture"
json 'info --json' \
	'd["finished"] is True and d["damage"] is None and d["samples"] == 305 and d["weight"] == 305 and
	d["lost"] == 6 and d["period_ns"] == 1000000 and d["duration_ns"] == 304000000 and d["bytes"] == '"$size"' and
	d["processes"] == 2 and d["cost_ns_per_sample"] == 1000 and d["host"]["kernel"] == "6.1.0"' info --json "$capture"
json 'info --json: threads' \
	'sorted((t["pid"], t["tid"], t["process"], t["name"], t["samples"], t["weight"])
	for t in d["threads"]) == [(100, 100, "busy", "busy", 205, 205), (100, 101, "busy", "worker", 100, 100)]' \
	info --json "$capture"
json 'info --json: CPUs' \
	'len(d["cpus"]) == 2 and all(c["grid"] == 200 and c["delivered"] == 150 and c["idle"] == 45 and
	c["lost"] == 3 and c["lost_by_reason"] == {"ring full": 3} and c["pending"] == 2 and c["residue"] == 0
	for c in d["cpus"])' info --json "$capture"
json 'info --json: losses' \
	'd["losses"] == [{"cpu": 1, "reason": "ring full", "first_ns": 1000000000,
	"last_ns": 1005000000, "weight": 3}]' info --json "$capture"
json 'info --json: streams, known or not' \
	'{s["name"]: s["rows"] for s in d["streams"]} == {"samples": 305,
	"raw-stacks": 2, "table-stacks": 3, "user-stacks": 2, "off-cpu": 2, "allocations": 3, "marks": 2, "counters": 4,
	"quantum": 1}' info --json "$capture"
json 'info --json of a truncated recording' 'd["finished"] is False and d["damage"]' info --json \
	"$work/cut.syscap"
json 'info --json: what has names' \
	'd["named"] == 305 and [(c["object"], c["path"], c["weight"], c["named"], c["problem"])
	for c in d["coverage"]] == [("busy", "/usr/bin/busy", 215, 215, None), ("[kernel]", None, 90, 90, None)] and
	d["coverage"][0]["build_id"] == "cafe" + 36 * "0"' info --json "$capture"
json 'info --json: finders of names, in their order' \
	'[(f["name"], f["named"], f["weight"]) for f in d["finders"]] == [("bundled", 0, 0),
	("kernel", 1, 90), ("run-time", 0, 0), ("scripts", 0, 0), ("vdso", 0, 0), ("recorded", 3, 215),
	("file", 0, 0), ("extents", 0, 0), (None, 0, 0)]' info --json "$capture"
contains 'info: a finder of names' '^ +3 +0 +70\.49  recorded: ' info "$capture"
contains 'info: what has names' '^ +70\.49 +100\.00  /usr/bin/busy$' info "$capture"
contains 'info: the account' '^ +1 +200 +150 +3 +45 +0 +0 +0 +2 +0$' info "$capture"
contains 'info: why samples were lost' '^ +ring full: 3 in 1 gap, from ' info "$capture"
contains 'info: what would have helped' '^ +-> more room helps: record --ring-bytes' info "$capture"
run info "$capture"
if [ "$(head -n 4 "$work/out" | cut -d ' ' -f 1 | xargs)" = 'recorded duration samples lost' ]; then
	ok 'info begins with how long, how many, how much was lost'
else
	not_ok 'info begins with how long, how many, how much was lost' "$(seen)"
fi

# Packages call it by another name: no message, help or advice has the one it was built with.
ln -s "$(realpath "$cli")" "$work/trace-cli"
other_names()
{
	local command

	for command in annotate bundle diff export info merge receive record report tables top; do
		"$work/trace-cli" $command --help
		"$work/trace-cli" $command --no-such-option
	done
	"$work/trace-cli" doctor
	"$work/trace-cli" report --summary "$capture"
	"$work/trace-cli" report --only-command "$capture"
	"$work/trace-cli" report --metric blocked "$capture"
	"$work/trace-cli" record --bundle --to localhost:1 -- true
	DEBUGINFOD_URLS=http://127.0.0.1:1 "$work/trace-cli" doctor
}
other_names >"$work/names" 2>&1
if grep -q 'trace-cli doctor\|trace-cli report' "$work/names" && ! grep 'sysprof-cli' "$work/names" >&2; then
	ok 'messages, help and advice have the name it was called by'
else
	not_ok 'messages, help and advice have the name it was called by' \
		"$(grep 'sysprof-cli' "$work/names")"
fi

# Exports.

folded='busy;main 35
busy;main;work;do_syscall 90
busy;main;work;hot 180'
prints 'export --format folded' "$folded" export --format folded "$capture"
contains 'export --format text' '^  59\.02    59\.02   hot +busy$' export --format text "$capture"
contains 'export --format html' '<td>hot</td><td>busy</td>' export --format html "$capture"
complains 'export without a format' 2 'needs --format, one of folded, svg' export "$capture"
complains 'export: unknown format' 2 '--format takes folded, svg.*, not "poem"' export --format poem \
	"$capture"
# The same totals as folded stacks, by the JSON alone.
run export --format speedscope "$capture"
if [ "$(python3 -c '
import json, sys
shared, profile = (file := json.load(open(sys.argv[1])))["shared"], file["profiles"][0]
names = [frame["name"] for frame in shared["frames"]]
assert sum(profile["weights"]) == profile["endValue"] == 305
lines = [";".join(names[i] for i in stack) + " %d" % weight
	 for stack, weight in zip(profile["samples"], profile["weights"], strict=True)]
print("\n".join(sorted(lines)))' "$work/out")" = "$(sort <<<"$folded")" ]; then
	ok 'export --format speedscope: the same stacks as folded'
else
	not_ok 'export --format speedscope: the same stacks as folded' "$(seen)"
fi

# Files of other programs.

echo "$folded" >"$work/in.folded"
prints 'folded stacks come back' "$folded" export --format folded "$work/in.folded"
prints 'import -o' '' import "$work/in.folded" -o "$work/imported.capture"
prints 'what was imported is a recording' "$folded" export --format folded "$work/imported.capture"
echo 'busy;main none' >>"$work/in.folded"
complains 'import: a line without a weight' 1 'line 4 does not end with a blank and a weight' \
	report "$work/in.folded"
echo 'busy;main 99999999999999999' >"$work/in.folded"
complains 'import: a huge weight' 1 'line 1 has a weight that is too large' report "$work/in.folded"
{ echo 'p;a 1'; python3 -c 'print("p" + ";a" * 3000 + " 1")'; } >"$work/in.folded"
complains 'import: a stack without end' 1 'line 2 has too many frames' report "$work/in.folded"
echo 'no stacks' >"$work/in.folded"
complains 'import: an unknown format' 1 'its format is not known' import "$work/in.folded" -o \
	"$work/no.capture"
if [ -e "$work/no.capture" ]; then
	not_ok 'a refused import leaves no file' "$(ls "$work")"
else
	ok 'a refused import leaves no file'
fi
prints 'export with conditions' 'busy;main;work;hot 180' export --format folded --with hot \
	"$capture"
run export --format svg "$capture"
if [ $status = 0 ] && python3 - "$work/out" <<'END'
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
titles = [t.text for t in root.iter('{http://www.w3.org/2000/svg}title')]
assert 'hot (busy)\ntotal 59.02 %, 180 periods\nself 59.02 %, 180 periods' in titles, titles
urls = re.findall(r'https?://[^"\' ]*', open(sys.argv[1]).read())
assert set(urls) <= {'http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml'}, urls
END
then
	ok 'export --format svg: a picture by itself'
else
	not_ok 'export --format svg: a picture by itself' "$(seen)"
fi
prints 'export -o' '' export --format folded -o "$work/out.folded" "$capture"
if [ "$(cat "$work/out.folded")" = "$folded" ]; then
	ok 'export -o: the file'
else
	not_ok 'export -o: the file' "$(cat "$work/out.folded")"
fi
complains 'export into a directory that is not there' 1 'Cannot write' export --format folded -o \
	"$work/no/out" "$capture"
complains 'export onto a directory' 1 'Cannot write' export --format folded -o "$work" "$capture"
complains 'export to a full disk' 1 'Cannot write /dev/full' export --format folded -o /dev/full \
	"$capture"
if [ -c /dev/full ] && [ -z "$(find "$work" -name 'out*.??????*' ! -name out.folded)" ]; then
	ok 'export: devices stay, nothing half-written is left'
else
	not_ok 'export: devices stay, nothing half-written is left' "$(ls -la "$work")"
fi
status=0
"$cli" export --format folded "$capture" >/dev/full 2>"$work/err" || status=$?
if [ $status = 1 ] && grep -q 'Cannot write the output' "$work/err"; then
	ok 'stdout on a full disk'
else
	not_ok 'stdout on a full disk' "status $status $(cat "$work/err")"
fi

# Differences and mergers.

contains 'diff of a recording with itself' '^No difference of 0\.01 points or more\.$' diff \
	"$capture" "$capture"
json 'diff --json' \
	'all(f["self_change"] == 0 for f in d["functions"]) and abs({f["function"]: f["self_a_pct"]
	for f in d["functions"]}["hot"] - 59.016) < 0.001 and d["a"]["samples"] == 305' diff --json "$capture" "$capture"
json 'diff --path --json' \
	'sorted(";".join(p["path"]) for p in d["paths"]) == ["busy;main", "busy;main;work",
	"busy;main;work;do_syscall", "busy;main;work;hot"]' diff --path --json "$capture" "$capture"
complains 'diff with one recording' 2 'takes two recordings' diff "$capture"
complains 'diff: no such process' 1 'no samples of a process "nobody"' diff --process nobody \
	"$capture" "$capture"
json 'diff with conditions' 'd["a"]["samples"] == d["b"]["samples"] == 90 and
	{f["function"]: f["total_b_pct"] for f in d["functions"]} == {"main": 100, "work": 100, "do_syscall": 100}' \
	diff --json --with do_syscall "$capture" "$capture"
complains 'diff: conditions that hold nowhere' 1 'meet the conditions' diff --without main \
	"$capture" "$capture"
complains 'diff: no range' 2 'is not a range' diff --time 3 "$capture" "$capture"
complains 'diff: no such file' 1 'missing.syscap' diff "$capture" "$work/missing.syscap"
prints 'merge' "610 samples of 2 recordings in $work/twice.syscap" merge "$capture" "$capture" -o \
	"$work/twice.syscap"
json 'merge: all streams' \
	'{s["name"]: s["rows"] for s in d["streams"]} == {"samples": 610, "raw-stacks": 4, "table-stacks": 6,
	"user-stacks": 4, "off-cpu": 4, "allocations": 6, "marks": 4, "counters": 8, "quantum": 2}' info --json "$work/twice.syscap"
json 'merge: the account holds' \
	'd["samples"] == 610 and d["lost"] == 12 and d["finished"] is True and
	all(c["grid"] == 400 and c["residue"] == 0 for c in d["cpus"])' info --json "$work/twice.syscap"
prints 'merge: stacks add up' 'busy;main 70
busy;main;work;do_syscall 180
busy;main;work;hot 360' export --format folded "$work/twice.syscap"
contains 'diff begins with absolute numbers' \
	'^CPU Time: 305\.00 ms before, 305\.00 ms after: no more than chance\.$' diff "$capture" "$capture"
"${gen_capture%/*}/gen-waits" "$work/same.capture" >"$work/out"
contains 'diff: what is equal is the same, not 0 % more' \
	'^Blocked: 2\.00 s before, 2\.00 s after: the same\.$' diff --metric blocked "$work/same.capture" \
	"$work/same.capture"
contains 'diff: twice the weight is no difference' '^No difference' diff "$capture" \
	"$work/twice.syscap"
complains 'merge without an output' 2 'merge takes two recordings' merge "$capture" "$capture"
complains 'merge of one' 2 'merge takes two recordings' merge "$capture" -o "$work/one.syscap"
complains 'merge: no such file' 1 'missing.syscap' merge "$work/missing.syscap" "$capture" -o \
	"$work/none.syscap"
for command in diff merge; do
	contains "$command --help" "^  sysprof-cli $command" "$command" --help
done

echo "1..$number"
exit $broken

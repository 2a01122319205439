#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debug information that only a server has: a stripped program, and debuginfod on loopback.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for tool in debuginfod gcc objcopy; do
	command -v $tool >/dev/null || { echo \
		"Bail out! $tool is not here; run packaging/deps check"; exit 1; }
done
mkdir "$work/served" "$work/cache" "$work/here"
cat >"$work/loop.c" <<'SOURCE'
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink += i;
}
static __attribute__((noinline)) void outer(unsigned turns)
{
	innermost(turns);
	__asm__ volatile("");
}
int main(void)
{
	for (unsigned i = 0; i < 300; i++)
		outer(1000000);
	return 0;
}
SOURCE
(cd "$work" && gcc -O2 -g -fno-omit-frame-pointer -Wl,--build-id -o here/loop loop.c &&
	objcopy --only-keep-debug here/loop served/loop.debug && strip here/loop)
check 'recorded' "$cli" record --source perf -o "$work/loop.capture" -- "$work/here/loop"

id=$(readelf -n "$work/here/loop" | awk '/Build ID/ { print $3 }')
# Whether the server has come to the file: until it has scanned, it says that there is none, which
# clients keep in mind.
served()
{
	local status=

	exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /buildid/%s/debuginfo HTTP/1.0\r\n\r\n' \
		"$id" >&3 && read -r _ status _ <&3
	exec 3>&-
	[ "$status" = 200 ]
}
port=
for _ in $(seq 10); do
	port=$((20000 + RANDOM % 10000))
	HOME=$work debuginfod -d "$work/served.sqlite" -p $port -F "$work/served" \
		>"$work/server.log" 2>&1 &
	server=$!
	for _ in $(seq 600); do
		served && break 2
		kill -0 $server || break
		sleep 0.1
	done 2>/dev/null
	kill $server 2>/dev/null
done
trap 'kill $server; wait $server; rm -rf "$work"' EXIT
requests()
{
	grep -c "GET /buildid/$id" "$work/server.log"
}
before=$(requests)
# asked: how often the server was, by the programs under test.
asked()
{
	echo $(($(requests) - before))
}
unset DEBUGINFOD_URLS
export DEBUGINFOD_CACHE_PATH=$work/cache HOME=$work
loop=("$cli" export --format folded --process loop "$work/loop.capture")
# stack PATTERN OPTION...: most of the weight is on a stack that ends so.
stack()
{
	local words=$1

	shift
	"${loop[@]}" "$@" | awk -v words="$words" '{ sum += $NF; weight = $NF; sub(/ [0-9]+$/, "") }
		$0 ~ words "$" { on += weight } { print }
		END { exit !(on > 0.8 * sum) }'
}
check 'without it there are no names' bash -c '! "$@" | grep -q "outer\|innermost"' - "${loop[@]}"
check 'no servers, no download: told' bash -c \
	'"$@" --debuginfod 2>&1 | grep -q "needs servers: export DEBUGINFOD_URLS"' - "${loop[@]}"
export DEBUGINFOD_URLS=http://127.0.0.1:$port
check 'servers alone ask nothing of anybody' bash -c '! "$@" | grep -q "outer\|innermost"' - \
	"${loop[@]}"
check '... indeed' [ "$(asked)" = 0 ]
check 'functions, and what is inlined, from the server' stack ';outer[^;]*;innermost' --debuginfod
check '... with lines' stack ';outer[^;]* .loop.c:9.;innermost .loop.c:[45].' --lines --debuginfod
check 'it was asked once' [ "$(asked)" = 1 ]
kill $server
wait $server 2>/dev/null
trap 'rm -rf "$work"' EXIT
check 'what was fetched is kept' stack ';outer[^;]*;innermost' --debuginfod
rm -r "$work/cache"
check 'a server that is not there costs names, nothing else' bash -c \
	'"$@" --debuginfod | grep -q "^loop;"' - "${loop[@]}"

echo "1..$number"
exit $broken

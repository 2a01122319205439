#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Libraries that may be missing: sysprof-cli is built without any of them, says so, and does all that
# needs none of them.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
optional="capstone|libprotobuf-c|libbpf|libcurl|libmicrohttpd|libdebuginfod"
build=build/bare
cli=$build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As where they are not installed.
cat >"$work/pkg-config" <<-END
	#!/bin/bash
	for word; do
		[[ ! \$word =~ $optional ]] || exit 1
	done
	exec pkg-config "\$@"
END
chmod +x "$work/pkg-config"

rm -rf $build
result "it is built" "$(make --no-print-directory -s -j"$(nproc)" B=$build CFLAGS=-O0 PKG_CONFIG="$work/pkg-config" cli \
	2>&1 | grep -vE '^  [A-Z]+ |everything else is built\.$')"
result "no library is needed that is optional" "$(readelf -d $cli | grep NEEDED | grep -E \
	'capstone|protobuf-c|libbpf|curl|microhttpd')"
used()
{
	$cli record --source perf -o "$work/it.capture" -- sh -c \
		'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' &&
		$cli report "$work/it.capture" | grep ' Self % ' &&
		$cli export -f folded "$work/it.capture" | grep ';'
}
result "it records and reports" "$(said=$(used 2>&1) || echo "$said")"
refused()
{
	local said status=0

	said=$("$@" 2>&1 >/dev/null </dev/null) || status=$?
	[ $status = 1 ] && [[ $said =~ without|not\ here ]] || echo "status $status: $said"
}
result "what needs a library says so" "$(refused $cli export -f pprof "$work/it.capture" -o "$work/it.pprof"
	refused $cli agent --to otlp=http://127.0.0.1:1)"
finish

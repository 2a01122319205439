#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The system's units: systemd understands them, and finds next to nothing that a service of ours
# that was taken over could do.  That they work nevertheless is for tests/vm/72-boot.test.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

MOST=2.0
command -v systemd-analyze >/dev/null ||
	{ echo "Bail out! systemd-analyze is not here; run packaging/deps check"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
printf '#!/bin/sh\n' >"$work/bin/sysprof-cli"
chmod 755 "$work/bin/sysprof-cli"
for unit in packaging/systemd/*; do
	sed "s|@prefix@|$work|" "$unit" >"$work/${unit##*/}"
done

for unit in "$work"/*.service "$work"/*.path "$work"/*.socket; do
	name=${unit##*/}
	result "$name is understood" "$(systemd-analyze verify --man=no --recursive-errors=no \
		"$unit" 2>&1)"
	# A path and a socket start nothing by themselves, and what a user's manager runs is the user's.
	case $name in
	*.path | *.socket | sysprof-login.service) continue ;;
	esac
	said=$(systemd-analyze security --offline=true --no-pager "$unit" 2>&1)
	exposure=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' <<<"$said")
	echo "# $name: exposure ${exposure:-unknown}"
	result "$name is exposed at most $MOST of 10" \
		"$(awk -v is="${exposure:-10}" -v most=$MOST 'BEGIN { exit !(is <= most) }' ||
		grep '✗' <<<"$said")"
	result "$name loads no modules by itself" "$(grep -n 'modprobe ' "$unit")"
done

# The socket for containers: the same place wherever it is said, and no right more for it.
place=$(sed -n 's/^ListenStream=//p' packaging/systemd/sysprof-agent-pods.socket)
nodes=packaging/container/daemonset.yaml
result "the DaemonSet has the socket of the unit" "$(grep -qx "    pods $place" $nodes &&
	grep -qF "mountPath: ${place%/*}}" $nodes && grep -qF "path: ${place%/*}, type: Dir" $nodes ||
	echo "$place")"
result "the agent's unit can make no such socket" \
	"$(grep -n 'AF_UNIX' packaging/systemd/sysprof-agent.service)"
result "the DaemonSet has no other rights than those that have a reason" \
	"$(grep -c 'add: \[PERFMON, SYS_PTRACE, DAC_READ_SEARCH, SETUID, SETGID\]' $nodes |
		grep -vx 1; grep -n 'privileged\|hostNetwork\|hostIPC' $nodes)"
finish

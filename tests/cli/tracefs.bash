# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests that need trace points, sourced first: where tracefs is not mounted, root runs the test
# again with a mount of it that nobody else sees.

if [ "$(id -u)" = 0 ] && [ ! -d /sys/kernel/tracing/events ] && [ -z "${WITH_TRACEFS-}" ]; then
	WITH_TRACEFS=1 exec unshare -m sh -c \
		'mount -t tracefs nodev /sys/kernel/tracing; exec bash "$0"' "$0"
fi

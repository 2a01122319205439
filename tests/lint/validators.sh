#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others' tools say of scripts, texts and desktop files.  A tool that is missing is a failure:
# packaging/deps check.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

scripts()
{
	sources | grep -E "^($1)/" | while read -r file; do
		! head -n 1 "$file" | grep -qaE '^#!.*/(ba)?sh$' || echo "$file"
	done
}

# Scripts that run as root on other people's machines are held to more.
shellcheck_scripts()
{
	scripts "$2" | xargs -d '\n' shellcheck -x -S "$1" 2>&1
}

# each WHAT: a look at one file at a time, where something has changed.
each()
{
	make -s -k -j2 -f tests/lint/each.mk "$1" 2>&1
}

# The module as sparse and a compiler that warns of more see it; what was compiled before is not
# compiled again, unless something was found.
module_checked()
{
	local findings

	findings=$(make -s -C module KDIR="$(cat build/module/.kdir)" OUT="$PWD/build/lint/module" \
		W=1 C=1 2>&1 | grep -iE 'warning|error' |
		grep -v 'the compiler differs from the one used to build the kernel')
	[ -z "$findings" ] || rm -rf build/lint/module
	echo "$findings"
}

# What it does not understand, or what the compiler knows better, is in cppcheck.txt.
cppcheck_userspace()
{
	mkdir -p build/lint/cppcheck
	cppcheck -q --cppcheck-build-dir=build/lint/cppcheck --enable=warning,performance \
		--std=c11 --library=gtk,posix '-DG_DEFINE_QUARK(a,b)=' \
		--suppressions-list=tests/lint/cppcheck.txt -Iuserspace/lib -Imodule/uapi \
		userspace/lib userspace/cli userspace/viewer 2>&1
}

# Prints much, and the more of it the better all is.
licences()
{
	local said

	said=$(reuse lint 2>&1) || echo "$said"
}

shell=$(sources | grep -E '^(tests|\.ci|packaging)/' | grep -vE '\.(c|h|py|png|svg)$')
cached "shellcheck finds no error in scripts" shellcheck "$shell" shellcheck_scripts error \
	'tests|\.ci'
cached "shellcheck finds nothing to warn of in what installs" shellcheck "$shell" \
	shellcheck_scripts warning 'packaging|tests/packages'
result "codespell finds no slip in what users read" \
	"$(codespell -L te,bu README.md CONTRIBUTING.md TODO packaging/README.md \
	packaging/debian/control udev userspace/data/man userspace/lib/capture/format.md 2>&1)"
result "checkpatch finds the module in the kernel's style" "$(each checkpatch)"
result "kernel-doc finds what the module's comments promise" "$(each kernel-doc)"
cached "sparse and the compiler's further warnings find nothing in the module" "gcc sparse" \
	"$(sources | grep '^module/'; ls build/module/.kdir "$(cat \
	build/module/.kdir)"/{Makefile,Module.symvers,include/config/auto.conf})" module_checked
cached "cppcheck finds nothing in userspace" cppcheck "$(sources |
	grep -E '^(userspace|module/uapi)/.*\.[ch]$|^tests/lint/cppcheck')" cppcheck_userspace
result "reuse finds each file's licence and its text" "$(licences)"
result "the desktop file is one" "$(desktop-file-validate userspace/data/*.desktop 2>&1)"
for file in userspace/data/*.metainfo.xml; do
	[ ! -e "$file" ] || result "$file is well-formed" "$(appstreamcli validate --no-net \
		"$file" >/dev/null 2>&1 || appstreamcli validate --no-net "$file" 2>&1)"
done
result "the polkit policy is well-formed" "$(xmllint --noout --nonet packaging/polkit/*.policy \
	2>&1)"
result "rules of udev say what the device is called" "$(grep -L "KERNEL==\"$(sed -n \
	's|^#define SYSPROF_DEVICE.*"/dev/\(.*\)"|\1|p' \
	module/uapi/sysprof.h)\"" udev/*.rules; ls udev | awk '$0 >= "73"')"
finish

# SPDX-License-Identifier: GPL-2.0-or-later
#
# make -f tests/lint/each.mk headers|checkpatch|kernel-doc: what looks at one file at a time.  A file in which nothing was found is
# looked at again when it, what it includes or this has changed.

out := build/lint
files := $(shell packaging/sources)
gtk := $(shell pkg-config --cflags libadwaita-1 gtk4 2>/dev/null)
packages := $(shell pkg-config --cflags glib-2.0) $(gtk)
here := $(filter userspace/lib/%.h userspace/cli/%.h $(if $(gtk),userspace/viewer/%.h),$(files))
kernel := $(filter module/%.c module/%.h,$(files))
scripts := $(shell cat build/module/.kdir)/scripts

# Other programs look for other things: all is looked at again.  Two of these may run side by side.
tools := $(out)/tools
said := $(shell mkdir -p $(out); new=$$(mktemp $(tools).XXXXXX); { gcc --version; \
	pkg-config --modversion glib-2.0 gtk4 libadwaita-1; tests/lint/checkpatch --version; \
	sha256sum $(scripts)/kernel-doc; } >$$new 2>&1; cmp -s $$new $(tools) && rm $$new || mv $$new $(tools))

headers: $(here:%=$(out)/headers/%)
checkpatch: $(kernel:%=$(out)/checkpatch/%)
kernel-doc: $(kernel:%=$(out)/kernel-doc/%)
.PHONY: headers checkpatch kernel-doc

$(out)/headers/%: % tests/lint/each.mk $(tools)
	@mkdir -p $(@D)
	@gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Iuserspace/lib -Iuserspace/include \
		-Imodule/uapi $(packages) \
		-MMD -MP -MF $@.d -MT $@ -include $< -x c /dev/null && touch $@

# A place for what versions of the kernel need; loops, and a list of rows, that look like macros'
# complex values to it.
ignored_compat/ := ,LINUX_VERSION_CODE,CONSTANT_COMPARISON
ignored_delivery.c := ,COMPLEX_MACRO,ASSIGN_IN_IF
ignored_sources/immediate.h := ,COMPLEX_MACRO,TRAILING_SEMICOLON
$(out)/checkpatch/module/%: module/% tests/lint/each.mk tests/lint/checkpatch $(tools)
	@mkdir -p $(@D)
	@tests/lint/checkpatch --no-tree --terse --show-types --no-summary --max-line-length=100 \
		--ignore FILE_PATH_CHANGES$(ignored_$(dir $*))$(ignored_$*) -f $< && touch $@

# It complains, and yet says that all is well.
$(out)/kernel-doc/%: % tests/lint/each.mk $(tools)
	@mkdir -p $(@D)
	@! $(scripts)/kernel-doc -none $< 2>&1 | grep . && touch $@

-include $(wildcard $(here:%=$(out)/headers/%.d))

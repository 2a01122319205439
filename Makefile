# SPDX-License-Identifier: GPL-2.0-or-later
#
# The front door: plain make, nothing to configure.  'make help' says what there is.  All that is
# made lies below build/.

VERSION := 0.2.0

ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
libdir ?= $(prefix)/lib
# The programs are $(program) and $(program)-cli: packages may have to give way to others of that
# name.
program ?= sysprof
B := build

packages := glib-2.0 json-c libelf libdw liblzma libzstd libdeflate
# Instructions as text, if it is there; without it all but annotate's instructions works.
has_capstone := $(shell $(PKG_CONFIG) --exists capstone 2>/dev/null && echo 1)
packages += $(if $(has_capstone),capstone)
# Profiles of pprof, if there are the compiler and the library of their messages.
has_pprof := $(shell $(PKG_CONFIG) --exists libprotobuf-c zlib 2>/dev/null && \
	command -v protoc-c >/dev/null && echo 1)
packages += $(if $(has_pprof),libprotobuf-c zlib)
# Arguments of the kernel's functions, by its own types.  Only what uses it is linked with it.
bpf_libs := $(shell $(PKG_CONFIG) --exists libbpf && echo -Wl,--as-needed -lbpf -Wl,--no-as-needed)
loaded_packages := gio-2.0 # when it is needed (bus-library.h)
package_cflags := $(shell $(PKG_CONFIG) --cflags $(packages) $(loaded_packages) 2>/dev/null)
capstone ?= -lcapstone
package_libs := \
	$(subst -lcapstone,$(capstone),$(shell $(PKG_CONFIG) --libs $(packages) 2>/dev/null))

warnings := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror=implicit-function-declaration
flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -fvisibility=hidden -DSPT_VERSION='"$(VERSION)"' \
	-DSPT_CLI='"$(program)-cli"' \
	-DSPT_HELPER='"$(program)-helper"' -DSPT_LIBEXEC='"$(prefix)/libexec"' \
	-DSPT_LOCALEDIR='"$(prefix)/share/locale"' $(if $(has_capstone),-DSPT_HAS_CAPSTONE) \
	-Iuserspace/lib -Iuserspace/include -Imodule/uapi $(package_cflags)
other_libs := $(bpf_libs) -liberty -lm -pthread
%/trace/points/btf.o: flags += $(if $(bpf_libs),-DSPT_HAS_BTF)
libs = $(package_libs) $(other_libs)
# Debug files from servers, by elfutils' client for them, which is loaded when it is asked.
has_debuginfod := $(shell $(PKG_CONFIG) --exists libdebuginfod 2>/dev/null && echo 1)
flags += $(if $(has_debuginfod),-DSPT_HAVE_DEBUGINFOD)
flags += $(if $(has_pprof),-DSPT_HAS_PPROF -I$(B)/gen)
helper_sources := userspace/helper/main.c $(if $(has_debuginfod),userspace/helper/debuginfod.c)
# Optimised less than the rest: compiling takes two thirds of the time.
sanitize := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer

protos := $(wildcard userspace/lib/formats/*.proto)
lib_sources := $(sort $(shell find userspace/lib -name '*.c'))
lib_objects := $(patsubst %.c,%.o,$(lib_sources)) \
	$(if $(has_pprof),$(patsubst userspace/lib/%.proto,%.pb-c.o,$(protos)))
cli_sources := $(wildcard userspace/cli/*.c)
viewer_sources := $(wildcard userspace/viewer/*.c)
# One line a command, and the command itself with V=1.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) '$@'; )
jobs := -j$(shell nproc 2>/dev/null || echo 2)
object = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all translations module lib cli preload opener viewer manual clean help need-packages FORCE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

all: module lib cli opener viewer manual

help::
	@echo 'make              build the module, the library, sysprof-cli and, with GTK 4 and libadwaita, the viewer'

# The module.

module:
	@$(MAKE) --no-print-directory -C module OUT=$(CURDIR)/$(B)/module \
		VERSION_SYSPROF=$(VERSION) \
		$(if $(KDIR),KDIR=$(abspath $(KDIR)))

# User space.

need-packages:
	@$(PKG_CONFIG) --exists $(packages) $(loaded_packages) || { echo 'Libraries are missing ($(packages) $(loaded_packages)): run packaging/deps build' >&2; exit 1; }

lib: $(B)/libspt.a
cli: $(B)/sysprof-cli $(B)/sysprof-helper preload
	$(if $(has_capstone),,@echo 'capstone is not here (libcapstone-dev): annotate shows no instructions, everything else is built.')
	$(if $(bpf_libs),,@echo 'libbpf is not here (libbpf-dev): arguments of kernel functions are not recorded, everything else is built.')
	$(if $(has_pprof),,@echo 'protobuf-c or zlib is not here (libprotobuf-c-dev, protobuf-c-compiler, zlib1g-dev): profiles of pprof are neither read nor written, everything else is built.')

$(B)/obj/%.o: %.c Makefile | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Messages of protocol buffers, of their .proto files.
$(B)/gen/%.pb-c.c: userspace/lib/%.proto | need-packages
	@mkdir -p $(@D)
	$(call say,GEN)protoc-c -Iuserspace/lib --c_out=$(B)/gen $<
.PRECIOUS: $(B)/gen/%.pb-c.c
$(B)/gen/%.pb-c.h: $(B)/gen/%.pb-c.c ;
$(B)/obj/%.pb-c.o: $(B)/gen/%.pb-c.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
ifneq ($(has_pprof),)
$(foreach dir,$(B)/obj $(B)/asan/obj,$(patsubst %.c,$(dir)/%.o,$(lib_sources))): | \
	$(protos:userspace/lib/%.proto=$(B)/gen/%.pb-c.h)
endif

$(B)/libspt.a: $(addprefix $(B)/obj/,$(lib_objects))
$(B)/asan/libspt.a: $(addprefix $(B)/asan/obj/,$(lib_objects))
$(B)/libspt.a $(B)/asan/libspt.a:
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# Man pages and completions, of the options the program has.
manual: $(B)/manual/made
$(B)/manual/made: $(B)/sysprof-cli packaging/manual packaging/completion \
	$(wildcard userspace/data/man/* userspace/data/messages/*) module/uapi/sysprof.h \
		userspace/lib/capture/format.md userspace/cli/json.md
	@mkdir -p $(@D)
	$(call say,GEN)$(B)/sysprof-cli --list-options >$(@D)/options && packaging/manual \
		$(VERSION) $(@D) <$(@D)/options && \
		for shell in bash zsh fish; do packaging/completion $$shell <$(@D)/options \
		>$(@D)/$$shell || exit 1; done
	@touch $@

$(B)/sysprof-cli: $(call object,$(cli_sources)) $(B)/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

# Open the device and perf events for those whom polkit lets, and no more: they need no library.
opener: $(B)/sysprof-opener $(B)/sysprof-perf-opener
$(B)/sysprof-perf-opener: $(patsubst %,$(B)/obj/userspace/%.o,opener/perf-serve lib/base/descriptor lib/trace/perf/attr lib/trace/perf/tracepoints)
$(B)/sysprof-opener $(B)/sysprof-perf-opener: $(B)/sysprof-%: $(B)/obj/userspace/opener/%.o
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# What programs load that are recorded with --memory, or with --waits where the kernel does not
# report waits with stacks: nothing but what every C library has.  Words that were just written one by
# one are slow to read by a vector register.
preload_shared := $(addprefix userspace/preload/,cfi.c code.c connect.c event.c nodes.c plain.c \
	real.c rules.c sandbox.c script.c script-code.c script-run.c script-splice.c stack.c \
	thread.c unusual.c walk.c) userspace/lib/unwind/cfi-machine.c
memory_sources := $(preload_shared) $(addprefix userspace/preload/,check.c malloc.c picked.c)
io_sources := $(preload_shared) userspace/preload/io.c
preload_flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -fvisibility=hidden -fPIC -fno-builtin \
	-fno-omit-frame-pointer -fno-stack-protector -mgeneral-regs-only -foptimize-sibling-calls \
	-Wframe-larger-than=512 -Iuserspace/lib -Iuserspace/preload -Imodule/uapi -DSPT_CFI_SAVED_MAX=1
preload_for := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)
ifneq ($(filter x86_64 aarch64,$(preload_for)),)
preload: $(B)/libspt-memory.so $(B)/libspt-io.so
else
preload:
	@echo 'What programs load is for x86-64 and aarch64 only: record --memory is left out, everything else is built.'
endif
# Functions of libgcc's would do the atomic operations.
ifeq ($(preload_for),aarch64)
preload_flags += -mno-outline-atomics
endif
$(B)/libspt-memory.so: $(memory_sources)
$(B)/libspt-io.so: $(io_sources)
preload_headers := $(wildcard userspace/preload/*.h) \
	$(addprefix userspace/lib/,base/bytes.h rings/chains.h rings/layout.h unwind/cfi-machine.h)
$(B)/libspt-memory.so $(B)/libspt-io.so: $(preload_headers) Makefile
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(preload_flags) $(CFLAGS) $(LDFLAGS) -shared -nostdlib -Wl,-z,now \
		-Wl,-soname,$(@F) -o $@ $(filter %.c,$^)

# Libraries for programs that describe themselves by other interfaces than spt/mark.h.
marks_libraries := $(B)/libspt-itt.so $(B)/libspt-nvtx.so
preload: $(marks_libraries)
$(marks_libraries): $(B)/libspt-%.so: userspace/marks/%.c userspace/marks/tables.h \
	userspace/include/spt/mark.h userspace/include/spt/mark-bell.h Makefile
	@mkdir -p $(@D)
	$(call say,LD)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) -fvisibility=hidden -fPIC \
		-Iuserspace/include $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $<

$(foreach dir,$(B)/obj $(B)/asan/obj,$(dir)/userspace/lib/record/program-library.o): flags += \
	-DSPT_LIBDIR='"$(libdir)/sysprof-trace"'

# Its loops go over columns of ten thousands of numbers.
$(B)/obj/userspace/lib/capture/table-encode.o: flags += -ftree-vectorize -fvect-cost-model=dynamic
# Rows that are read in vectors wait until their members, which were just written, are in memory.
$(B)/obj/userspace/lib/record/memory-take.o: flags += -fno-tree-slp-vectorize

# Reads files that programs run from, in a process of its own.
$(B)/sysprof-helper: $(call object,$(helper_sources)) $(B)/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

ifeq ($(viewer_sources),)
viewer:
	@echo 'The viewer is not part of this tree yet: everything else is built.'
else ifneq ($(shell $(PKG_CONFIG) --exists 'gtk4 >= 4.8 libadwaita-1 >= 1.2' 2>/dev/null && echo yes),yes)
viewer:
	@echo 'GTK 4.8 or libadwaita 1.2 is missing (libadwaita-1-dev): built everything but the viewer.'
else
viewer: $(B)/sysprof $(B)/sysprof-helper translations
# Nothing newer than the base line by accident; what is newer by intent is in compat-gtk.h.
viewer_flags := $(shell $(PKG_CONFIG) --cflags libadwaita-1 gtk4) \
	-DGDK_VERSION_MIN_REQUIRED=GDK_VERSION_4_8 -DGDK_VERSION_MAX_ALLOWED=GDK_VERSION_4_8 \
	-DADW_VERSION_MAX_ALLOWED=ADW_VERSION_1_2 -DADW_DISABLE_DEPRECATION_WARNINGS
viewer_libs := $(shell $(PKG_CONFIG) --libs libadwaita-1 gtk4)
viewer_objects := $(patsubst %.c,%.o,$(viewer_sources)) userspace/viewer/resources.o

$(addprefix $(B)/obj/,$(viewer_objects)) $(addprefix $(B)/asan/obj/,$(viewer_objects)): flags += \
	$(viewer_flags)
$(B)/obj/%/resources.c: %/sysprof.gresource.xml \
	$(wildcard userspace/viewer/*.ui userspace/viewer/*.css userspace/data/*.svg) \
	userspace/data/man/sysprof-profiling.man
	@mkdir -p $(@D)
	$(call say,GEN)glib-compile-resources --sourcedir=$(<D) --target=$@ --generate-source $<
$(B)/obj/userspace/viewer/resources.o: $(B)/obj/userspace/viewer/resources.c
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/sysprof: $(addprefix $(B)/obj/,$(viewer_objects)) $(B)/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(viewer_libs) $(libs)
endif

# What the viewer says in other languages, and desktops of it; without gettext it speaks English.
app_id := io.github.sysprof_trace.Sysprof
po_files := $(wildcard userspace/po/*.po)
ifneq ($(shell command -v msgfmt),)
translations: $(patsubst userspace/po/%.po,$(B)/locale/%/LC_MESSAGES/sysprof-trace.mo,$(po_files)) \
	$(B)/data/$(app_id).desktop \
	$(B)/data/$(app_id).metainfo.xml
else
translations:
	@echo 'gettext is not here (msgfmt): the viewer speaks English only, everything else is built.'
endif
$(B)/locale/%/LC_MESSAGES/sysprof-trace.mo: userspace/po/%.po
	@mkdir -p $(@D)
	$(call say,GEN)msgfmt --check -o $@ $<
$(B)/data/%.desktop: userspace/data/%.desktop $(po_files) userspace/po/LINGUAS
	@mkdir -p $(@D)
	$(call say,GEN)msgfmt --desktop --template=$< -d userspace/po -o $@
$(B)/data/%.metainfo.xml: userspace/data/%.metainfo.xml $(po_files) userspace/po/LINGUAS
	@mkdir -p $(@D)
	$(call say,GEN)msgfmt --xml --template=$< -d userspace/po -o $@

include userspace/agent.mk tests/tests.mk packaging/packaging.mk

help::
	@echo 'make module lib cli viewer manual   parts [KDIR=kernel build or headers directory]; V=1 shows the commands'
	@echo 'make clean        remove build/'
	@echo 'Packages needed: packaging/deps build|module|demo|check|kernels|kcfi|deb|static|sysext|secure-boot'

clean:
	rm -rf $(B)

-include $(shell [ -d $(B) ] && find $(B) -name '*.d' -type f -not -path '$(B)/module/*' -not -path '$(B)/deb/*')

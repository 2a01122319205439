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
package_cflags := $(shell $(PKG_CONFIG) --cflags $(packages) 2>/dev/null)
capstone ?= -lcapstone
package_libs := \
	$(subst -lcapstone,$(capstone),$(shell $(PKG_CONFIG) --libs $(packages) 2>/dev/null))

warnings := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla
flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -fvisibility=hidden -DSPT_VERSION='"$(VERSION)"' \
	-DSPT_CLI='"$(program)-cli"' \
	-DSPT_READER='"$(program)-reader"' -DSPT_LIBEXEC='"$(prefix)/libexec"' \
	-DSPT_LOCALEDIR='"$(prefix)/share/locale"' $(if $(has_capstone),-DSPT_HAS_CAPSTONE) \
	-Iuserspace/lib -Iuserspace/include -Imodule/uapi $(package_cflags)
other_libs := -liberty -lm -pthread
libs = $(package_libs) $(other_libs)
# Debug files from servers, where there is elfutils' client for them, which is loaded when it is
# asked.
has_debuginfod := $(shell $(PKG_CONFIG) --exists libdebuginfod 2>/dev/null && echo 1)
flags += $(if $(has_debuginfod),-DSPT_HAVE_DEBUGINFOD)
flags += $(if $(has_pprof),-DSPT_HAS_PPROF -I$(B)/gen)
reader_sources := userspace/reader/main.c $(if $(has_debuginfod),userspace/reader/debuginfod.c)
# Optimised less than the rest: compiling takes two thirds of the time.
sanitize := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer

lib_sources := $(sort $(shell find userspace/lib -name '*.c'))
lib_objects := $(patsubst %.c,%.o,$(lib_sources)) $(if $(has_pprof),formats/pprof.pb-c.o)
cli_sources := $(wildcard userspace/cli/*.c)
viewer_sources := $(wildcard userspace/viewer/*.c)
# One line a command, and the command itself with V=1.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) '$@'; )
jobs := -j$(shell nproc 2>/dev/null || echo 2)
object = $(patsubst %.c,$(B)/obj/%.o,$(1))

unit_tests := $(patsubst tests/unit/%.c,$(B)/asan/%,$(wildcard tests/unit/test-*.c))
# The module's ring, which two threads can race for.
tsan_tests := $(B)/tsan/test-ring-races
fuzz_tests := $(patsubst tests/fuzz/%.c,$(B)/asan/%,$(wildcard tests/fuzz/fuzz-*.c))
generators := $(patsubst tests/gen/%.c,$(B)/tests/%,$(wildcard tests/gen/gen-*.c))
workload_libs := \
	$(patsubst tests/vm/workloads/%.c,$(B)/workloads/%.so,$(wildcard tests/vm/workloads/lib*.c))
workloads := $(patsubst tests/vm/workloads/%.c,$(B)/workloads/%, \
	$(filter-out tests/vm/workloads/lib%,$(wildcard tests/vm/workloads/*.c)))

# The same without frame pointers.
workloads_nofp := $(addprefix $(B)/workloads/nofp-,plunge recursion shares stacks)

.PHONY: all translations vm pot module test-modules nmi-module lib cli preload static opener viewer tests demo \
	bench-module check check-all check-recorder check-stranger check-kernels check-debug-kernel \
	check-packages check-static check-secure-boot lint bench \
	bench-userspace bench-symbols bench-memory bench-viewer fuzz manual install install-userspace \
	install-module install-udev install-seat install-polkit install-devel install-dkms-source \
	uninstall \
	uninstall-userspace uninstall-module uninstall-udev uninstall-seat uninstall-polkit \
	uninstall-devel sysext \
	dkms-install dkms-remove dist release deb rpm clean screenshots help need-packages FORCE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

all: module lib cli opener viewer manual

help:
	@echo 'make              build the module, the library, sysprof-cli and, with GTK 4 and libadwaita, the viewer'
	@echo 'make demo         boot a throw-away VM, load the module there, profile a real job, show it [KDIR=kernel tree]'
	@echo 'make vm KDIR=kernel tree RUN="command"   boot the kernel you built, record the command there, report [RECORD="options" VM_USER=root ACCEL=tcg]'
	@echo 'make check        what each change must pass [TESTS=part of a name]; also check-lint, -abi, -unit, -cli, -viewer, -vm'
	@echo 'make check-all    that and all that is longer; tests/list says which test runs where, and why'
	@echo 'make check-kernels   the module on Debian kernels from 5.10 on, and mainline [KERNELS="7.2-rt mainline" FORCE=1]'
	@echo 'make check-debug-kernel   the module, a stress and a fuzzer on kernels with KASAN, lockdep, KCSAN and more, RT, too'
	@echo 'make check-packages   the packages of make deb on a fresh Debian: install, kernel upgrade, record, remove [SUITES="bookworm trixie"]'
	@echo 'make check-static   what make static makes, in bare Debians and beside busybox and musl alone [SUITES="bullseye trixie"]'
	@echo 'make check-secure-boot   real firmware that checks signatures: what it refuses, the key enrolled, what it lets in'
	@echo 'make check-stranger  everything a local user can try, all at once, beside recordings'
	@echo 'make check-recorder  the recorder at length: 100 of them killed on each source, 2000 programs of some milliseconds'
	@echo 'make lint         rules of the house, from the sources; man pages, completions and README against the programs'
	@echo 'make bench        numbers; bench-module: what a sample costs; bench-userspace: the way from file to tree;'
	@echo '                  bench-symbols: names and lines against other symbolizers [FILES="program ..."]'
	@echo '                  bench-memory: what record --memory costs a program, beside heaptrack'
	@echo '                  bench-unwind: stacks without frame pointers, by perf events and in the module; bench-viewer: the first picture, what frames and recording cost'
	@echo 'make pot          texts to be translated, into userspace/po/*.po'
	@echo 'make screenshots   each view of the viewer, in all looks, to build/screenshots [CAPTURE=file, else that of make demo]'
	@echo 'make fuzz         a million mutated captures, and as many unwind tables, ELF files and others that names come from [ROUNDS=n SEED=n]'
	@echo 'make install      into $(prefix) [prefix=... DESTDIR=...]; the module through DKMS if there is DKMS'
	@echo '                  or parts: install-userspace -udev -module -devel; dkms-install dkms-remove: the module alone, by DKMS'
	@echo 'make install-seat install-polkit   not parts of install: who sits at the machine may profile; whom polkit lets'
	@echo 'make uninstall    remove exactly what install put there; also uninstall-userspace, -udev, -module, -seat, -polkit'
	@echo 'make deb          packages for Debian, in $(B)/deb; their programs are sysprof-trace and sysprof-trace-cli'
	@echo 'make rpm          the same for Fedora, in $(B)/rpm, and the source akmods build the module of [RPMFLAGS=more for rpmbuild]'
	@echo 'make sysext       $(B)/sysprof-KVER.raw, an image for systemd-sysext [KVER=kernel KDIR=its headers OS_RELEASE=file]'
	@echo 'make dist         $(B)/sysprof-$(VERSION).tar.gz, all that is needed to build and test'
	@echo 'make release      sources, $(B)/static/sysprof-cli, checksums and notes, in $(B)/release [TAG=1: and the tag]'
	@echo 'make static       $(B)/static/sysprof-cli, which needs no library: for rescue systems and small guests'
	@echo 'make module lib cli viewer manual   parts [KDIR=kernel build or headers directory]; V=1 shows the commands'
	@echo 'make clean        remove build/'
	@echo 'Packages needed: packaging/deps build|module|demo|check|kernels|kcfi|deb|static|sysext|secure-boot'

# The module.

module:
	@$(MAKE) --no-print-directory -C module OUT=$(CURDIR)/$(B)/module \
		VERSION_SYSPROF=$(VERSION) \
		$(if $(KDIR),KDIR=$(abspath $(KDIR)))

# User space.

need-packages:
	@$(PKG_CONFIG) --exists $(packages) || \
		{ echo 'Libraries are missing ($(packages)): run packaging/deps build' >&2; exit 1; }

lib: $(B)/libspt.a
cli: $(B)/sysprof-cli $(B)/sysprof-reader preload
ifeq ($(has_capstone),)
	@echo 'capstone is not here (libcapstone-dev): annotate shows no instructions, everything else is built.'
endif
ifeq ($(has_pprof),)
	@echo 'protobuf-c or zlib is not here (libprotobuf-c-dev, protobuf-c-compiler, zlib1g-dev): profiles of pprof are neither read nor written, everything else is built.'
endif

$(B)/obj/%.o: %.c Makefile | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/asan/obj/%.o: %.c Makefile | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -MMD -MP -c -o $@ $<

# Messages of protocol buffers, of their .proto files.
$(B)/gen/%.pb-c.c: userspace/lib/%.proto | need-packages
	@mkdir -p $(@D)
	$(call say,GEN)protoc-c -Iuserspace/lib --c_out=$(B)/gen $<
.PRECIOUS: $(B)/gen/%.pb-c.c
$(B)/gen/%.pb-c.h: $(B)/gen/%.pb-c.c ;
$(B)/obj/%.pb-c.o: $(B)/gen/%.pb-c.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/asan/obj/%.pb-c.o: $(B)/gen/%.pb-c.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -c -o $@ $<
ifneq ($(has_pprof),)
$(foreach dir,$(B)/obj $(B)/asan/obj,$(patsubst %.c,$(dir)/%.o,$(filter %/pprof.c %/pprof-tables.c,$(lib_sources)))): | \
	$(B)/gen/formats/pprof.pb-c.h
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

# Opens the device for those whom polkit lets, and no more: it needs no library.
opener: $(B)/sysprof-opener
$(B)/sysprof-opener: $(call object,userspace/opener/opener.c)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# What programs load that are recorded with --memory, or with --waits where the kernel does not
# report waits with stacks: nothing but what every C library has.  Words that were just written one by
# one are slow to read by a vector register.
preload_shared := $(addprefix userspace/preload/,cfi.c code.c connect.c event.c plain.c real.c rules.c \
	sandbox.c stack.c thread.c unusual.c walk.c)
memory_sources := $(preload_shared) $(addprefix userspace/preload/,check.c memory.c picked.c)
io_sources := $(preload_shared) userspace/preload/io.c
preload_flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -fvisibility=hidden -fPIC -fno-builtin \
	-fno-omit-frame-pointer -fno-stack-protector -mgeneral-regs-only \
	-foptimize-sibling-calls -Wframe-larger-than=512 \
	-Iuserspace/lib -Iuserspace/preload
preload_for := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)
ifneq ($(filter x86_64 aarch64,$(preload_for)),)
preload: $(B)/libspt-memory.so $(B)/libspt-io.so
preload_check := $(B)/tests/libspt-memory-check.so $(B)/tests/libspt-memory-trap.so
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
$(B)/libspt-memory.so $(B)/libspt-io.so: $(wildcard userspace/preload/*.h) \
	userspace/lib/rings/layout.h Makefile
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(preload_flags) $(CFLAGS) $(LDFLAGS) -shared -nostdlib -Wl,-z,now \
		-Wl,-soname,$(@F) -o $@ $(filter %.c,$^)
# Counts what it sees beside the rings, and compares each stack with libgcc's.  The second one also
# ends a program at behaviour that C does not define.  (The address sanitizer is not ready yet when
# the loader makes the first calls of malloc().)
$(B)/tests/libspt-memory-trap.so: preload_flags += -fsanitize=undefined \
	-fsanitize-undefined-trap-on-error
$(B)/tests/libspt-memory-check.so $(B)/tests/libspt-memory-trap.so: $(memory_sources) $(wildcard userspace/preload/*.h) \
	userspace/lib/rings/layout.h Makefile
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(preload_flags) -DSPT_CHECK $(CFLAGS) $(LDFLAGS) -shared -nostdlib \
		-Wl,-z,now -o $@ $(memory_sources)

$(B)/obj/userspace/lib/record/memory.o $(B)/asan/obj/userspace/lib/record/memory.o: flags += \
	-DSPT_LIBDIR='"$(libdir)/sysprof-trace"'

# Its loops go over columns of ten thousands of numbers.
$(B)/obj/userspace/lib/capture/table-encode.o: flags += -ftree-vectorize -fvect-cost-model=dynamic
# Rows that are read in vectors wait until their members, which were just written, are in memory.
$(B)/obj/userspace/lib/record/memory-take.o: flags += -fno-tree-slp-vectorize

# For systems without our libraries: rescue disks, guests of busybox alone.  What glibc would load
# at run time it has built in for plain files and DNS, so its warnings are not shown.
static_libs = $(shell $(PKG_CONFIG) --static --libs $(packages)) $(other_libs)
static: $(B)/static/sysprof-cli
$(B)/static/sysprof-cli: $(call object,$(cli_sources)) $(B)/libspt.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -Wl,--no-warnings -o $@ $^ $(static_libs) \
		|| \
		{ echo 'Static libraries are missing: Debian has them in the -dev packages of packaging/deps build, Fedora in *-static' >&2; exit 1; }

# Reads files that programs run from, in a process of its own.
$(B)/sysprof-reader: $(call object,$(reader_sources)) $(B)/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

ifeq ($(viewer_sources),)
viewer:
	@echo 'The viewer is not part of this tree yet: everything else is built.'
else ifneq ($(shell $(PKG_CONFIG) --exists 'gtk4 >= 4.8 libadwaita-1 >= 1.2' 2>/dev/null && echo yes),yes)
viewer:
	@echo 'GTK 4.8 or libadwaita 1.2 is missing (libadwaita-1-dev): built everything but the viewer.'
else
viewer: $(B)/sysprof $(B)/sysprof-reader translations
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
$(B)/asan/obj/userspace/viewer/resources.o: $(B)/obj/userspace/viewer/resources.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -c -o $@ $<

$(B)/sysprof: $(addprefix $(B)/obj/,$(viewer_objects)) $(B)/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(viewer_libs) $(libs)
$(B)/asan/sysprof: $(addprefix $(B)/asan/obj/,$(viewer_objects)) $(B)/asan/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $^ $(viewer_libs) $(libs)
$(B)/tests/drag: tests/viewer/drag.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(viewer_flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ \
		$< $(viewer_libs)
viewer_tests := $(B)/sysprof $(B)/asan/sysprof $(B)/tests/drag
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

# All that is to be translated, into the template and each language.
pot:
	@packaging/pot $(VERSION) $(B)
	@for file in $(po_files); do msgmerge -q --update --backup=none --no-fuzzy-matching \
		--no-wrap --no-location $$file $(B)/sysprof-trace.pot || exit 1; done

# RUN, RECORD, VM_USER and ACCEL are in the environment, as make puts what it is given there.
vm:
	@tests/vm/profile check
	@KDIR='$(KDIR)' packaging/deps demo
	@$(MAKE) --no-print-directory $(jobs) module cli
	@tests/vm/profile

# Modules that only tests load.

test-modules: module
	@$(MAKE) -s --no-print-directory -C module SOURCE=$(CURDIR)/tests/vm/modules \
		OUT=$(CURDIR)/$(B)/modules $(if $(KDIR),KDIR=$(abspath $(KDIR))) modules

# The whole module once more, with another clock: made by the one test that loads it.
nmi-module:
	@$(MAKE) -s --no-print-directory -C module \
		SOURCE='$(CURDIR)/module $(CURDIR)/tests/vm/nmi' OUT=$(CURDIR)/$(B)/nmi \
		$(if $(KDIR),KDIR=$(abspath $(KDIR))) modules

# What tests need.

tests: $(B)/sysprof-reader test-modules static $(viewer_tests) $(unit_tests) $(tsan_tests) \
	$(fuzz_tests) $(generators) $(workloads) $(workload_libs) $(preload_check) \
	$(workloads_nofp) $(B)/bench/bench-unwind $(B)/unwind-raw $(B)/agree

# A reader that was taken over.
$(B)/asan/test-confine: | $(B)/tests/evil-reader
$(B)/tests/evil-reader: tests/unit/evil-reader.c $(B)/libspt.a Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) -Wl,--wrap=spt_place_table_write $(CPPFLAGS) $(CFLAGS) -MMD \
		-MP -MF $@.d -o $@ $< $(B)/libspt.a $(libs)

$(unit_tests): $(B)/asan/%: tests/unit/%.c
$(fuzz_tests): $(B)/asan/%: tests/fuzz/%.c
$(unit_tests) $(fuzz_tests): $(B)/asan/libspt.a Makefile
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -MMD -MP -MF $@.d -o $@ \
		$(filter tests/%.c,$^) $(B)/asan/libspt.a $(libs)

# Parts of the module in user space, with as much of a kernel as they need.
ring_flags := -Itests/unit/kernel-shim -Imodule -I$(B)/gen
$(B)/asan/test-ring $(B)/asan/test-ring-model $(B)/asan/test-walk $(B)/asan/test-budget \
	$(B)/asan/test-memo \
	$(tsan_tests): flags += $(ring_flags)
$(B)/asan/test-ring-model: | $(B)/gen/ring-mutants.h
$(B)/gen/ring-mutants.h: module/ring.c module/ring-write.h tests/unit/ring-mutants
	@mkdir -p $(@D)
	$(call say,GEN)tests/unit/ring-mutants module/ring.c module/ring-write.h >$@
$(tsan_tests): $(B)/tsan/%-races: tests/unit/%.c Makefile | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -fsanitize=thread -MMD -MP -MF $@.d -o \
		$@ $< $(libs)

$(generators): $(B)/tests/%: tests/gen/%.c $(B)/libspt.a Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)

# Their frames are what truth tests look for: every function keeps its frame and its place on the
# stack.
workload_flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -O2 -g -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls \
	-Imodule/uapi -Iuserspace/include -pthread

$(workloads): $(B)/workloads/%: tests/vm/workloads/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -MMD -MP -MF $@.d -o $@ $< -ldl

# What it allocates and frees at once stays.
$(B)/workloads/allocates: workload_flags += -fno-builtin

$(workloads_nofp): $(B)/workloads/nofp-%: tests/vm/workloads/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -fomit-frame-pointer -MMD -MP -MF $@.d -o $@ $< -ldl

$(workload_libs): $(B)/workloads/%.so: tests/vm/workloads/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -fPIC -shared -MMD -MP -MF $@.d -o $@ $<

# Tests: packages first, then what they run, then all of them counted together.  tests/table says
# which runs where.  With TESTS no more is built than these need.

check_in = $(if $(filter check-all,$@),check check-all,check)
check check-all:
	@packaging/deps check
	@needs='all tests'; [ -z '$(TESTS)' ] || \
		needs=$$(TESTS='$(TESTS)' tests/list --needs $(check_in)) && \
		$(MAKE) --no-print-directory $(jobs) $$needs
	@TESTS='$(TESTS)' tests/run $(check_in)

check_kinds := lint abi unit cli viewer vm
.PHONY: $(check_kinds:%=check-%) $(check_kinds:%=needs-%) needs-unit-data
$(check_kinds:%=check-%): check-%: needs-%
	@TESTS='$(TESTS)' tests/run $*
lint: check-lint

needs-abi:
needs-lint: module cli manual $(B)/tests/gen-capture $(B)/tests/gen-import
needs-unit-data: $(B)/sysprof-reader $(generators)
needs-unit: needs-unit-data $(unit_tests) $(tsan_tests) $(fuzz_tests)
needs-cli: viewer module cli opener static manual $(generators) $(workloads) $(workload_libs) \
	$(preload_check) \
	$(workloads_nofp) $(B)/bench/bench-unwind
needs-viewer: viewer $(viewer_tests) $(generators)
needs-vm: module cli opener static manual $(generators) $(workloads) $(workload_libs) \
	$(workloads_nofp) $(B)/agree

# Slow, and it fetches kernels and compilers: not a part of check.
check-kernels: cli $(workloads) $(workload_libs) $(workloads_nofp) $(B)/unwind-raw $(B)/agree
	@packaging/deps check
	@packaging/deps kernels
	@tests/vm/check-kernels $(KERNELS)
check-debug-kernel: cli $(workloads) $(workload_libs) $(workloads_nofp) $(B)/agree
	@packaging/deps check
	@packaging/deps kernels
	@tests/vm/check-debug-kernel $(KERNELS)

# Packages on fresh Debian systems; as root.
check-packages: deb
	@tests/packages/debian $(SUITES)

# A program without libraries in roots that have none; as root.
check-static: static
	@packaging/deps static
	@tests/packages/static $(SUITES)

# The firmware, too, is emulated: minutes.
check-secure-boot: module static
	@packaging/deps secure-boot
	@tests/vm/secure-boot

check-stranger: cli module $(workloads)
	PART=all tests/vm/47-stranger.test

check-recorder: cli module $(workloads)
	tests/cli/killed.py 100 perf
	CHILDREN=2000 tests/cli/test-source-perf.sh
	CHILDREN=2000 ROUNDS=100 tests/vm/45-recorder.test

demo:
	@echo 'Sysprof is built (a minute or two), then a virtual machine records and shows a real job.'
	@KDIR='$(KDIR)' packaging/deps demo
	@$(MAKE) --no-print-directory $(jobs) module cli $(B)/workloads/fixed
	@tests/vm/demo $(if $(KDIR),--kernel $(abspath $(KDIR)))

screenshots: viewer
	@tests/viewer/screenshots '$(or $(CAPTURE),$(B)/demo/demo.capture)' $(B)/screenshots

bench: bench-userspace
bench-symbols: cli $(generators)
	@tests/bench/symbols $(FILES)
bench-userspace: cli $(generators)
	@tests/bench/run
bench-memory: cli $(B)/workloads/allocates $(B)/bench/bench-rings
	@tests/bench/memory
bench-viewer: cli viewer $(generators)
	@tests/bench/viewer

# Each fuzz driver, ROUNDS mutations (a million) of each of its seeds; others with another SEED.
fuzz: $(fuzz_tests) $(generators)
	@ROUNDS='$(or $(ROUNDS),1000000)' SEED='$(SEED)' LIMIT=14400 tests/run $(fuzz_tests)

# What sampling costs, in instructions of an emulated machine.
bench_programs := $(B)/bench/work $(B)/bench/drain
$(bench_programs): $(B)/bench/%: tests/bench/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -static -o $@ $<
bench-module: module cli $(bench_programs)
	@tests/bench/module
	@tests/bench/touched

# What a machine without this library had on its stacks.
$(B)/unwind-raw $(B)/agree: $(B)/%: tests/vm/%.c $(B)/libspt.a Makefile
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)

# Stacks without frame pointers: the same as libdwfl's, and how fast.
$(B)/bench/bench-unwind $(B)/bench/bench-rings: $(B)/bench/%: tests/bench/%.c $(B)/libspt.a Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)
$(B)/bench/bench-walk: tests/bench/bench-walk.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(ring_flags) -Itests/unit $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF \
		$@.d -o $@ $<
.PHONY: bench-unwind
bench-unwind: $(B)/bench/bench-unwind $(B)/bench/bench-walk module cli $(bench_programs)
	@tests/bench/unwind

# install puts all parts there, install-PART one of them; so does uninstall.
install_with := DESTDIR='$(DESTDIR)' prefix='$(prefix)' libdir='$(libdir)' program='$(program)' \
	zsh='$(zsh)' packages='$(packages)' libs='$(other_libs)' VERSION='$(VERSION)' \
	packaging/install
install: module cli viewer manual
	@$(install_with) install
install-userspace: cli viewer manual
install-module: module
install-devel: lib
install-polkit: opener
install-userspace install-module install-udev install-seat install-polkit install-devel \
	install-dkms-source:
	@$(install_with) install $(@:install-%=%)
uninstall:
	@$(install_with) uninstall
uninstall-userspace uninstall-module uninstall-udev uninstall-seat uninstall-polkit uninstall-devel:
	@$(install_with) uninstall $(@:uninstall-%=%)
dkms-install:
	@$(install_with) install dkms
dkms-remove:
	@$(install_with) uninstall dkms

# The module for a kernel of one's choice and all programs, for systems with a read-only /usr.
kver := $(or $(KVER),$(shell uname -r))
sysext: cli static viewer manual
	@$(MAKE) --no-print-directory -C module OUT=$(CURDIR)/$(B)/sysext/module \
		VERSION_SYSPROF=$(VERSION) \
		KDIR=$(abspath $(or $(KDIR),$(firstword $(wildcard /lib/modules/$(kver)/build /usr/src/linux-headers-$(kver)))))
	@VERSION='$(VERSION)' packaging/sysext $(kver) $(B)/sysext/module/sysprof.ko $(B)

release: static
	@packaging/release $(VERSION) $(B) $(if $(TAG),--tag)
dist:
	@packaging/dist $(VERSION) $(B)
rpm:
	@packaging/dist $(VERSION) $(B)/rpm/SOURCES
	@rpmbuild -ba $(RPMFLAGS) --define '_topdir $(CURDIR)/$(B)/rpm' \
		packaging/rpm/sysprof-trace.spec
	@rpmbuild -bs $(RPMFLAGS) --define '_topdir $(CURDIR)/$(B)/rpm' \
		packaging/rpm/sysprof-trace-kmod.spec
deb:
	@packaging/deps deb
	@packaging/deb $(VERSION) $(B)

clean:
	rm -rf $(B)

-include $(shell [ -d $(B) ] && find $(B) -name '*.d' -type f -not -path '$(B)/module/*' -not -path '$(B)/deb/*')

# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tests and measurements need, and how they run: a part of the Makefile.

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
workloads_nofp := $(addprefix $(B)/workloads/nofp-,plunge recursion shares stacks twist)

.PHONY: vm workloads test-modules nmi-module tests demo bench-module check check-all check-recorder \
	check-stranger check-kernels check-debug-kernel check-packages check-static \
	check-secure-boot lint bench bench-userspace bench-symbols bench-memory bench-viewer \
	bench-marks bench-counters fuzz screenshots bench-unwind

help::
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
	@echo '                  bench-memory: what record --memory costs a program, beside heaptrack; bench-marks: a mark; bench-counters: --counters'
	@echo '                  bench-unwind: stacks without frame pointers, by perf events and in the module; bench-viewer: the first picture, what frames and recording cost'
	@echo 'make screenshots   each view of the viewer, in all looks, to build/screenshots [CAPTURE=file, else that of make demo]'
	@echo 'make fuzz         a million mutated captures, and as many unwind tables, ELF files and others that names come from [ROUNDS=n SEED=n]'

# What is tested finds its own errors of memory.
$(B)/asan/obj/%.o: %.c Makefile tests/tests.mk | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -MMD -MP -c -o $@ $<

$(B)/asan/obj/%.pb-c.o: $(B)/gen/%.pb-c.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -c -o $@ $<

ifneq ($(filter x86_64 aarch64,$(preload_for)),)
preload_check := $(B)/tests/libspt-memory-check.so $(B)/tests/libspt-memory-trap.so
endif
# Counts what it sees beside the rings, and compares each stack with libgcc's.  The second one also
# ends a program at behaviour that C does not define.  (The address sanitizer is not ready yet when
# the loader makes the first calls of malloc().)
$(B)/tests/libspt-memory-trap.so: preload_flags += -fsanitize=undefined \
	-fsanitize-undefined-trap-on-error
$(B)/tests/libspt-memory-check.so $(B)/tests/libspt-memory-trap.so: $(memory_sources) $(preload_headers) \
	Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(preload_flags) -DSPT_CHECK $(CFLAGS) $(LDFLAGS) -shared -nostdlib \
		-Wl,-z,now -o $@ $(memory_sources)

ifneq ($(viewer_objects),)
$(B)/asan/obj/userspace/viewer/resources.o: $(B)/obj/userspace/viewer/resources.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -c -o $@ $<
$(B)/asan/sysprof: $(addprefix $(B)/asan/obj/,$(viewer_objects)) $(B)/asan/libspt.a
	$(call say,LD)$(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $^ $(viewer_libs) $(libs)
$(B)/tests/drag: tests/viewer/drag.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(viewer_flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ \
		$< $(viewer_libs)
viewer_tests := $(B)/sysprof $(B)/asan/sysprof $(B)/tests/drag
endif

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

tests: $(B)/sysprof-helper test-modules static $(viewer_tests) $(unit_tests) $(tsan_tests) \
	$(fuzz_tests) $(generators) $(workloads) $(workload_libs) $(preload_check) \
	$(workloads_nofp) $(B)/bench/bench-unwind $(B)/bench/bench-rings $(B)/unwind-raw $(B)/agree

# A reader that was taken over.
$(B)/asan/test-confine: | $(B)/tests/evil-helper
$(B)/tests/evil-helper: tests/unit/evil-helper.c $(B)/libspt.a Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) -Wl,--wrap=spt_place_table_write $(CPPFLAGS) $(CFLAGS) -MMD \
		-MP -MF $@.d -o $@ $< $(B)/libspt.a $(libs)

# A program that has an interpreter in it.
$(B)/asan/test-interpreters: | $(B)/workloads/script-states

$(unit_tests): $(B)/asan/%: tests/unit/%.c
$(fuzz_tests): $(B)/asan/%: tests/fuzz/%.c
$(unit_tests) $(fuzz_tests): $(B)/asan/libspt.a Makefile tests/tests.mk
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(sanitize) -MMD -MP -MF $@.d -o $@ \
		$(filter tests/%.c,$^) $(B)/asan/libspt.a $(libs)

# Parts of the module in user space, with as much of a kernel as they need.  What they are linked with
# is no part of it.
ring_flags := -Itests/unit/kernel-shim -Imodule -Imodule/sources -I$(B)/gen
$(B)/asan/test-ring $(B)/asan/test-ring-model $(B)/asan/test-walk $(B)/asan/test-budget \
	$(B)/asan/test-memo $(B)/asan/test-chains $(B)/asan/test-splice \
	$(B)/asan/test-chain-recall \
	$(B)/asan/test-interpreters $(B)/asan/test-thread-chain $(B)/asan/test-raw \
	$(B)/asan/test-threads $(B)/asan/test-interrupts $(B)/asan/test-lane-buffer \
	$(tsan_tests): private flags += $(ring_flags)
# A variable of its threads is found by name.
$(B)/asan/test-thread-chain: private flags += -rdynamic
$(B)/asan/test-ring-model: | $(B)/gen/ring-mutants.h
$(B)/gen/ring-mutants.h: module/ring.c module/ring-write.h tests/unit/ring-mutants
	@mkdir -p $(@D)
	$(call say,GEN)tests/unit/ring-mutants module/ring.c module/ring-write.h >$@
$(tsan_tests): $(B)/tsan/%-races: tests/unit/%.c Makefile tests/tests.mk | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -fsanitize=thread -MMD -MP -MF $@.d -o \
		$@ $< $(libs)

$(generators): $(B)/tests/%: tests/gen/%.c $(B)/libspt.a Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)

# Their frames are what truth tests look for: every function keeps its frame and its place on the
# stack.
workload_flags := -std=gnu11 -D_GNU_SOURCE $(warnings) -O2 -g -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls \
	-Imodule/uapi -Iuserspace/include -pthread

$(workloads): $(B)/workloads/%: tests/vm/workloads/%.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -MMD -MP -MF $@.d -o $@ $< -ldl

# Of another processor's, too: tests/vm/arm64-programs.
workloads: $(workloads) $(workload_libs) $(workloads_nofp)

# What it allocates and frees at once stays.
$(B)/workloads/allocates $(B)/workloads/awaits: workload_flags += -fno-builtin

$(workloads_nofp): $(B)/workloads/nofp-%: tests/vm/workloads/%.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -fomit-frame-pointer -MMD -MP -MF $@.d -o $@ $< -ldl

$(workload_libs): $(B)/workloads/%.so: tests/vm/workloads/%.c Makefile tests/tests.mk
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
needs-unit-data: $(B)/sysprof-helper $(generators)
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
	@tests/bench/judge tests/bench/run
bench-memory: cli $(B)/workloads/allocates $(B)/bench/bench-rings
	@tests/bench/memory
bench-marks: cli
	@tests/bench/marks
bench-counters: cli
	@tests/bench/counters
bench-viewer: cli viewer $(generators)
	@tests/bench/viewer

# Each fuzz driver, ROUNDS mutations (a million) of each of its seeds; others with another SEED.
fuzz: $(fuzz_tests) $(generators)
	@ROUNDS='$(or $(ROUNDS),1000000)' SEED='$(SEED)' LIMIT=14400 tests/run $(fuzz_tests)

# What sampling costs, in instructions of an emulated machine.
bench_programs := $(B)/bench/work $(B)/bench/drain
$(bench_programs): $(B)/bench/%: tests/bench/%.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(workload_flags) -static -o $@ $<
bench-module: module cli $(bench_programs)
	@tests/bench/judge tests/bench/module
	@tests/bench/touched

# What a machine without this library had on its stacks.
$(B)/unwind-raw $(B)/agree: $(B)/%: tests/vm/%.c $(B)/libspt.a Makefile tests/tests.mk
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)

# Stacks without frame pointers: the same as libdwfl's, and how fast.
$(B)/bench/bench-unwind $(B)/bench/bench-rings: $(B)/bench/%: tests/bench/%.c \
	$(B)/libspt.a Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
		$(B)/libspt.a $(libs)
$(B)/bench/bench-walk: tests/bench/bench-walk.c Makefile tests/tests.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) $(ring_flags) -Itests/unit $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF \
		$@.d -o $@ $<
bench-unwind: $(B)/bench/bench-unwind $(B)/bench/bench-walk module cli $(bench_programs)
	@tests/bench/unwind

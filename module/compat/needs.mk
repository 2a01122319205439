# SPDX-License-Identifier: GPL-2.0-only
#
# What a kernel must be and have, read by Kbuild: without it the build ends here, in one sentence.  (dkms.conf says the same for
# those DKMS need not try.)  Where no configuration is read, as for "clean", nothing is asked.

sysprof-needs := KPROBES TRACEPOINTS KALLSYMS PERF_EVENTS HIGH_RES_TIMERS STACKTRACE

ifdef CONFIG_MODULES
ifeq ($(shell [ $(VERSION) -lt 5 ] || [ $(VERSION) = 5 -a $(PATCHLEVEL) -lt 10 ] && echo old),old)
$(error sysprof needs Linux 5.10 or later, this is $(VERSION).$(PATCHLEVEL))
endif
ifeq ($(CONFIG_X86_64)$(CONFIG_ARM64),)
$(error sysprof needs an x86_64 or arm64 kernel: it cannot walk the stacks of another)
endif
sysprof-lacks := $(foreach option,$(sysprof-needs),$(if $(CONFIG_$(option)),,CONFIG_$(option)))
ifneq ($(strip $(sysprof-lacks)),)
$(error sysprof needs a kernel with $(strip $(sysprof-lacks)), which this one was built without)
endif
endif

# SPDX-License-Identifier: GPL-2.0-or-later
#
# Included by the Makefile: what the agent needs besides protobuf-c.  It loads these libraries when
# it begins; to build it only their headers are needed.

has_agent := $(if $(has_pprof),$(shell $(PKG_CONFIG) --exists libcurl libmicrohttpd 2>/dev/null && \
	echo 1))
flags += $(if $(has_agent),-DSPT_HAS_AGENT $(shell $(PKG_CONFIG) --cflags libcurl libmicrohttpd))

.PHONY: agent-libraries
cli: agent-libraries
agent-libraries:
ifeq ($(has_agent),)
	@echo 'libcurl, libmicrohttpd or protobuf-c is not here (libcurl4-gnutls-dev, libmicrohttpd-dev): there is no agent, everything else is built.'
endif

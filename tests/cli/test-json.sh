#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What --json prints, held against userspace/cli/json.schema.json, and what userspace/cli/json.md
# says holds.

cd "$(dirname "$0")/../.." || exit 1
CLI=${CLI:-$PWD/build/sysprof-cli} GEN_CAPTURE=${GEN_CAPTURE:-$PWD/build/tests/gen-capture} exec \
	python3 -B tests/cli/json-documents.py

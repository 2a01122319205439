#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every text of the viewer, and what the library says when something fails, can be translated, every
# file that has some is named where they are looked for, and the translations that are here are
# whole.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

named()
{
	grep -v '^#' userspace/po/POTFILES | LC_ALL=C sort
}

have_texts()
{
	{
		ls userspace/data/*.desktop userspace/data/*.metainfo.xml
		grep -lE \
			'\b((_|N_|ngettext|spt_words|SPT_WORDS)\("|(spt_set_error|([a-rt-z][a-z_]*_)?(damaged|fail|refuse))\([a-z>-]*(error|writer|parser),)|\bspt_set_error\($' -r userspace/viewer userspace/lib \
			--include='*.[ch]'
		grep -l 'translatable="yes"' -r userspace/viewer --include='*.ui'
	} | LC_ALL=C sort
}

# What is seen says whether it is to be translated.
unmarked()
{
	grep -nE \
		'<(property name="(label|tooltip-text|title|placeholder-text|text)"|attribute name="label"|item)>[^<]' userspace/viewer/*.ui |
		grep -v '>Sysprof<'
	grep -nE \
		'(gtk_label_set_text|gtk_accessible_update_property|gtk_widget_set_tooltip_text|spt_table_new|set_title|empty_text)\(.*[ (,]"[A-Za-z]' \
		userspace/viewer/*.c | grep -vE '(_|ngettext)\("'
}

# Failures of the library go through spt_set_error().
unheard()
{
	grep -lPz '\bg_(set_error|error_new)\((?![^;]*spt_words\()' -r userspace/lib --include='*.c'
}

result "POTFILES names the files that have texts" "$(diff <(named) <(have_texts) | grep '^[<>]')"
result "texts are marked" "$(unmarked)"
result "failures can be translated" "$(unheard)"
packaging/pot 0 "$work" >"$work/said" 2>&1
result "texts can be taken out" "$(cat "$work/said")"
for file in userspace/po/*.po; do
	language=$(basename "$file" .po)
	result "$language: well-formed" "$(msgfmt --check -o /dev/null "$file" 2>&1)"
	result "$language: whole, and of today's texts (make pot)" "$(msgcmp "$file" \
		"$work/sysprof-trace.pot" 2>&1)"
done
result "LINGUAS names the languages" "$(diff <(grep -v '^#' userspace/po/LINGUAS) <(basename -s \
	.po userspace/po/*.po) | grep '^[<>]')"
finish

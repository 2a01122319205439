#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the man pages and the completions say is what --help says, and the pages are well-formed.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
cli=build/sysprof-cli
manual=build/manual
commands=$("$cli" --help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')

# Options as words, "--name" and "-n", from each of the places.
of_help()
{
	"$@" --help | grep -oE '^  (-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '-[a-z-]+|-[A-Z]' |
		sort -u
}

of_page()
{
	sed -n '/^\.TP$/{n;p}' "$1" | grep -oE '^\\fB\\-.*' | sed 's/\\-/-/g; s/=.*//' |
		grep -oE 'fB-[A-Za-z-]+' | sed 's/^fB//' | sort -u
}

of_bash()
{
	bash --norc --noprofile -c '
		compopt() { :; }
		source '"$manual"'/bash
		COMP_WORDS=(sysprof-cli "$1" -) COMP_CWORD=2
		_sysprof_cli
		printf "%s\n" "${COMPREPLY[@]%=}"' - "$1" | sort -u
}

of_zsh()
{
	awk -v command="$1" '$0 == "\t" command ")" { on = 1; next } on && /;;$/ { exit } on' \
		"$manual/zsh" |
		sed "s/\[.*//" | grep -oE -- "--?[a-zA-Z][a-z-]*" | grep -v '^-s$' | sort -u
}

of_fish()
{
	grep -F "__fish_seen_subcommand_from $1\"" "$manual/fish" | sed "s/ -d '.*//" |
		grep -oE -- ' -l [a-z-]+| -s [A-Za-z]' |
		sed 's/ -l /--/; s/ -s /-/' | sort -u
}

pages()
{
	local page

	for page in "$manual"/*.[1-9]; do
		mandoc -Tlint -W warning "$page" 2>&1
		LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null
	done
}

# Names of commands in each of the lists.
lists()
{
	local command

	for command in $commands; do
		grep -q "^\\\\fB$command\\\\fR\$" "$manual/sysprof-cli.1" ||
			echo "sysprof-cli.1 lacks $command"
		grep -q "^		'$command:" "$manual/zsh" || echo "zsh lacks $command"
		grep -q -- "-a $command -d" "$manual/fish" || echo "fish lacks $command"
		grep -qE "compgen -W '([a-z]+ )*$command " "$manual/bash" ||
			echo "bash lacks $command"
	done
	[ "$(ls "$manual"/sysprof-cli-*.1 | wc -l)" = "$(wc -w <<<"$commands")" ] ||
		echo "there are other pages than commands"
}

[ -n "$commands" ] && [ -e "$manual/made" ] || { echo \
	"Bail out! build/manual is not made; run 'make manual'"; exit 1; }
for command in $commands; do
	help=$(of_help "$cli" "$command")
	for place in bash zsh fish; do
		result "$command: --help and the completion of $place have the same options" \
			"$(diff <(echo "$help") <("of_$place" "$command"))"
	done
	result "$command: --help and the man page have the same options" "$(diff <(echo "$help") \
		<(of_page "$manual/sysprof-cli-$command.1"))"
done
result "each command has a page and is in every list" "$(lists)"
[ ! -x build/sysprof ] ||
	result "sysprof: --help and the man page have the same options" "$(diff <(of_help \
	build/sysprof) <(of_page "$manual/sysprof.1"))"
# An option whose value is optional, and is never the next word: in all the places.
optional()
{
	local table=$'fly\t\t\t\t\tFly\nfly\twaits\t\toptional\tall|TIME\tWait'

	mkdir -p build/lint/optional
	packaging/manual 0 build/lint/optional <<<"$table"
	grep -qxF '\fB\-\-waits\fR[=\fIall|TIME\fR]' build/lint/optional/sysprof-cli-fly.1 ||
		echo "the page is wrong"
	packaging/completion bash <<<"$table" | grep -qE 'words="(.* )?--waits --waits=.*' ||
		echo "bash is wrong"
	packaging/completion bash <<<"$table" | grep -qE 'values=".*waits' &&
		echo "bash takes the next word"
	packaging/completion zsh <<<"$table" | grep -qF -- "'*--waits=-[Wait]::all|TIME: '" ||
		echo "zsh is wrong"
	packaging/completion fish <<<"$table" | grep -qF -- "-l waits -d 'Wait'" ||
		echo "fish is wrong"
	rm -rf build/lint/optional
}

# Options that texts name, and commands in examples of pages.  Others belong to other programs.
named()
{
	local others='help|version|list-options|help-all|help-gapplication|perf-basic-prof|perf-prof|now'
	local page

	others+='|all-cpus|call-graph|children|no-children|stdio|kernel-only|host|import|show-location|switch-events|talk-name'
	# Of linkers, compilers and node.
	others+="|cpu-prof|symbol-ordering-file|no-warn-symbol-ordering|unsymbolized-profile|use-offset|binary|unix-socket|output|max-inlined-bytecode-size"
	for page in userspace/data/man/*.man packaging/*.md userspace/data/messages/* README.md NEWS \
		userspace/cli/json.md; do
		sed '/^\\fBperf/d; s/\\-/-/g' "$page" | grep -oE -- '--[a-z][a-z-]+' |
			sed 's/^--//' | sort -u | grep -vxE "$others" |
			grep -vxFf <("$cli" --list-options | cut -f 2) | sed "s|^|$page: --|"
	done
}

understood()
{
	awk 'FNR == 1 { on = 0 } /^\.nf/ { on = 1; next } /^\.fi/ { on = 0 } on' \
		userspace/data/man/*.man | sed 's/\\-/-/g; s/^\$ //; s/^sudo //; s/ -- .*//; s/ |.*//' |
		grep '^sysprof-cli ' | sort -u | while read -r line; do
		sh -c "\"\$0\" ${line#sysprof-cli } --help" "$cli" >/dev/null 2>build/lint/understood ||
			{ echo "$line:"; cat build/lint/understood; }
	done
}

result "options that pages name are there" "$(named)"
result "commands in examples of pages are understood" "$(understood)"
result "an option whose value may be left out" "$(optional)"
result "mandoc and groff find the pages well-formed" "$(pages)"
result "bash parses its completion" "$(bash -n "$manual/bash" 2>&1)"
finish

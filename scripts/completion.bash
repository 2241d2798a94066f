# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# completion.bash - commands and options of stackproof for bash; `make install` puts it where bash looks
#
# It asks the program itself (help, COMMAND --help), so that it never lags behind. Behind "--" stands another command.

_stackproof() {
	local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} word i words
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$(stackproof help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -W "$words help --help --version" -- "$current"))
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[ "$word" != -- ] || { COMPREPLY=($(compgen -c -f -- "$current")) && return; }
	done
	case $command:$current in
	help:*) words=$(stackproof help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p') ;;
	*:-*) words=$(stackproof "$command" --help 2>/dev/null |
		sed -n 's/^ *\(-[a-zA-Z?], \)\{0,1\}\(--[a-z-]\{1,\}\).*/\2/p') ;;
	kernels:* | emulators:*) words='list fetch' ;;
	golden:*) words='check update pack unpack remove' ;;
	cc:*)
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -c -f -- "$current"))
		return
		;;
	*)
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -f -- "$current"))
		return
		;;
	esac
	# shellcheck disable=SC2207
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _stackproof stackproof

#compdef stackproof
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# completion.zsh - commands and options of stackproof for zsh; `make install` puts it where zsh looks
#
# It asks the program itself (help, COMMAND --help), so that it never lags behind. Behind "--" stands another command.

local -a words_there
local command=${words[2]}

if (( CURRENT == 2 )); then
	words_there=(${(f)"$(stackproof help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  *\(.*\)/\1:\2/p')"} 'help:explains a command')
	_describe command words_there
	return
fi
if (( ${words[(i)--]} < CURRENT )); then
	_files
	_command_names
	return
fi
case $command:${words[CURRENT]} in
help:*) words_there=(${(f)"$(stackproof help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  *\(.*\)/\1:\2/p')"}) ;;
*:-*) words_there=(${(f)"$(stackproof $command --help 2>/dev/null | sed -n 's/^ *\(-[a-zA-Z?], \)\{0,1\}\(--[a-z-]\{1,\}\).*/\2/p')"}) ;;
kernels:*|emulators:*) words_there=(list fetch) ;;
golden:*) words_there=(check update pack unpack remove) ;;
cc:*)
	_files
	_command_names
	return
	;;
*)
	_files
	return
	;;
esac
_describe word words_there

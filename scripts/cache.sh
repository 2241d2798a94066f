# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=sh
#
# cache.sh - $roots: the folder of the roots; sourced by roots, in-root and corpus-rules
#
# The cache is where harness/guests/vm/cache.c has it: $STACKPROOF_CACHE, else $XDG_CACHE_HOME/stackproof if that is absolute, else
# ~/.cache/stackproof. Without a home there is none, and so no root is found in it; whoever would make one must ask.
# in-root is called for each file that make builds: nothing here may start a program.

# shellcheck disable=SC2034 # what this file is for
case ${STACKPROOF_CACHE:+own}${XDG_CACHE_HOME-} in
own*) roots=$STACKPROOF_CACHE/roots ;;
/*) roots=$XDG_CACHE_HOME/stackproof/roots ;;
*) roots=${HOME-}/.cache/stackproof/roots ;;
esac

# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=sh
#
# kernels.sh - the kernels that can be had, and a guest of each; sourced by check-kernels and check-replay
#
#	stackproof=PROGRAM logs=FOLDER
#	. scripts/kernels.sh
#	archive_read			what the archive holds into FOLDER/archive, empty if that can't be known
#	kernels_default			every series, and SERIES.oldest of those in OLDEST ("5.10 6.1 6.12 7.0"; may be empty)
#	kernel_level NAME		"6.12.90" of "6.12.oldest"; other names as they are; "" if there is none
#	kernels_each FUNCTION NAME...	FUNCTION NAME for each, JOBS at a time (as many as there are CPUs, 4 at most)
#
# FUNCTION runs in a shell of its own: what it has to say goes into files.

archive=${logs:?}/archive

archive_read() {
	if ! "${stackproof:?}" kernels list --all >"$archive" 2>"$archive.log"; then
		echo "${0##*/}: no list of the archive's kernels: $(cat "$archive.log")" >&2
		: >"$archive"
	fi
	# What is said of a list that isn't whole.
	[ ! -s "$archive" ] || cat "$archive.log" >&2
}

kernels_default() {
	[ -s "$archive" ] || return 0
	"$stackproof" kernels list | cut -d ' ' -f 1
	for series in ${OLDEST-5.10 6.1 6.12 7.0}; do
		echo "$series.oldest"
	done
}

kernel_level() {
	if [ "${1%.oldest}" = "$1" ]; then
		echo "$1"
	else
		awk -v series="${1%.oldest}." 'index($1, series) == 1 { print $1; exit }' "$archive"
	fi
}

kernels_each() {
	each=$1 running=0 jobs=${JOBS:-$(nproc)}
	shift
	[ -n "${JOBS:-}" ] || [ "$jobs" -le 4 ] || jobs=4
	for kernel; do
		"$each" "$kernel" &
		running=$((running + 1))
		[ $((running % jobs)) -ne 0 ] || wait
	done
	wait
}

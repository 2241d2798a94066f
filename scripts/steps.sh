# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=sh
#
# steps.sh - run programs one after the other and add up what they say; sourced by check and check-toolchains
#
#	logs=FOLDER shown=+1
#	. scripts/steps.sh
#	step SECONDS NAME COMMAND [ARG...]
#	steps_each SECONDS PROGRAM...
#	steps_end
#
# steps_each: a step of each program ROOM/tests/PROGRAM, JOBS (the CPUs) at a time.
#
# Each is run to its end whatever the others did, into FOLDER/NAME.log, and has one line while it goes. Of a step that
# failed the log is shown (all of it, or if shown=60 its last 60 lines), and at the end its name and the lines that
# say why once more: a log that was cut short shows its end. The last line, alone, is
#
#	N passed, N failed, N skipped
#
# What is counted: the totals line of libcheck ("100%: Checks: 14, Failures: 0, Errors: 0"), or else
# the last line of the output that begins as the closing line above; "N errors" are failures. A program
# that says neither counts as one test, by its status. One that fails (or dies) without a failure to its name
# counts as one failure more, so a crash after the totals is never lost.

# A test that hangs ends late rather than that a busy machine fails one (libcheck's variable).
export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-4}"
# libcheck's own, of cases that name none, is 4 seconds: less than some take on a machine that is busy.
export CK_DEFAULT_TIMEOUT="${CK_DEFAULT_TIMEOUT:-60}"

mkdir -p "${logs:?}" || exit 1
: >"$logs/totals" || exit 1
: >"$logs/problems" || exit 1
: >"$logs/failed" || exit 1

# The counts of one log, given the status of what wrote it: "PASSED FAILED SKIPPED".
count() {
	awk -v status="$2" '
		match($0, /Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/) {
			split(substr($0, RSTART, RLENGTH), n, /[^0-9]+/)
			passed += n[2] - n[3] - n[4]; failed += n[3] + n[4]; counted = 1
		}
		/^([a-z]+: )?[0-9]+ passed, / {
			said = 1; last_passed = last_failed = last_skipped = 0
			words = split($0, word, /[,; ]+/)
			for (i = 1; i < words; i++) {
				if (word[i + 1] == "passed") last_passed = word[i]
				if (word[i + 1] ~ /^(failed|errors?)$/) last_failed += word[i]
				if (word[i + 1] == "skipped") last_skipped = word[i]
			}
		}
		END {
			if (said && !counted) {
				passed = last_passed; failed = last_failed; skipped = last_skipped
			} else if (!counted) {
				passed = status == 0; skipped = status == 77; failed = !passed && !skipped
			}
			if (status != 0 && status != 77 && !failed)
				failed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$1"
}

# What a log says of failures: libcheck's, lines that begin with the word, fuzzing's, and the list of
# cells in what `run` prints.
reasons() {
	awk '
		/:[FE]:/ || /^(not ok|FAIL|failed |broken promise|while this was replayed)/ ||
			/(ERROR: |runtime error: )/ || / (crash|leak|hang|memory|ended with status [0-9]+)$/ ||
			/^  (replay|base64): / || in_list && /^  / { print; next }
		{ in_list = /^(Failed|Errors)/ }' "$1"
}

# A step that hangs fails. `run` draws its progress where somebody looks. Status: 1 if it failed.
step() {
	limit=$1 name=$2 status=0
	log=$logs/$name.log
	shift 2
	begin=$(date +%s)
	if [ -t 2 ] && [ "$name" = run ]; then
		timeout -k 10 "$limit" "$@" </dev/null >"$log" || status=$?
	else
		timeout -k 10 "$limit" "$@" </dev/null >"$log" 2>&1 || status=$?
	fi
	counts=$(count "$log" "$status")
	echo "$counts" >>"$logs/totals"
	# shellcheck disable=SC2086 # three numbers
	set -- $counts
	printf '%-36s %5d passed %5d failed %5d skipped %5d s\n' "$name" "$1" "$2" "$3" $(($(date +%s) - begin))
	[ "$2" -gt 0 ] || return 0
	tail -n "${shown:?}" "$log"
	[ "$status" -ne 124 ] || echo "$name: still running after $limit s"
	echo "$name: status $status, all of its output is in $log"
	echo "$name ($2)" >>"$logs/failed"
	reasons=$(
		echo "$name:"
		reasons "$log" | cut -c 1-300 | head -n 40
		[ "$status" -ne 124 ] || echo "still running after $limit s"
	)
	echo "$reasons" >>"$logs/problems"
	return 1
}

# Whoever makes a program's folder first runs it. Two folders have programs of one name: "room.test_it".
steps_lane() {
	limit_each=$1
	shift
	for program; do
		room=${program%/tests/*}
		name=${room##*/}.${program##*/}
		mkdir "$taken/$name" 2>/dev/null || continue
		step "$limit_each" "$name" "$program"
	done
}

steps_each() {
	taken=$(mktemp -d) || exit 1
	lanes=${JOBS:-$(nproc 2>/dev/null || echo 1)}
	while [ "$lanes" -gt 0 ]; do
		steps_lane "$@" &
		lanes=$((lanes - 1))
	done
	wait
	rm -rf "$taken"
}

# Status: 1 if any step failed.
steps_end() {
	[ ! -s "$logs/failed" ] || echo "failed: $(paste -sd , "$logs/failed" | sed 's/,/, /g')"
	head -n 40 "$logs/problems"
	awk '{ passed += $1; failed += $2; skipped += $3 }
		END {
			printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
			exit failed > 0
		}' "$logs/totals"
}

# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# words.sh - how often each word of a file is in it, by bash alone: associative arrays, a function, patterns
declare -A count

add() {
	local word=${1//[^A-Za-z]/}
	[[ -n $word ]] && ((count[${word,,}]++))
}

lines=0
while read -r -a words; do
	((++lines > 4)) && break
	for word in "${words[@]}"; do add "$word"; done
done <"$1"
for word in "${!count[@]}"; do
	if ((count[$word] > 1)); then printf '%s %d\n' "$word" "${count[$word]}"; fi
done

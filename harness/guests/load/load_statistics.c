/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_statistics.c - reading the verifier's log
 *
 * Asked for with BPF_LOG_STATS (kernel/bpf/verifier.c, since Linux 5.2; the flag is not in the
 * UAPI headers) the log ends with
 *
 *	verification time 1184 usec
 *	stack depth 40+0+96
 *	processed 5121 insns (limit 1000000) max_states_per_insn 4 total_states 210 peak_states 200 ...
 *
 * for a program that is accepted and for one that is refused. Linux 7.2 says "40+0+96 max 136", the
 * most that lies on the stack at once, and "insns processed" by function; 7.3 a line of each
 * function instead:
 *
 *	stack depth max 136
 *	subprog 0 (step_loop) main insns_self 130 insns_total 5416 stack 40
 *
 * Before them stands why it was refused. Newer kernels add fields, and lines, so only known words
 * are looked for.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "load.h"

#define TAIL_LINES 12
/* Far above the last helper there is (212, and no more are added); below what libbpf puts for a
 * relocation that failed (0xbad2310). */
#define HELPER_MAX 10000

/* The number behind word in the line (length bytes), 0 if it isn't there. Word ends in a blank. */
static uint64_t number_after(const char *line, size_t length, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i + size < length; i++) {
		bool whole = !i || line[i - 1] == ' ' || *word == ' ';

		if (whole && !memcmp(line + i, word, size) &&
		    isdigit((unsigned char)line[i + size]))
			return strtoull(line + i + size, NULL, 10);
	}
	return 0;
}

static bool begins(const char *line, size_t length, const char *word)
{
	return length >= strlen(word) && !memcmp(line, word, strlen(word));
}

static const char *next_line(const char *line, size_t *ret_length)
{
	*ret_length = strcspn(line, "\n");
	return line + *ret_length + (line[*ret_length] == '\n');
}

/* "40+0+96", and the most at once. */
static void take_stack(const char *line, size_t length, struct load_statistics *ret)
{
	size_t start = strlen("stack depth "), size = strspn(line + start, "0123456789+");

	ret->stack_most = number_after(line, length, " max ");
	if (size >= sizeof(ret->stack))
		size = sizeof(ret->stack) - 1;
	memcpy(ret->stack, line + start, size);
	ret->stack[size] = '\0';
}

/* One function's stack, as take_stack() would have it. */
static void add_stack(const char *line, size_t length, struct load_statistics *ret)
{
	size_t used = strlen(ret->stack);

	/* What it would cut is left out: a sum of parts of numbers is none. */
	if (used + 24 < sizeof(ret->stack))
		snprintf(ret->stack + used, sizeof(ret->stack) - used, "%s%" PRIu64,
			 used ? "+" : "", number_after(line, length, " stack "));
}

int load_statistics_parse(const char *log, struct load_statistics *ret)
{
	bool found = false;
	size_t length;

	*ret = (struct load_statistics) { 0 };
	for (const char *line = log, *next; *line; line = next) {
		next = next_line(line, &length);
		if (begins(line, length, "verification time ")) {
			ret->verify_ns = number_after(line, length, "time ") * 1000;
		} else if (begins(line, length, "stack depth ")) {
			take_stack(line, length, ret);
		} else if (begins(line, length, "subprog ")) {
			add_stack(line, length, ret);
		} else if (begins(line, length, "processed ") &&
			   number_after(line, length, "processed ")) {
			found = true;
			ret->instructions = number_after(line, length, "processed ");
			ret->total_states = number_after(line, length, "total_states ");
			ret->peak_states = number_after(line, length, "peak_states ");
		}
	}
	return found ? 0 : -1;
}

uint64_t load_stack_bytes(const char *stack)
{
	uint64_t sum = 0;

	while (isdigit((unsigned char)*stack)) {
		char *end;

		sum += strtoull(stack, &end, 10);
		stack = *end == '+' ? end + 1 : end;
	}
	return sum;
}

static bool is_statistics(const char *line, size_t length)
{
	static const char *const word[] = { "verification time ", "stack depth ", "subprog ",
					    "insns processed ", "processed " };

	return ARRAY_ANY(ARRAY_COUNT(word), i, begins(line, length, word[i])) || !length;
}

/* "arg#0 reference type('UNKNOWN ') size cannot be determined: -22" is said of each function of a program that
 * takes a void pointer, and refuses nothing where more is said behind it. */
static bool is_note(const char *line)
{
	size_t length = strcspn(line, "\n");

	return begins(line, length, "arg#") && memmem(line, length, "size cannot be determined",
						      strlen("size cannot be determined"));
}

void load_log_tail(const char *log, char *ret, size_t size)
{
	const char *kept[TAIL_LINES], *next;
	size_t count = 0, used = 0, length;

	for (const char *line = log; *line; line = next) {
		next = next_line(line, &length);
		if (is_statistics(line, length))
			continue;
		if (count && is_note(kept[(count - 1) % TAIL_LINES]))
			count--;
		kept[count++ % TAIL_LINES] = line;
	}
	*ret = '\0';
	for (size_t i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++) {
		const char *line = kept[i % TAIL_LINES];

		next_line(line, &length);
		/* The last lines say why: if there is no room for all, the first ones go. */
		while (used + length + 2 > size && used) {
			size_t first = strcspn(ret, "\n") + 1;

			first = first < used ? first : used;
			memmove(ret, ret + first, used - first);
			used -= first;
		}
		if (length + 2 > size)
			length = size - 2;
		if (used)
			ret[used++] = '\n';
		memcpy(ret + used, line, length);
		used += length;
		ret[used] = '\0';
	}
}

int load_log_helper(const char *log)
{
	const char *at = strstr(log, "invalid func "), *number;
	unsigned long helper;

	number = at ? at + strcspn(at, "#\n") : "";
	if (*number != '#' || !isdigit((unsigned char)number[1]))
		return -1;
	helper = strtoul(number + 1, NULL, 10);
	return helper && helper <= HELPER_MAX ? (int)helper : -1;
}

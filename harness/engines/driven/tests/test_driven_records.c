/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_driven_records.c - which record answers a stop, and what it says
 *
 * A case is a run in words: a record of a thread, "7:1000,2000" (the innermost PC first); a stop at which nothing is
 * asked, "pass 7:1000"; and one that is, "7@1000=1000,2000 complete", with the stack that must come of it, or what is
 * counted instead. Stacks by number are kept in a map of this test.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "engines/driven/driven.h"

#define PCS_MAX 8

/* ---- a map of stacks ---------------------------------------------------------------------- */

static struct {
	bool there;
	uint32_t count;
	uint64_t pc[PCS_MAX];
} map[8];

void driven_object_drop(struct driven_object *object, uint32_t id)
{
	map[id].there = false;
}

int driven_object_stack(struct driven_object *object, uint32_t id, uint64_t *ret, uint32_t capacity)
{
	if (!map[id].there)
		return -1;
	memcpy(ret, map[id].pc, map[id].count * sizeof(*ret));
	driven_object_drop(object, id);
	return (int)map[id].count;
}

/* ---- records ------------------------------------------------------------------------------ */

enum form { BY_COUNT, BY_BYTES, BY_NUMBER, FORMS };

static const struct driven_layout layouts[FORMS] = {
	{ .tid = { 1, 4 }, .count = { 5, 1 }, .complete = { 6, 1 }, .pcs = { 7, 8 } },
	{ .tid = { 1, 4 }, .bytes = { 5, 2 }, .pcs = { 7, 8 } },
	{ .tid = { 1, 4 }, .stack = { 5, 4 } },
};

static uint32_t read_pcs(const char *text, uint64_t *ret)
{
	uint32_t count = 0;

	for (char *end; *text && *text != ' '; text = *end == ',' ? end + 1 : end) {
		ck_assert_uint_lt(count, PCS_MAX);
		ret[count++] = strtoull(text, &end, 16);
		ck_assert_msg(end != text, "%s", text);
	}
	return count;
}

/* "7:1000,2000"; with "!" behind it the walk says that it is complete, with "-" the last byte is missing, with "+"
 * a frame. */
static void send(struct driven_records *records, enum form form, const char *text)
{
	uint8_t record[7 + PCS_MAX * 8] = { 0xaa };
	static uint32_t id;
	uint64_t pc[PCS_MAX];
	char *pcs, copy[80];
	uint32_t tid, count;
	size_t size;
	int16_t bytes;

	snprintf(copy, sizeof(copy), "%s", text);
	tid = (uint32_t)strtoul(copy, &pcs, 10);
	size = strcspn(copy, "!-+");
	copy[size] = '\0';
	count = read_pcs(pcs + 1, pc);
	memcpy(record + 1, &tid, 4);
	memcpy(record + 7, pc, count * 8);
	size = 7 + count * 8 - (text[size] == '-');
	record[5] = (uint8_t)(count + !!strchr(text, '+'));
	record[6] = strchr(text, '!') != NULL;
	if (form == BY_BYTES) {
		bytes = (int16_t)(record[5] * 8);
		memcpy(record + 5, &bytes, 2);
	}
	if (form == BY_NUMBER) {
		id = (id + 1) % 8;
		map[id].there = true;
		map[id].count = count;
		memcpy(map[id].pc, pc, sizeof(pc));
		memcpy(record + 5, &id, 4);
		size = 9 - !!strchr(text, '-');
	}
	driven_records_add(records, record, size);
}

static void print_counts(char *ret, size_t size, const struct driven_counts *counts)
{
	snprintf(ret, size, "%s%s%s%s", counts->none ? "none" : "", counts->stale ? "stale" : "",
		 counts->malformed ? "malformed" : "", counts->lost ? "lost" : "");
}

/* "7@1000=1000,2000 complete" */
static void ask(struct driven_records *records, const char *name, const char *text)
{
	struct stack stack = { 0 };
	struct error error;
	char *at, is[120] = "";
	pid_t tid = (pid_t)strtol(text, &at, 10);
	uint64_t pc = strtoull(at + 1, &at, 16);
	int status;

	*driven_records_counts(records) = (struct driven_counts) { 0 };
	status = driven_records_take(records, tid, pc, &stack, &error);
	ck_assert_int_ge(status, 0);
	if (status)
		print_counts(is, sizeof(is), driven_records_counts(records));
	else
		for (uint32_t i = 0; i < stack.count; i++)
			sprintf(is + strlen(is), "%s%lx", i ? "," : "", (unsigned long)stack.pc[i]);
	if (!status && stack.stop == STOP_COMPLETE)
		strcat(is, " complete");
	ck_assert_msg(!strcmp(is, at + 1), "%s: %s: %s", name, text, is);
	stack_deinit(&stack);
}

static const struct {
	const char *name, *run; /* words apart by "; " */
	unsigned int forms;	/* 1 << form */
} cases[] = {
	{ "a stack", "7:1000,2000; 7@1000=1000,2000", 1 << BY_COUNT },
	{ "one that is complete", "7:1000,2000!; 7@1000=1000,2000 complete", 1 << BY_COUNT },
	{ "no sign is no doubt", "7:1000,2000; 7@1000=1000,2000 complete",
	  1 << BY_BYTES | 1 << BY_NUMBER },
	{ "no frames", "7:; 7@1000=", 1 << BY_COUNT | 1 << BY_BYTES },
	{ "no record", "7@1000=none", ~0u },
	{ "another thread's", "8:1000; 7@1000=none", ~0u },
	{ "once", "7:1000,2000!; 7@1000=1000,2000 complete; 7@1000=none", ~0u },
	{ "the latest", "7:1000,2000!; 7:1001,2000!; 7@1001=1001,2000 complete", ~0u },
	{ "each thread's", "7:1000,2000!; 8:3000!; 7@1000=1000,2000 complete; 8@3000=3000 complete",
	  ~0u },
	{ "what was passed is over", "7:1000!; pass 7:1000; 7@1002=none", ~0u },
	{ "another's is not", "7:1000!; pass 8:1000; 7@1000=1000 complete", ~0u },
	{ "where the stop before was", "7:1000!; 7@1000=1000 complete; 7:1000!; 7@1002=stale",
	  ~0u },
	{ "and where one was passed", "7:1000!; pass 7:1000; 7:1000!; 7@1002=stale", ~0u },
	{ "which may be the same place",
	  "7:1000!; 7@1000=1000 complete; 7:1000!; 7@1000=1000 complete", ~0u },
	{ "a wrong innermost frame is the walk's",
	  "7:1000!; 7@1000=1000 complete; 7:5000!; 7@1002=5000 complete", ~0u },
	{ "the kernel's frames", "7:ffffffff81000000,8000000000000000,1000!; 7@1000=1000 complete",
	  ~0u },
	{ "nothing but the kernel's", "7:ffffffff81000000!; 7@1000=", ~0u },
	{ "kernel addresses behind are the walk's",
	  "7:1000,ffffffff81000000!; 7@1000=1000,ffffffff81000000 complete", ~0u },
	{ "cut off", "7:1000-; 7@1000=malformed", ~0u },
	{ "more frames than bytes", "7:1000,2000+; 7@1000=malformed",
	  1 << BY_COUNT | 1 << BY_BYTES },
};

START_TEST(records_answer_stops)
{
	for (enum form form = BY_COUNT; form < FORMS; form++) {
		struct driven_records *records = driven_records_create(&layouts[form]);
		char *copy = strdup(cases[_i].run), *rest = copy, *word;

		memset(map, 0, sizeof(map));
		while (cases[_i].forms & 1u << form && (word = strsep(&rest, ";"))) {
			word += strspn(word, " ");
			if (!strncmp(word, "pass ", 5))
				driven_records_pass(records, atoi(word + 5),
						    strtoull(strchr(word, ':') + 1, NULL, 16));
			else if (strchr(word, '@'))
				ask(records, cases[_i].name, word);
			else
				send(records, form, word);
		}
		/* What isn't wanted any more is in no map. */
		for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
			ck_assert_msg(!map[i].there || strstr(cases[_i].name, "another") ||
					      strstr(cases[_i].name, "cut off"),
				      "%s: stack %zu", cases[_i].name, i);
		free(copy);
		driven_records_destroy(records);
	}
}
END_TEST

/* Two threads with one stack: whoever is asked first has it. */
START_TEST(a_stack_that_another_took_is_lost)
{
	struct driven_records *records = driven_records_create(&layouts[BY_NUMBER]);
	const uint8_t first[9] = { 0, 7, 0, 0, 0, 3 }, second[9] = { 0, 8, 0, 0, 0, 3 },
		      failed[9] = { 0, 9, 0, 0, 0, 0xf2, 0xff, 0xff, 0xff };

	map[3].there = true;
	map[3].count = 1;
	map[3].pc[0] = 0x1000;
	driven_records_add(records, first, sizeof(first));
	driven_records_add(records, second, sizeof(second));
	driven_records_add(records, failed, sizeof(failed));
	ask(records, "first", "7@1000=1000 complete");
	ask(records, "second", "8@1000=lost");
	ask(records, "the helper failed", "9@1000=");
	driven_records_forget(records);
	ask(records, "forgotten", "9@1000=none");
	driven_records_destroy(records);
}
END_TEST

SUITE(driven_records, LOOP(records_answer_stops, cases), TEST(a_stack_that_another_took_is_lost))

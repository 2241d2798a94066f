/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_fixture.h - what is known before an instruction, and a row, as a line of text
 *
 * A state begins as a call leaves it; the line says what is different, and is what is said of one:
 *
 *	rbx=V		 the register holds V
 *	[A]=V		 the word at A does		bare	no word is known: not even the return address
 *	touched=-24..-8	 from the CFA			bases	words of bases were touched
 *	escaped=rbx	 stored nobody knows where	lost	there were more words
 *	unlisted=other	 words that are in no list were written; unlisted=argument
 *	aligned=b9:c-24&-32  base, address, mask		saved	only what was saved is kept
 *	fresh=[A]	 others can't have changed the word	stale=[A]	on some paths alone
 *	down, either	 the direction flag		new, both  the thread
 *	forget		 the last word is none any more: what it was is still behind the others
 *	compared=rax,5	 the last comparison, with a number; rax,rcx; [A],5
 *
 * V is c-8 (the CFA less 8), rbx+8 (what it held at the entry), ra, b9+8 (a base), 5, ? (unknown), ! (another),
 * !fragment, !argument, !again, !clone, or of jump tables 0..7*4 (an index), t4@4096:7 (an entry), j4@4096:7 (a target). < before
 * the last three: compared; before ?, ! and a base: raised. * before an address: read from where others may have changed it; ~: on some ways. A row is as row_print() has it.
 */
#ifndef STACKPROOF_FLOW_FIXTURE_H
#define STACKPROOF_FLOW_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/flow/flow_row.h"

static inline struct value value_read(const char *text)
{
	struct value ret = { .kind = VALUE_UNKNOWN };
	char name[8] = "", kind, sign = 0;
	unsigned int bound = 0, scale = 1;
	bool compared = *text == '<', back = *text == '*' || *text == '~';
	const char *at = text + (compared || back);

	if (!strcmp(at, "?")) {
		ret.raised = compared;
		return ret;
	}
	if (*at == '!') {
		ret.kind = VALUE_OTHER;
		ret.raised = compared;
		ret.scale = !strcmp(at, "!part")       ? VALUE_PART_KEPT
			    : !strcmp(at, "!argument") ? VALUE_PART_ARGUMENT
			    : !strcmp(at, "!again")    ? VALUE_ARGUMENT_AGAIN
						       : VALUE_PART_NONE;
		ret.bound = !strcmp(at, "!clone");
	} else if (sscanf(at, "0..%u*%u", &bound, &scale) >= 1) {
		ret = (struct value) { .kind = VALUE_BOUND,
				       .scale = (uint8_t)scale,
				       .compared = compared,
				       .bound = bound };
	} else if (sscanf(at, "%c%u@%" SCNi64 ":%u", &kind, &scale, &ret.number, &bound) == 4) {
		ret.kind = kind == 't' ? VALUE_OFFSET : VALUE_TARGET;
		ret.scale = (uint8_t)scale;
		ret.compared = compared;
		ret.bound = bound;
	} else if (sscanf(at, "b%u%" SCNi64, &bound, &ret.number) == 2) {
		ret.kind = VALUE_BASE;
		ret.raised = compared;
		ret.bound = bound;
		ret.scale = back ? (*text == '~' ? ADDRESS_EITHER : ADDRESS_CHANGED) : 0;
	} else if (sscanf(at, "c%" SCNi64, &ret.number) == 1) {
		ret.kind = VALUE_CFA;
		ret.scale = back ? (*text == '~' ? ADDRESS_EITHER : ADDRESS_CHANGED) : 0;
	} else if (sscanf(at, "%7[a-z0-9]%c", name, &sign) >= 1 &&
		   (!strcmp(name, "ra") || register_number(name) >= 0)) {
		ret.kind = VALUE_ENTRY;
		ret.reg = strcmp(name, "ra") ? (uint8_t)register_number(name) : REGISTER_RIP;
		ret.number = sign ? strtoll(at + strlen(name), NULL, 0) : 0;
	} else {
		ret.kind = VALUE_CONSTANT;
		ck_assert_msg(sscanf(at, "%" SCNi64, &ret.number) == 1, "%s", text);
	}
	return ret;
}

static inline void value_print(FILE *file, const struct value *value)
{
	static const char *const fragment[] = { "", "part", "argument", "again" };
	const char *mark = value->compared		    ? "<"
			   : value->scale == ADDRESS_EITHER ? "~"
			   : value->scale		    ? "*"
							    : "";

	switch ((enum value_kind)value->kind) {
	case VALUE_UNKNOWN: fprintf(file, value->raised ? "<?" : "?"); break;
	case VALUE_OTHER:
		fprintf(file, "%s!%s", value->raised ? "<" : "",
			value->bound + value->scale > VALUE_ARGUMENT_AGAIN ? "no such"
			: value->bound					   ? "clone"
				       : fragment[value->scale]);
		break;
	case VALUE_CFA: fprintf(file, "%sc%+" PRId64, mark, value->number); break;
	case VALUE_ENTRY:
		fprintf(file, "%s", value->reg == REGISTER_RIP ? "ra" : register_name(value->reg));
		if (value->number)
			fprintf(file, "%+" PRId64, value->number);
		break;
	case VALUE_BASE: fprintf(file, "%sb%u%+" PRId64, mark, value->bound, value->number); break;
	case VALUE_CONSTANT: fprintf(file, "%" PRId64, value->number); break;
	case VALUE_ALIGNED: fprintf(file, "no such"); break;
	case VALUE_BOUND:
		fprintf(file, "%s0..%u*%u", value->compared ? "<" : "", value->bound, value->scale);
		break;
	case VALUE_OFFSET:
	case VALUE_TARGET:
		fprintf(file, "%s%c%u@%" PRId64 ":%u", value->compared ? "<" : "",
			value->kind == VALUE_OFFSET ? 't' : 'j', value->scale, value->number,
			value->bound);
		break;
	}
}

static inline void comparison_read(struct last_comparison *ret, char *left)
{
	char *right = strchr(left, ',');

	ck_assert_ptr_nonnull(right);
	*right++ = '\0';
	*ret = (struct last_comparison) { .valid = true, .of_word = *left == '[' };
	if (ret->of_word) {
		left[strlen(left) - 1] = '\0';
		ret->at = value_read(left + 1);
		ret->reg = CODE_NO_REGISTER;
	} else {
		ret->reg = (uint8_t)register_number(left);
	}
	ret->with_register = register_number(right) >= 0;
	if (ret->with_register)
		ret->source = (uint8_t)register_number(right);
	else
		ret->constant = strtoll(right, NULL, 0);
}

static inline void aligned_read(struct flow_state *state, char *text)
{
	char *mask = strchr(text, '&'), *from = strchr(text, ':');
	struct value at;

	ck_assert_ptr_nonnull(mask);
	ck_assert_ptr_nonnull(from);
	*mask++ = '\0';
	at = value_read(from + 1);
	flow_align_note(state, (uint32_t)strtoul(text + 1, NULL, 0), &at, strtoll(mask, NULL, 0));
}

static inline uint32_t word_bit(const struct flow_state *state, char *text)
{
	struct value at;

	text[strlen(text) - 1] = '\0';
	at = value_read(text + 1);
	for (uint32_t i = 0; i < state->word_count; i++)
		if (value_equal(&state->word[i].at, &at))
			return 1u << i;
	ck_abort_msg("%s: no such word", text);
	return 0;
}

static inline void state_set(struct flow_state *state, char *name, char *text)
{
	char *bracket = strchr(name, ']');

	if (!strcmp(name, "touched")) {
		ck_assert_int_eq(sscanf(text, "%" SCNi64 "..%" SCNi64, &state->touched_begin,
					&state->touched_end),
				 2);
	} else if (!strcmp(name, "unlisted")) {
		state->unlisted = !strcmp(text, "argument") ? FLOW_UNLISTED_ARGUMENT
							    : FLOW_UNLISTED_OTHER;
	} else if (!strcmp(name, "escaped")) {
		state->escaped |= 1u << register_number(text);
	} else if (!strcmp(name, "aligned")) {
		aligned_read(state, text);
	} else if (!strcmp(name, "fresh")) {
		state->fresh |= word_bit(state, text);
	} else if (!strcmp(name, "stale")) {
		state->stale |= word_bit(state, text);
	} else if (!strcmp(name, "compared")) {
		comparison_read(&state->comparison, text);
	} else if (*name == '[') {
		*bracket = '\0';
		ck_assert_uint_lt(state->word_count, FLOW_WORDS_MAX);
		state->word[state->word_count++] = (struct word) { value_read(name + 1),
								   value_read(text) };
	} else {
		ck_assert_msg(register_number(name) >= 0, "%s", name);
		state->reg[register_number(name)] = value_read(text);
	}
}

static inline void state_read(struct flow_state *state, const char *text)
{
	char *copy = strdup(text), *rest = copy, *fragment, *equals;

	flow_state_enter(state);
	while ((fragment = strsep(&rest, " "))) {
		equals = strchr(fragment, '=');
		if (equals) {
			*equals = '\0';
			state_set(state, fragment, equals + 1);
		} else if (!strcmp(fragment, "bare")) {
			state->word_count = 0;
		} else if (!strcmp(fragment, "forget")) {
			state->word_count--;
		} else if (!strcmp(fragment, "down") || !strcmp(fragment, "either")) {
			state->direction = *fragment == 'd' ? DIRECTION_DOWN : DIRECTION_UNKNOWN;
		} else if (!strcmp(fragment, "new") || !strcmp(fragment, "both")) {
			state->thread = *fragment == 'n' ? FLOW_THREAD_NEW : FLOW_THREAD_EITHER;
		} else {
			state->bases_touched |= !strcmp(fragment, "bases");
			state->words_lost |= !strcmp(fragment, "lost");
			state->saved_only |= !strcmp(fragment, "saved");
		}
	}
	free(copy);
}

static inline void comparison_print(FILE *file, const struct last_comparison *comparison)
{
	fprintf(file, " compared=");
	if (comparison->of_word) {
		fprintf(file, "[");
		value_print(file, &comparison->at);
		fprintf(file, "]");
	} else {
		fprintf(file, "%s", register_name(comparison->reg));
	}
	if (comparison->with_register)
		fprintf(file, ",%s", register_name(comparison->source));
	else
		fprintf(file, ",%" PRId64, comparison->constant);
}

static inline void bits_print(FILE *file, const struct flow_state *state, const char *name,
			      uint32_t bits)
{
	for (uint32_t i = 0; i < state->word_count; i++)
		if (bits & 1u << i) {
			fprintf(file, " %s=[", name);
			value_print(file, &state->word[i].at);
			fprintf(file, "]");
		}
}

static inline void marks_print(FILE *file, const struct flow_state *state)
{
	if (state->touched_begin != state->touched_end)
		fprintf(file, " touched=%" PRId64 "..%" PRId64, state->touched_begin,
			state->touched_end);
	for (unsigned int i = 0; i < 32; i++)
		if (state->escaped & 1u << i)
			fprintf(file, " escaped=%s", register_name(i));
	if (state->unlisted)
		fprintf(file, " unlisted=%s",
			state->unlisted == FLOW_UNLISTED_ARGUMENT ? "argument" : "other");
	if (state->direction != DIRECTION_UP)
		fprintf(file, state->direction == DIRECTION_DOWN ? " down" : " either");
	if (state->thread != FLOW_THREAD_NONE)
		fprintf(file, state->thread == FLOW_THREAD_NEW ? " new" : " both");
	bits_print(file, state, "fresh", state->fresh);
	bits_print(file, state, "stale", state->stale);
	fprintf(file, "%s%s%s", state->bases_touched ? " bases" : "",
		state->words_lost ? " lost" : "", state->saved_only ? " saved" : "");
}

static inline void aligned_print(FILE *file, const struct word *word)
{
	struct value from = word->value;

	from.scale = 0;
	from.compared = false;
	fprintf(file, " aligned=b%u:", word->at.bound);
	value_print(file, &from);
	if (from.kind != VALUE_UNKNOWN)
		fprintf(file, "&%s%" PRId64, word->value.compared ? "" : "about",
			-((int64_t)1 << word->value.reg));
}

/* The caller's. */
static inline char *state_text(const struct flow_state *state)
{
	struct flow_state entry;
	uint32_t same = 0;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	flow_state_enter(&entry);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		if (value_equal(&state->reg[i], &entry.reg[i]))
			continue;
		fprintf(file, " %s=", register_name(i));
		value_print(file, &state->reg[i]);
	}
	if (state->word_count && !memcmp(&state->word[0], &entry.word[0], sizeof(entry.word[0])))
		same = 1;
	else
		fprintf(file, " bare");
	for (uint32_t i = same; i < state->word_count; i++) {
		if (state->word[i].at.kind == VALUE_ALIGNED) {
			aligned_print(file, &state->word[i]);
			continue;
		}
		fprintf(file, " [");
		value_print(file, &state->word[i].at);
		fprintf(file, "]=");
		value_print(file, &state->word[i].value);
	}
	marks_print(file, state);
	if (state->comparison.valid)
		comparison_print(file, &state->comparison);
	fclose(file);
	memmove(text, text + (*text == ' '), strlen(text) + (*text != ' '));
	return text;
}

static inline void state_expect(const char *rule, const struct flow_state *state,
				const char *expected)
{
	char *text = state_text(state);

	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nexpected:\n%s", rule, text, expected);
	free(text);
}

/* A word held what a register held at the entry, and doesn't any more: that was counted. */
static inline void check_writes(const char *rule, const struct flow_state *before,
				const struct flow_state *after)
{
	bool same = true;

	for (uint32_t i = 0; i < before->word_count; i++) {
		const struct word *word = &before->word[i];
		const struct value *value = flow_word_find(after, &word->at);

		same &= word->value.kind != VALUE_ENTRY ||
			(value && value_equal(value, &word->value));
	}
	ck_assert_msg(same || before->word_writes != after->word_writes, "%s: not counted", rule);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_paths_fixture.h - all paths through a function in assembly, as a text
 *
 * A case is the body of a function f, and marks that say what its world is like:
 *
 *	silent		f has no rows		knows		what never returns is known by its code
 *	go, ocaml	conventions		program		a process begins at f
 *	crossing		other frames' fragments are followed	crossing=left are asked for, and not followed
 *	enters		g is entered with the return address moved
 *	pops=N		g, and what is computed, is strange and pops N bytes (?: nobody knows how many)
 *	perhaps=N, others=N  whose the code is from f's byte N on, if only calls that may not come back lead there
 *
 * Said are its blocks (flow_fixture.h), each with one instruction that leads there, but not the first if it is as the
 * function was entered; what else is known of the function, and its fragments, if they are not one; what its callbacks were told, each once; and the paths that are wrong. Addresses count from f; in
 * states they have 1000000 more, and numbers are smaller than f's address.
 */
#ifndef STACKPROOF_FLOW_WAYS_FIXTURE_H
#define STACKPROOF_FLOW_WAYS_FIXTURE_H

#include <check.h>
#include <stdarg.h>
#include "flow_fixture.h"
#include "flow_world_fixture.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_paths.h"

#define FAR 1000000

struct ways_case {
	const char *rule, *marks, *assembly, *expected;
};

/* One at a time. */
static struct ways {
	struct followed followed;
	const char *marks;
	uint64_t g; /* the symbol's address, or 0 */
	char told[1000];
} ways;

static inline const char *mark_find(const char *name)
{
	const char *at = strstr(ways.marks, name);

	return at ? at + strlen(name) : NULL;
}

static inline int64_t from_f(uint64_t pc)
{
	return (int64_t)(pc - ways.followed.flow.function);
}

/* Once each. */
__attribute__((format(printf, 1, 2))) static inline void tell(const char *format, ...)
{
	char line[100];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (!strstr(ways.told, line))
		strncat(ways.told, line, sizeof(ways.told) - strlen(ways.told) - 1);
}

static inline void tell_uncovered(void *context, uint64_t pc, uint64_t from)
{
	ck_assert_ptr_eq(context, &ways);
	tell("uncovered %+" PRId64 " from %+" PRId64 "\n", from_f(pc), from_f(from));
}

static inline void tell_called(void *context, const struct cfi_fde *fde, uint64_t pc, uint64_t from)
{
	ck_assert_ptr_eq(context, &ways);
	ck_assert(flow_has(&ways.followed.flow, from));
	if (pc == fde->pc_begin)
		tell("called %+" PRId64 "\n", from_f(pc));
	else
		tell("called %+" PRId64 " from %+" PRId64 "\n", from_f(pc), from_f(from));
}

static inline void tell_tail_called(void *context, uint64_t pc, bool doubtful)
{
	ck_assert_ptr_eq(context, &ways);
	tell("tail-called %+" PRId64 "\n", from_f(pc));
}

static inline void tell_jumped(void *context, const struct flow_state *state)
{
	ck_assert_ptr_eq(context, &ways);
	tell("jumped, entry %d\n", flow_state_is_entry(state));
}

static inline bool ask_crossing(void *context, uint64_t function, uint64_t fragment,
				const struct flow_state *state, bool falls)
{
	ck_assert_ptr_eq(context, &ways);
	ck_assert_uint_eq(function, ways.followed.flow.function);
	tell("%s %+" PRId64 "\n", falls ? "falls" : "crossing", from_f(fragment));
	return !mark_find("crossing=left");
}

static inline enum flow_whose ask_beyond(void *context, uint64_t pc, const struct flow_path *path)
{
	const char *perhaps = mark_find("perhaps="), *others = mark_find("others=");

	ck_assert_ptr_eq(context, &ways);
	ck_assert(path->weak);
	if (others && from_f(pc) >= atoi(others))
		return FLOW_ANOTHERS;
	return perhaps && from_f(pc) >= atoi(perhaps) ? FLOW_PERHAPS_OWN : FLOW_OWN;
}

static inline bool ask_strange(void *context, uint64_t callee, uint32_t *ret_callee_pop)
{
	const char *callee_pop = mark_find("pops=");

	ck_assert_ptr_eq(context, &ways);
	*ret_callee_pop = *callee_pop == '?' ? FLOW_CALLEE_POP_UNKNOWN : (uint32_t)atoi(callee_pop);
	return !callee || callee == ways.g;
}

static inline bool ask_enters(void *context, uint64_t pc)
{
	ck_assert_ptr_eq(context, &ways);
	return pc == ways.g;
}

static inline void tell_lead(void *context, const struct flow_lead *lead)
{
	if (lead->kind == FLOW_LEADS_UNCOVERED)
		tell_uncovered(context, lead->pc, lead->from);
	else if (lead->kind == FLOW_LEADS_CALL)
		tell_called(context, lead->fde, lead->pc, lead->from);
	else if (lead->kind == FLOW_LEADS_TAIL_CALL)
		tell_tail_called(context, lead->pc, lead->doubtful);
	else
		tell_jumped(context, lead->state);
}

static inline void ways_init(const struct ways_case *test)
{
	struct flow_world *world = &ways.followed.world;

	ways.marks = test->marks;
	ways.told[0] = '\0';
	followed_init(&ways.followed, test->assembly);
	ways.g = image_symbol_address(world->cfi->image, "g");
	if (mark_find("silent"))
		ck_assert(flow_fragment_silence(ways.followed.flow.fragment[0]));
	if (mark_find("knows")) {
		flow_callees_destroy(world->callees);
		world->callees = flow_callees_create(world->cfi, world->decoder, false);
	}
	world->never_by_code = mark_find("knows");
	world->first = mark_find("program") ? ways.followed.flow.function : 0;
	world->go = mark_find("go");
	world->ocaml = mark_find("ocaml");
	world->leads = tell_lead;
	world->leads_wanted = 1u << FLOW_LEADS_UNCOVERED | 1u << FLOW_LEADS_CALL |
			      1u << FLOW_LEADS_TAIL_CALL | 1u << FLOW_LEADS_JUMP;
	world->crossing = mark_find("crossing") ? ask_crossing : NULL;
	world->fallthrough = mark_find("perhaps=") || mark_find("others=") ? ask_beyond : NULL;
	world->strange = mark_find("pops=") ? ask_strange : NULL;
	world->enters = mark_find("enters") ? ask_enters : NULL;
	world->context = &ways;
}

static inline void ways_deinit(void)
{
	followed_deinit(&ways.followed);
}

/* In all rounds that it takes. */
static inline void ways_follow(void)
{
	struct flow *flow = &ways.followed.flow;

	do {
		for (int round = 0; flow_again(flow, round); round++) {
			flow_restart(flow);
			flow_enter(flow, flow->function, NULL);
			ck_assert_uint_eq(flow->queue_count, 0);
		}
	} while (flow_fallthrough_again(flow));
}

/* An address counts from f. */
static inline void address_shift(struct value *value)
{
	int64_t distance = from_f((uint64_t)value->number);
	bool number = value->kind == VALUE_CONSTANT || value->kind == VALUE_TARGET ||
		      value->kind == VALUE_OFFSET;

	if (number && distance >= 0 && distance < FAR)
		value->number = distance + FAR;
}

static inline void way_state_print(FILE *file, const struct flow_state *known)
{
	struct flow_state state;
	char *text;

	flow_state_copy(&state, known);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		address_shift(&state.reg[i]);
	for (uint32_t i = 0; i < state.word_count; i++)
		address_shift(&state.word[i].value);
	/* What an address is compared with lies elsewhere each time. */
	state.comparison.valid &= state.comparison.constant < FAR;
	text = state_text(&state);
	fprintf(file, "%s%s", *text ? " " : "", text);
	free(text);
}

/* The function's first block, of which nothing needs to be said. */
static inline bool is_as_entered(const struct flow_block *block)
{
	char *text = state_text(&block->state);
	bool ret = !*text && !from_f(block->pc) && !block->from && !block->weak && !block->unsure &&
		   !block->fallthrough && !block->begun_wrong && !block->settled;

	free(text);
	return ret;
}

static inline void blocks_print(FILE *file, const struct flow *flow)
{
	uint64_t last = 0;
	bool begins = false;

	for (size_t n = 0; n < flow->block_count; n++) {
		const struct flow_block *next = NULL;

		for (size_t i = 0; i < flow->block_count; i++) {
			const struct flow_block *block = &flow->block[i];

			if ((!n || block->pc > last) && (!next || block->pc < next->pc))
				next = block;
		}
		ck_assert_ptr_nonnull(next);
		last = next->pc;
		ck_assert(!next->queued);
		if (is_as_entered(next)) {
			begins = true;
			continue;
		}
		begins |= !from_f(next->pc);
		fprintf(file, "%+" PRId64, from_f(next->pc));
		if (next->from)
			fprintf(file, " from %+" PRId64, from_f(next->from));
		fprintf(file, "%s%s%s%s%s:", next->weak ? " weak" : "",
			next->unsure ? " unsure" : "", next->fallthrough ? " beyond" : "",
			next->begun_wrong ? " wrong" : "", next->settled ? " settled" : "");
		way_state_print(file, &next->state);
		fputc('\n', file);
	}
	if (!begins)
		fputs("nothing at +0\n", file);
}

/* Once nothing changes any more. */
static inline void function_print(FILE *file, const struct flow *flow, uint32_t arguments)
{
	const struct {
		bool it;
		const char *name;
	} known[] = { { flow->found.has_return, "has_return" },
		      { flow->found.has_tail_call, "has_tail_call" },
		      { flow->found.tail_calls_well, "tail_calls_well" },
		      { flow->found.breaks_convention, "breaks_convention" },
		      { flow->found.returns_elsewhere, "returns_elsewhere" },
		      { flow->found.returned_to, "returned_to" },
		      { flow->found.returns_well, "returns_well" },
		      { flow->found.returns_unknown, "returns_unknown" },
		      { flow->found.pops, "pops" },
		      { flow->found.returns, "returns" },
		      { flow->found.jump_unknown, "jump_unknown" },
		      { flow->found.jump_unread, "jump_unread" },
		      { flow->found.is_handler, "is_handler" },
		      { flow->round.guessed_end, "guessed_end" },
		      { flow->found.too_large, "too_large" } };

	const long begin = ftell(file);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].it)
			fprintf(file, "%s ", known[i].name);
	if (flow->found.callee_pop)
		fprintf(file, "popped=%d ", (int)flow->found.callee_pop);
	for (unsigned int i = 0; i < 32; i++)
		if (arguments & 1u << i)
			fprintf(file, "by=%s ", register_name(i));
	for (size_t i = 0; i < flow->behind_call_count; i++) {
		fprintf(file, "behind=%+" PRId64 " ", from_f(flow->behind_call[i].pc));
		if (flow->behind_call[i].callee)
			fprintf(file, "callee=%+" PRId64 " ", from_f(flow->behind_call[i].callee));
	}
	for (size_t i = 0; i < flow->unread.count; i++)
		fprintf(file, "unread=%+" PRId64 " ", from_f(flow->unread.jump[i].pc));
	for (size_t i = 0; i < flow->unread.back_count; i++)
		fprintf(file, "back=%+" PRId64 " ", from_f(flow->unread.back[i]));
	for (size_t i = 0; i < flow->after.count; i++) {
		fprintf(file, "beyond=%+" PRId64 "%s", from_f(flow->after.code[i].pc),
			flow->after.code[i].own ? ",own" : "");
		if (flow->after.code[i].before)
			fprintf(file, ",%+" PRId64,
				from_f(flow->after.code[flow->after.code[i].before - 1].pc));
		fputc(' ', file);
	}
	if (flow->after.rounds)
		fprintf(file, "rounds=%d ", flow->after.rounds);
	ck_assert_uint_eq(flow->behind_call_count, flow->found.calls_not_returning);
	if (flow->fragment_count != 1)
		fprintf(file, "fragments=%zu ", flow->fragment_count);
	if (ftell(file) > begin) {
		fseek(file, -1, SEEK_CUR);
		fputc('\n', file);
	}
	for (size_t i = 0; i < flow->fragment_count; i++)
		ck_assert_uint_eq(flow->fragment[i]->order, i);
}

static inline void edge_print(void *context, const struct flow_edge *edge)
{
	static const char *const faults[] = { "cfa", "return", "not-saved", "overwritten", "lost" };

	ck_assert_ptr_eq(edge->fragment, flow_known_fragment(&ways.followed.flow, edge->to));
	fprintf(context, "%sedge %+" PRId64 " to %+" PRId64 " %s:", edge->weak ? "weak " : "",
		from_f(edge->from), from_f(edge->to), faults[edge->verdict.fault]);
	way_state_print(context, edge->state);
	fputc('\n', context);
}

static inline void ways_check(const struct ways_case *test)
{
	struct flow *flow = &ways.followed.flow;
	struct flow_visitor visitor = { .edge = edge_print };
	char *text = NULL, told[sizeof(ways.told)];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	ways_init(test);
	ways_follow();
	strcpy(told, ways.told);
	flow_visit(flow, NULL);
	blocks_print(file, flow);
	function_print(file, flow, flow->found.arguments);
	fputs(told, file);
	visitor.context = file;
	flow_visit(flow, &visitor);
	ck_assert_str_eq(ways.told, told);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	free(text);
	ways_deinit();
}

#endif

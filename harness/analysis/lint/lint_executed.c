/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_executed.c - findings, held against what ran
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_executed.h"
#include "analysis/code/code.h"
#include "base/cli/json_counts.h"
#include "cfi/code_name.h"

/* ==== what ran of a finding ================================================================= */

/*
 * Of each finding it is known whether its instructions ran. If the run was stepped, it is also
 * known whether the row was right then, and so in both directions who is wrong:
 *
 *	finding, the row was wrong		confirmed
 *	finding, the row was right each time	contradicted
 *	proven, the row was wrong		contradicted
 *
 * A row can be right by chance, and that contradicts nobody: a register that was overwritten with
 * what the caller had in it; another path than the one that the finding is about.
 */

#define STACK_REGISTERS (1u << REGISTER_RSP | 1u << REGISTER_RIP)

const char *const lint_outcome_names[LINT_OUTCOME_COUNT] = {
	[LINT_NOT_EXECUTED] = "not_executed",
	[LINT_CONFIRMED] = "confirmed",
	[LINT_CONTRADICTED] = "contradicted",
	[LINT_UNDECIDED] = "undecided",
};

const char *const lint_agreement_names[LINT_AGREEMENT_COUNT] = {
	[LINT_AGREES] = "agrees",
	[LINT_OPEN] = "unproven",
	[LINT_NOT_ASKED] = "assumed",
	[LINT_DENIES] = "contradicted",
};

/* ---- what lint tells ---------------------------------------------------------------------- */

void lint_join_init(struct lint_join *join, const struct executed *executed, const struct cfi *cfi,
		    const char *path)
{
	FREED char *real = realpath(path, NULL);

	*join = (struct lint_join) { .executed = executed, .cfi = cfi };
	join->identity = executed_find_image(executed, cfi->image, real ? real : path,
					     &join->image);
}

void lint_join_deinit(struct lint_join *join)
{
	free(join->judged);
	free(join->open);
	free(join->agreeing);
	free(join->agreed);
}

/* Whether the run had the image. */
static bool lint_join_is_joined(const struct lint_join *join)
{
	return executed_is_file(join->identity);
}

static uint32_t places(const struct lint_join *join, uint64_t begin, uint64_t end,
		       const struct executed_place **ret)
{
	return lint_join_is_joined(join)
		       ? executed_places(join->executed, join->image, begin, end, ret)
		       : 0;
}

static uint32_t faults(const struct lint_join *join, uint64_t begin, uint64_t end,
		       const struct executed_fault **ret)
{
	return lint_join_is_joined(join)
		       ? executed_faults(join->executed, join->image, begin, end, ret)
		       : 0;
}

/* As of struct lint_watch. */
static void lint_join_point(struct lint_join *join, const struct lint_point *point)
{
	const struct executed_place *ignored;

	if (point->agreed && (!join->agreed_count ||
			      join->agreed[join->agreed_count - 1].function != point->function)) {
		if (!ARRAY_ADD(join->agreed, join->agreed_count,
			       (struct lint_agreed) { point->function, point->agreed })) {
			join->no_memory = true;
			return;
		}
	}
	if (point->outcome == FLOW_ROW_MISMATCH ||
	    !places(join, point->pc, point->pc + 1, &ignored))
		return;
	join->no_memory |= !ARRAY_ADD(join->agreeing, join->agreeing_count, point->pc);
}

static void lint_join_judged(struct lint_join *join, uint64_t pc, enum flow_outcome outcome,
			     enum flow_reason reason)
{
	join->no_memory |= !ARRAY_ADD(join->judged, join->judged_count,
				      (struct lint_judged) { pc, outcome, reason });
}

static void lint_join_fde(struct lint_join *join, const struct lint_fde *fde)
{
	if (fde->outcome != FLOW_ROW_UNPROVEN)
		return;
	join->no_memory |= !ARRAY_ADD(join->open, join->open_count, *fde);
}

static void on_finding(void *context, const struct lint_finding *finding)
{
	const struct lint_join *join = context;

	join->others.finding(join->others.context, finding);
}

static void on_point(void *context, const struct lint_point *point)
{
	struct lint_join *join = context;

	lint_join_point(join, point);
	if (join->others.point)
		join->others.point(join->others.context, point);
}

static void on_judged(void *context, uint64_t pc, enum flow_outcome outcome,
		      enum flow_reason reason)
{
	struct lint_join *join = context;

	lint_join_judged(join, pc, outcome, reason);
	if (join->others.judged)
		join->others.judged(join->others.context, pc, outcome, reason);
}

static void on_fde(void *context, const struct lint_fde *fde)
{
	struct lint_join *join = context;

	lint_join_fde(join, fde);
	if (join->others.fde)
		join->others.fde(join->others.context, fde);
}

void lint_join_listen(struct lint_join *join, struct lint_watch *watch)
{
	join->others = *watch;
	*watch = (struct lint_watch) { .finding = on_finding,
				       .point = on_point,
				       .judged = on_judged,
				       .fde = on_fde,
				       .context = join };
}

ARRAY_ORDER(compare_judged, struct lint_judged, pc)

ARRAY_ORDER(compare_fdes, struct lint_fde, begin)

int lint_join_finish(struct lint_join *join, struct error *error)
{
	if (join->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	ARRAY_SORT(join->judged, join->judged_count, compare_judged);
	ARRAY_SORT(join->open, join->open_count, compare_fdes);
	ARRAY_SORT(join->agreeing, join->agreeing_count, array_order_u64);
	return 0;
}

/* The instruction that an address lies in; NULL: none of an FDE that was judged. */
static const struct lint_judged *lint_join_judged_at(const struct lint_join *join, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(join->cfi, pc);
	size_t low = ARRAY_BEFORE(join->judged_count, i, join->judged[i].pc <= pc);

	return fde && low && join->judged[low - 1].pc >= fde->pc_begin &&
			       pc - join->judged[low - 1].pc < CODE_BYTES_MAX
		       ? &join->judged[low - 1]
		       : NULL;
}

/* Why nothing was judged at an address in an FDE: what the FDE came to. */
static enum flow_reason lint_join_why(const struct lint_join *join, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(join->cfi, pc);
	const struct lint_fde key = { .begin = fde ? fde->pc_begin : pc }, *open = NULL;

	if (join->open_count)
		open = bsearch(&key, join->open, join->open_count, sizeof(key), compare_fdes);
	return open ? open->reason : FLOW_REACHED_BY_NONE;
}

/* ---- findings ----------------------------------------------------------------------------- */

/* What ran of a finding. */
struct tally {
	uint64_t points, calls, right, doubted;
	uint64_t wrong, other; /* faults that are the finding's, and others */
	uint32_t varied;
};

/* Of registers that were wrong: those by which the finding is known again. */
static uint32_t wanted_registers(const struct lint_finding *finding)
{
	switch (finding->id) {
	case LINT_NOT_SAVED:
	case LINT_OVERWRITTEN: return 1u << finding->reg;
	default: return STACK_REGISTERS;
	}
}

/* Only what came by the way that the finding is about, if that is known of each point. */
static bool is_its_path(const struct lint_join *join, const struct lint_finding *finding,
			uint64_t from)
{
	return !finding->from || !join->executed->stepped || join->executed->every != 1 ||
	       from == finding->from;
}

static void count(const struct lint_join *join, const struct lint_finding *finding,
		  struct tally *ret)
{
	uint64_t end = finding->pc_end > finding->pc ? finding->pc_end : finding->pc + 1;
	const struct executed_place *place;
	const struct executed_fault *fault;
	uint32_t place_count = places(join, finding->pc, end, &place);
	uint32_t fault_count = faults(join, finding->pc, end, &fault);

	*ret = (struct tally) { .points = 0 };
	for (uint32_t i = 0; i < place_count; i++) {
		if (!is_its_path(join, finding, place[i].from))
			continue;
		ret->points += place[i].points;
		ret->calls += place[i].calls;
		ret->right += place[i].right;
		ret->doubted += place[i].doubted;
		ret->varied |= place[i].varied;
	}
	for (uint32_t i = 0; i < fault_count; i++) {
		if (!is_its_path(join, finding, fault[i].from))
			continue;
		if (fault[i].registers & wanted_registers(finding) &&
		    (fault[i].kind == FAULT_MISSING) == (finding->id == LINT_UNCOVERED))
			ret->wrong += fault[i].count;
		else
			ret->other += fault[i].count;
	}
}

/* Something began inside of the instruction. */
static bool ran_inside(const struct lint_join *join, const struct lint_finding *finding)
{
	const struct executed_place *place;
	uint32_t found = places(join, finding->pc + 1, finding->pc_end, &place);

	return ARRAY_ANY(found, i, place[i].points);
}

static bool has_other_path(const struct lint_join *join, const struct lint_finding *finding)
{
	uint64_t end = finding->pc_end > finding->pc ? finding->pc_end : finding->pc + 1;

	if (finding->from)
		return join->executed->every != 1;
	return ARRAY_ANY(join->agreeing_count, i,
			 join->agreeing[i] >= finding->pc && join->agreeing[i] < end);
}

static enum lint_outcome outcome_of(const struct lint_join *join,
				    const struct lint_finding *finding, const struct tally *tally,
				    const char **ret_because)
{
	bool is_register = finding->id == LINT_NOT_SAVED || finding->id == LINT_OVERWRITTEN;

	*ret_because = NULL;
	/* Of registers stepping looks at those that callees preserve. */
	if (lint_ids[finding->id].is_of_no_stack)
		*ret_because = "not_of_a_stack";
	else if (is_register && !(FLOW_PRESERVED & 1u << finding->reg))
		*ret_because = "not_compared";
	if (*ret_because)
		return tally->points || !finding->pc_end ? LINT_UNDECIDED : LINT_NOT_EXECUTED;
	if (join->executed->recorded && !tally->wrong) {
		*ret_because = "not_known";
		return LINT_UNDECIDED;
	}
	if (!tally->points && !tally->wrong)
		return LINT_NOT_EXECUTED;
	if (finding->id == LINT_UNCOVERED)
		return LINT_CONFIRMED;
	if (finding->id == LINT_ROW_INSIDE)
		return ran_inside(join, finding) ? LINT_CONTRADICTED : LINT_CONFIRMED;
	if (tally->wrong)
		return LINT_CONFIRMED;
	if (tally->right != tally->points || tally->other)
		*ret_because = "doubted";
	else if (has_other_path(join, finding))
		*ret_because = "other_way";
	else if (is_register && !(tally->varied & 1u << finding->reg))
		*ret_because = "same_value";
	return *ret_because ? LINT_UNDECIDED : LINT_CONTRADICTED;
}

void lint_join_finding(struct lint_join *join, const struct lint_finding *finding, json_t *object)
{
	const char *because = NULL;
	enum lint_outcome outcome;
	struct tally tally = { .points = 0 };

	if (!lint_join_is_joined(join) || finding->table)
		return;
	if (finding->pc_end) {
		count(join, finding, &tally);
		/* Who has only recorded what was wrong doesn't know what ran besides. */
		if (tally.wrong || !join->executed->recorded)
			json_object_set_new(
				object, "executed",
				json_boolean(tally.points || tally.calls || tally.wrong));
		if (!join->executed->recorded)
			json_set_count(object, "points", tally.points);
		if (!join->executed->stepped)
			json_set_count(object, "calls", tally.calls);
	}
	if (!join->executed->stepped)
		return;
	outcome = outcome_of(join, finding, &tally, &because);
	join->outcomes[outcome]++;
	json_object_set_new(object, "outcome", json_string(lint_outcome_names[outcome]));
	if (outcome == LINT_UNDECIDED)
		json_object_set_new(object, "because", json_string(because));
	json_set_count(object, "wrong", tally.wrong);
	if (!join->executed->recorded)
		json_set_count(object, "right", tally.right);
}

/* ---- the image ---------------------------------------------------------------------------- */

/* Instructions, or FDEs, that ran. */
struct ran {
	uint64_t all, outcome[FLOW_ROW_MISMATCH + 1], reason[FLOW_REASON_COUNT];
};

static void ran_add(struct ran *ran, enum flow_outcome outcome, uint8_t reason)
{
	ran->all++;
	ran->outcome[outcome]++;
	if (outcome == FLOW_ROW_UNPROVEN && reason < FLOW_REASON_COUNT)
		ran->reason[reason]++;
}

/* limit: where its FDE ends. */
static bool did_run(const struct lint_join *join, size_t number, uint64_t limit,
		    uint64_t *ret_calls)
{
	const struct lint_judged *judged = &join->judged[number];
	uint64_t end = limit - judged->pc < CODE_BYTES_MAX ? limit : judged->pc + CODE_BYTES_MAX;
	const struct executed_place *place;
	uint64_t points = 0, calls = 0;
	uint32_t found;

	if (number + 1 < join->judged_count && join->judged[number + 1].pc < end)
		end = join->judged[number + 1].pc;
	found = places(join, judged->pc, end, &place);
	for (uint32_t i = 0; i < found; i++) {
		points += place[i].pc == judged->pc ? place[i].points : 0;
		calls += place[i].calls;
	}
	*ret_calls += calls != 0;
	return points || calls;
}

/* An FDE is what lint_judge_fde() makes of it. */
static void count_ran(const struct lint_join *join, struct ran *instructions, struct ran *fdes,
		      uint64_t *ret_calls)
{
	size_t at = 0;

	for (size_t i = 0; i < join->cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &join->cfi->fde[join->cfi->by_pc[i]];
		enum flow_outcome worst = FLOW_ROW_PROVEN;
		uint8_t reason = FLOW_REASON_COUNT;
		bool ran = false;

		for (;
		     at < join->judged_count && join->judged[at].pc - fde->pc_begin < fde->pc_range;
		     at++) {
			const struct lint_judged *judged = &join->judged[at];

			if ((enum flow_outcome)judged->outcome > worst)
				worst = (enum flow_outcome)judged->outcome;
			if (reason == FLOW_REASON_COUNT)
				reason = judged->reason;
			if (!did_run(join, at, fde->pc_begin + fde->pc_range, ret_calls))
				continue;
			ran = true;
			ran_add(instructions, (enum flow_outcome)judged->outcome, judged->reason);
		}
		if (ran)
			ran_add(fdes, worst, reason);
	}
}

static void ran_json(const struct ran *ran, const char *what, json_t *object)
{
	static const char *const outcomes[] = { [FLOW_ROW_PROVEN] = "proven",
						[FLOW_ROW_UNPROVEN] = "unproven",
						[FLOW_ROW_MISMATCH] = "mismatch" };
	json_t *sums = json_object(), *reasons = json_object();

	json_set_count(sums, "all", ran->all);
	for (int i = 0; i <= FLOW_ROW_MISMATCH; i++)
		json_set_count(sums, outcomes[i], ran->outcome[i]);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		if (ran->reason[i])
			json_set_count(reasons, lint_reasons[i].name, ran->reason[i]);
	json_object_set_new(sums, "unproven_reasons", reasons);
	json_object_set_new(object, what, sums);
}

/* "executed" of the image's object; of a run that was stepped "confirm" and "stepped", too. */
static void lint_join_counts(const struct lint_join *join, json_t *image)
{
	struct ran instructions = { .all = 0 }, fdes = { .all = 0 };
	uint64_t calls = 0;
	json_t *executed = json_object(), *confirm;

	json_object_set_new(executed, "identity",
			    json_string(executed_identity_name(join->identity)));
	json_object_set_new(image, "executed", executed);
	if (!lint_join_is_joined(join))
		return;
	if (!join->executed->recorded) {
		count_ran(join, &instructions, &fdes, &calls);
		ran_json(&instructions, "instructions", executed);
		ran_json(&fdes, "fdes", executed);
	}
	if (!join->executed->stepped) {
		json_set_count(executed, "call_sites", calls);
		return;
	}
	confirm = json_object();
	for (int i = 0; i < LINT_OUTCOME_COUNT; i++)
		json_set_count(confirm, lint_outcome_names[i], join->outcomes[i]);
	json_object_set_new(image, "confirm", confirm);
	confirm = json_object();
	for (int i = 0; i < LINT_AGREEMENT_COUNT; i++)
		json_set_count(confirm, lint_agreement_names[i], join->agreements[i]);
	json_object_set_new(image, "stepped", confirm);
}

/* ==== rows that were wrong when they ran ==================================================== */

/*
 * Where lint has a finding, or there is no row at all, both agree. Where it could not tell, its
 * reason is said. What it has proven and was wrong all the same is a fault of lint, if it is what
 * lint proves: that the row leads to the caller of code that was called as the psABI has it.
 */

#define NAME_BYTES 512

static uint32_t agreed_of(const struct lint_join *join, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(join->cfi, pc);

	for (size_t i = 0; fde && i < join->agreed_count; i++)
		if (join->agreed[i].function == fde->pc_begin)
			return join->agreed[i].agreed;
	return 0;
}

/* A proof of lint says that there the row leads to the caller, if the code was called as the psABI
 * has it. */
static bool is_denied(const struct lint_join *join, const struct executed_fault *fault)
{
	switch (fault->kind) {
	case FAULT_WRONG:
	case FAULT_MALFORMED:
	case FAULT_MISSING: return true;
	case FAULT_REGISTER: return !fault->lost && fault->registers & ~agreed_of(join, fault->pc);
	default: return false;
	}
}

static enum lint_agreement agreement_of(const struct lint_join *join,
					const struct executed_fault *fault, const char **ret_lint,
					const char **ret_reason)
{
	const struct lint_judged *judged = lint_join_judged_at(join, fault->pc);

	*ret_reason = NULL;
	*ret_lint = "no_row";
	if (!judged && !cfi_fde_find(join->cfi, fault->pc))
		return LINT_AGREES;
	*ret_lint = "unproven";
	*ret_reason = lint_reasons[lint_join_why(join, fault->pc)].name;
	if (!judged)
		return LINT_OPEN;
	*ret_reason = NULL;
	switch ((enum flow_outcome)judged->outcome) {
	case FLOW_ROW_MISMATCH: *ret_lint = "mismatch"; return LINT_AGREES;
	case FLOW_ROW_UNPROVEN:
		*ret_reason = lint_reasons[(enum flow_reason)judged->reason].name;
		return LINT_OPEN;
	case FLOW_ROW_PROVEN: break;
	}
	*ret_lint = "proven";
	return is_denied(join, fault) ? LINT_DENIES : LINT_NOT_ASKED;
}

static json_t *registers_json(uint32_t registers)
{
	json_t *array = json_array();

	for (unsigned int reg = 0; reg <= REGISTER_RIP; reg++)
		if (registers >> reg & 1)
			json_array_append_new(array, json_string(register_name(reg)));
	return array;
}

static bool same_fault(const struct executed_fault *a, const struct executed_fault *b)
{
	return a->pc == b->pc && a->kind == b->kind && a->registers == b->registers &&
	       a->lost == b->lost;
}

/* An object for the stepped run's next fault from *at on, without its place; the caller's: json_decref(). NULL: there
 * are no more. *ret_pc: its place. */
static json_t *lint_join_fault(const struct lint_join *join, uint32_t *at, uint64_t *ret_pc,
			       enum lint_agreement *ret)
{
	const struct executed_fault *fault = NULL;
	uint32_t found = 0;

	if (lint_join_is_joined(join))
		found = executed_faults(join->executed, join->image, 0, UINT64_MAX, &fault);

	while (*at < found) {
		const struct executed_fault *first = &fault[*at];
		const char *lint, *reason;
		uint64_t sum = 0;
		json_t *object;

		for (; *at < found && same_fault(first, &fault[*at]); ++*at)
			sum += fault[*at].count;
		if (!sum)
			continue;
		*ret_pc = first->pc;
		*ret = agreement_of(join, first, &lint, &reason);
		object = json_pack("{s:s, s:s, s:b, s:o, s:I, s:s, s:s}", "type", "lint_stepped",
				   "kind", fault_kind_name(first->kind), "lost", (int)first->lost,
				   "registers", registers_json(first->registers), "count",
				   (json_int_t)sum, "lint", lint, "outcome",
				   lint_agreement_names[*ret]);
		if (reason)
			json_object_set_new(object, "reason", json_string(reason));
		return object;
	}
	return NULL;
}

/* False: --function wants others. */
static bool set_place(json_t *object, const char *function, const struct cfi *cfi, uint64_t pc)
{
	struct code_name name;
	char text[NAME_BYTES];

	code_name_find(cfi->image, cfi, pc, &name);
	code_name_print(&name, text, sizeof(text));
	json_object_set_new(object, "image", json_bytes(cfi->image->path));
	json_set_hex(object, "pc", pc);
	json_object_set_new(object, "function", json_bytes(text));
	json_set_count(object, "offset", (pc - name.start));
	return !function || !fnmatch(function, text, 0);
}

static void set_instruction(json_t *object, struct code_decoder *decoder, const struct cfi *cfi,
			    uint64_t pc)
{
	size_t size;
	const uint8_t *bytes = image_bytes_most(cfi->image, pc, CODE_BYTES_MAX, &size);
	char text[128] = "";

	if (bytes)
		code_print(decoder, pc, bytes, size, text, sizeof(text));
	if (text[0])
		json_object_set_new(object, "instruction", json_string(text));
}

int lint_join_print(struct lint_join *join, const char *function, json_t *image, FILE *output,
		    struct error *error)
{
	struct code_decoder *decoder = code_decoder_create();
	enum lint_agreement agreement;
	uint32_t at = 0;
	uint64_t pc;
	json_t *object;

	if (!decoder)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	while ((object = lint_join_fault(join, &at, &pc, &agreement))) {
		const struct lint_judged *judged = lint_join_judged_at(join, pc);

		if (!set_place(object, function, join->cfi, pc)) {
			json_decref(object);
			continue;
		}
		set_instruction(object, decoder, join->cfi, judged ? judged->pc : pc);
		join->agreements[agreement]++;
		json_line(output, object);
	}
	code_decoder_destroy(decoder);
	lint_join_counts(join, image);
	return 0;
}

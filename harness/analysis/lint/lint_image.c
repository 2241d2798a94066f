/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_image.c - an image, or what an object file was made to
 *
 * Its functions are followed, once; and once more if some were seen not to preserve what callees do
 * (flow/flow_breaking.h), of which those that call them did not know. What was found is told when nothing is learned any
 * more.
 */
#include <stdlib.h>
#include <string.h>
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_proof.h"
#include "lint_extent.h"
#include "lint_follow.h"
#include "lint_kept.h"
#include "lint_uncovered.h"
#include "analysis/flow/flow_image.h"

/* All that leads into an FDE is known now. */
static int count_fdes(struct linting *linting, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	const bool tell = linting->judge.watch->judged != NULL;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		struct lint_sum *sum = &linting->sum[cfi->by_pc[i]];
		struct flow_part *part;
		enum flow_reason reason;
		int result = 0;

		bool asked = tell && (!linting->judge.watch->judged_of_mismatches || sum->met ||
				      sum->fde.outcome == FLOW_ROW_MISMATCH);

		if (!sum->made)
			continue;
		if (sum->met || asked) {
			if (flow_part_of(&linting->world, fde, &part, &reason, error))
				return -1;
			if (part)
				result = lint_judge_fde(&linting->judge, linting->world.decoder,
							part, asked, sum, error);
			flow_part_destroy(part);
		}
		if (result)
			return -1;
		lint_judge_count(&linting->judge, sum);
	}
	return 0;
}

static int tell(struct linting *linting, const struct object *object, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;

	if (lint_judge_tell(&linting->judge, error))
		return -1;
	if (lint_framed_decide(&linting->framed, &linting->judge, linting->world.decoder,
			       linting->called, linting->sum, error) ||
	    lint_handlers_decide(&linting->handlers, &linting->judge, linting->world.decoder,
				 linting->called, linting->sum, error) ||
	    count_fdes(linting, error))
		return -1;
	/* Without CFI there are no gaps, and who makes an address is not known: lint_symbols.c */
	if (cfi->section->data &&
	    lint_kept_find(cfi, linting->world.decoder, linting->world.callees, lint_follow_kept,
			   linting, error))
		return -1;
	lint_addresses_sort(&linting->uncovered);
	lint_uncovered_tell(&linting->judge, &linting->world, object, &linting->uncovered);
	lint_extent_check(&linting->judge, linting->world.callees, object);
	lint_judge_search_table(&linting->judge);
	if (!object)
		lint_sections_check(&linting->judge);
	if (linting->no_memory || linting->uncovered.no_memory || linting->entered.no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "addresses that are called");
	return 0;
}

/* What is the same however often its functions are followed. */
struct shared {
	struct flow_world world;
	struct flow_proof *proof;
	struct flow_breaking breaking;
	const struct lint_watch *watch;
	bool quiet; /* points are told once nothing is learned any more */
};

static int init(struct shared *shared, const struct cfi *cfi, const struct object *object,
		struct error *error)
{
	struct flow_world *world = &shared->world;

	world->cfi = cfi;
	world->breaking = &shared->breaking;
	world->decoder = code_decoder_create();
	world->target = malloc(FLOW_TARGETS_MAX * sizeof(*world->target));
	shared->proof = flow_proof_create();
	if (world->decoder)
		world->callees = flow_callees_create(cfi, world->decoder, object != NULL);
	if (!world->callees || !world->target || !shared->proof)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	flow_world_note(world);
	return 0;
}

static void deinit(struct shared *shared)
{
	flow_breaking_deinit(&shared->breaking);
	flow_callees_destroy(shared->world.callees);
	flow_proof_destroy(shared->proof);
	code_decoder_destroy(shared->world.decoder);
	free(shared->world.target);
}

/* *ret_again: nothing was told yet. */
static int lint_once(struct shared *shared, const struct object *object, bool last,
		     struct lint_counts *ret, bool *ret_again, struct error *error)
{
	static const struct lint_watch quiet = { .finding = NULL };
	const struct cfi *cfi = shared->world.cfi;
	struct linting linting = {
		.world = shared->world,
		.judge = { .cfi = cfi,
			   .watch = shared->quiet ? &quiet : shared->watch,
			   .callees = shared->world.callees,
			   .holds = true,
			   .counts = ret },
		.breaking = &shared->breaking,
		.proof = shared->proof,
	};
	int result = -1;

	memset(ret, 0, sizeof(*ret));
	*ret_again = false;
	lint_follow_watch(&linting);
	if (!lint_follow_init(&linting, error))
		result = lint_follow(&linting, object, error);
	if (!result && !last && flow_breaking_learn(&shared->breaking, cfi->image)) {
		*ret_again = true;
	} else if (!result && shared->quiet) {
		*ret_again = true;
		shared->quiet = false;
	} else if (!result) {
		result = tell(&linting, object, error);
	}
	lint_follow_deinit(&linting);
	return result;
}

/* object: that cfi's image was made of, or NULL. */
static int lint(const struct cfi *cfi, const struct object *object, const struct lint_watch *watch,
		struct lint_counts *ret, struct error *error)
{
	struct shared shared = { .watch = watch, .quiet = watch->point != NULL };
	int result = init(&shared, cfi, object, error);
	bool again = true;

	for (int round = 0; !result && again; round++)
		result = lint_once(&shared, object, round >= FLOW_BREAKING_ROUNDS_MAX, ret, &again,
				   error);
	if (!result && shared.breaking.no_memory)
		result = error_set(error, ERROR_MEMORY, NULL, 0, "functions of an image");
	deinit(&shared);
	return result;
}

int lint_image(const struct cfi *cfi, const struct lint_watch *watch, struct lint_counts *ret,
	       struct error *error)
{
	return lint(cfi, NULL, watch, ret, error);
}

int lint_object(const struct cfi *cfi, const struct object *object, const struct lint_watch *watch,
		struct lint_counts *ret, struct error *error)
{
	return lint(cfi, object, watch, ret, error);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_world_fixture.h - a function in assembly of which no path is known yet
 */
#ifndef STACKPROOF_FLOW_WORLD_FIXTURE_H
#define STACKPROOF_FLOW_WORLD_FIXTURE_H

#include <check.h>
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_paths.h"

struct followed {
	struct assembled assembled;
	struct flow_world world;
	struct flow flow;
	struct error error; /* the world's */
	uint64_t target[FLOW_TARGETS_MAX];
};

static inline void followed_init(struct followed *followed, const char *body)
{
	struct flow_fragment *fragment;
	enum flow_reason reason;

	assembled_open_function(&followed->assembled, body);
	followed->world = (struct flow_world) {
		.cfi = followed->assembled.cfi,
		.decoder = code_decoder_create(),
		.callees = flow_callees_create(followed->assembled.cfi, NULL, false),
		.target = followed->target,
		.error = &followed->error,
	};
	followed->error.code = ERROR_NONE;
	ck_assert_int_eq(flow_fragment_create(
				 followed->world.cfi,
				 cfi_fde_find(followed->world.cfi,
					      image_symbol_address(followed->assembled.image, "f")),
				 &fragment, &reason, &followed->error),
			 0);
	flow_init(&followed->flow, &followed->world, fragment);
}

/* The caller's. */
static inline struct flow_fragment *followed_fragment(struct followed *followed, const char *name)
{
	const struct cfi *cfi = followed->world.cfi;
	struct flow_fragment *fragment = flow_fragment_of(
		&followed->world, cfi_fde_find(cfi, image_symbol_address(cfi->image, name)), NULL);

	ck_assert_ptr_nonnull(fragment);
	return fragment;
}

static inline void followed_deinit(struct followed *followed)
{
	ck_assert(!flow_lacks(&followed->world));
	flow_deinit(&followed->flow);
	flow_callees_destroy(followed->world.callees);
	code_decoder_destroy(followed->world.decoder);
	assembled_close(&followed->assembled);
}

#endif

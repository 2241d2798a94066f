/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rows_sframe.c - what an image's SFrame says at an address
 *
 * It has words for the CFA, the return address and rbp. Of rbx and r12 to r15 it says nothing: that is no fault of its.
 */
#include <stdlib.h>
#include <string.h>
#include "row_source.h"
#include "sframe/sframe.h"

enum { MARK_MALFORMED };

struct sframe_source {
	struct sframe *sframe;
};

/* The row's expressions lie in ret from now on. */
static void move_expressions(const struct sframe_canonical *from, struct row_said *ret)
{
	struct row_rule *moved[] = { &ret->row.cfa, &ret->row.reg[REGISTER_RIP],
				     &ret->row.reg[REGISTER_RBP] };

	_Static_assert(SFRAME_EXPRESSION_BYTES <= ROW_SAID_BYTES, "they have room");
	memcpy(ret->expression, from->expression, sizeof(from->expression));
	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++)
		if (moved[i]->expression)
			moved[i]->expression = ret->expression +
					       (moved[i]->expression - from->expression);
}

static void row_at(void *context, uint64_t pc, struct row_said *ret)
{
	const struct sframe_source *source = context;
	struct sframe_canonical canonical;
	struct error ignored; /* prove tells */
	int found = sframe_canonical_find(source->sframe, pc, &canonical, &ignored);

	ret->row = canonical.row;
	ret->kind = found > 0 ? ROW_SAID_ROW : found ? ROW_SAID_MARK : ROW_SAID_NOTHING;
	ret->mark = MARK_MALFORMED;
	ret->vague = 0;
	ret->declared = 1u << REGISTER_RIP;
	if (found <= 0)
		return;
	move_expressions(&canonical, ret);
	if (ret->row.reg[REGISTER_RIP].kind !=
	    RULE_UNDEFINED) /* else the end: nothing more is said */
		ret->declared |= ROW_DECLARES_CFA | 1u << REGISTER_RBP;
}

int sframe_source_create(const struct image *image, struct sframe_source **ret, struct error *error)
{
	struct sframe_source *source = calloc(1, sizeof(*source));

	*ret = NULL;
	if (!source)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's rows");
	if (sframe_create(image, &source->sframe, error)) {
		free(source);
		return -1;
	}
	*ret = source;
	return 0;
}

void sframe_source_destroy(struct sframe_source *source)
{
	if (!source)
		return;
	sframe_destroy(source->sframe);
	free(source);
}

const struct sframe *sframe_source_sframe(const struct sframe_source *source)
{
	return source->sframe;
}

struct row_source sframe_source_rows(struct sframe_source *source)
{
	return (struct row_source) {
		.name = ROWS_SFRAME,
		.mark = { [MARK_MALFORMED] = "malformed" },
		.row_at = row_at,
		.context = source,
	};
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_history.c - the last points as text, in a ring
 */
#include <stdlib.h>
#include "step.h"

void step_history_add(struct step_history *history, uint64_t number, char *text)
{
	struct step_page *page = &history->page[history->count++ % STEP_HISTORY_MAX];

	free(page->text);
	*page = (struct step_page) { .text = text, .number = number };
}

const struct step_page *step_history_get(const struct step_history *history, uint64_t back)
{
	if (back >= history->count || back >= STEP_HISTORY_MAX)
		return NULL;
	return &history->page[(history->count - 1 - back) % STEP_HISTORY_MAX];
}

void step_history_deinit(struct step_history *history)
{
	for (size_t i = 0; i < STEP_HISTORY_MAX; i++)
		free(history->page[i].text);
	*history = (struct step_history) { .count = 0 };
}

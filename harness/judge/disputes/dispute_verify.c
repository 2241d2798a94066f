/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_verify.c - a case is written, read back, and its engines are asked on it
 *
 * As `replay` will ask them elsewhere. Whatever a case lacks shows now, while somebody can still say so:
 * in the case, and to who made it.
 */
#include "disputes.h"
#include "plain_text.h"

/* Those of the command line, and all others that are built in. */
static struct engine_list all_engines(const struct engine_list *engines)
{
	struct engine_list all = *engines; /* what that owns stays its own */

	for (size_t i = 0; engine_at(i) && all.count < ENGINES_MAX; i++) {
		bool there = false;

		for (size_t at = 0; at < all.count; at++)
			there |= all.engine[at] == engine_at(i);
		if (!there && dispute_can_ask(engine_at(i)))
			all.engine[all.count++] = engine_at(i);
	}
	return all;
}

/* Marks the answers that are others now. How many there are that had not been marked before. */
static size_t mark(struct dispute *dispute, const struct dispute_replay *replay)
{
	size_t marked = 0;

	for (size_t i = 0; i < replay->count; i++) {
		const struct dispute_verdict *verdict = &replay->verdict[i];
		struct dispute_answer *answer = dispute_find_answer(dispute, verdict->engine);

		if (!answer || answer->differs ||
		    (verdict->result != DISPUTE_DIFFERS && verdict->result != DISPUTE_FAILED))
			continue;
		answer->differs = true;
		marked++;
	}
	return marked;
}

static int ask_as_read(struct dispute *dispute, const char *path, const struct engine_list *engines,
		       size_t *ret_marked, struct error *error)
{
	struct engine_list all = all_engines(engines);
	struct dispute_replay replay = { 0 };
	struct dispute_stage *stage = NULL;
	struct dispute_folder folder;
	struct dispute *read = dispute_read(path, &folder, error);
	int status = read ? dispute_stage_create(read, &folder, &stage, error) : -1;

	if (!status)
		status = dispute_replay(read, stage, &all, &replay, error);
	if (!status)
		*ret_marked = mark(dispute, &replay);
	dispute_replay_deinit(&replay);
	dispute_stage_destroy(stage);
	dispute_destroy(read);
	dispute_folder_deinit(&folder);
	return status;
}

int dispute_write_verified(struct dispute *dispute, const char *path,
			   const struct engine_list *engines, FILE *said, struct error *error)
{
	size_t marked;

	if (dispute_write(dispute, path, error) ||
	    ask_as_read(dispute, path, engines, &marked, error) ||
	    (marked && dispute_write(dispute, path, error)))
		return -1;
	for (size_t i = 0; i < dispute->answer_count; i++)
		if (dispute->answer[i].differs)
			fprintf(said,
				"%s: of the case %s gives another stack than of the program\n",
				PLAIN_TEXT(path), PLAIN_TEXT(dispute->answer[i].engine));
	if (dispute->cut)
		fprintf(said, "%s: more memory was read than a case can hold\n", PLAIN_TEXT(path));
	return 0;
}

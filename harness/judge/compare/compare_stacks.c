/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_stacks.c - each point's stacks as NDJSON
 *
 * A stack that is the truth, frame by frame, is not written again. A frame's text is kept, for the
 * next point mostly has the same ones.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include "hash.h"
#include "base/cli/json_counts.h"
#include "cfi/code_name.h"
#include "compare_stacks.h"

#define TEXTS_KEPT 4096 /* a power of two */

struct frame_text {
	uint64_t pc;
	bool returns;
	char *text; /* NULL: none is kept */
};

struct compare_stacks {
	FILE *file;
	char *program;	 /* as JSON has it */
	uint64_t number; /* of points that were met */
	uint64_t points; /* of them, judged */
	struct frame_text kept[TEXTS_KEPT];
	/* Of the point at hand. */
	const struct stack *truth;
	bool rooted;
	/* The engines' part of its line. */
	FILE *engines;
	char *bytes;
	size_t size;
};

/* ---- frames ----------------------------------------------------------------------------- */

/* {"image":...,"address":...,"function":...}, or NULL: no memory. */
static char *make_text(const struct address_space *space, uint64_t pc, bool returns)
{
	const struct mapping *mapping = address_space_find(space, pc - returns);
	struct image_entry *entry = mapping ? mapping->entry : NULL;
	uint64_t address = entry ? pc - mapping->bias : pc, offset;
	const char *own = address_space_code_name(space, pc - returns, UINT64_MAX, &offset);
	char function[256] = "";
	struct code_name name;
	JSON_FREED json_t *object = NULL;

	if (entry) {
		code_name_find(entry->image, image_entry_cfi(entry), address - returns, &name);
		code_name_print(&name, function, sizeof(function));
	} else if (own) {
		snprintf(function, sizeof(function), "%s", own);
	}
	object = JSON_NEW("image", mapping ? mapping->path : "", "address", json_hex(address),
			  "function", function);
	return object ? json_dumps(object, JSON_COMPACT) : NULL;
}

static const char *frame_text(struct compare_stacks *stacks, const struct address_space *space,
			      uint64_t pc, bool returns)
{
	uint64_t hash = (pc * 2 + returns) * HASH_GOLDEN >> 32;
	struct frame_text *kept = &stacks->kept[hash % TEXTS_KEPT];

	if (!kept->text || kept->pc != pc || kept->returns != returns) {
		free(kept->text);
		*kept = (struct frame_text) { pc, returns, make_text(space, pc, returns) };
	}
	return kept->text ? kept->text : "{}";
}

static void print_frames(struct compare_stacks *stacks, FILE *file, const struct point *point,
			 const struct stack *stack)
{
	fputs(",\"frames\":[", file);
	for (uint32_t i = 0; i < stack->count; i++) {
		bool returns = i && !shadow_stack_is_interrupted(point->stop->shadow, stack, i);

		if (i)
			fputc(',', file);
		fputs(frame_text(stacks, point->space, stack_pc(stack, i), returns), file);
	}
	fputc(']', file);
}

/* The frames that were found by the frame pointer, by number. */
static void print_guesses(FILE *file, const struct stack *stack)
{
	const char *before = ",\"guessed\":[";

	for (uint32_t i = 0; i < stack->count; i++) {
		if (!stack_is_guessed(stack, i))
			continue;
		fprintf(file, "%s%u", before, i);
		before = ",";
	}
	if (before[1] != '"')
		fputc(']', file);
}

/* ---- points ----------------------------------------------------------------------------- */

void compare_stacks_mappings(struct compare_stacks *stacks)
{
	for (int i = 0; i < TEXTS_KEPT; i++) {
		free(stacks->kept[i].text);
		stacks->kept[i].text = NULL;
	}
}

void compare_stacks_evidence(struct compare_stacks *stacks, const struct evidence *evidence)
{
	stacks->truth = evidence->truth;
	stacks->rooted = evidence->point->stop->shadow->rooted;
	stacks->number++;
	rewind(stacks->engines);
}

void compare_stacks_stack(struct compare_stacks *stacks, const struct point *point,
			  const struct engine *engine, const struct stack *stack)
{
	uint32_t frames;
	enum match match = match_stack(stack, stacks->truth, stacks->rooted, &frames);
	FILE *file = stacks->engines;

	fprintf(file, "%s\"%s\":{\"match\":\"%s\",\"stop\":\"%s\",\"right\":%u",
		ftello(file) ? "," : "", engine->name, match_name(match),
		stop_reason_name(stack->stop), frames);
	/* Beyond a truth that is a prefix it may go on. */
	if (match != MATCH_EXACT || stack->count != stacks->truth->count)
		print_frames(stacks, file, point, stack);
	print_guesses(file, stack);
	fputc('}', file);
}

int compare_stacks_point(struct compare_stacks *stacks, const struct point *point,
			 const struct judgement *judgement, struct error *error)
{
	FILE *file = stacks->file;

	fflush(stacks->engines);
	fprintf(file,
		"{\"type\":\"point\",\"program\":%s,\"point\":%" PRIu64
		",\"thread\":%d,\"verdict\":\"%s\",\"kind\":\"%s\"",
		stacks->program, stacks->number - 1, (int)point->stop->tid,
		verdict_name(judgement->verdict), fault_kind_name(judgement->kind));
	fprintf(file, ",\"truth\":{\"whole\":%s",
		stacks->rooted && stacks->truth->stop != STOP_DEPTH ? "true" : "false");
	print_frames(stacks, file, point, stacks->truth);
	fputs("},\"engines\":{", file);
	fwrite(stacks->bytes, 1, stacks->size, file);
	fputs("}}\n", file);
	stacks->points++;
	return ferror(file) ? error_set_errno(error, "the stacks could not be written") : 0;
}

/* ---- what became of them ---------------------------------------------------------------- */

void compare_stacks_settle(struct compare_stacks *stacks, uint64_t point, bool by_claim)
{
	fprintf(stacks->file,
		"{\"type\":\"settled\",\"program\":%s,\"point\":%" PRIu64 ",\"as\":\"%s\"}\n",
		stacks->program, point, by_claim ? "claim" : "unproven");
}

/* ---- the file --------------------------------------------------------------------------- */

int compare_stacks_create(const char *path, struct compare_stacks **ret, struct error *error)
{
	struct compare_stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks)
		stacks->engines = open_memstream(&stacks->bytes, &stacks->size);
	if (!stacks || !stacks->engines) {
		free(stacks);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	}
	stacks->file = fopen(path, "we");
	if (!stacks->file) {
		error_set_errno(error, "%s", path);
		compare_stacks_close(stacks, error);
		return -1;
	}
	*ret = stacks;
	return 0;
}

void compare_stacks_begin(struct compare_stacks *stacks, const char *program)
{
	JSON_FREED json_t *name = json_bytes(program);

	free(stacks->program);
	stacks->program = json_dumps(name, JSON_ENCODE_ANY);
	stacks->points = stacks->number = 0;
	compare_stacks_mappings(stacks);
}

void compare_stacks_end(struct compare_stacks *stacks, const char *partial)
{
	fprintf(stacks->file, "{\"type\":\"stacks\",\"program\":%s,\"points\":%" PRIu64,
		stacks->program, stacks->points);
	if (partial)
		fprintf(stacks->file, ",\"partial\":\"%s\"", partial);
	fputs("}\n", stacks->file);
}

int compare_stacks_close(struct compare_stacks *stacks, struct error *error)
{
	int status = 0;

	if (!stacks)
		return 0;
	if (stacks->file && (fflush(stacks->file) || ferror(stacks->file)))
		status = error_set_errno(error, "the stacks could not be written");
	if (stacks->file && fclose(stacks->file) && !status)
		status = error_set_errno(error, "the stacks could not be written");
	fclose(stacks->engines);
	free(stacks->bytes);
	compare_stacks_mappings(stacks);
	free(stacks->program);
	free(stacks);
	return status;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_space.c - a process's mappings, for other programs: names of addresses, the walk in user
 * space
 */
#include <stdlib.h>
#include <string.h>
#include "face.h"
#include "cfi/code_name.h"
#include "walk/walk_rows.h"

#define FIRST_CODE_BYTES 256 /* glibc's has 90 */

/* Of a stack whose mappings are not known there is none: nothing is mapped. */
static const struct address_space *inner_space(const struct stackproof_space *space)
{
	static const struct address_space nothing;

	return space ? space->space : &nothing;
}

int stackproof_space_read(struct stackproof_images *images, pid_t pid,
			  struct stackproof_space **ret, struct stackproof_error *error)
{
	struct stackproof_space *space = calloc(1, sizeof(*space));
	struct error inner;

	if (!space)
		return face_fail_memory(error);
	space->space = &space->own;
	if (address_space_read(&space->own, images->store, pid, &inner)) {
		stackproof_space_close(space);
		return face_fail(error, &inner);
	}
	*ret = space;
	return 0;
}

void stackproof_space_close(struct stackproof_space *space)
{
	if (space)
		address_space_deinit(&space->own);
	free(space);
}

int stackproof_space_read_names(const struct stackproof_space *space,
				struct stackproof_error *error)
{
	struct error inner;

	if (!space)
		return 0;
	return address_space_read_names(space->space, &inner) ? face_fail(error, &inner) : 0;
}

static bool is_signal_frame(const struct table *table, uint64_t vaddr)
{
	return table && table->signal_frames &&
	       (table->rule[table_find(table, vaddr)].flags & TABLE_RULE_SIGNAL_FRAME);
}

static void locate(const struct mapping *mapping, uint64_t pc, struct stackproof_place *place)
{
	const struct image_segment *segment;
	const struct image *image;

	place->address = pc;
	if (!mapping)
		return;
	place->path = mapping->path;
	place->start = mapping->start;
	place->end = mapping->end;
	place->file_offset = mapping->path[0] == '/' ? mapping->offset : 0;
	if (!mapping->entry)
		return;
	image = mapping->entry->image;
	place->address = pc - mapping->bias;
	place->image = mapping->entry->id + 1ull;
	place->signal_frame = is_signal_frame(mapping->entry->table, place->address);
	place->build_id = image->build_id;
	place->build_id_size = image->build_id_size;
	segment = image_code_segment(image, place->address);
	place->start = segment ? segment->vaddr : mapping->start - mapping->bias;
	place->end = segment ? segment->vaddr + segment->memory_bytes
			     : mapping->end - mapping->bias;
	place->file_offset = segment ? segment->file_offset : 0;
}

bool face_may_be_first_code(const struct image *image, uint64_t vaddr)
{
	return image->entry && vaddr >= image->entry && vaddr - image->entry < FIRST_CODE_BYTES;
}

/* What runs first in a process mostly has no CFI, as in the dynamic loader: the entry point, and what is behind it up to
 * the next FDE or function. */
bool face_is_first_code(const struct image *image, const struct cfi *cfi, uint64_t vaddr)
{
	const struct image_symbol *symbol;

	if (!face_may_be_first_code(image, vaddr))
		return false;
	symbol = image_symbol_find(image, vaddr);
	if (symbol && symbol->pc > image->entry && symbol->type == STT_FUNC)
		return false;
	for (uint64_t at = image->entry; at <= vaddr; at++)
		if (cfi_fde_find(cfi, at))
			return false;
	return true;
}

/* An FDE or a gap has no name but an address. */
void face_name(const struct code_name *name, struct stackproof_place *place)
{
	if (name->kind == CODE_FDE || name->kind == CODE_GAP)
		return;
	place->offset = place->address - name->start;
	code_name_print(name, place->function, sizeof(place->function));
}

static int name_code(const struct mapping *mapping, struct stackproof_place *place,
		     struct stackproof_error *error)
{
	const struct image *image = mapping->entry->image;
	struct code_name name;
	struct error inner;

	if (image_entry_read_cfi(mapping->entry, &inner) || code_name_prepare(image, &inner))
		return face_fail(error, &inner);
	place->first_code = face_is_first_code(image, image_entry_cfi(mapping->entry),
					       place->address);
	code_name_find(image, image_entry_cfi(mapping->entry), place->address, &name);
	face_name(&name, place);
	return 0;
}

int stackproof_space_locate(const struct stackproof_space *space, uint64_t pc,
			    struct stackproof_place *ret, struct stackproof_error *error)
{
	struct stackproof_place place = { 0 };

	locate(address_space_find(inner_space(space), pc), pc, &place);
	return face_give(ret, &place, sizeof(place), error);
}

int stackproof_space_find_at(const struct stackproof_space *space, uint64_t pc, uint64_t time_ns,
			     struct stackproof_place *ret, struct stackproof_error *error)
{
	const struct mapping *mapping = address_space_find(inner_space(space), pc);
	struct stackproof_place place = { 0 };
	const char *name;

	locate(mapping, pc, &place);
	if (mapping && mapping->entry) {
		if (name_code(mapping, &place, error))
			return -1;
	} else if (mapping) {
		name = address_space_code_name(space->space, pc, time_ns, &place.offset);
		snprintf(place.function, sizeof(place.function), "%s", name ? name : "");
	}
	return face_give(ret, &place, sizeof(place), error);
}

int stackproof_space_find(const struct stackproof_space *space, uint64_t pc,
			  struct stackproof_place *ret, struct stackproof_error *error)
{
	return stackproof_space_find_at(space, pc, UINT64_MAX, ret, error);
}

/* ---- the walk --------------------------------------------------------------------------- */

static void give_stack(const struct stackproof_space *space, struct stack *stack, uint8_t *guessed,
		       stackproof_stack_fn fn, void *context)
{
	struct stackproof_stack given = {
		.size = sizeof(given),
		.entry = STACKPROOF_ENTRY_USER,
		.stop = face_stop(stack->stop),
		.pid = inner_space(space)->pid,
		.times = 1,
		.pc = stack->pc,
		.count = stack->count,
		.space = space,
	};

	for (uint32_t i = 0; guessed && i < stack->count; i++) {
		guessed[i] = stack_is_guessed(stack, i);
		if (guessed[i])
			given.guessed = guessed;
		stack->pc[i] = stack_pc(stack, i);
	}
	fn(context, &given);
}

int stackproof_walk(const struct stackproof_space *space,
		    const struct stackproof_walk_options *given,
		    const struct stackproof_registers *registers, stackproof_read_fn read,
		    void *read_context, stackproof_stack_fn fn, void *context,
		    struct stackproof_error *error)
{
	const struct memory_reader memory = { .read = read, .context = read_context };
	struct stackproof_walk_options options;
	struct register_values values = { 0 };
	struct stack stack = { 0 };
	uint8_t *guessed = NULL;
	const struct address_space *inner = inner_space(space);
	struct error failure;
	int status;

	if (face_take(&options, sizeof(options), given, error))
		return -1;
	if (options.by_rows && options.follow_frame_pointers)
		return face_fail_argument(error, "frame pointers are not followed by rows");
	_Static_assert(sizeof(values.value) == sizeof(registers->value), "the same registers");
	memcpy(values.value, registers->value, sizeof(values.value));
	values.known = registers->known;
	stack.limit = options.frames;
	if (options.by_rows)
		status = walk_rows(inner, &values, &memory, NULL, &stack, &failure);
	else if (options.follow_frame_pointers)
		status = walk_table_following(inner, &values, &memory, NULL, &stack, &failure);
	else
		status = walk_table(inner, &values, &memory, NULL, &stack, &failure);
	if (!status && stack.has_marks) {
		guessed = malloc(stack.count + 1);
		if (!guessed)
			status = error_set(&failure, ERROR_MEMORY, "", 0, "no memory for a stack");
	}
	if (status)
		face_fail(error, &failure);
	else
		give_stack(space, &stack, guessed, fn, context);
	free(guessed);
	stack_deinit(&stack);
	return status;
}

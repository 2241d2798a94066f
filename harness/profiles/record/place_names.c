/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * place_names.c - names of addresses, each looked up once
 *
 * Where a PC lies is asked for each frame; what the function there is called, once for each address of an image,
 * whatever process it was met in, and of all new ones of an image at once: what is read of it is given up then. Code
 * that a process has made at run time is known by the process's name for it.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "hash.h"
#include "hex_text.h"
#include "image/image.h"
#include "profiles/score/score_name.h"
#include "record.h"

#define PLACE_NAME_BYTES 512 /* stackproof_place.function has 256 */

struct wanted {
	const struct place_names *names;
	uint64_t image, address;
	uint32_t name, path; /* without an image; path: of a file */
};

static bool is_wanted(void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct named_place *place = &wanted->names->place[number - 1];

	return place->image == wanted->image && place->address == wanted->address &&
	       (place->image || (place->function.name == wanted->name &&
				 (place->mapping.image == COLLECTED_FILE ? place->mapping.path
									 : 0) == wanted->path));
}

/* The number of a place. NULL: no memory. */
static uint32_t *find(struct place_names *names, struct wanted *wanted, bool *ret_is_new,
		      struct error *error)
{
	uint64_t hash = hash_word(hash_word(hash_word(0, wanted->image), wanted->address),
				  wanted->image ? 0 : wanted->name ^ (uint64_t)wanted->path << 32);
	uint32_t *number = NULL;

	*ret_is_new = false;
	if (ARRAY_GROW(names->place, names->count))
		number = number_map_find(&names->map, hash, is_wanted, wanted);
	if (!number) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	} else if (!*number) {
		*number = ++names->count;
		names->place[*number - 1] = (struct named_place) { .image = wanted->image,
								   .address = wanted->address };
		*ret_is_new = true;
	}
	return number;
}

static uint32_t add_text(struct place_names *names, const char *text, struct error *error)
{
	bool is_new;

	return text && text[0]
		       ? profile_texts_add(&names->texts, text, strlen(text), &is_new, error)
		       : 0;
}

static uint32_t add_build_id(struct place_names *names, const struct stackproof_place *place,
			     struct error *error)
{
	size_t size = place->build_id_size < BUILD_ID_MAX ? place->build_id_size : BUILD_ID_MAX;
	char text[2 * BUILD_ID_MAX + 1];

	return add_text(names, hex_text(text, place->build_id, size), error);
}

/* A symbol that is spelled as one of a profile's own frames is told apart by its first character: it is escaped. */
static const char *unmarked(const char *function, char escaped[PLACE_NAME_BYTES])
{
	if (!profile_is_marker(function) && strcmp(function, PROFILE_TEXT_UNKNOWN) != 0)
		return function;
	snprintf(escaped, PLACE_NAME_BYTES, "\\x5b%s", function + 1);
	return escaped;
}

static int set_name(struct place_names *names, struct place_function *ret, const char *symbol_name,
		    struct error *error)
{
	char escaped[PLACE_NAME_BYTES];
	const char *function = unmarked(symbol_name, escaped);
	FREED char *demangled = function[0] ? name_demangle(function) : NULL;
	uint32_t symbol = add_text(names, function, error), name = symbol;

	if (demangled)
		name = add_text(names, demangled, error);
	if (symbol == UINT32_MAX || name == UINT32_MAX)
		return -1;
	ret->name = name;
	ret->linkage = name != symbol ? symbol : 0;
	return 0;
}

static int set_inlined(struct place_names *names, struct named_place *ret,
		       const struct stackproof_place *place, struct error *error)
{
	const char *name[INLINED_MAX];
	unsigned int count = names->dwarf ? inlined_names_find(names->dwarf, place, name) : 0;

	ret->inlined = names->inlined_count;
	for (unsigned int i = 0; i < count; i++) {
		struct place_function function;

		if (set_name(names, &function, name[i], error))
			return -1;
		if (!ARRAY_ADD(names->inlined, names->inlined_count, function))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
		ret->inlined_count++;
	}
	return 0;
}

/* In a memfd is what the process itself has made. */
static bool is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "/memfd:", 7) != 0;
}

static int set_mapping(struct place_names *names, struct named_place *ret,
		       const struct stackproof_place *place, struct error *error)
{
	uint32_t path = add_text(names, place->path, error);
	uint32_t build_id = add_build_id(names, place, error);

	if (path == UINT32_MAX || build_id == UINT32_MAX)
		return -1;
	ret->mapping = (struct collected_mapping) {
		.start = place->start,
		.limit = place->end,
		.offset = place->file_offset,
		.path = path,
		.build_id = build_id,
		.image = !place->image && !is_file(place->path) ? COLLECTED_ANONYMOUS
			 : !strcmp(place->path, "[vdso]")	? COLLECTED_VDSO
								: COLLECTED_FILE,
	};
	/* Of a file that can't be read as ELF of this machine nobody knows addresses but offsets. */
	if (!place->image && ret->mapping.image == COLLECTED_FILE) {
		ret->mapping.start = place->file_offset;
		ret->mapping.limit = place->file_offset + (place->end - place->start);
	}
	return 0;
}

static int fail(const struct stackproof_error *inner, struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "%s", inner->message);
}

/* Of each process each reason counts once. */
static int note_refused(struct place_names *names, const struct stackproof_stack *stack,
			const struct stackproof_error *inner, struct error *error)
{
	char text[sizeof(inner->message) + 32];
	bool is_new;

	snprintf(text, sizeof(text), "%d %s", (int)stack->pid, inner->message);
	return profile_texts_add(&names->refused, text, strlen(text), &is_new, error) == UINT32_MAX;
}

const char *place_names_refused(const struct place_names *names)
{
	return names->refused.count ? strchr(profile_texts_get(&names->refused, 1), ' ') + 1 : "";
}

/* In no image there is at most a name from the process's jitdump or perf map, which says what the place is. */
static uint32_t add_generated(struct place_names *names, const struct stackproof_stack *stack,
			      uint64_t pc, struct error *error)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	struct wanted wanted = { .names = names, .address = pc };
	char escaped[PLACE_NAME_BYTES];
	struct stackproof_error inner;
	uint32_t *number;
	bool is_new;

	if (stack->space && stackproof_space_read_names(stack->space, &inner) &&
	    note_refused(names, stack, &inner, error))
		return 0;
	if (stackproof_space_find_at(stack->space, pc, stack->time_ns, &place, &inner)) {
		fail(&inner, error);
		return 0;
	}
	wanted.name = add_text(names, unmarked(place.function, escaped), error);
	if (place.path && is_file(place.path)) {
		wanted.path = add_text(names, place.path, error);
		wanted.address = pc - place.start + place.file_offset;
	}
	number = wanted.name == UINT32_MAX || wanted.path == UINT32_MAX
			 ? NULL
			 : find(names, &wanted, &is_new, error);
	if (!number)
		return 0;
	names->place[*number - 1].function.name = wanted.name;
	return is_new && place.path && set_mapping(names, &names->place[*number - 1], &place, error)
		       ? 0
		       : *number;
}

uint32_t place_names_user(struct place_names *names, const struct stackproof_stack *stack,
			  uint32_t i, bool before, struct error *error)
{
	const struct stackproof_space *space = stack->space;
	const uint64_t pc = stack->pc[i];
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	struct stackproof_error inner;
	struct wanted wanted;
	uint32_t *number, ret;
	bool is_new;

	if (stackproof_space_locate(space, pc - before, &place, &inner) ||
	    (before && place.signal_frame && stackproof_space_locate(space, pc, &place, &inner))) {
		fail(&inner, error);
		return 0;
	}
	if (!place.image)
		return add_generated(names, stack, pc - before, error);
	wanted = (struct wanted) { .names = names, .image = place.image, .address = place.address };
	number = find(names, &wanted, &is_new, error);
	if (!number)
		return 0;
	ret = *number;
	if (!is_new)
		return ret;
	if (!ARRAY_GROW(names->unnamed, names->unnamed_count)) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
		return 0;
	}
	names->place[ret - 1].signal_frame = place.signal_frame;
	names->unnamed[names->unnamed_count++] =
		(struct unnamed_place) { .image = place.image, .address = place.address, ret };
	return set_mapping(names, &names->place[ret - 1], &place, error) ? 0 : ret;
}

struct naming {
	struct place_names *names;
	const struct unnamed_place *unnamed;
	size_t named;
	struct error *error;
	int status;
};

static void take_name(void *context, size_t number, const struct stackproof_place *place)
{
	struct naming *naming = context;
	struct place_names *names = naming->names;
	struct named_place *named = &names->place[naming->unnamed[number].place - 1];

	naming->named++;
	named->first_code = place->first_code;
	if (set_name(names, &named->function, place->function, naming->error) ||
	    set_inlined(names, named, place, naming->error))
		naming->status = -1;
}

static int take_debug_name(void *context, size_t number, const char *symbol)
{
	struct naming *naming = context;
	uint32_t place = naming->unnamed[number].place;

	return set_name(naming->names, &naming->names->place[place - 1].function, symbol,
			naming->error);
}

/* Those of one image that it has no name for. */
static int name_by_debug_file(struct naming *naming, size_t count)
{
	struct place_names *names = naming->names;
	struct unnamed_place *left = calloc(count, sizeof(*left));
	uint64_t *address = calloc(count, sizeof(*address));
	struct naming rest = { .names = names, .unnamed = left, .error = naming->error };
	size_t some = 0;
	int status = -1;

	for (size_t i = 0; left && address && i < count; i++) {
		const struct unnamed_place *unnamed = &naming->unnamed[i];

		if (names->place[unnamed->place - 1].function.name)
			continue;
		left[some] = *unnamed;
		address[some++] = unnamed->address;
	}
	if (!left || !address)
		error_set(naming->error, ERROR_MEMORY, "", 0, "no memory for names");
	else
		status = some ? debug_names_find(
					profile_texts_get(
						&names->texts,
						names->place[left[0].place - 1].mapping.build_id),
					address, some, take_debug_name, &rest, naming->error)
			      : 0;
	free(left);
	free(address);
	return status;
}

/* Those of one image. */
static int name_some(struct place_names *names, struct stackproof_images *images,
		     const struct unnamed_place *unnamed, size_t count, struct error *error)
{
	struct naming naming = { .names = names, .unnamed = unnamed, .error = error };
	FREED struct stackproof_asked *address = calloc(count, sizeof(*address));
	struct stackproof_error inner;

	if (!address)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	for (size_t i = 0; i < count; i++)
		address[i] = (struct stackproof_asked) { unnamed[i].image, unnamed[i].address };
	if (stackproof_images_name(images, address, count, take_name, &naming, &inner))
		naming.status = fail(&inner, error);
	else if (naming.named < count)
		names->changed += count - naming.named;
	else if (!naming.status)
		naming.status = name_by_debug_file(&naming, count);
	return naming.status;
}

int place_names_name(struct place_names *names, struct stackproof_images *images,
		     struct error *error)
{
	size_t begin = names->unnamed_count, count = names->unnamed_count;
	int status;

	if (!count)
		return 0;
	qsort(names->unnamed, count, sizeof(*names->unnamed), array_order_u64);
	while (begin && names->unnamed[begin - 1].image == names->unnamed[count - 1].image)
		begin--;
	status = name_some(names, images, names->unnamed + begin, count - begin, error);
	names->unnamed_count = begin;
	return status;
}

uint32_t place_names_kernel(struct place_names *names, uint64_t pc, bool before,
			    struct error *error)
{
	struct wanted wanted = { .names = names, .image = PLACE_IN_KERNEL, .address = pc - before };
	const char *name, *module = "";
	uint32_t *number, path;
	char text[80];
	bool is_new;

	number = find(names, &wanted, &is_new, error);
	if (!number)
		return 0;
	if (!is_new)
		return *number;
	name = kernel_symbols_find(names->kernel, wanted.address, &module);
	snprintf(text, sizeof(text), "[%s]", module[0] ? module : "kernel.kallsyms");
	path = add_text(names, text, error);
	if (path == UINT32_MAX ||
	    set_name(names, &names->place[*number - 1].function, name ? name : "", error))
		return 0;
	names->place[*number - 1].mapping =
		(struct collected_mapping) { .path = path, .image = COLLECTED_KERNEL };
	return *number;
}

void place_names_deinit(struct place_names *names)
{
	profile_texts_deinit(&names->texts);
	profile_texts_deinit(&names->refused);
	number_map_deinit(&names->map);
	free(names->place);
	free(names->inlined);
	free(names->unnamed);
}

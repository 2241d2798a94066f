/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_json_read.c - case.json -> a dispute without its bytes
 *
 * Every field that something is computed from must be there, have its type, and be within its limits:
 * numbers of images are those of images that are listed, ranges are not empty and do not overlap, and
 * nothing has more elements than a dispute may have. Fields that are not known are passed over.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/cfi.h"
#include "base/cli/json_counts.h"
#include "disputes.h"

#define MEMBER "case.json"

/* Where a field is, for messages: "answers[2]". */
struct place {
	const char *array;
	size_t index;
};

static int refuse(struct error *error, const struct place *place, const char *field,
		  const char *what)
{
	char number[32] = "";

	if (place->array)
		snprintf(number, sizeof(number), "[%zu].", place->index);
	return error_set(error, ERROR_TEXT_SYNTAX, MEMBER, 0, "%s%s%s %s",
			 place->array ? place->array : "", number, field, what);
}

/* ---- fields ----------------------------------------------------------------------------- */

static bool parse_address(const json_t *value, uint64_t *ret)
{
	const char *text = json_string_value(value);
	char *end;

	if (!text || strncmp(text, "0x", 2) || !text[2] || strlen(text) > 18 ||
	    strspn(text + 2, "0123456789abcdef") != strlen(text + 2))
		return false;
	*ret = strtoull(text + 2, &end, 16);
	return !*end;
}

static int take_address(const json_t *object, const struct place *place, const char *field,
			uint64_t *ret, struct error *error)
{
	return parse_address(json_object_get(object, field), ret)
		       ? 0
		       : refuse(error, place, field, "is no address");
}

static int take_integer(const json_t *object, const struct place *place, const char *field,
			int64_t least, int64_t most, int64_t *ret, struct error *error)
{
	const json_t *value = json_object_get(object, field);

	*ret = json_integer_value(value);
	if (json_is_integer(value) && *ret >= least && *ret <= most)
		return 0;
	return refuse(error, place, field, "is no number that it could be");
}

static int take_bool(const json_t *object, const struct place *place, const char *field, bool *ret,
		     struct error *error)
{
	const json_t *value = json_object_get(object, field);

	*ret = json_is_true(value);
	return json_is_boolean(value) ? 0
				      : refuse(error, place, field, "is neither true nor false");
}

static int take_text(const json_t *object, const struct place *place, const char *field, char **ret,
		     struct error *error)
{
	const char *text = json_string_value(json_object_get(object, field));

	if (!text)
		return refuse(error, place, field, "is no text");
	*ret = strdup(text);
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
}

/* The array of that name, of so many elements at most; NULL: error is set. */
static const json_t *take_array(const json_t *object, const struct place *place, const char *field,
				size_t most, struct error *error)
{
	const json_t *array = json_object_get(object, field);

	if (json_is_array(array) && json_array_size(array) <= most)
		return array;
	refuse(error, place, field, array ? "is no list, or too long" : "is missing");
	return NULL;
}

/* ---- stacks ----------------------------------------------------------------------------- */

static int take_stop(const json_t *object, const struct place *place, uint32_t *ret,
		     struct error *error)
{
	const char *text = json_text(object, "stop");

	for (uint32_t stop = 0; stop < STOP_REASON_COUNT; stop++)
		if (!strcmp(text, stop_reason_name(stop))) {
			*ret = stop;
			return 0;
		}
	return refuse(error, place, "stop", "is no stop reason");
}

static int take_guessed(const json_t *object, const struct place *place, struct stack *ret,
			struct error *error)
{
	const json_t *guessed = json_object_get(object, "guessed");
	const json_t *number;
	size_t i;

	if (guessed && !json_is_array(guessed))
		return refuse(error, place, "guessed", "is no list");
	json_array_foreach(guessed, i, number)
	{
		json_int_t frame = json_integer_value(number);

		if (!json_is_integer(number) || frame < 0 || frame >= ret->count)
			return refuse(error, place, "guessed", "names a frame that is not there");
		ret->pc[frame] |= WALK_PC_GUESSED;
		ret->has_marks = true;
	}
	return 0;
}

static int take_stack(const json_t *object, const struct place *place, struct stack *ret,
		      struct error *error)
{
	const json_t *frames = take_array(object, place, "frames", STACK_FRAMES_MAX, error);
	const json_t *frame;
	uint64_t pc;
	size_t i;

	if (!frames || take_stop(object, place, &ret->stop, error))
		return -1;
	json_array_foreach(frames, i, frame)
	{
		if (!parse_address(frame, &pc))
			return refuse(error, place, "frames", "has what is no address");
		if (stack_push(ret, pc, error))
			return -1;
	}
	return take_guessed(object, place, ret, error);
}

/* ---- the parts -------------------------------------------------------------------------- */

static int take_registers(const json_t *root, struct dispute *dispute, struct error *error)
{
	const struct place place = { NULL, 0 };
	const json_t *object = json_object_get(root, "registers");

	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		if (take_address(object, &place, register_name(reg), &dispute->regs.value[reg],
				 error))
			return -1;
	dispute->regs.known = (1u << REGISTER_COUNT) - 1;
	return 0;
}

static int take_answer(struct dispute *dispute, const json_t *object, const struct place *place,
		       struct error *error)
{
	const char *engine = json_string_value(json_object_get(object, "engine"));
	struct dispute_answer *answer;

	if (!engine || !*engine || dispute_find_answer(dispute, engine))
		return refuse(error, place, "engine", "is no name, or there twice");
	answer = dispute_add_answer(dispute, engine, error);
	if (!answer)
		return -1;
	return take_bool(object, place, "asked", &answer->asked, error) ||
			       take_bool(object, place, "in_kernel", &answer->in_kernel, error) ||
			       take_bool(object, place, "external", &answer->external, error) ||
			       take_bool(object, place, "differs", &answer->differs, error) ||
			       take_stack(object, place, &answer->stack, error)
		       ? -1
		       : 0;
}

static int take_image(struct dispute *dispute, const json_t *object, const struct place *place,
		      struct error *error)
{
	struct dispute_image *image;
	int64_t bytes;

	image = ARRAY_ADD(dispute->image, dispute->image_count, (struct dispute_image) { 0 });
	if (!image)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	if (take_text(object, place, "path", &image->path, error) ||
	    take_text(object, place, "build_id", &image->build_id, error) ||
	    take_integer(object, place, "bytes", 0, DISPUTE_IMAGE_MAX, &bytes, error) ||
	    take_bool(object, place, "whole", &image->whole, error))
		return -1;
	image->file_bytes = (uint64_t)bytes;
	return 0;
}

/* Mappings are in order, and don't overlap. */
static int take_range(const json_t *object, const struct place *place, uint64_t before,
		      uint64_t *ret_start, uint64_t *ret_end, struct error *error)
{
	if (take_address(object, place, "start", ret_start, error) ||
	    take_address(object, place, "end", ret_end, error))
		return -1;
	if (*ret_start >= before && *ret_end > *ret_start)
		return 0;
	return refuse(error, place, "start", "is not behind the one before, or not before its end");
}

static int take_code(struct dispute *dispute, const json_t *object, const struct place *place,
		     struct error *error)
{
	size_t count = dispute->code_count;
	struct dispute_code *code;
	int64_t image;

	code = ARRAY_ADD(dispute->code, dispute->code_count, (struct dispute_code) { 0 });
	if (!code)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	if (take_range(object, place, count ? code[-1].end : 0, &code->start, &code->end, error) ||
	    take_address(object, place, "bias", &code->bias, error) ||
	    take_integer(object, place, "image", -1, (int64_t)dispute->image_count - 1, &image,
			 error) ||
	    take_text(object, place, "path", &code->path, error))
		return -1;
	code->image = (int)image;
	return 0;
}

static int take_map(struct dispute *dispute, const json_t *object, const struct place *place,
		    struct error *error)
{
	const char *permissions = json_text(object, "permissions");
	size_t count = dispute->map_count;
	struct dispute_map *map;
	int64_t image;

	map = ARRAY_ADD(dispute->map, dispute->map_count, (struct dispute_map) { 0 });
	if (!map)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	if (strlen(permissions) != 4 || strspn(permissions, "rwxps-") != 4)
		return refuse(error, place, "permissions", "are none");
	memcpy(map->permissions, permissions, sizeof(map->permissions));
	if (take_range(object, place, count ? map[-1].end : 0, &map->start, &map->end, error) ||
	    take_address(object, place, "offset", &map->offset, error) ||
	    take_integer(object, place, "image", -1, (int64_t)dispute->image_count - 1, &image,
			 error) ||
	    take_text(object, place, "path", &map->path, error))
		return -1;
	map->image = (int)image;
	return 0;
}

static int take_run(struct dispute *dispute, const json_t *object, const struct place *place,
		    struct error *error)
{
	const struct dispute_range *before;
	struct dispute_range *run;
	uint64_t address;
	int64_t bytes;

	if (take_address(object, place, "address", &address, error) ||
	    take_integer(object, place, "bytes", PAGE_SET_PAGE, DISPUTE_PAGES_MAX * PAGE_SET_PAGE,
			 &bytes, error))
		return -1;
	run = ARRAY_ADD(dispute->run, dispute->run_count,
			(struct dispute_range) { address, (uint64_t)bytes });
	if (!run)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	before = run > dispute->run ? run - 1 : NULL;
	if (address % PAGE_SET_PAGE || run->size % PAGE_SET_PAGE || address + run->size < address)
		return refuse(error, place, "address", "or bytes are no pages");
	if (before && before->offset + before->size > address)
		return refuse(error, place, "address", "is not behind the one before");
	return 0;
}

static int take_unreadable(struct dispute *dispute, const json_t *value, const struct place *place,
			   struct error *error)
{
	if (!ARRAY_GROW(dispute->unreadable, dispute->unreadable_count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	if (!parse_address(value, &dispute->unreadable[dispute->unreadable_count]))
		return refuse(error, place, "", "is no address");
	dispute->unreadable_count++;
	return 0;
}

/* ---- the whole -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t most;
	int (*take)(struct dispute *dispute, const json_t *object, const struct place *place,
		    struct error *error);
} arrays[] = {
	{ "answers", DISPUTE_ANSWERS_MAX, take_answer },
	{ "images", DISPUTE_IMAGES_MAX, take_image }, /* before those that name one */
	{ "code", DISPUTE_MAPPINGS_MAX, take_code },
	{ "maps", DISPUTE_MAPPINGS_MAX, take_map },
	{ "memory", DISPUTE_PAGES_MAX, take_run },
	{ "unreadable", DISPUTE_PAGES_MAX, take_unreadable },
};

static int take_arrays(struct dispute *dispute, const json_t *root, struct error *error)
{
	for (size_t at = 0; at < sizeof(arrays) / sizeof(arrays[0]); at++) {
		struct place place = { NULL, 0 };
		const json_t *array = take_array(root, &place, arrays[at].name, arrays[at].most,
						 error);
		const json_t *value;

		if (!array)
			return -1;
		place.array = arrays[at].name;
		json_array_foreach(
			array, place.index,
			value) if (arrays[at].take(dispute, value, &place, error)) return -1;
	}
	return 0;
}

static int take_root(struct dispute *dispute, const json_t *root, struct error *error)
{
	const struct place place = { NULL, 0 };
	const json_t *about = json_object_get(root, "about");
	int64_t version, point, thread;

	if (strcmp(json_text(root, "format"), "stackproof case"))
		return refuse(error, &place, "format", "is not \"stackproof case\"");
	if (take_integer(root, &place, "version", 1, INT32_MAX, &version, error))
		return -1;
	if (version != DISPUTE_VERSION)
		return error_set(error, ERROR_UNSUPPORTED_ELF, MEMBER, 0,
				 "version %lld of the format is not read here", (long long)version);
	if (!json_is_object(about))
		return refuse(error, &place, "about", "is missing");
	json_object_update(dispute->about, (json_t *)about);
	if (take_integer(root, &place, "point", 0, INT64_MAX, &point, error) ||
	    take_integer(root, &place, "thread", 1, INT32_MAX, &thread, error) ||
	    take_bool(root, &place, "follow_frame_pointers", &dispute->follows, error) ||
	    take_bool(root, &place, "cut", &dispute->cut, error) ||
	    take_registers(root, dispute, error))
		return -1;
	dispute->point = (uint64_t)point;
	dispute->tid = (pid_t)thread;
	root = json_object_get(root, "truth");
	return take_bool(root, &place, "rooted", &dispute->rooted, error) ||
			       take_stack(root, &place, &dispute->truth, error)
		       ? -1
		       : 0;
}

struct dispute *dispute_from_json(const char *text, size_t size, struct error *error)
{
	struct dispute *dispute = dispute_create(error);
	json_error_t problem;
	JSON_FREED json_t *root = NULL;

	if (!dispute)
		return NULL;
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
	if (root && !take_root(dispute, root, error) && !take_arrays(dispute, root, error))
		return dispute;
	if (!root)
		error_set(error, ERROR_TEXT_SYNTAX, MEMBER, (uint64_t)problem.position, "%.150s",
			  problem.text);
	dispute_destroy(dispute);
	return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * replay.c - a recording played on this kernel
 *
 * Recordings are made without address space randomisation, and this process runs with it: its own
 * memory lies elsewhere. Where it does not, mmap(2) says so (MAP_FIXED_NOREPLACE).
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "array.h"
#include "clock.h"
#include "engines/built_in/engine.h"
#include "walk/image_store.h"
#include "base/images/debug_link.h"
#include "page_set.h"
#include "replay.h"
#include "walk/walk_rows.h"

struct replayer {
	struct image_store *store;
	struct bpf_session *session;
	struct page_set memory;
	struct address_space space;
	/* Of the recording at hand. */
	replay_difference_fn fn;
	void *context;
	struct replay_result *result;
	uint8_t *unproven; /* a bit for each point, up to the last one that has it */
	size_t unproven_room;
	bool truth_known; /* which points those are */
	/* Of the point at hand. */
	bool got;
	struct stack actual, expected; /* of WALK_FRAMES_MAX frames at most */
};

/* ---- memory ----------------------------------------------------------------------------- */

static int write_memory(void *context, uint64_t address, const uint8_t *bytes, size_t size,
			struct error *error)
{
	struct replayer *replayer = context;
	void *page = (void *)(address & ~(uint64_t)(PAGE_SET_PAGE - 1));

	if (!page_set_find(&replayer->memory, address)) {
		void *got = mmap(page, PAGE_SET_PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (got == MAP_FAILED && errno == EEXIST)
			return error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "the recorded address 0x%llx is not free here",
					 (unsigned long long)address);
		if (got == MAP_FAILED)
			return error_set_errno(error, "memory at the recorded address 0x%llx",
					       (unsigned long long)address);
		assert(got == page); /* MAP_FIXED_NOREPLACE: Linux 4.17 */
		if (!page_set_add(&replayer->memory, address, page)) {
			munmap(page, PAGE_SET_PAGE);
			return error_set(error, ERROR_MEMORY, "", 0, "too many pages of memory");
		}
	}
	memcpy((void *)address, bytes, size);
	return 0;
}

static int make_absent(void *context, uint64_t address, struct error *error)
{
	struct replayer *replayer = context;
	uint8_t *page = page_set_take(&replayer->memory, address);

	if (page)
		munmap(page, PAGE_SET_PAGE);
	return 0;
}

static void forget_memory(struct replayer *replayer)
{
	for (size_t i = 0; i < replayer->memory.count; i++)
		munmap(replayer->memory.page[i].bytes, PAGE_SET_PAGE);
	page_set_deinit(&replayer->memory);
}

/* For the walk in user space: what was recorded, and nothing else of this process. */
static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	struct replayer *replayer = context;
	uint64_t last = address + size - 1;

	/* Of one that goes round the difference is no small number either. */
	if (last / PAGE_SET_PAGE - address / PAGE_SET_PAGE > 1 ||
	    !page_set_find(&replayer->memory, address) || !page_set_find(&replayer->memory, last))
		return -1;
	memcpy(ret, (const void *)address, size);
	return 0;
}

/* ---- mappings --------------------------------------------------------------------------- */

static struct image_entry *find_image(struct replayer *replayer,
				      const struct recording_mapping *mapping, struct error *error)
{
	struct image_entry *entry;

	if (mapping->kind == RECORDING_BYTES)
		return image_store_copy(replayer->store, mapping->bytes, mapping->size,
					mapping->path, error);
	entry = image_store_open(replayer->store, mapping->path, error);
	if (entry && entry->version.size != mapping->file_bytes) {
		error_set(error, ERROR_PROTOCOL, "", 0,
			  "%.150s is another file than the recorded one", mapping->path);
		return NULL;
	}
	return entry;
}

static int set_mapping(void *context, const struct recording_mapping *recorded, size_t number,
		       size_t count, struct error *error)
{
	struct replayer *replayer = context;
	struct address_space *space = &replayer->space;
	struct mapping *mapping;

	if (number == 0) {
		address_space_deinit(space);
		space->mapping = calloc(count + 1, sizeof(*space->mapping));
	}
	if (!space->mapping)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	if (recorded) {
		mapping = &space->mapping[space->mapping_count];
		*mapping = (struct mapping) {
			.start = recorded->start,
			.end = recorded->end,
			.bias = recorded->bias,
			.path = strdup(recorded->path),
		};
		if (!mapping->path)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
		space->mapping_count++;
		if (recorded->kind != RECORDING_NO_IMAGE) {
			mapping->entry = find_image(replayer, recorded, error);
			if (!mapping->entry)
				return -1;
			image_entry_hold(mapping->entry);
		}
	}
	if (number + 1 < count)
		return 0;
	return bpf_session_set_process(replayer->session, space, error);
}

/* ---- the truth -------------------------------------------------------------------------- */

/* Which points' truth did not stand is said behind them. */
static int note_unproven(void *context, uint64_t point, struct error *error)
{
	struct replayer *replayer = context;
	size_t before = replayer->unproven_room;

	/* The point is there: the file has more bytes than that. */
	if (!ARRAY_RESERVE(replayer->unproven, replayer->unproven_room, point / 8 + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a player");
	memset(replayer->unproven + before, 0, replayer->unproven_room - before);
	replayer->unproven[point / 8] |= 1 << point % 8;
	return 0;
}

/* What the stack is to the truth. False: that is not known. */
static bool hold_against_truth(struct replayer *replayer, const struct recording_point *point,
			       struct replay_difference *ret)
{
	struct replay_result *result = replayer->result;
	const struct stack truth = { .count = point->truth_frames, .pc = (uint64_t *)point->truth };
	uint64_t number = result->points;

	if (!point->truth_frames || !replayer->truth_known)
		return false;
	if (number / 8 < replayer->unproven_room &&
	    replayer->unproven[number / 8] >> number % 8 & 1) {
		result->truth_unproven++;
		return false;
	}
	ret->truth_match = match_stack(&replayer->actual, &truth, point->truth_whole,
				       &ret->truth_right);
	result->truth_points++;
	result->truth_match[ret->truth_match]++;
	return true;
}

/* ---- points ----------------------------------------------------------------------------- */

static void keep(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct replayer *replayer = context;

	struct error ignored; /* there is room for so many */

	if (record->entry == WALK_ENTRY_REPLAY && record->count <= WALK_FRAMES_MAX)
		replayer->got = !stack_set(&replayer->actual, record->pc, record->count,
					   record->stop, &ignored);
}

static bool is_recorded(const struct stack *stack, const struct recording_point *point)
{
	return stack->count == point->frames && stack->stop == point->stop &&
	       recording_digest(stack) == point->digest;
}

static int tell_difference(struct replayer *replayer, const struct recording_point *point,
			   const struct replay_difference *held, struct error *error)
{
	struct memory_reader reader = { .read = read_memory, .context = replayer };
	struct replay_difference difference = {
		.point = replayer->result->points,
		.pc = point->regs.value[REGISTER_RIP],
		.lost = !replayer->got,
		.recorded = point,
		.actual = &replayer->actual,
		.expected = &replayer->expected,
		.has_truth = held->has_truth,
		.truth_match = held->truth_match,
		.truth_right = held->truth_right,
	};

	if (walk_table(&replayer->space, &point->regs, &reader, NULL, &replayer->expected, error))
		return -1;
	difference.same_table = is_recorded(&replayer->expected, point);
	address_space_describe(&replayer->space, difference.pc, difference.place,
			       sizeof(difference.place));
	if (replayer->fn)
		replayer->fn(replayer->context, &difference);
	return 0;
}

static int play_point(void *context, const struct recording_point *point, struct error *error)
{
	struct replayer *replayer = context;
	struct replay_result *result = replayer->result;
	struct replay_difference held = { 0 };

	replayer->got = false;
	replayer->actual.count = 0;
	replayer->actual.stop = STOP_NONE;
	if (bpf_session_replay(replayer->session, &point->regs, error) ||
	    bpf_session_consume(replayer->session, keep, replayer, error))
		return -1;
	held.has_truth = replayer->got && hold_against_truth(replayer, point, &held);
	if (replayer->got && is_recorded(&replayer->actual, point)) {
		result->same++;
	} else {
		if (tell_difference(replayer, point, &held, error))
			return -1;
		result->lost += !replayer->got;
		result->different += replayer->got;
	}
	result->frames += replayer->actual.count;
	result->points++;
	return 0;
}

/* ---- the player ------------------------------------------------------------------------- */

int replayer_create(enum walk_method method, struct replayer **ret, struct error *error)
{
	const struct bpf_session_options session = { .method = method,
						     .entries = 1u << WALK_ENTRY_REPLAY };
	struct replayer *replayer = calloc(1, sizeof(*replayer));

	if (!replayer || !(replayer->store = debug_link_store())) {
		free(replayer);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a player");
	}
	replayer->actual.limit = replayer->expected.limit = WALK_FRAMES_MAX;
	if (stack_reserve(&replayer->actual, WALK_FRAMES_MAX, error)) {
		replayer_destroy(replayer);
		return -1;
	}
	replayer->space.store = replayer->store;
	replayer->space.pid = getpid();
	if (bpf_session_open(&session, &replayer->session, error)) {
		replayer_destroy(replayer);
		return -1;
	}
	*ret = replayer;
	return 0;
}

void replayer_destroy(struct replayer *replayer)
{
	if (!replayer)
		return;
	forget_memory(replayer);
	bpf_session_close(replayer->session);
	address_space_deinit(&replayer->space);
	image_store_destroy(replayer->store);
	stack_deinit(&replayer->actual);
	stack_deinit(&replayer->expected);
	free(replayer);
}

const char *replayer_method(const struct replayer *replayer)
{
	return bpf_session_method_name(replayer->session);
}

int replayer_play(struct replayer *replayer, struct recording *recording, replay_difference_fn fn,
		  void *context, struct replay_result *ret, struct error *error)
{
	const struct recording_handler handler = {
		.mapping = set_mapping,
		.write = write_memory,
		.absent = make_absent,
		.point = play_point,
		.context = replayer,
	};
	const struct recording_handler before = { .unproven = note_unproven, .context = replayer };
	uint64_t begin = monotonic_ns();
	int status;

	*ret = (struct replay_result) { 0 };
	replayer->result = ret;
	replayer->fn = fn;
	replayer->context = context;
	/* Of one that is cut off it is not known which truths stood; it is played up to there. */
	replayer->truth_known = !recording_play(recording, &before, error);
	status = recording_play(recording, &handler, error);
	free(replayer->unproven);
	replayer->unproven = NULL;
	replayer->unproven_room = 0;
	bpf_session_forget_process(replayer->session, replayer->space.pid);
	address_space_deinit(&replayer->space);
	forget_memory(replayer);
	ret->elapsed_ns = monotonic_ns() - begin;
	return status;
}

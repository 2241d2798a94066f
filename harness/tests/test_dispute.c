/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute.c - a dispute of a stopped child: collected, written, and asked again without it
 *
 * And its parts: which bytes of an image are kept, and what of its memory. Where ptrace is not
 * permitted it prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "disputes/disputes.h"
#include "stopped_child.h"
#include "verdict/verdict.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PAGE	     4096u

/* ---- what is kept of an image ----------------------------------------------------------- */

static const struct {
	const char *name;
	struct dispute_range keep[4]; /* in order; size 0: no more */
	struct dispute_range kept[4];
} ranges[] = {
	{ "whole_pages", { { 5000, 1 } }, { { 4096, 4096 } } },
	{ "over_a_page's_end", { { 4095, 2 } }, { { 0, 8192 } } },
	{ "cut_at_the_file's_end", { { 40000, UINT64_MAX } }, { { 36864, 3136 + 5 } } },
	{ "behind_the_file's_end", { { 40005, 1 } }, { { 0, 0 } } },
	{ "apart", { { 20000, 1 }, { 0, 1 } }, { { 0, 4096 }, { 16384, 4096 } } },
	{ "touching_become_one", { { 0, 4096 }, { 4096, 1 } }, { { 0, 8192 } } },
	{ "one_inside_another", { { 0, 12288 }, { 5000, 10 } }, { { 0, 12288 } } },
	{ "one_around_another", { { 5000, 10 }, { 0, 12288 } }, { { 0, 12288 } } },
	{ "one_joins_two", { { 0, 1 }, { 12288, 1 }, { 4096, 8192 } }, { { 0, 16384 } } },
	{ "one_joins_two_of_three",
	  { { 0, 1 }, { 8192, 1 }, { 32768, 1 }, { 4096, 1 } },
	  { { 0, 12288 }, { 32768, 4096 } } },
};

START_TEST(ranges_of_an_image)
{
	struct dispute_image image = { .file_bytes = 40005 };
	size_t count = 0;
	struct error error;

	for (int i = 0; i < 4 && ranges[_i].keep[i].size; i++)
		ck_assert(!dispute_keep_range(&image, ranges[_i].keep[i].offset,
					      ranges[_i].keep[i].size, &error));
	while (count < 4 && ranges[_i].kept[count].size)
		count++;
	ck_assert_msg(image.range_count == count, "%s: %zu ranges", ranges[_i].name,
		      image.range_count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(image.range[i].offset == ranges[_i].kept[i].offset &&
				      image.range[i].size == ranges[_i].kept[i].size,
			      "%s: range %zu is %lu+%lu", ranges[_i].name, i,
			      (unsigned long)image.range[i].offset,
			      (unsigned long)image.range[i].size);
	free(image.range);
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------- */

/* Pages 0x1000 and 0x2000 are there, each byte is its address's lowest but one. */
static int read_two_pages(void *context, uint64_t address, void *ret, size_t size)
{
	unsigned int *reads = context;
	uint8_t *to = ret;

	(*reads)++;
	if (address < 0x1000 || address + size > 0x3000)
		return -1;
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)((address + i) >> 8);
	return 0;
}

START_TEST(memory_is_kept_as_it_is_read)
{
	struct error error;
	struct dispute *dispute = dispute_create(&error);
	unsigned int reads = 0;
	struct dispute_recorder recorder = { dispute, { read_two_pages, &reads } };
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader from = dispute_recorder_reader(&recorder);
	struct memory_reader kept = dispute_memory_reader(&memory);
	uint16_t word;

	ck_assert(!from.read(from.context, 0x1fff, &word, sizeof(word)));
	ck_assert_uint_eq(word, 0x201f);
	ck_assert_uint_eq(reads, 2);
	ck_assert(!from.read(from.context, 0x1000, &word, sizeof(word)));
	ck_assert(from.read(from.context, 0x2fff, &word, sizeof(word)));
	ck_assert(from.read(from.context, 0x3000, &word, sizeof(word)));
	ck_assert_uint_eq(reads, 3); /* nothing is asked for twice */
	ck_assert_uint_eq(dispute->memory.count, 2);
	ck_assert_uint_eq(dispute->unreadable_count, 1);

	ck_assert(!kept.read(kept.context, 0x1fff, &word, sizeof(word)));
	ck_assert_uint_eq(word, 0x201f);
	ck_assert(kept.read(kept.context, 0x3000, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 0); /* nobody could have read it */
	ck_assert(kept.read(kept.context, 0x4000, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 1);
	ck_assert(kept.read(kept.context, UINT64_MAX, &word, sizeof(word)));
	ck_assert_uint_eq(memory.missed, 1);
	ck_assert(!dispute->cut);
	dispute_destroy(dispute);
}
END_TEST

START_TEST(pages_that_follow_each_other)
{
	static const uint64_t pages[] = { 0x1000, 0x2000, 0x4000, 0x5000, 0x6000, 0x8000 };
	static const uint8_t bytes[PAGE];
	struct error error;
	struct dispute *dispute = dispute_create(&error);

	for (int i = 0; i < COUNT(pages); i++)
		ck_assert(dispute_add_page(dispute, pages[i], bytes));
	ck_assert_uint_eq(dispute_run(dispute, 0), 2);
	ck_assert_uint_eq(dispute_run(dispute, 2), 3);
	ck_assert_uint_eq(dispute_run(dispute, 5), 1);
	dispute_destroy(dispute);
}
END_TEST

/* ---- a stopped child -------------------------------------------------------------------- */

/* Three frames deep, with CFI; the outermost has an undefined return address. */
__asm__(".text\n"
	".balign 16\n"
	"dispute_leaf: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; int3\n"
	"dispute_leaf_after: pop %rbx; .cfi_adjust_cfa_offset -8; ret; .cfi_endproc\n"
	"dispute_middle: .cfi_startproc; sub $24, %rsp; .cfi_adjust_cfa_offset 24\n"
	"call dispute_leaf\n"
	"dispute_middle_after: nop; .cfi_endproc\n"
	"dispute_outer: .cfi_startproc; .cfi_undefined rip; call dispute_middle\n"
	"dispute_outer_after: nop; .cfi_endproc\n");

extern const char dispute_outer[], dispute_leaf_after[], dispute_middle_after[],
	dispute_outer_after[];

/* The three frames are the truth. */
static struct dispute *collect_said(struct stopped_child *child, struct shadow_stack *shadow,
				    const struct dispute_said *said, size_t count, bool follows)
{
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)dispute_middle_after,
				(uint64_t)dispute_outer_after };
	struct stack truth = { 0 };
	struct dispute *dispute;
	struct error error;

	child->stop.shadow = shadow;
	ck_assert(!stack_set(&truth, pc, 3, STOP_COMPLETE, &error));
	dispute = dispute_collect(&child->point, &truth, said, count, follows, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	stack_deinit(&truth);
	child->stop.shadow = NULL;
	return dispute;
}

/* The built-in engines' answers of the stopped child, and of a false one. */
static struct dispute *collect(struct stopped_child *child, const struct engine *const *engine,
			       size_t count)
{
	struct stack stack[4] = { { 0 } };
	struct shadow_stack shadow = { .rooted = true };
	struct dispute_said said[4];
	struct dispute *dispute;
	struct error error;

	child->stop.shadow = &shadow;
	for (size_t i = 0; i < count; i++) {
		void *open;

		ck_assert(!engine_open(engine[i], NULL, &open, &error));
		if (engine[i]->mappings)
			ck_assert(!engine[i]->mappings(open, &child->space, &error));
		ck_assert_int_eq(engine[i]->walk(open, &child->point, &stack[i], &error),
				 ENGINE_STACK);
		engine[i]->close(open);
		said[i] = (struct dispute_said) { engine[i], &stack[i] };
	}
	dispute = collect_said(child, &shadow, said, count, false);
	for (size_t i = 0; i < count; i++)
		stack_deinit(&stack[i]);
	return dispute;
}

/* Reads the case, asks the engines, and gives back what they said. */
static void ask_again(const char *path, const struct engine_list *list,
		      struct dispute **ret_dispute, struct dispute_replay *ret)
{
	struct dispute_folder folder;
	struct dispute_stage *stage;
	struct error error;
	struct dispute *dispute = dispute_read(path, &folder, &error);

	ck_assert_msg(dispute != NULL, "%s %s", error.section, error.message);
	ck_assert_msg(!dispute_stage_create(dispute, &folder, &stage, &error), "%s", error.message);
	ck_assert(!dispute_replay(dispute, stage, list, ret, &error));
	dispute_stage_destroy(stage);
	dispute_folder_deinit(&folder);
	*ret_dispute = dispute;
}

START_TEST(asked_again_without_the_process)
{
	static const struct engine *const engine[] = { &engine_cfi, &engine_libdw, &engine_scan,
						       &engine_perf8k };
	static const struct engine_list none;
	char path[] = "/tmp/test_dispute.XXXXXX";
	struct dispute_replay replay;
	struct dispute *dispute, *read;
	struct stopped_child child;
	struct error error;
	int fd;

	if (!stopped_child_init(&child, dispute_outer, 0, 0, 0)) {
		printf("SKIP dispute: no ptrace\n");
		return;
	}
	dispute = collect(&child, engine, COUNT(engine));
	fd = mkstemp(path);
	close(fd);
	ck_assert_msg(!dispute_write(dispute, path, &error), "%s", error.message);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);

	ask_again(path, &none, &read, &replay);
	for (size_t i = 0; i < replay.count; i++) {
		const struct dispute_verdict *verdict = &replay.verdict[i];
		bool is_scan = !strcmp(verdict->engine, "scan");

		if (verdict->result == DISPUTE_SKIPPED) /* no libunwind here */
			continue;
		ck_assert_msg(verdict->result == DISPUTE_SAME, "%s: %s", verdict->engine,
			      dispute_result_name(verdict->result));
		ck_assert_msg(is_scan || verdict->match == MATCH_EXACT, "%s", verdict->engine);
		ck_assert_msg(verdict->right == 3, "%s: %u", verdict->engine, verdict->right);
		ck_assert_msg(!verdict->missed, "%s", verdict->engine);
		ck_assert(!dispute_is_finding(verdict));
	}
	ck_assert_uint_ge(replay.result[DISPUTE_SAME], 8);
	for (int i = 0; i < COUNT(engine); i++)
		ck_assert(dispute_find_answer(read, engine[i]->name)->asked);
	ck_assert(!dispute_find_answer(read, "table")->asked);
	ck_assert_ptr_null(dispute_find_answer(read, "bpf"));
	dispute_replay_deinit(&replay);
	dispute_destroy(read);
	unlink(path);
}
END_TEST

/* A kept answer that is not what the engine gives, an engine that the case does not know, and one of
 * the kernel. */
START_TEST(what_an_answer_is_held_against)
{
	static const struct engine *const engine[] = { &engine_cfi };
	struct engine_list list = {
		{ &engine_cfi, &engine_table, &engine_bpf, &engine_scan }, 4, { NULL }, 0
	};
	char path[] = "/tmp/test_dispute.XXXXXX";
	struct dispute_replay replay;
	struct dispute *dispute, *read;
	struct stopped_child child;
	struct error error;
	int fd;

	if (!stopped_child_init(&child, dispute_outer, 0, 0, 0)) {
		printf("SKIP dispute: no ptrace\n");
		return;
	}
	dispute = collect(&child, engine, 1);
	dispute_find_answer(dispute, "cfi")->stack.pc[2]++;
	dispute_find_answer(dispute, "scan")->stack.stop = STOP_DEPTH;
	strcpy(dispute_find_answer(dispute, "table")->engine, "elbat");
	fd = mkstemp(path);
	close(fd);
	ck_assert(!dispute_write(dispute, path, &error));
	dispute_destroy(dispute);
	stopped_child_deinit(&child);

	ask_again(path, &list, &read, &replay);
	ck_assert_uint_eq(replay.count, 4);
	ck_assert_int_eq(replay.verdict[0].result, DISPUTE_DIFFERS);
	ck_assert_uint_eq(replay.verdict[0].same_frames, 2);
	ck_assert(dispute_is_finding(&replay.verdict[0]));
	ck_assert_int_eq(replay.verdict[1].result, DISPUTE_NEW);
	ck_assert_int_eq(replay.verdict[1].match, MATCH_EXACT);
	ck_assert(!dispute_is_finding(&replay.verdict[1]));
	ck_assert_int_eq(replay.verdict[2].result, DISPUTE_SKIPPED);
	ck_assert_str_eq(replay.verdict[2].reason, "needs_kernel");
	ck_assert(!dispute_is_finding(&replay.verdict[2]));
	ck_assert_int_eq(replay.verdict[3].result, DISPUTE_DIFFERS); /* of another stop */
	dispute_replay_deinit(&replay);
	list.count = 0;
	ck_assert(!dispute_find_answer(read, "table"));
	dispute_destroy(read);
	unlink(path);
}
END_TEST

/* ---- what of a point is kept --------------------------------------------------------------- */

static bool stop_child(struct stopped_child *child, uint64_t sp)
{
	if (stopped_child_init(child, dispute_outer, 0, 0, sp))
		return true;
	printf("SKIP dispute: no ptrace\n");
	return false;
}

/* The map that has the address; NULL: none. */
static const struct dispute_map *map_of(const struct dispute *dispute, uint64_t address)
{
	for (size_t i = 0; i < dispute->map_count; i++)
		if (address >= dispute->map[i].start && address < dispute->map[i].end)
			return &dispute->map[i];
	return NULL;
}

/* The code at pc can be read, in memory and in the file that the maps name. */
static void assert_code_is_kept(struct dispute *dispute, uint64_t pc)
{
	const struct dispute_map *map = map_of(dispute, pc);
	const struct dispute_image *image;
	uint64_t offset;
	bool kept = false;

	ck_assert(map && map->image >= 0);
	ck_assert(page_set_find(&dispute->memory, pc & ~(uint64_t)(PAGE - 1)));
	image = &dispute->image[map->image];
	offset = pc - map->start + map->offset;
	for (size_t i = 0; i < image->range_count; i++)
		kept |= offset - image->range[i].offset < image->range[i].size;
	ck_assert_msg(kept, "%s: offset 0x%lx", image->path, (unsigned long)offset);
}

/* Of the truth's frames, and of those that only an engine has, which can't be asked again. */
START_TEST(code_of_every_frame_is_kept)
{
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)strtoull,
				(uint64_t)dispute_collect };
	struct shadow_stack shadow = { .rooted = true };
	struct stack other = { 0 };
	const struct dispute_said said = { &engine_fp, &other };
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	ck_assert(!stack_set(&other, pc, COUNT(pc), STOP_COMPLETE, &error));
	dispute = collect_said(&child, &shadow, &said, 1, false);
	assert_code_is_kept(dispute, (uint64_t)dispute_middle_after);
	assert_code_is_kept(dispute, (uint64_t)dispute_outer_after);
	for (int i = 0; i < COUNT(pc); i++)
		assert_code_is_kept(dispute, pc[i]);
	stack_deinit(&other);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* How far above rsp the outermost frame is, a page from there that is kept, and one that is not. An
 * engine reads 256 KiB itself. */
static const struct {
	const char *name;
	uint64_t frame, kept, not_kept;
} depths[] = {
	{ "what_engines_read", 0x100, 0x3e000, 0x42000 },
	{ "as_far_as_its_frames", 0x50000, 0x50000, 0x53000 },
	{ "but_no_megabyte", 0x180000, 0x3e000, 0x42000 },
};

START_TEST(stack_is_kept_as_far_as_its_frames)
{
	const size_t size = 2u << 20;
	uint8_t *own = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	uint64_t sp = (uint64_t)own + PAGE;
	struct shadow_frame frame[] = { { .slot = sp + depths[_i].frame }, { .slot = sp + 8 } };
	struct shadow_stack shadow = { .rooted = true, .frame = frame, .count = COUNT(frame) };
	struct stopped_child child;
	struct dispute *dispute;

	ck_assert(own != MAP_FAILED);
	if (!stop_child(&child, sp))
		return;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	ck_assert_msg(page_set_find(&dispute->memory, sp + depths[_i].kept) != NULL, "%s",
		      depths[_i].name);
	ck_assert_msg(!page_set_find(&dispute->memory, sp + depths[_i].not_kept), "%s",
		      depths[_i].name);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	munmap(own, size + PAGE);
}
END_TEST

static size_t count_entries(const struct address_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++) {
		bool is_new = space->mapping[i].entry;

		for (size_t before = 0; before < i; before++)
			is_new &= space->mapping[before].entry != space->mapping[i].entry;
		count += is_new;
	}
	return count;
}

START_TEST(an_image_that_is_mapped_twice_is_kept_once)
{
	struct shadow_stack shadow = { .rooted = true };
	struct stopped_child child;
	struct address_space space;
	struct dispute *dispute;

	if (!stop_child(&child, 0))
		return;
	space = child.space;
	space.mapping_count *= 2;
	space.mapping = calloc(space.mapping_count, sizeof(*space.mapping));
	for (size_t i = 0; i < space.mapping_count; i++)
		space.mapping[i] = child.space.mapping[i / 2];
	child.point.space = &space;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	ck_assert_uint_eq(dispute->code_count, space.mapping_count);
	ck_assert_uint_eq(dispute->image_count, count_entries(&space));
	dispute_destroy(dispute);
	free(space.mapping);
	stopped_child_deinit(&child);
}
END_TEST

/* The file at a path may be another by now: whoever opened it would not get what was mapped. */
START_TEST(maps_name_an_image_if_its_path_still_leads_to_it)
{
	struct shadow_stack shadow = { .rooted = true };
	struct image_entry *other = NULL;
	struct mapping *own = NULL;
	struct stopped_child child;
	struct address_space space;
	struct dispute *dispute;

	if (!stop_child(&child, 0))
		return;
	space = child.space;
	space.mapping = calloc(space.mapping_count, sizeof(*space.mapping));
	memcpy(space.mapping, child.space.mapping, space.mapping_count * sizeof(*space.mapping));
	child.point.space = &space;
	for (size_t i = 0; i < space.mapping_count; i++) {
		const struct mapping *mapping = &space.mapping[i];
		uint64_t at = (uint64_t)dispute_outer;

		if (at >= mapping->start && at < mapping->end)
			own = &space.mapping[i];
		else if (mapping->entry && mapping->path[0] == '/')
			other = mapping->entry;
	}
	ck_assert(own && other);
	if (_i)
		own->entry = other;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	for (size_t i = 0; i < dispute->map_count; i++) {
		const struct dispute_map *map = &dispute->map[i];

		if (map->image >= 0)
			ck_assert_str_eq(dispute->image[map->image].path, map->path);
	}
	ck_assert_int_eq(map_of(dispute, (uint64_t)dispute_outer)->image >= 0, !_i);
	dispute_destroy(dispute);
	free(space.mapping);
	stopped_child_deinit(&child);
}
END_TEST

START_TEST(what_the_run_says_of_the_stack_is_kept)
{
	struct shadow_stack shadow = { .rooted = _i & 1 };
	struct stopped_child child;
	struct dispute *dispute;

	if (!stop_child(&child, 0))
		return;
	dispute = collect_said(&child, &shadow, NULL, 0, _i & 2);
	ck_assert_int_eq(dispute->rooted, _i & 1);
	ck_assert_int_eq(dispute->follows, !!(_i & 2));
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* ---- who says another stack of the case ---------------------------------------------------- */

static int open_nothing(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static void close_nothing(void *engine)
{
}

static enum engine_answer say_nothing(void *engine, const struct point *point, struct stack *ret,
				      struct error *error)
{
	return ENGINE_SILENT;
}

static const struct engine engine_dumb = {
	.name = "dumb", .open = open_nothing, .close = close_nothing, .walk = say_nothing
};

static const struct {
	const char *name;
	struct {
		const struct engine *engine;
		uint32_t frames; /* of the truth, that it said at the point */
		bool differs;
	} said[2];
	bool whole;
} answers[] = {
	{ "both_as_before", { { &engine_cfi, 3, false }, { &engine_libdw, 3, false } }, false },
	{ "the_first_another", { { &engine_cfi, 2, true }, { &engine_libdw, 3, false } }, true },
	{ "the_last_another", { { &engine_cfi, 3, false }, { &engine_libdw, 2, true } }, true },
	{ "none_any_more", { { &engine_dumb, 3, true }, { &engine_cfi, 3, false } }, true },
	{ "one_that_can_t_be_asked",
	  { { &engine_fp, 1, false }, { &engine_cfi, 3, false } },
	  false },
};

START_TEST(who_says_another_stack_is_asked_on_whole_images)
{
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)dispute_middle_after,
				(uint64_t)dispute_outer_after };
	struct shadow_stack shadow = { .rooted = true };
	struct stack stack[2] = { { 0 } };
	struct dispute_said said[2];
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	for (int i = 0; i < 2; i++) {
		ck_assert(!stack_set(&stack[i], pc, answers[_i].said[i].frames, STOP_COMPLETE,
				     &error));
		said[i] = (struct dispute_said) { answers[_i].said[i].engine, &stack[i] };
	}
	dispute = collect_said(&child, &shadow, said, 2, false);
	for (int i = 0; i < 2; i++) {
		const struct dispute_answer *answer = dispute_find_answer(dispute,
									  said[i].engine->name);

		ck_assert_msg(answer->differs == answers[_i].said[i].differs, "%s: %s",
			      answers[_i].name, answer->engine);
		/* What it said at the point stays. */
		ck_assert(answer->asked && stack_equal(&answer->stack, &stack[i]));
		stack_deinit(&stack[i]);
	}
	for (size_t i = 0; i < dispute->image_count; i++)
		ck_assert_msg(dispute->image[i].whole == answers[_i].whole, "%s", answers[_i].name);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* An answer that is changed by hand is not what the engine says of the case. */
static const struct {
	const char *name;
	const struct engine *changed; /* NULL: none */
	bool cut;
	const char *says; /* behind the path */
} lacks[] = {
	{ "nothing", NULL, false, NULL },
	{ "an_engine_that_was_named", &engine_cfi, false,
	  ": of the case cfi gives another stack than of the program\n" },
	{ "an_engine_that_is_built_in", &engine_scan, false,
	  ": of the case scan gives another stack than of the program\n" },
	{ "an_engine_that_says_nothing", &engine_dumb, false,
	  ": of the case dumb gives another stack than of the program\n" },
	{ "memory", NULL, true, ": more memory was read than a case can hold\n" },
};

START_TEST(what_a_case_lacks_is_said_when_it_is_written)
{
	static const struct engine *const engine[] = { &engine_cfi };
	const struct engine_list list = { { &engine_cfi, &engine_dumb }, 2, { NULL }, 0 };
	const struct engine *changed = lacks[_i].changed;
	char path[] = "/tmp/test_dispute.XXXXXX", *text = NULL, *wanted;
	struct dispute *dispute, *read;
	struct dispute_folder folder;
	struct dispute_answer *answer;
	struct stopped_child child;
	struct error error;
	size_t size;
	FILE *said = open_memstream(&text, &size);

	if (!stop_child(&child, 0))
		return;
	close(mkstemp(path));
	dispute = collect(&child, engine, 1);
	dispute->cut = lacks[_i].cut;
	if (changed == &engine_dumb)
		ck_assert_ptr_nonnull(dispute_add_answer(dispute, "dumb", &error));
	else if (changed)
		dispute_find_answer(dispute, changed->name)->stack.pc[1]++;
	ck_assert_msg(!dispute_write_verified(dispute, path, &list, said, &error), "%s",
		      error.message);
	fclose(said);
	ck_assert(asprintf(&wanted, "%s%s", path, lacks[_i].says) > 0);
	ck_assert_msg(!strcmp(text, lacks[_i].says ? wanted : ""), "%s: %s", lacks[_i].name, text);
	/* And it is in the case. */
	read = dispute_read(path, &folder, &error);
	ck_assert_msg(read != NULL, "%s", error.message);
	for (size_t i = 0; i < read->answer_count; i++) {
		answer = &read->answer[i];
		ck_assert_msg(answer->differs ==
				      (changed && !strcmp(answer->engine, changed->name)),
			      "%s: %s", lacks[_i].name, answer->engine);
	}
	ck_assert_int_eq(read->cut, lacks[_i].cut);
	dispute_destroy(read);
	dispute_folder_deinit(&folder);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	unlink(path);
	free(wanted);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dispute");
	TCase *tcase = tcase_create("dispute");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, ranges_of_an_image, 0, COUNT(ranges));
	tcase_add_test(tcase, memory_is_kept_as_it_is_read);
	tcase_add_test(tcase, pages_that_follow_each_other);
	tcase_add_test(tcase, code_of_every_frame_is_kept);
	tcase_add_loop_test(tcase, stack_is_kept_as_far_as_its_frames, 0, COUNT(depths));
	tcase_add_test(tcase, an_image_that_is_mapped_twice_is_kept_once);
	tcase_add_loop_test(tcase, maps_name_an_image_if_its_path_still_leads_to_it, 0, 2);
	tcase_add_loop_test(tcase, what_the_run_says_of_the_stack_is_kept, 0, 4);
	tcase_add_loop_test(tcase, who_says_another_stack_is_asked_on_whole_images, 0,
			    COUNT(answers));
	tcase_add_loop_test(tcase, what_a_case_lacks_is_said_when_it_is_written, 0, COUNT(lacks));
	tcase_add_test(tcase, asked_again_without_the_process);
	tcase_add_test(tcase, what_an_answer_is_held_against);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

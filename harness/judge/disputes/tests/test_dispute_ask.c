/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_ask.c - what an engine sees of a dispute, and what frames of it are called
 *
 * The dispute is made by hand: code of an image with names, and code of none. No process is needed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "corpus/plant/tests/plant_image.h"
#include "judge/disputes/disputes.h"

#define BIAS	 0x10000u
#define JIT	 0x40000u /* of a name that is no file's */
#define NAMELESS 0x50000u
#define PAGE	 4096u
#define STACK	 0x70000u

static struct dispute *dispute;
static struct dispute_folder folder;
static struct dispute_stage *stage;

static void add_code(uint64_t start, uint64_t bias, int image, const char *path)
{
	dispute->code[dispute->code_count++] = (struct dispute_code) { .start = start,
								       .end = start + PAGE,
								       .bias = bias,
								       .image = image,
								       .path = strdup(path) };
}

static void add_map(uint64_t start, uint64_t offset, const char *permissions, int image)
{
	struct dispute_map *map = &dispute->map[dispute->map_count++];

	*map = (struct dispute_map) { .start = start,
				      .end = start + PAGE,
				      .offset = offset,
				      .image = image,
				      .path = strdup("/other") };
	strcpy(map->permissions, permissions);
}

/* The second image is not mapped as code; both are the same file. */
static void set_up(void)
{
	static struct plant_file plant;
	struct error error;

	plant_file_make(&plant);
	ck_assert(!dispute_folder_create(&folder, &error));
	dispute = dispute_create(&error);
	dispute->tid = 42;
	dispute->rooted = true;
	dispute->regs.known = UINT32_MAX;
	dispute->image = calloc(2, sizeof(*dispute->image));
	dispute->image_count = 2;
	dispute->code = calloc(3, sizeof(*dispute->code));
	dispute->map = calloc(3, sizeof(*dispute->map));
	for (size_t i = 0; i < 2; i++) {
		int fd = dispute_folder_make(&folder, i, plant.size, &error);

		ck_assert_int_eq(write(fd, plant.bytes, plant.size), (ssize_t)plant.size);
		close(fd);
		dispute->image[i].path = strdup(i ? "/a/second" : "/a/first");
		dispute->image[i].build_id = strdup("");
	}
	add_code(BIAS + 0x1000, BIAS, 0, "/a/first");
	add_code(JIT, 0, -1, "/tmp/jit");
	add_code(NAMELESS, 0, -1, "");
	add_map(BIAS + 0x1000, 0x1000, "r-xp", 0);
	add_map(STACK, 0x3000, "rw-s", -1);
	add_map(STACK + PAGE, 0x5000, "r--p", 1);
	ck_assert_msg(!dispute_stage_create(dispute, &folder, &stage, &error), "%s", error.message);
}

static void tear_down(void)
{
	dispute_stage_destroy(stage);
	dispute_destroy(dispute);
	dispute_folder_deinit(&folder);
}

/* ---- what it sees --------------------------------------------------------------------------- */

static int opened, closed, told;

static int open_looking(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = &opened;
	opened++;
	return 0;
}

static void close_looking(void *engine)
{
	closed++;
}

static int look_at_mappings(void *engine, const struct address_space *space, struct error *error)
{
	ck_assert_ptr_eq(engine, &opened);
	ck_assert_uint_eq(space->mapping_count, 3);
	ck_assert_uint_eq(space->mapping[0].start, BIAS + 0x1000);
	ck_assert_uint_eq(space->mapping[0].end, BIAS + 0x1000 + PAGE);
	ck_assert_uint_eq(space->mapping[0].bias, BIAS);
	ck_assert_ptr_nonnull(space->mapping[0].entry);
	ck_assert_ptr_null(space->mapping[1].entry);
	ck_assert_str_eq(space->mapping[1].path, ""); /* what has this name here is another */
	ck_assert_uint_eq(space->mapping[2].start, NAMELESS);
	told++;
	return 0;
}

static enum engine_answer look(void *engine, const struct point *point, struct stack *ret,
			       struct error *error)
{
	char maps[512], word[4];

	snprintf(maps, sizeof(maps),
		 "11000-12000 r-xp 1000 00:01 1 %s/image-0\n"
		 "70000-71000 rw-s 0 00:00 0\n"
		 "71000-72000 r--p 5000 00:01 2 %s/image-1\n",
		 folder.path, folder.path);
	ck_assert_str_eq(point->maps, maps);
	ck_assert_int_eq(point->stop->pid, 42);
	ck_assert_int_eq(point->stop->tid, 42);
	ck_assert(point->stop->shadow->rooted && !point->stop->shadow->count);
	ck_assert_uint_eq(point->regs->value[REGISTER_RBX], 7);
	ck_assert(!point->memory->read(point->memory->context, STACK, word, 4));
	ck_assert(point->memory->read(point->memory->context, STACK + PAGE, word, 4));
	return stack_push(ret, 0x1234, error) ? ENGINE_ERROR : ENGINE_STACK;
}

static const struct engine looking = { .name = "looking",
				       .open = open_looking,
				       .close = close_looking,
				       .mappings = look_at_mappings,
				       .walk = look };

START_TEST(an_engine_sees_the_point)
{
	static const uint8_t page[PAGE];
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader reader = dispute_memory_reader(&memory);
	struct stack stack = { 0 };
	struct error error;

	dispute->regs.value[REGISTER_RBX] = 7;
	ck_assert(dispute_add_page(dispute, STACK, page));
	for (int times = 1; times <= 2; times++) {
		stack_clear(&stack);
		ck_assert_int_eq(dispute_ask(stage, &looking, &reader, &stack, &error),
				 ENGINE_STACK);
		ck_assert(opened == times && closed == times && told == times);
		ck_assert_uint_eq(stack.count, 1);
		ck_assert_uint_eq(memory.missed, (uint64_t)times);
	}
	stack_deinit(&stack);
}
END_TEST

/* In code of no image: table goes on by the frame pointer if it did so in the run; nobody else does. */
static const struct {
	const struct engine *engine;
	bool follows;
	uint32_t frames;
} follows[] = { { &engine_table, true, 2 }, { &engine_table, false, 1 }, { &engine_cfi, true, 1 } };

START_TEST(frame_pointers_are_followed_as_they_were)
{
	const uint64_t words[PAGE / 8] = { [2] = 0, [3] = JIT + 0x10 };
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader reader = dispute_memory_reader(&memory);
	struct stack stack = { 0 };
	struct error error;

	ck_assert(dispute_add_page(dispute, STACK, words));
	dispute->follows = follows[_i].follows;
	dispute->regs.value[REGISTER_RIP] = JIT;
	dispute->regs.value[REGISTER_RSP] = STACK;
	dispute->regs.value[REGISTER_RBP] = STACK + 16;
	ck_assert_int_eq(dispute_ask(stage, follows[_i].engine, &reader, &stack, &error),
			 ENGINE_STACK);
	ck_assert_uint_eq(stack.count, follows[_i].frames);
	if (stack.count > 1)
		ck_assert(stack_is_guessed(&stack, 1) && stack_pc(&stack, 1) == JIT + 0x10);
	stack_deinit(&stack);
}
END_TEST

/* Who needs a process, or the kernel, can't be asked. */
START_TEST(who_can_be_asked)
{
	const struct engine engine = { .in_kernel = _i & 1,
				       .needs = _i & 2 ? ENGINE_NEEDS_FRAME_POINTER : 0 };

	ck_assert_int_eq(dispute_can_ask(&engine), _i == 0);
}
END_TEST

/* ---- names ---------------------------------------------------------------------------------- */

/* A call may be the last instruction of its function, or of all that is mapped. */
static const struct {
	uint64_t pc;
	bool returns;
	const char *name;
} names[] = {
	{ BIAS + PLANT_FRAMED, false, "framed+0x0 (first)" },
	{ BIAS + PLANT_FRAMED + 4, true, "framed+0x4 (first)" },
	{ BIAS + PLANT_PUSHES, false, "pushes+0x0 (first)" },
	{ BIAS + PLANT_PUSHES, true, "framed+0x10 (first)" },
	{ JIT + 0x10, false, "0x40010 (jit)" },
	{ JIT, true, "0x40000 (unmapped)" },
	{ JIT + PAGE, true, "0x41000 (jit)" },
	{ JIT + PAGE, false, "0x41000 (unmapped)" },
	{ NAMELESS, false, "0x50000 (anonymous)" },
	{ 0x10, false, "0x10 (unmapped)" },
};

START_TEST(frames_are_called)
{
	char text[128];

	dispute_describe(dispute, stage, names[_i].pc, names[_i].returns, text, sizeof(text));
	ck_assert_str_eq(text, names[_i].name);
}
END_TEST

SUITE(dispute_ask, FIXTURE(set_up, tear_down), TEST(an_engine_sees_the_point),
      LOOP(frame_pointers_are_followed_as_they_were, follows), LOOP(frames_are_called, names),
      TIMES(who_can_be_asked, 4))

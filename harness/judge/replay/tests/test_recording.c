/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording.c - what a recording keeps of the memory that walks read, and that nothing else is
 * needed
 *
 * Made memory is recorded and played, in user space, into a memory that has nothing else: there the
 * same walk must give the same stack. And the sets of pages that both sides are made of.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "recording_fixture.h"
#include "recording_folder.h"
#include "judge/replay/page_set.h"
#include "walk/tests/walk_world.h"
#include "walk/walk_rows.h"

/* ---- pages by their address ------------------------------------------------------------- */

#define SLOTS 97u

static uint64_t slot_address(unsigned int slot, unsigned int draw)
{
	return 0x7fffffff0000 - slot * 3ull * PAGE_SET_PAGE + draw % PAGE_SET_PAGE;
}

/* Adds where there is none and takes where there is one, and looks at all others after each. */
START_TEST(pages_in_any_order)
{
	static uint8_t bytes[SLOTS];
	bool there[SLOTS] = { false };
	struct page_set set = { 0 };
	uint32_t draw = 12345 + _i;
	size_t count = 0;
	bool right = true; /* an assertion writes to a file: one a turn */

	for (unsigned int turn = 0; turn < 300; turn++) {
		/* Up, down, or as it comes; the way back is another one. */
		unsigned int slot = _i == 0 ? turn % SLOTS : SLOTS - 1 - turn % SLOTS;

		draw = draw * 1103515245 + 12345;
		if (_i > 1)
			slot = (draw >> 16) % SLOTS;
		if (there[slot])
			ck_assert_ptr_eq(page_set_take(&set, slot_address(slot, draw)),
					 &bytes[slot]);
		else
			ck_assert(page_set_add(&set, slot_address(slot, draw), &bytes[slot]));
		there[slot] = !there[slot];
		count += there[slot] ? 1 : -1;
		ck_assert_uint_eq(set.count, count);
		for (slot = 0; slot < SLOTS; slot++) {
			uint64_t address = slot_address(slot, draw);

			right &= page_set_find(&set, address) ==
				 (there[slot] ? &bytes[slot] : NULL);
			/* Neighbours are none of its pages. */
			right &= !page_set_find(&set, address + PAGE_SET_PAGE);
			right &= there[slot] || !page_set_take(&set, address);
		}
		for (size_t i = 1; i < set.count; i++)
			right &= set.page[i - 1].address < set.page[i].address;
		ck_assert_msg(right, "at turn %u", turn);
	}
	page_set_deinit(&set);
	ck_assert_uint_eq(set.count, 0);
	ck_assert_ptr_null(page_set_find(&set, slot_address(0, 0)));
}
END_TEST

START_TEST(so_many_pages_and_no_more)
{
	struct page_set set = { 0 };
	bool added = true;
	uint8_t one;

	for (uint64_t i = 0; i < PAGE_SET_MAX; i++)
		added &= page_set_add(&set, i * PAGE_SET_PAGE, &one);
	ck_assert(added);
	ck_assert(!page_set_add(&set, (uint64_t)PAGE_SET_MAX * PAGE_SET_PAGE, &one));
	ck_assert_uint_eq(set.count, PAGE_SET_MAX);
	ck_assert_ptr_eq(page_set_take(&set, 5 * PAGE_SET_PAGE), &one);
	ck_assert(page_set_add(&set, (uint64_t)PAGE_SET_MAX * PAGE_SET_PAGE, &one));
	page_set_deinit(&set);
}
END_TEST

/* ---- a player in user space ------------------------------------------------------------- */

#define PAGES 3

struct fake_memory {
	bool there[PAGES];
	uint8_t bytes[PAGES * PAGE_SET_PAGE]; /* from SP on */
};

static int read_fake(void *context, uint64_t address, void *ret, size_t size)
{
	const struct fake_memory *memory = context;
	uint64_t offset = address - SP;

	if (offset >= sizeof(memory->bytes) || size > sizeof(memory->bytes) - offset ||
	    !memory->there[offset / PAGE_SET_PAGE] ||
	    !memory->there[(offset + size - 1) / PAGE_SET_PAGE])
		return -1;
	memcpy(ret, memory->bytes + offset, size);
	return 0;
}

#define POINTS_MAX 8

/* What was recorded, and what the player makes of it. */
struct play {
	FILE *log;
	struct address_space space;
	struct fake_memory memory;
	size_t points;
	struct recorded_point {
		struct register_values regs;
		struct stack stack;
	} recorded[POINTS_MAX];
};

static int log_mapping(void *context, const struct recording_mapping *mapping, size_t number,
		       size_t count, struct error *error)
{
	struct play *play = context;

	ck_assert_uint_eq(number, 0);
	fprintf(play->log, "M%zu ", count);
	play->space.mapping_count = count;
	if (!mapping)
		return 0;
	ck_assert_uint_eq(mapping->start, A);
	ck_assert_uint_eq(mapping->end, play->space.mapping->end);
	ck_assert_uint_eq(mapping->bias, BIAS);
	ck_assert_int_eq(mapping->kind, RECORDING_FILE);
	ck_assert_str_eq(mapping->path, other);
	ck_assert_uint_eq(mapping->file_bytes, 5);
	return 0;
}

static int log_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
		     struct error *error)
{
	struct play *play = context;
	uint64_t word = 0, offset = address - SP;
	bool *there = &play->memory.there[offset / PAGE_SET_PAGE];

	ck_assert_uint_lt(offset, sizeof(play->memory.bytes));
	if (!*there)
		memset(play->memory.bytes + offset / PAGE_SET_PAGE * PAGE_SET_PAGE, 0,
		       PAGE_SET_PAGE);
	*there = true;
	memcpy(play->memory.bytes + offset, bytes, size);
	memcpy(&word, bytes, size);
	fprintf(play->log, "W%" PRIx64 "+%zu=%" PRIx64 " ", offset, size, word);
	return 0;
}

static int log_absent(void *context, uint64_t address, struct error *error)
{
	struct play *play = context;
	uint64_t offset = address - SP;

	ck_assert_uint_lt(offset, sizeof(play->memory.bytes));
	ck_assert(play->memory.there[offset / PAGE_SET_PAGE]);
	play->memory.there[offset / PAGE_SET_PAGE] = false;
	fprintf(play->log, "A%" PRIx64 " ", offset / PAGE_SET_PAGE);
	return 0;
}

static int log_point(void *context, const struct recording_point *point, struct error *error)
{
	struct play *play = context;
	const struct recorded_point *recorded = &play->recorded[play->points++];
	struct memory_reader reader = { read_fake, &play->memory };
	struct stack stack = { .limit = WALK_FRAMES_MAX };

	fprintf(play->log, "P%u:%s ", point->frames, stop_reason_name(point->stop));
	ck_assert(!memcmp(&point->regs, &recorded->regs, sizeof(point->regs)));
	ck_assert_uint_eq(point->frames, recorded->stack.count);
	ck_assert_uint_eq(point->stop, recorded->stack.stop);
	ck_assert_uint_eq(point->digest, recording_digest(&recorded->stack));
	if (walk_table(&play->space, &point->regs, &reader, NULL, &stack, error))
		return -1;
	ck_assert_uint_eq(recording_digest(&stack), point->digest);
	ck_assert_uint_eq(stack.stop, point->stop);
	stack_deinit(&stack);
	return 0;
}

/* ---- made memory ------------------------------------------------------------------------ */

#define PAGE PAGE_SET_PAGE

#define MOVE(what, at, value) IN_BRACES(what, at, value)
#define POINT(rsp)	      MOVE(IS_POINT, rsp, 0)
#define SET(at, value)	      MOVE(IS_SET, at, value)
#define DROP(at)	      MOVE(IS_DROP, at, 0)
#define BACK(at)	      MOVE(IS_BACK, at, 0)
#define UNMAP		      MOVE(IS_UNMAP, 0, 0)
#define MAP		      MOVE(IS_MAP, 0, 0)

#define MOVES(...) IN_BRACES(__VA_ARGS__)

/* What happens one after the other. Function A returns to where the word at rsp says; B is the
 * end. */
static const struct {
	const char *name;
	struct move {
		enum { IS_POINT = 1, IS_SET, IS_DROP, IS_BACK, IS_UNMAP, IS_MAP } what;
		uint64_t at, value; /* POINT: rsp */
	} move[12];
	const char *log;
} cases[] = {
	{ "a_word_is_written_once", MOVES(SET(0, B + 1), POINT(0), POINT(0)),
	  "M1 W0+8=550000001101 P2:complete P2:complete " },
	{ "one_that_changed_is_written_again",
	  MOVES(SET(0, B + 1), POINT(0), SET(0, B + 2), POINT(0), SET(0, B + 1), POINT(0)),
	  "M1 W0+8=550000001101 P2:complete W0+8=550000001102 P2:complete W0+8=550000001101 "
	  "P2:complete " },
	{ "one_that_changed_unread_is_not",
	  MOVES(SET(0, B + 1), SET(8, B + 1), POINT(0), SET(8, B + 2), POINT(0)),
	  "M1 W0+8=550000001101 P2:complete P2:complete " },
	{ "each_word_of_a_walk",
	  MOVES(SET(0, A + 1), SET(8, A + 2), SET(16, B + 1), POINT(0), POINT(8)),
	  "M1 W0+8=550000001001 W8+8=550000001002 W10+8=550000001101 P4:complete P3:complete " },
	{ "downwards", MOVES(SET(64, B + 1), SET(56, B + 2), POINT(64), POINT(56)),
	  "M1 W40+8=550000001101 P2:complete W38+8=550000001102 P2:complete " },
	{ "zero_on_a_page_that_is_not_there", MOVES(POINT(0)), "M1 W0+8=0 P1:zero_return " },
	{ "zero_on_one_that_is_needs_no_word", MOVES(POINT(0), POINT(8), POINT(PAGE)),
	  "M1 W0+8=0 P1:zero_return P1:zero_return W1000+8=0 P1:zero_return " },
	{ "absent_from_the_beginning", MOVES(DROP(0), POINT(0)), "M1 P1:read_fault " },
	{ "absent_after_it_was_there", MOVES(SET(8, B + 1), POINT(8), DROP(0), POINT(8), POINT(0)),
	  "M1 W8+8=550000001101 P2:complete A0 P1:read_fault P1:read_fault " },
	{ "absent_but_nobody_looked", MOVES(SET(0, B + 1), POINT(0), DROP(0), BACK(0), POINT(0)),
	  "M1 W0+8=550000001101 P2:complete P2:complete " },
	{ "back_again_with_nothing_on_it_but_what_is_read",
	  MOVES(SET(0, B + 1), SET(8, B + 1), POINT(0), POINT(8), DROP(0), POINT(0), BACK(0),
		POINT(8), POINT(0)),
	  "M1 W0+8=550000001101 P2:complete W8+8=550000001101 P2:complete A0 P1:read_fault "
	  "W8+8=550000001101 P2:complete W0+8=550000001101 P2:complete " },
	{ "across_a_page", MOVES(SET(PAGE - 4, B + 1), POINT(PAGE - 4), POINT(PAGE - 4)),
	  "M1 Wffc+4=1101 W1000+4=5500 P2:complete P2:complete " },
	{ "of_which_one_half_changed",
	  MOVES(SET(PAGE - 1, B + 1), POINT(PAGE - 1), SET(PAGE - 1, B + 2), POINT(PAGE - 1)),
	  "M1 Wfff+1=1 W1000+7=5500000011 P2:complete Wfff+1=2 P2:complete " },
	{ "into_one_that_is_absent", MOVES(SET(PAGE - 4, B + 1), DROP(PAGE), POINT(PAGE - 4)),
	  "M1 Wffc+4=1101 P1:read_fault " },
	{ "into_one_that_has_gone",
	  MOVES(SET(PAGE - 4, B + 1), POINT(PAGE - 4), DROP(PAGE), POINT(PAGE - 4)),
	  "M1 Wffc+4=1101 W1000+4=5500 P2:complete A1 P1:read_fault " },
	{ "out_of_one_that_has_gone",
	  MOVES(SET(PAGE - 4, B + 1), POINT(PAGE - 4), DROP(0), POINT(PAGE - 4)),
	  "M1 Wffc+4=1101 W1000+4=5500 P2:complete A0 P1:read_fault " },
	{ "mappings_that_are_others",
	  MOVES(POINT(0), POINT(0), UNMAP, POINT(0), POINT(0), MAP, POINT(0)),
	  "M1 W0+8=0 P1:zero_return P1:zero_return M0 P1:no_mapping P1:no_mapping M1 "
	  "P1:zero_return " },
	{ "no_mappings_from_the_beginning", MOVES(UNMAP, POINT(0)), "M0 P1:no_mapping " },
};

/* Draws in both directions, and a register that stays. */
static void draw_registers(struct register_values *regs, uint64_t sp, size_t point)
{
	uint64_t draw = 0x9e3779b97f4a7c15ull * (point + 1);

	*regs = (struct register_values) { .known = (1u << REGISTER_COUNT) - 1 };
	for (int reg = 0; reg < REGISTER_COUNT; reg++, draw = draw * 6364136223846793005ull + 1)
		regs->value[reg] = reg % 5 ? draw >> reg * 4 % 64 : 77;
	regs->value[REGISTER_RSP] = sp;
	regs->value[REGISTER_RIP] = A;
}

static void record_moves(struct world *world, const struct move *move, struct fake_memory *memory,
			 struct play *play)
{
	const struct memory_reader reader = { read_fake, memory };
	struct recording_writer *writer;
	struct recorded_point *point = play->recorded;
	struct error error;

	ck_assert(!recording_writer_create(path, "/some/program", &writer, &error));
	for (; move->what; move++) {
		bool *there = &memory->there[move->at / PAGE];

		switch (move->what) {
		case IS_SET: memcpy(memory->bytes + move->at, &move->value, 8); break;
		case IS_DROP: *there = false; break;
		case IS_BACK: *there = true; break;
		case IS_UNMAP: world->space.mapping_count = 0; break;
		case IS_MAP: world->space.mapping_count = 1; break;
		default:
			ck_assert_ptr_ne(point, play->recorded + POINTS_MAX);
			draw_registers(&point->regs, SP + move->at, point - play->recorded);
			ck_assert(!walk_table(&world->space, &point->regs, &reader, NULL,
					      &point->stack, &error));
			ck_assert_msg(!recording_writer_point(writer, &world->space, &point->regs,
							      &reader, &error),
				      "%s", error.message);
			point++;
		}
	}
	ck_assert(!recording_writer_close(writer, true, &error));
}

static void play_moves(struct play *play)
{
	const struct recording_handler handler = { .mapping = log_mapping,
						   .write = log_write,
						   .absent = log_absent,
						   .point = log_point,
						   .context = play };
	struct recording *recording;
	struct error error;

	ck_assert_msg(!recording_open(path, &recording, &error), "%s", error.message);
	ck_assert_str_eq(recording_program(recording), "/some/program");
	ck_assert_msg(!recording_play(recording, &handler, &error), "%s", error.message);
	recording_close(recording);
}

/* The image is hand-made; the file stands for it. */
static void map_file(struct world *world)
{
	FILE *file = fopen(other, "we");
	struct stat stat;

	ck_assert_ptr_nonnull(file);
	fputs("image", file);
	fflush(file);
	ck_assert(!fstat(fileno(file), &stat));
	fclose(file);
	world->entry.version = (struct file_version) { .inode = stat.st_ino, .size = stat.st_size };
	world->mapping.path = other;
}

START_TEST(made_moves)
{
	const struct literal functions[] = { NORMAL, END };
	struct fake_memory memory = { .there = { true, true, true } };
	struct play *play = calloc(1, sizeof(*play));
	struct world world;
	char *log = NULL;
	size_t size;

	ck_assert_ptr_nonnull(play);
	world_init(&world, functions, COUNT_OF(functions), false);
	map_file(&world);
	play->log = open_memstream(&log, &size);
	record_moves(&world, cases[_i].move, &memory, play);
	play->space = world.space;
	play_moves(play);
	fclose(play->log);
	ck_assert_msg(!strcmp(log, cases[_i].log), "%s: %s", cases[_i].name, log);
	world_deinit(&world);
	for (size_t i = 0; i < POINTS_MAX; i++)
		stack_deinit(&play->recorded[i].stack);
	free(log);
	free(play);
}
END_TEST

/* What is recorded is played by BPF: more frames than that has are not recorded, though they are
 * there. */
START_TEST(a_deep_stack_is_recorded_as_bpf_finds_it)
{
	const struct literal functions[] = { NORMAL, END };
	static const struct move move[] = { POINT(0), POINT(8), { 0 } };
	struct fake_memory *memory = calloc(1, sizeof(*memory));
	struct play *play = calloc(1, sizeof(*play));
	const uint64_t inner = A + 1, outer = B + 1;
	struct world world;
	char *log = NULL;
	size_t size;

	ck_assert(memory && play);
	memset(memory->there, true, sizeof(memory->there));
	for (size_t i = 0; i <= WALK_FRAMES_MAX; i++)
		memcpy(memory->bytes + 8 * i, i < WALK_FRAMES_MAX - 1 ? &inner : &outer, 8);
	play->recorded[0].stack.limit = play->recorded[1].stack.limit = WALK_FRAMES_MAX;
	world_init(&world, functions, COUNT_OF(functions), false);
	map_file(&world);
	play->log = open_memstream(&log, &size);
	record_moves(&world, move, memory, play);
	play->space = world.space;
	play_moves(play);
	fclose(play->log);
	ck_assert_msg(strstr(log, " P1024:depth P1024:complete "), "%s", log);
	world_deinit(&world);
	stack_deinit(&play->recorded[0].stack);
	stack_deinit(&play->recorded[1].stack);
	free(log);
	free(play);
	free(memory);
}
END_TEST

/* ---- mappings --------------------------------------------------------------------------- */

static int count_sets(void *context, const struct recording_mapping *mapping, size_t number,
		      size_t count, struct error *error)
{
	size_t *sets = context;

	*sets += !number;
	return 0;
}

/* The same twice, then with one thing changed: a walk would find another row, or another table. */
static const struct {
	const char *name;
	struct mapping added; /* to the mapping, field by field */
	bool another_image;
	size_t sets;
} changes[] = {
	{ "nothing", { 0 }, false, 1 },	       { "its_start", { .start = 1 }, false, 2 },
	{ "its_end", { .end = 1 }, false, 2 }, { "its_bias", { .bias = 1 }, false, 2 },
	{ "its_image", { 0 }, true, 2 },
};

START_TEST(mappings_are_written_when_they_change)
{
	const struct literal functions[] = { NORMAL, END };
	struct fake_memory memory = { .there = { true, true, true } };
	const struct memory_reader reader = { read_fake, &memory };
	size_t sets = 0;
	const struct recording_handler handler = { .mapping = count_sets, .context = &sets };
	struct register_values regs;
	struct recording_writer *writer;
	struct recording *recording;
	struct image_entry another;
	struct world world;
	struct error error;

	world_init(&world, functions, COUNT_OF(functions), false);
	map_file(&world);
	another = world.entry;
	draw_registers(&regs, SP, 0);
	ck_assert(!recording_writer_create(path, "/some/program", &writer, &error));
	for (int turn = 0; turn < 3; turn++) {
		if (turn == 2) {
			world.mapping.start += changes[_i].added.start;
			world.mapping.end += changes[_i].added.end;
			world.mapping.bias += changes[_i].added.bias;
			if (changes[_i].another_image)
				world.mapping.entry = &another;
		}
		ck_assert_msg(!recording_writer_point(writer, &world.space, &regs, &reader, &error),
			      "%s", error.message);
	}
	ck_assert(!recording_writer_close(writer, true, &error));
	ck_assert_msg(!recording_open(path, &recording, &error), "%s", error.message);
	ck_assert_msg(!recording_play(recording, &handler, &error), "%s", error.message);
	recording_close(recording);
	ck_assert_msg(sets == changes[_i].sets, "%s: %zu", changes[_i].name, sets);
	world_deinit(&world);
}
END_TEST

SUITE(recording, FIXTURE(folder_begin, folder_end), TIMES(pages_in_any_order, 6),
      TEST(so_many_pages_and_no_more), LOOP(made_moves, cases),
      TEST(a_deep_stack_is_recorded_as_bpf_finds_it),
      LOOP(mappings_are_written_when_they_change, changes))

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_libunwind_access.c - what engine libunwind gives the library, and takes from it
 *
 * The library is a made-up one: its functions only note what they were asked, and answer what a case
 * says. What the real one makes of it is test_libunwind.c's.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "tables/diff/tests/diff_image.h"

static void *made_up_open(const char *name, int flags);
static void *made_up_symbol(void *library, const char *name);
static int made_up_close(void *library);

#define dlopen	made_up_open
#define dlsym	made_up_symbol
#define dlclose made_up_close
#include "engines/built_in/libunwind.c"
#undef dlopen
#undef dlsym
#undef dlclose

#define BIAS	     0x7f0000000000u
#define START	     (BIAS + 0x1000)
#define END	     (BIAS + 0x3000)
#define HEADER	     0x40 /* in the image, where its file has the program header */
#define HEADER_BYTES 0x38
#define MEMORY	     0x1122334455667788u /* each word of it */

/* ---- the library -------------------------------------------------------------------------- */

static const char *const functions[] = {
	"_Ux86_64_create_addr_space", "_Ux86_64_destroy_addr_space",
	"_Ux86_64_init_remote",	      "_Ux86_64_step",
	"_Ux86_64_get_reg",	      "_Ux86_64_dwarf_search_unwind_table",
};

/* What it is asked, and what it answers. */
static struct library {
	const char *missing; /* a function, or the library itself */
	unsigned int opened, closed, destroyed;
	unw_dyn_info_t table;
	int search, init, step, get;
	bool finds_rules, reads; /* in a step */
	unw_word_t pc;
	bool mapping_known;
} library;

static unw_addr_space_t create_space(unw_accessors_t *accessors, int byte_order)
{
	ck_assert_int_eq(byte_order, 0);
	ck_assert_ptr_eq(accessors->find_proc_info, find_proc_info);
	ck_assert_ptr_eq(accessors->put_unwind_info, put_unwind_info);
	ck_assert_ptr_eq(accessors->get_dyn_info_list_addr, get_dyn_info_list_addr);
	ck_assert_ptr_eq(accessors->access_mem, access_mem);
	ck_assert_ptr_eq(accessors->access_reg, access_reg);
	ck_assert_ptr_eq(accessors->access_fpreg, access_fpreg);
	ck_assert_ptr_eq(accessors->resume, resume);
	ck_assert_ptr_eq(accessors->get_proc_name, get_proc_name);
	return (unw_addr_space_t)&library;
}

static void destroy_space(unw_addr_space_t space)
{
	ck_assert_ptr_eq(space, &library);
	library.destroyed++;
}

static int init_cursor(unw_cursor_t *cursor, unw_addr_space_t space, void *context)
{
	struct libunwind_engine *engine = context;

	library.mapping_known = engine->mapping;
	return library.init;
}

static struct libunwind_engine *stepping; /* whose cursor it is */

static int step_cursor(unw_cursor_t *cursor)
{
	stepping->has_rules |= library.finds_rules;
	stepping->has_read |= library.reads;
	return library.step;
}

static int get_register(unw_cursor_t *cursor, unw_regnum_t number, unw_word_t *ret)
{
	ck_assert_int_eq(number, UNW_REG_IP);
	*ret = library.pc;
	return library.get;
}

static int search_table(unw_addr_space_t space, unw_word_t pc, unw_dyn_info_t *table,
			unw_proc_info_t *ret, int need_unwind_info, void *context)
{
	library.table = *table;
	((struct libunwind_engine *)context)->has_read = true; /* the personality */
	return library.search;
}

static void *made_up_open(const char *name, int flags)
{
	ck_assert_str_eq(name, "libunwind-x86_64.so.8");
	ck_assert_int_eq(flags, RTLD_NOW | RTLD_LOCAL);
	if (library.missing && strcmp(library.missing, name) == 0)
		return NULL;
	library.opened++;
	return &library;
}

static void *made_up_symbol(void *from, const char *name)
{
	void *const made_up[] = { create_space, destroy_space, init_cursor,
				  step_cursor,	get_register,  search_table };

	ck_assert_ptr_eq(from, &library);
	if (library.missing && strcmp(library.missing, name) == 0)
		return NULL;
	for (int i = 0; i < COUNT(functions); i++)
		if (strcmp(functions[i], name) == 0)
			return made_up[i];
	ck_abort_msg("%s is asked for", name);
}

static int made_up_close(void *from)
{
	ck_assert_ptr_eq(from, &library);
	library.closed++;
	return 0;
}

static struct libunwind_engine *open_engine(void)
{
	struct error error;
	void *ret;

	library = (struct library) { 0 };
	ck_assert_int_eq(libunwind_open(NULL, &ret, &error), 0);
	stepping = ret;
	return ret;
}

/* Each function is needed; without one the library is given back. */
START_TEST(library_is_whole_or_not_used)
{
	bool installed = _i < COUNT(functions);
	const char *missing = installed ? functions[_i] : "libunwind-x86_64.so.8";
	struct error error = { 0 };
	void *engine = NULL;

	library = (struct library) { .missing = missing };
	ck_assert_int_eq(libunwind_open(NULL, &engine, &error), -1);
	ck_assert_ptr_null(engine);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, installed ? "libunwind-x86_64.so.8 lacks a function"
						  : "libunwind-x86_64.so.8 is not installed");
	ck_assert_uint_eq(library.closed, library.opened);
	ck_assert_uint_eq(library.destroyed, 0);
}
END_TEST

START_TEST(library_is_given_back)
{
	libunwind_close(open_engine());
	ck_assert_uint_eq(library.opened, 1);
	ck_assert_uint_eq(library.closed, 1);
	ck_assert_uint_eq(library.destroyed, 1);
}
END_TEST

/* ---- the search table --------------------------------------------------------------------- */

struct world {
	struct image_entry entry;
	struct image image; /* a copy: its .eh_frame_hdr is what the case says */
	struct mapping mapping[2];
	struct address_space space;
	struct register_values regs;
	struct memory_reader memory;
	struct point point;
	struct image *owned;
	int unreadable;
};

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	const struct world *world = context;
	uint64_t word = MEMORY;

	ck_assert_uint_eq(size, sizeof(word));
	memcpy(ret, &word, size);
	return world->unreadable;
}

static void setup(struct world *w, struct libunwind_engine *engine)
{
	struct diff_image bytes;
	struct error error;

	*w = (struct world) { .memory = { read_memory, w } };
	diff_image_make(&bytes);
	ck_assert_msg(!image_create_memory(bytes.bytes, bytes.size, "made up", &w->owned, &error),
		      "%s", error.message);
	w->image = *w->owned;
	w->entry.image = &w->image;
	w->mapping[0] = (struct mapping) { START, END, BIAS, 0, &w->entry, NULL, 0 };
	w->mapping[1] = (struct mapping) { END, END + 0x1000, 0, 0, NULL, NULL, 0 };
	w->space.mapping = w->mapping;
	w->space.mapping_count = 2;
	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		w->regs.value[i] = 100 + i;
	w->point = (struct point) { .space = &w->space, .regs = &w->regs, .memory = &w->memory };
	engine->point = &w->point;
	engine->mapping = &w->mapping[0];
}

static const struct {
	const char *name;
	uint64_t pc;
	uint8_t header[4]; /* version, and the three encodings */
	uint32_t count;
	size_t size; /* 0: no header */
	int found;   /* by the library, if it is asked */
	bool asked;
} tables[] = {
	{ "one_entry", START, { 1, 0x1b, 3, 0x3b }, 1, 20, 0, true },
	{ "two_entries", END - 1, { 1, 0x1b, 3, 0x3b }, 2, 28, 0, true },
	{ "none_for_the_pc", START, { 1, 0x1b, 3, 0x3b }, 2, 28, -UNW_ENOINFO, true },
	{ "more_room_than_entries", START, { 1, 0x1b, 3, 0x3b }, 1, 64, 0, true },
	{ "no_entries", START, { 1, 0x1b, 3, 0x3b }, 0, 20, 0, false },
	{ "no_room_for_the_first", START, { 1, 0x1b, 3, 0x3b }, 1, 19, 0, false },
	{ "no_room_for_the_second", START, { 1, 0x1b, 3, 0x3b }, 2, 27, 0, false },
	{ "no_room_for_most", START, { 1, 0x1b, 3, 0x3b }, UINT32_MAX, 28, 0, false },
	{ "no_room_for_any", START, { 1, 0x1b, 3, 0x3b }, 1, 12, 0, false },
	{ "no_room_for_the_count", START, { 1, 0x1b, 3, 0x3b }, 1, 11, 0, false },
	{ "no_header", START, { 1, 0x1b, 3, 0x3b }, 1, 0, 0, false },
	{ "another_version", START, { 2, 0x1b, 3, 0x3b }, 1, 20, 0, false },
	{ "another_way_to_eh_frame", START, { 1, 0x0b, 3, 0x3b }, 1, 20, 0, false },
	{ "another_count", START, { 1, 0x1b, 4, 0x3b }, 1, 20, 0, false },
	{ "another_table", START, { 1, 0x1b, 3, 0xff }, 1, 20, 0, false },
	{ "no_image", END, { 1, 0x1b, 3, 0x3b }, 1, 20, 0, false },
	{ "no_mapping", START - 1, { 1, 0x1b, 3, 0x3b }, 1, 20, 0, false },
};

START_TEST(search_table_is_described_where_it_can_be_searched)
{
	struct libunwind_engine *engine = open_engine();
	uint8_t header[12] = { 0 };
	unw_proc_info_t info;
	struct world w;

	setup(&w, engine);
	memcpy(header, tables[_i].header, 4);
	memcpy(header + 8, &tables[_i].count, 4);
	w.image.eh_frame_hdr = (struct image_section) { .data = tables[_i].size ? header : NULL,
							.size = tables[_i].size,
							.vaddr = 0x2000 };
	if (!tables[_i].size)
		w.image.eh_frame_hdr.size = 20;
	engine->has_read = true;
	library.search = tables[_i].found;
	library.table.u.rti.table_len = 77;
	ck_assert_int_eq(find_proc_info(engine->space, tables[_i].pc, &info, 1, engine),
			 tables[_i].asked ? tables[_i].found : -UNW_ENOINFO);
	ck_assert_uint_eq(engine->has_rules, tables[_i].asked && !tables[_i].found);
	ck_assert_uint_eq(engine->has_read, !tables[_i].asked);
	ck_assert_ptr_eq(engine->mapping, tables[_i].pc < START ? NULL
					  : tables[_i].pc < END ? &w.mapping[0]
								: &w.mapping[1]);
	ck_assert_uint_eq(library.table.u.rti.table_len, tables[_i].asked ? tables[_i].count : 77);
	if (tables[_i].asked) {
		ck_assert_int_eq(library.table.format, UNW_INFO_FORMAT_REMOTE_TABLE);
		ck_assert_uint_eq(library.table.start_ip, START);
		ck_assert_uint_eq(library.table.end_ip, END);
		ck_assert_uint_eq(library.table.u.rti.segbase, BIAS + 0x2000);
		ck_assert_uint_eq(library.table.u.rti.table_data, BIAS + 0x200c);
	}
	image_destroy(w.owned);
	libunwind_close(engine);
}
END_TEST

/* ---- words and registers ------------------------------------------------------------------ */

/* .eh_frame is at 0x100 of the file and of the image; the header is put before it. */
static const struct {
	const char *name;
	uint64_t vaddr;
	bool of_the_file;
} words[] = {
	{ "before_the_header", HEADER - 8, false },
	{ "into_the_header", HEADER - 7, true },
	{ "the_header", HEADER, true },
	{ "last_byte_of_the_header", HEADER + HEADER_BYTES - 1, true },
	{ "behind_the_header", HEADER + HEADER_BYTES, false },
	{ "before_eh_frame", DIFF_IMAGE_EH_FRAME - 8, false },
	{ "into_eh_frame", DIFF_IMAGE_EH_FRAME - 7, true },
	{ "eh_frame", DIFF_IMAGE_EH_FRAME, true },
	{ "elsewhere_in_the_image", 0, false },
	{ "out_of_the_image", 0x100000, false },
};

START_TEST(cfi_is_read_from_the_file)
{
	struct libunwind_engine *engine = open_engine();
	uint64_t value = 0, right;
	struct world w;

	setup(&w, engine);
	w.image.eh_frame_hdr = (struct image_section) { .data = w.image.eh_frame.data,
							.size = HEADER_BYTES,
							.vaddr = HEADER };
	right = MEMORY;
	if (words[_i].of_the_file)
		memcpy(&right, image_bytes(&w.image, words[_i].vaddr, sizeof(right)), 8);
	ck_assert_int_eq(access_mem(engine->space, BIAS + words[_i].vaddr, &value, 0, engine), 0);
	ck_assert_msg(value == right, "%s: 0x%lx", words[_i].name, value);
	ck_assert_uint_eq(engine->has_read, !words[_i].of_the_file);
	image_destroy(w.owned);
	libunwind_close(engine);
}
END_TEST

START_TEST(other_words_are_the_threads)
{
	struct libunwind_engine *engine = open_engine();
	uint64_t eh_frame = BIAS + DIFF_IMAGE_EH_FRAME, value = 0;
	struct world w;

	setup(&w, engine);
	/* Without .eh_frame, the header, an image, a mapping. */
	w.image.eh_frame_hdr = (struct image_section) { .size = 0x1000 };
	ck_assert_int_eq(access_mem(engine->space, BIAS + 0x40, &value, 0, engine), 0);
	ck_assert_uint_eq(value, MEMORY);
	engine->mapping = &w.mapping[1];
	value = 0;
	ck_assert_int_eq(access_mem(engine->space, eh_frame, &value, 0, engine), 0);
	ck_assert_uint_eq(value, MEMORY);
	engine->mapping = NULL;
	value = 0;
	ck_assert_int_eq(access_mem(engine->space, eh_frame, &value, 0, engine), 0);
	ck_assert_uint_eq(value, MEMORY);
	/* None that can't be read, and none is written. */
	engine->has_read = false;
	w.unreadable = -1;
	ck_assert_int_eq(access_mem(engine->space, eh_frame, &value, 0, engine), -UNW_EINVAL);
	ck_assert(engine->has_read);
	w.unreadable = 0;
	ck_assert_int_eq(access_mem(engine->space, eh_frame, &value, 1, engine), -UNW_EINVAL);
	image_destroy(w.owned);
	libunwind_close(engine);
}
END_TEST

static const struct {
	unw_regnum_t number;
	int write, status;
} registers[] = {
	{ -1, 0, -UNW_EBADREG },
	{ 0, 0, 0 },
	{ 1, 0, 0 },
	{ 15, 0, 0 },
	{ 16, 0, 0 },
	{ 0, 1, -UNW_EBADREG },
	{ 17, 0, -UNW_EBADREG },
};

START_TEST(registers_are_those_of_the_stop)
{
	struct libunwind_engine *engine = open_engine();
	unw_word_t value = 7;
	struct world w;

	setup(&w, engine);
	ck_assert_int_eq(access_reg(engine->space, registers[_i].number, &value,
				    registers[_i].write, engine),
			 registers[_i].status);
	ck_assert_uint_eq(value, registers[_i].status ? 7 : 100 + registers[_i].number);
	image_destroy(w.owned);
	libunwind_close(engine);
}
END_TEST

/* ---- steps -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int step;
	bool finds_rules, reads;
	int get;
	unw_word_t pc;
	uint32_t stop;
} steps[] = {
	{ "a_caller", 1, true, true, 0, START, STOP_NONE },
	{ "a_caller_by_a_guess", 1, false, true, 0, START, STOP_NONE },
	{ "a_caller_at_0", 1, true, true, 0, 0, STOP_ZERO_RETURN },
	{ "no_address_of_the_caller", 1, true, true, -1, START, STOP_FOREIGN },
	{ "an_undefined_return_address", 0, true, false, 0, START, STOP_COMPLETE },
	{ "a_word_of_0", 0, true, true, 0, START, STOP_FOREIGN },
	{ "a_guess_that_led_nowhere", 0, false, true, 0, START, STOP_FOREIGN },
	{ "no_rules_and_no_guess", 0, false, false, 0, START, STOP_FOREIGN },
	{ "an_error", -UNW_EINVAL, true, false, 0, START, STOP_FOREIGN },
};

/* What the step before has found and read says nothing of this one. */
START_TEST(step_is_judged_by_what_it_read)
{
	struct libunwind_engine *engine = open_engine();
	unw_cursor_t cursor;
	uint64_t pc = 0;

	library.step = steps[_i].step;
	library.finds_rules = steps[_i].finds_rules;
	library.reads = steps[_i].reads;
	library.get = steps[_i].get;
	library.pc = steps[_i].pc;
	engine->has_rules = engine->has_read = true;
	ck_assert_uint_eq(step_once(engine, &cursor, &pc), steps[_i].stop);
	ck_assert_uint_eq(pc, steps[_i].stop == STOP_NONE ? steps[_i].pc : 0);
	libunwind_close(engine);
}
END_TEST

/* Of a walk that can't begin there is the first frame, and the walk before is forgotten. */
START_TEST(walk_that_can_not_begin)
{
	struct libunwind_engine *engine = open_engine();
	struct stack stack = { .limit = 8 };
	struct error error;
	struct world w;

	setup(&w, engine);
	library.init = -UNW_EBADREG;
	library.mapping_known = true;
	ck_assert_int_eq(libunwind_walk(engine, &w.point, &stack, &error), ENGINE_STACK);
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.pc[0], 100 + REGISTER_RIP);
	ck_assert_uint_eq(stack.stop, STOP_FOREIGN);
	ck_assert(!library.mapping_known);
	stack_deinit(&stack);
	image_destroy(w.owned);
	libunwind_close(engine);
}
END_TEST

SUITE(libunwind_access, TIMES(library_is_whole_or_not_used, COUNT(functions) + 1),
      TEST(library_is_given_back), LOOP(search_table_is_described_where_it_can_be_searched, tables),
      LOOP(cfi_is_read_from_the_file, words), TEST(other_words_are_the_threads),
      LOOP(registers_are_those_of_the_stop, registers), LOOP(step_is_judged_by_what_it_read, steps),
      TEST(walk_that_can_not_begin))

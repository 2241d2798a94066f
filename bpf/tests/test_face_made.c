/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_made.c - stackproof.h: images without memory, and what a name is made of
 *
 * face_image.c and face_space.c are compiled in here; what reads an image and what walks are
 * stand-ins that answer as a case wants. test_face.c and test_face_image.c have real ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "cfi/code_name.h"
#include "face.h"
#include "walk/image_store.h"
#include "walk/walk_rows.h"

/* ---- the inside ------------------------------------------------------------------------- */

static struct {
	const char *failing;
	struct error_list faults; /* of the image, as cfi_check() finds them */
	struct cfi cfi;
	struct row row;
	int row_status;
	struct error row_error;
	struct code_name name;
	struct image_symbol symbol; /* the only one, if it has a name */
	struct cfi_fde fde;
	uint64_t covered; /* the only address that fde covers */
	struct stack stack;
	char walked; /* by rows, tables, or following */
} inside;

static bool fails(const char *what)
{
	return inside.failing && !strcmp(inside.failing, what);
}

static int answer(const char *what, struct error *error)
{
	return fails(what) ? error_set(error, ERROR_MEMORY, "", 0, "no memory: %s", what) : 0;
}

static int made_read_cfi(struct image_entry *entry, struct error *error)
{
	return answer("cfi", error);
}

static const struct cfi *made_cfi(struct image_entry *entry)
{
	return &inside.cfi;
}

static void made_check(const struct cfi *cfi, struct error_list *ret)
{
	ck_assert_ptr_eq(cfi, &inside.cfi);
	for (size_t i = 0; i < inside.faults.count; i++)
		error_list_add(ret, &inside.faults.error[i]);
	ret->dropped = inside.faults.dropped;
}

static int made_rows(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn fn, void *context,
		     struct error *error)
{
	int status = fn(context, &inside.row);

	*error = inside.row_error;
	return status ? status : inside.row_status;
}

static FILE *made_stream(char **text, size_t *size)
{
	return fails("stream") ? NULL : open_memstream(text, size);
}

static int made_fclose(FILE *file)
{
	int status = fclose(file);

	return fails("fclose") ? EOF : status;
}

static int made_prepare(const struct image *image, struct error *error)
{
	return answer("names", error);
}

static void made_name(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
		      struct code_name *ret)
{
	ck_assert(cfi == &inside.cfi && vaddr == 0x1234);
	*ret = inside.name;
}

static const char *made_code_name(const struct address_space *space, uint64_t pc, uint64_t time_ns,
				  uint64_t *offset)
{
	*offset = 3;
	return fails("nameless") ? NULL : "made";
}

static int made_names(const struct address_space *space, struct error *error)
{
	return answer("map of names", error);
}

static int walk(char how, const struct register_values *registers,
		const struct memory_reader *reader, struct stack *stack, struct error *error)
{
	uint32_t limit = stack->limit;

	ck_assert_uint_eq(registers->value[0], 100);
	ck_assert_uint_eq(registers->value[16], 116);
	ck_assert_uint_eq(registers->known, 0x155);
	ck_assert(reader->context == &inside && limit == 77);
	inside.walked = how;
	*stack = inside.stack;
	return answer("walk", error);
}

static int made_by_rows(const struct address_space *space, const struct register_values *registers,
			const struct memory_reader *reader, void *ignored, struct stack *ret,
			struct error *error)
{
	return walk('r', registers, reader, ret, error);
}

static int made_following(const struct address_space *space,
			  const struct register_values *registers,
			  const struct memory_reader *reader, void *ignored, struct stack *ret,
			  struct error *error)
{
	return walk('f', registers, reader, ret, error);
}

static int made_by_table(const struct address_space *space, const struct register_values *registers,
			 const struct memory_reader *reader, void *ignored, struct stack *ret,
			 struct error *error)
{
	return walk('t', registers, reader, ret, error);
}

static const struct image_symbol *made_symbol(const struct image *image, uint64_t vaddr)
{
	return inside.symbol.name ? &inside.symbol : NULL;
}

static const struct cfi_fde *made_fde(const struct cfi *cfi, uint64_t vaddr)
{
	return vaddr == inside.covered ? &inside.fde : NULL;
}

#define image_symbol_find	  made_symbol
#define cfi_fde_find		  made_fde
#define image_entry_read_cfi	  made_read_cfi
#define image_entry_cfi		  made_cfi
#define cfi_check		  made_check
#define cfi_rows		  made_rows
#define open_memstream		  made_stream
#define fclose			  made_fclose
#define code_name_prepare	  made_prepare
#define code_name_find		  made_name
#define address_space_code_name	  made_code_name
#define address_space_read_names  made_names
#define walk_rows(...)		  made_by_rows(__VA_ARGS__)
#define walk_table_following(...) made_following(__VA_ARGS__)
#define walk_table(...)		  made_by_table(__VA_ARGS__)
#include "face_image.c"
#include "face_space.c"
#undef fclose

static uint8_t build_id[20];
static struct image image = { .path = "image", .build_id_size = sizeof(build_id) };
static struct image_entry entry = { .image = &image };
static struct stackproof_image opened = { .entry = &entry };

static void begin(void)
{
	memset(&inside, 0, sizeof(inside));
	inside.cfi.image = &image;
}

/* ---- faults ----------------------------------------------------------------------------- */

#define FAULTS(...) .fault = { __VA_ARGS__ }

static const struct {
	const char *name, *failing;
	enum error_code fault[3]; /* ERROR_NONE ends them */
	int given;		  /* before the caller stops; -1: he does not */
	size_t dropped;
	int status, calls;
	uint64_t count; /* 99: not said */
	uint32_t code;
} faults[] = {
	{ "none", NULL, .given = -1 },
	{ "one", NULL, FAULTS(ERROR_CFI_STATE), .given = -1, .calls = 1, .count = 1 },
	{ "two", NULL, FAULTS(ERROR_CFI_STATE, ERROR_CFI_RANGE), .given = -1, .calls = 2,
	  .count = 2 },
	{ "stopped", NULL, FAULTS(ERROR_CFI_STATE, ERROR_CFI_RANGE), .given = 1, .status = 7,
	  .calls = 1, .count = 2 },
	{ "no_memory_first", NULL, FAULTS(ERROR_MEMORY, ERROR_CFI_STATE), .given = -1, .status = -1,
	  .count = 99, .code = STACKPROOF_ERROR_MEMORY },
	{ "no_memory_last", NULL, FAULTS(ERROR_CFI_STATE, ERROR_CFI_RANGE, ERROR_MEMORY),
	  .given = -1, .status = -1, .count = 99, .code = STACKPROOF_ERROR_MEMORY },
	{ "no_memory_for_faults", NULL, FAULTS(ERROR_CFI_STATE), .given = -1, .dropped = 1,
	  .status = -1, .count = 99, .code = STACKPROOF_ERROR_MEMORY },
	{ "no_memory_for_the_cfi", "cfi", FAULTS(ERROR_CFI_STATE), .given = -1, .status = -1,
	  .count = 99, .code = STACKPROOF_ERROR_MEMORY },
};

struct caller {
	int calls, stop_at;
};

static int on_fault(void *context, const struct stackproof_error *fault)
{
	struct caller *caller = context;

	ck_assert_uint_eq(fault->code, STACKPROOF_ERROR_CFI);
	return ++caller->calls == caller->stop_at ? 7 : 0;
}

START_TEST(faults_or_why_not)
{
	struct caller caller = { .stop_at = faults[_i].given };
	struct stackproof_error error = { 0 };
	uint64_t count = 99;

	begin();
	inside.failing = faults[_i].failing;
	for (int i = 0; i < COUNT(faults[_i].fault) && faults[_i].fault[i]; i++) {
		struct error fault;

		error_set(&fault, faults[_i].fault[i], ".eh_frame", i, "fault");
		error_list_add(&inside.faults, &fault);
	}
	inside.faults.dropped = faults[_i].dropped;
	ck_assert_int_eq(stackproof_image_faults(&opened, on_fault, &caller, &count, &error),
			 faults[_i].status);
	ck_assert_msg(caller.calls == faults[_i].calls && count == faults[_i].count, "%s: %d, %lu",
		      faults[_i].name, caller.calls, count);
	ck_assert_uint_eq(error.code, faults[_i].code);
	error_list_deinit(&inside.faults);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------------- */

static const struct {
	const char *name, *failing;
	int row_status;
	enum error_code code;
	int status;
	bool given;
} row_cases[] = {
	{ "given", NULL, 0, 0, 0, true },
	{ "no_memory_for_the_cfi", "cfi", 0, 0, -1, false },
	{ "no_memory_for_a_text", "stream", 0, 0, -1, false },
	{ "a_text_that_is_cut_short", "fclose", 0, 0, -1, false },
	{ "malformed_is_no_error", NULL, -1, ERROR_CFI_STATE, 0, true },
	{ "no_memory_for_rows", NULL, -1, ERROR_MEMORY, -1, true },
};

static int on_row(void *context, const struct stackproof_row *row)
{
	++*(int *)context;
	return 0;
}

START_TEST(rows_or_why_not)
{
	struct cfi_fde fde = { .pc_begin = 0x10, .pc_range = 0x10 };
	struct stackproof_error error = { 0 };
	uint32_t first = 0;
	int given = 0;

	begin();
	inside.failing = row_cases[_i].failing;
	inside.cfi.fde = &fde;
	inside.cfi.by_pc = &first;
	inside.cfi.fde_count = inside.cfi.by_pc_count = 1;
	inside.row.pc = 0x10;
	inside.row.pc_end = 0x20;
	inside.row_status = row_cases[_i].row_status;
	inside.row_error.code = row_cases[_i].code;
	ck_assert_msg(stackproof_image_rows(&opened, 0x10, 0x20, on_row, &given, &error) ==
			      row_cases[_i].status,
		      "%s", row_cases[_i].name);
	ck_assert_int_eq(given, row_cases[_i].given);
	ck_assert_uint_eq(error.code, row_cases[_i].status ? STACKPROOF_ERROR_MEMORY : 0);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	enum code_name_kind kind;
	const char *function;
	uint64_t offset;
} names[] = {
	{ "symbol", CODE_SYMBOL, "main", 0x34 },
	{ "section", CODE_SECTION, "main", 0x34 },
	{ "stub", CODE_STUB, "main@plt", 0x34 },
	{ "fde", CODE_FDE, "", 0 },
	{ "gap", CODE_GAP, "", 0 },
};

static struct mapping mapping = {
	.start = 0x7000, .end = 0x9000, .bias = 0x6000, .entry = &entry, .path = (char *)"/image"
};
static const struct address_space borrowed = { .pid = 5, .mapping = &mapping, .mapping_count = 1 };
static const struct stackproof_space space = { .space = &borrowed };

START_TEST(name_is_its_kind_s)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	begin();
	mapping.entry = &entry;
	inside.name =
		(struct code_name) { .kind = names[_i].kind, .start = 0x1200, .name = "main" };
	ck_assert(!stackproof_space_find(&space, 0x7234, &place, NULL));
	ck_assert_str_eq(place.function, names[_i].function);
	ck_assert_uint_eq(place.offset, names[_i].offset);
	ck_assert_uint_eq(place.address, 0x1234);
	ck_assert_str_eq(place.path, "/image");
	ck_assert_ptr_eq(place.build_id, image.build_id);
	ck_assert_uint_eq(place.build_id_size, sizeof(build_id));
}
END_TEST

START_TEST(name_or_why_not)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	struct stackproof_error error = { 0 };

	begin();
	mapping.entry = &entry;
	inside.failing = _i ? "cfi" : "names";
	ck_assert_int_eq(stackproof_space_find(&space, 0x7234, &place, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_MEMORY);
	inside.failing = "map of names";
	error.code = 0;
	ck_assert_int_eq(stackproof_space_read_names(&space, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_MEMORY);
	inside.failing = NULL;
	ck_assert_int_eq(stackproof_space_read_names(&space, &error), 0);
}
END_TEST

/* Which image, and which segment of it; and no name is looked for. */
START_TEST(address_is_located)
{
	struct image_segment segments[] = {
		{ .vaddr = 0x0, .memory_bytes = 0x1000, .file_bytes = 0x1000 },
		{ .vaddr = 0x1000,
		  .memory_bytes = 0x800,
		  .file_bytes = 0x700,
		  .file_offset = 0x3000,
		  .executable = true },
	};
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	begin();
	inside.failing = "names";
	mapping.entry = &entry;
	entry.id = 6;
	image.segment = segments;
	image.segment_count = COUNT(segments);
	ck_assert(!stackproof_space_locate(&space, 0x7234, &place, NULL));
	ck_assert_uint_eq(place.image, 7);
	ck_assert_uint_eq(place.address, 0x1234);
	ck_assert(place.start == 0x1000 && place.end == 0x1800 && place.file_offset == 0x3000);
	ck_assert_str_eq(place.function, "");
	ck_assert_ptr_eq(place.build_id, image.build_id);
	image.segment_count = 0;
	ck_assert(!stackproof_space_locate(&space, 0x7234, &place, NULL));
	ck_assert(place.start == 0x1000 && place.end == 0x3000 && !place.file_offset);
	mapping.entry = NULL;
	ck_assert(!stackproof_space_locate(&space, 0x7234, &place, NULL));
	ck_assert(!place.image && place.start == 0x7000 && place.end == 0x9000);
	ck_assert(!stackproof_space_locate(NULL, 0x7234, &place, NULL));
	ck_assert(!place.path && !place.image && place.address == 0x7234);
}
END_TEST

/* Where a process begins: without CFI, close to the entry point, and in no other function. */
static const struct {
	const char *name;
	uint64_t entry, covered;
	struct image_symbol symbol;
	bool first;
} firsts[] = {
	{ "at_the_entry_point", 0x1234, 0, { 0 }, true },
	{ "behind_it", 0x1200, 0, { 0 }, true },
	{ "the_last_byte", 0x1135, 0, { 0 }, true },
	{ "too_far_behind", 0x1134, 0, { 0 }, false },
	{ "before_it", 0x1235, 0, { 0 }, false },
	{ "no_entry_point", 0, 0, { 0 }, false },
	{ "has_cfi", 0x1200, 0x1234, { 0 }, false },
	{ "cfi_in_between", 0x1200, 0x1220, { 0 }, false },
	{ "cfi_behind", 0x1200, 0x1235, { 0 }, true },
	{ "the_same_function", 0x1200, 0, { .name = "f", .pc = 0x1200, .type = STT_FUNC }, true },
	{ "another_function", 0x1200, 0, { .name = "f", .pc = 0x1201, .type = STT_FUNC }, false },
	{ "a_label", 0x1200, 0, { .name = "f", .pc = 0x1201 }, true },
};

START_TEST(first_code_is_known)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	begin();
	mapping.entry = &entry;
	inside.name = (struct code_name) { .kind = CODE_GAP };
	inside.symbol = firsts[_i].symbol;
	inside.covered = firsts[_i].covered;
	image.entry = firsts[_i].entry;
	ck_assert(!stackproof_space_find(&space, 0x7234, &place, NULL));
	ck_assert_uint_eq(place.first_code, firsts[_i].first);
	image.entry = 0;
}
END_TEST

/* Code that is in no image: what the process itself calls it. */
START_TEST(made_code_has_a_name_or_none)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	begin();
	mapping.entry = NULL;
	ck_assert(!stackproof_space_find(&space, 0x7234, &place, NULL));
	ck_assert_str_eq(place.function, "made");
	ck_assert(place.offset == 3 && place.address == 0x7234 && !place.build_id_size);
	inside.failing = "nameless";
	ck_assert(!stackproof_space_find(&space, 0x7234, &place, NULL));
	ck_assert_str_eq(place.function, "");
	ck_assert(!stackproof_space_find(&space, 0x9000, &place, NULL));
	ck_assert(!place.path && place.address == 0x9000 && !place.offset);
}
END_TEST

/* ---- the walk --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t by_rows, follow;
	bool marks, fails;
	uint64_t pc[2];
	char walked;
	int guessed; /* which frame; -1: none */
} walks[] = {
	{ "by_tables", 0, 0, false, false, { 1, 2 }, 't', -1 },
	{ "by_rows", 1, 0, false, false, { 1, 2 }, 'r', -1 },
	{ "following", 0, 1, true, false, { 1, WALK_PC_GUESSED | 2 }, 'f', 1 },
	{ "following_with_the_first", 0, 1, true, false, { WALK_PC_GUESSED | 1, 2 }, 'f', 0 },
	{ "following_in_vain", 0, 1, true, false, { 1, 2 }, 'f', -1 },
	{ "failed", 0, 0, false, true, { 1, 2 }, 't', -1 },
};

static int no_read(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

static void on_stack(void *context, const struct stackproof_stack *stack)
{
	int at = *(int *)context;

	ck_assert_uint_eq(stack->size, sizeof(*stack));
	ck_assert_uint_eq(stack->entry, STACKPROOF_ENTRY_USER);
	ck_assert_uint_eq(stack->stop, STACKPROOF_STOP_DEPTH);
	ck_assert(stack->pid == 5 && stack->times == 1 && stack->space == &space);
	ck_assert(stack->count == 2 && stack->pc[0] == 1 && stack->pc[1] == 2);
	ck_assert_int_eq(!stack->guessed, walks[at].guessed < 0);
	for (int i = 0; stack->guessed && i < 2; i++)
		ck_assert_int_eq(stack->guessed[i], i == walks[at].guessed);
	*(int *)context = -1;
}

START_TEST(walk_is_the_one_that_is_asked_for)
{
	struct stackproof_walk_options options = STACKPROOF_INIT(struct stackproof_walk_options);
	struct stackproof_registers registers = { .known = 0x155 };
	struct stackproof_error error = { 0 };
	int at = _i;

	begin();
	options.by_rows = walks[_i].by_rows;
	options.follow_frame_pointers = walks[_i].follow;
	options.frames = 77;
	inside.failing = walks[_i].fails ? "walk" : NULL;
	inside.stack = (struct stack) { .count = 2,
					.stop = STOP_DEPTH,
					.has_marks = walks[_i].marks,
					.pc = calloc(2, sizeof(uint64_t)) };
	memcpy(inside.stack.pc, walks[_i].pc, sizeof(walks[_i].pc));
	for (int i = 0; i < 17; i++)
		registers.value[i] = 100 + i;
	ck_assert_int_eq(stackproof_walk(&space, &options, &registers, no_read, &inside, on_stack,
					 &at, &error),
			 walks[_i].fails ? -1 : 0);
	ck_assert_msg(inside.walked == walks[_i].walked, "%s", walks[_i].name);
	ck_assert_int_eq(at, walks[_i].fails ? _i : -1);
	ck_assert_uint_eq(error.code, walks[_i].fails ? STACKPROOF_ERROR_MEMORY : 0);
}
END_TEST

SUITE(face_made, LOOP(faults_or_why_not, faults), LOOP(rows_or_why_not, row_cases),
      LOOP(name_is_its_kind_s, names), TIMES(name_or_why_not, 2), TEST(address_is_located),
      LOOP(first_code_is_known, firsts), TEST(made_code_has_a_name_or_none),
      LOOP(walk_is_the_one_that_is_asked_for, walks))

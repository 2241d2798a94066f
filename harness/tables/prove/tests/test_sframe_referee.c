/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_referee.c - our reading of SFrame against a library's, which is made up here
 *
 * The library says of one function with three rows what the section says, but for one number a case. Each must be found
 * by its name; and a library that isn't there, lacks a function or fails is no difference.
 */
#include <dlfcn.h>
#include "tests/suite.h"
#include "sframe/tests/sframe_bytes.h"

static void *made_up_open(const char *name, int flags);
static void *made_up_symbol(void *handle, const char *name);
static int made_up_close(void *handle);
#define dlopen	made_up_open
#define dlsym	made_up_symbol
#define dlclose made_up_close
#include "tables/prove/sframe_referee.c"
#undef dlopen
#undef dlsym
#undef dlclose

enum planted { NOTHING, COUNT_OF, ROWS, SIZE, FUNCTION, ROW_FAILS, START, BASE, CFA, FP, NO_FP };

static enum planted planted;
static const char *lacks; /* a symbol */
static bool fails;
static int open_count;

static void *their_decode(const char *bytes, size_t size, int *error)
{
	*error = fails ? 2003 : 0;
	return fails || size < SFRAME_HEADER_BYTES ? NULL : &planted;
}

static void their_free(void **decoder)
{
	*decoder = NULL;
}

static unsigned int their_count(void *decoder)
{
	return planted == COUNT_OF ? 2 : 1;
}

static int their_function(void *decoder, unsigned int number, uint32_t *rows, uint32_t *size,
			  int32_t *start, unsigned char *info)
{
	*rows = planted == ROWS ? 2 : 3;
	*size = planted == SIZE ? 0x21 : 0x20;
	return planted == FUNCTION ? -1 : 0;
}

/* Its number is kept in the row. */
static int their_row(void *decoder, unsigned int function, unsigned int number,
		     union their_row *ret)
{
	static const uint32_t starts[] = { 0, 1, 4 };

	ret->start = starts[number] + (planted == START && number == 1);
	ret->bytes[8] = (unsigned char)number;
	return planted == ROW_FAILS && number == 2 ? -1 : 0;
}

static unsigned char their_base(union their_row *row, int *error)
{
	return (row->bytes[8] != 2) ^ (planted == BASE && row->bytes[8] == 1);
}

static int32_t their_cfa(void *decoder, union their_row *row, int *error)
{
	return row->bytes[8] ? 16 + 8 * (planted == CFA) : 8;
}

static int32_t their_fp(void *decoder, union their_row *row, int *error)
{
	*error = !row->bytes[8] || planted == NO_FP;
	return planted == FP ? -24 : -16;
}

static void *made_up_open(const char *name, int flags)
{
	if (strcmp(name, "libsframe.so.0") != 0)
		return NULL;
	open_count++;
	return &planted;
}

static int made_up_close(void *handle)
{
	open_count--;
	return 0;
}

static void *made_up_symbol(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} symbols[] = {
		{ "sframe_decode", their_decode },
		{ "sframe_decoder_free", their_free },
		{ "sframe_decoder_get_num_fidx", their_count },
		{ "sframe_decoder_get_funcdesc", their_function },
		{ "sframe_decoder_get_fre", their_row },
		{ "sframe_fre_get_base_reg_id", their_base },
		{ "sframe_fre_get_cfa_offset", their_cfa },
		{ "sframe_fre_get_fp_offset", their_fp },
	};

	for (size_t i = 0; i < ARRAY_COUNT(symbols); i++)
		if (!strcmp(symbols[i].name, name) && (!lacks || strcmp(lacks, name) != 0))
			return symbols[i].function;
	return NULL;
}

static const struct {
	const char *name;
	unsigned int version;
	enum planted planted;
	const char *lacks;
	bool fails;
	enum error_code code; /* ERROR_NONE: it is asked */
	uint64_t equal;
	const char *what; /* differs */
} cases[] = {
	{ "the_same", 1, NOTHING, NULL, false, ERROR_NONE, 3, NULL },
	{ "more_functions", 1, COUNT_OF, NULL, false, ERROR_NONE, 3, "functions" },
	{ "fewer_rows", 1, ROWS, NULL, false, ERROR_NONE, 0, "rows" },
	{ "another_size", 1, SIZE, NULL, false, ERROR_NONE, 0, "size" },
	{ "a_function_that_it_has_not", 1, FUNCTION, NULL, false, ERROR_NONE, 0, "function" },
	{ "a_row_that_it_has_not", 1, ROW_FAILS, NULL, false, ERROR_NONE, 2, "row" },
	{ "another_start", 1, START, NULL, false, ERROR_NONE, 2, "start" },
	{ "another_base", 1, BASE, NULL, false, ERROR_NONE, 2, "base" },
	{ "another_cfa", 1, CFA, NULL, false, ERROR_NONE, 1, "cfa" },
	{ "another_fp", 1, FP, NULL, false, ERROR_NONE, 1, "fp" },
	{ "no_fp", 1, NO_FP, NULL, false, ERROR_NONE, 1, "fp" },
	{ "it_cannot_read_the_section", 1, NOTHING, NULL, true, ERROR_PROTOCOL, 0, NULL },
	{ "it_lacks_a_function", 1, NOTHING, "sframe_decoder_get_fre", false, ERROR_UNAVAILABLE, 0,
	  NULL },
	{ "it_is_not_there", 2, NOTHING, NULL, false, ERROR_UNAVAILABLE, 0, NULL },
	{ "none_is_known", 3, NOTHING, NULL, false, ERROR_UNAVAILABLE, 0, NULL },
};

static void note(void *context, const struct sframe_referee_difference *difference)
{
	*(const char **)context = difference->what;
}

START_TEST(what_differs_is_named)
{
	struct made made = { .version = cases[_i].version };
	struct bytes bytes = { .size = 0 };
	struct image_section section;
	struct sframe_referee counts;
	const char *name = cases[_i].name, *what = NULL;
	struct sframe *sframe;
	struct error error = { .code = ERROR_NONE };

	made_function(&made, 0x1000, 0x20, ADDR1, 0, 0, 3);
	made_row(&made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(&made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
	made_row(&made, 1, 4, ROW(BY_FP, 1, 2), 16, -16);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	planted = cases[_i].planted;
	lacks = cases[_i].lacks;
	fails = cases[_i].fails;
	int status = sframe_referee(sframe, note, &what, &counts, &error);

	ck_assert_msg(status == (cases[_i].code ? -1 : 0), "%s: %s", name, error.message);
	ck_assert_int_eq(error.code, cases[_i].code);
	ck_assert_uint_eq(counts.equal, cases[_i].equal);
	ck_assert_msg(!what == !cases[_i].what && (!what || !strcmp(what, cases[_i].what)),
		      "%s: %s", name, what ? what : "nothing");
	ck_assert_int_eq(counts.differ > 0, cases[_i].what != NULL);
	ck_assert_int_eq(open_count, 0);
	sframe_destroy(sframe);
}
END_TEST

SUITE(sframe_referee, LOOP(what_differs_is_named, cases))

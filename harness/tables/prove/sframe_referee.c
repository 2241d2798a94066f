/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_referee.c - our reading of SFrame against libsframe's
 *
 * libsframe is binutils' own reader, as a library: libsframe.so.0 reads version 1 (binutils 2.40, in Debian's libbinutils),
 * libsframe.so.1 version 2 (2.41 to 2.45). It is looked for when it is asked, for few machines have both; what isn't there
 * is a skip. Later ones have another interface, for version 3, which is not known here. Its headers aren't needed: five
 * functions are called, and a row is opaque but for its start, which comes first.
 *
 * Compared are how many functions there are, each one's size and number of rows, and each row's start, its CFA's base and
 * offset, and where rbp is.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "sframe_referee.h"

/* sframe_frame_row_entry has 17 to 24 bytes. */
union their_row {
	uint32_t start;
	unsigned char bytes[256];
};

struct library {
	void *handle;
	void *(*decode)(const char *bytes, size_t size, int *error);
	void (*free)(void **decoder);
	unsigned int (*count)(void *decoder);
	int (*function)(void *decoder, unsigned int number, uint32_t *rows, uint32_t *size,
			int32_t *start, unsigned char *info);
	int (*row)(void *decoder, unsigned int function, unsigned int number, union their_row *ret);
	unsigned char (*base)(union their_row *row, int *error);
	int32_t (*cfa)(void *decoder, union their_row *row, int *error);
	int32_t (*fp)(void *decoder, union their_row *row, int *error);
};

static const char *library_name(unsigned int version)
{
	return version == 1 ? "libsframe.so.0" : version == 2 ? "libsframe.so.1" : NULL;
}

static int open_library(unsigned int version, struct library *ret, struct error *error)
{
	const char *name = library_name(version);
	const struct {
		void *to;
		const char *symbol;
	} functions[] = {
		{ &ret->decode, "sframe_decode" },
		{ &ret->free, "sframe_decoder_free" },
		{ &ret->count, "sframe_decoder_get_num_fidx" },
		{ &ret->function, "sframe_decoder_get_funcdesc" },
		{ &ret->row, "sframe_decoder_get_fre" },
		{ &ret->base, "sframe_fre_get_base_reg_id" },
		{ &ret->cfa, "sframe_fre_get_cfa_offset" },
		{ &ret->fp, "sframe_fre_get_fp_offset" },
	};

	*ret = (struct library) { .handle = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL };
	if (!ret->handle)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "no libsframe here reads version %u", version);
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
		void *symbol = dlsym(ret->handle, functions[i].symbol);

		memcpy(functions[i].to, &symbol, sizeof(symbol));
		if (symbol)
			continue;
		dlclose(ret->handle);
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s has no %s", name,
				 functions[i].symbol);
	}
	return 0;
}

/* ---- one function against another --------------------------------------------------------- */

struct comparing {
	const struct library *library;
	void *decoder;
	unsigned int function, number; /* of the row to come */
	const struct sframe_function *ours;
	sframe_referee_fn fn;
	void *context;
	struct sframe_referee *ret;
};

static void differ(struct comparing *comparing, const char *what, int64_t ours, int64_t theirs)
{
	struct sframe_referee_difference difference = { comparing->ours ? comparing->ours->pc_begin
									: 0,
							comparing->number, what, ours, theirs };

	comparing->ret->differ++;
	comparing->fn(comparing->context, &difference);
}

/* Their word for "there is none" is an error. */
static bool compare_offset(struct comparing *comparing, const char *what, bool has, int64_t ours,
			   int64_t theirs, int error)
{
	if (has == !error && (!has || ours == theirs))
		return true;
	differ(comparing, what, has ? ours : 0, error ? 0 : theirs);
	return false;
}

static int compare_row(void *context, const struct sframe_row *row)
{
	struct comparing *comparing = context;
	const struct library *library = comparing->library;
	union their_row theirs = { .bytes = { 0 } };
	int none = 0;
	int64_t offset;

	if (library->row(comparing->decoder, comparing->function, comparing->number, &theirs)) {
		differ(comparing, "row", row->start, 0);
		return 1;
	}
	if (theirs.start != row->start) {
		differ(comparing, "start", row->start, theirs.start);
	} else if (row->outermost) {
		comparing->ret->equal++; /* no words: nothing more to compare */
	} else if (library->base(&theirs, &none) != row->by_sp) {
		differ(comparing, "base", row->by_sp, !row->by_sp);
	} else {
		offset = library->cfa(comparing->decoder, &theirs, &none);
		if (compare_offset(comparing, "cfa", true, row->cfa.offset, offset, none)) {
			none = 0;
			offset = library->fp(comparing->decoder, &theirs, &none);
			comparing->ret->equal += compare_offset(comparing, "fp",
								row->fp.kind != SFRAME_NO_RULE,
								row->fp.offset, offset, none);
		}
	}
	comparing->number++;
	return 0;
}

static void compare_function(struct comparing *comparing, const struct sframe *sframe)
{
	const struct sframe_function *ours = comparing->ours;
	uint32_t rows = 0, size = 0;
	int32_t start = 0;
	unsigned char info = 0;
	struct error ignored; /* prove tells */

	comparing->number = 0;
	if (comparing->library->function(comparing->decoder, comparing->function, &rows, &size,
					 &start, &info))
		differ(comparing, "function", comparing->function, 0);
	else if (rows != ours->row_count)
		differ(comparing, "rows", ours->row_count, rows);
	else if (size != ours->pc_range)
		differ(comparing, "size", ours->pc_range, size);
	else
		sframe_rows(sframe, ours, compare_row, comparing, &ignored);
}

/* ---- all of them -------------------------------------------------------------------------- */

static int compare_header(struct comparing *comparing, const struct sframe *sframe, uint32_t number,
			  struct error *error)
{
	const struct sframe_header *header = &sframe->header[number];
	const char *bytes = (const char *)header->section->data + header->offset;
	unsigned int functions = 0, theirs;
	int failure = 0;

	comparing->decoder = comparing->library->decode(bytes, header->end - header->offset,
							&failure);
	if (!comparing->decoder)
		return error_set(error, ERROR_PROTOCOL, header->section->name, header->offset,
				 "libsframe can't read it: error %d", failure);
	theirs = comparing->library->count(comparing->decoder);
	for (size_t i = 0; i < sframe->function_count; i++) {
		if (sframe->function[i].header != number)
			continue;
		comparing->ours = &sframe->function[i];
		comparing->function = functions++;
		if (comparing->function < theirs && functions <= header->function_count)
			compare_function(comparing, sframe);
	}
	if (functions != theirs) {
		comparing->ours = NULL;
		differ(comparing, "functions", functions, theirs);
	}
	comparing->library->free(&comparing->decoder);
	return 0;
}

int sframe_referee(const struct sframe *sframe, sframe_referee_fn fn, void *context,
		   struct sframe_referee *ret, struct error *error)
{
	struct library library;
	struct comparing comparing = {
		.library = &library, .fn = fn, .context = context, .ret = ret
	};
	int status = 0;

	*ret = (struct sframe_referee) { .equal = 0 };
	for (uint32_t i = 0; !status && i < sframe->header_count; i++) {
		if (open_library(sframe->header[i].version, &library, error))
			return -1;
		status = compare_header(&comparing, sframe, i, error);
		dlclose(library.handle);
	}
	return status;
}

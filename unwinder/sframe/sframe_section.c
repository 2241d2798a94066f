/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_section.c - headers and the index of functions
 *
 * A header gives the index's place and length, and the rows'; both count from the end of the header and of what is
 * auxiliary. Where a function's rows begin counts from the begin of all rows. No such number is believed before it was
 * held against the section's size. A bad header costs what is behind it, for nobody knows where that begins; a bad
 * entry of the index costs its function.
 *
 *	version		entry	what it has
 *	1		17	s32 start, u32 size, u32 rows' offset, u32 rows, u8 info
 *	2		20	the same, u8 size of the block that repeats, u16 padding
 *	3		16	s64 start, u32 size, u32 offset of an attribute: u16 rows, u8 info, u8 info2, u8 block;
 *				the rows follow the attribute
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "image/elf_image.h"
#include "image/sframes.h"
#include "sframe.h"
#include "sframe_number.h"

#define ATTRIBUTE_BYTES 5u
#define PADDING_MAX	8u /* of zeros between headers that a linker has put one behind the other */

/* Bits of an entry's info byte. */
#define INFO_START_TYPE 0x0fu
#define INFO_REPEATS	0x10u
#define INFO_KEY_B	0x20u
#define INFO_SIGNAL	0x80u /* version 3 */
#define INFO2_TYPE	0x1fu
#define INFO2_FLEXIBLE	1u

/* A few bytes that many functions name, and a block that a large function repeats, may not become more work than
 * the section has bytes. */
#define SHARED_ROWS_MAX 16 /* for each byte of rows, of all functions */

struct reading {
	struct sframe *sframe;
	uint64_t rows;	 /* of the header at hand, those that are read */
	uint64_t blocks; /* of all functions that repeat */
	const struct sframe_input *input;
	bool out_of_memory;
};

static void diagnose(struct reading *reading, const struct error *error)
{
	error_list_add(&reading->sframe->diagnostics, error);
}

unsigned int sframe_index_bytes(unsigned int version)
{
	return version == 1 ? 17 : version == 2 ? 20 : 16;
}

/* ---- a header ----------------------------------------------------------------------------- */

static int header_bad(const struct sframe_header *header, enum error_code code, uint32_t at,
		      struct error *error, const char *what, uint64_t number)
{
	return error_set(error, code, header->section->name, header->offset + at, "%s %" PRIu64,
			 what, number);
}

static int check_machine(const struct sframe_header *header, struct error *error)
{
	bool big = header->machine == SFRAME_AARCH64_BIG || header->machine == SFRAME_S390X;

	if (header->machine < SFRAME_AARCH64_BIG || header->machine > SFRAME_S390X)
		return header_bad(header, ERROR_SFRAME_HEADER, 4, error,
				  "no machine has the number", header->machine);
	if (big != header->big_endian)
		return header_bad(header, ERROR_SFRAME_HEADER, 4, error,
				  "the byte order is not that of machine", header->machine);
	return 0;
}

/* Where index and rows lie. Sums of three numbers of 32 bits don't wrap in 64. */
static int check_places(struct sframe_header *header, const uint8_t *data, struct error *error)
{
	bool big = header->big_endian;
	uint64_t base = (uint64_t)header->offset + SFRAME_HEADER_BYTES + header->auxiliary_bytes;
	uint64_t size = header->section->size;
	uint64_t index = base + sframe_u32(data + 20, big),
		 rows = base + sframe_u32(data + 24, big);
	uint64_t index_bytes = (uint64_t)header->function_count *
			       sframe_index_bytes(header->version);

	if (base > size)
		return header_bad(header, ERROR_SFRAME_BOUNDS, 7, error,
				  "the auxiliary header reaches past the section's end at", size);
	if (index > size || index_bytes > size - index)
		return header_bad(header, ERROR_SFRAME_BOUNDS, 20, error,
				  "the index reaches past the section's end at", size);
	if (rows > size || header->rows_bytes > size - rows)
		return header_bad(header, ERROR_SFRAME_BOUNDS, 24, error,
				  "the rows reach past the section's end at", size);
	if (index < rows + header->rows_bytes && rows < index + index_bytes)
		return header_bad(header, ERROR_SFRAME_BOUNDS, 24, error,
				  "the rows lie in the index, which begins at", index);
	header->index_offset = (uint32_t)index;
	header->rows_offset = (uint32_t)rows;
	header->end = (uint32_t)(rows + header->rows_bytes > index + index_bytes
					 ? rows + header->rows_bytes
					 : index + index_bytes);
	return 0;
}

static int read_header(const struct sframe_input *input, uint32_t offset, struct sframe_header *ret,
		       struct error *error)
{
	const struct image_section *section = input->section;
	const uint8_t *data = section->data + offset;

	*ret = (struct sframe_header) { .section = section, .offset = offset };
	if (section->size - offset < 4)
		return header_bad(ret, ERROR_SFRAME_BOUNDS, 0, error,
				  "a header's first 4 bytes reach past the section's end at",
				  section->size);
	ret->big_endian = sframe_u16(data, true) == SFRAME_MAGIC;
	if (!ret->big_endian && sframe_u16(data, false) != SFRAME_MAGIC)
		return header_bad(ret, ERROR_SFRAME_HEADER, 0, error,
				  "no header: its first two bytes are", sframe_u16(data, false));
	ret->version = data[2];
	ret->flags = data[3];
	if (ret->version < 1 || ret->version > 3)
		return header_bad(ret, ERROR_SFRAME_VERSION, 2, error,
				  "SFrame of a version that is not known:", ret->version);
	if (section->size - offset < SFRAME_HEADER_BYTES)
		return header_bad(ret, ERROR_SFRAME_BOUNDS, 4, error,
				  "the header reaches past the section's end at", section->size);
	ret->machine = data[4];
	ret->fixed_fp = (int8_t)data[5];
	ret->fixed_ra = (int8_t)data[6];
	ret->auxiliary_bytes = data[7];
	ret->function_count = sframe_u32(data + 8, ret->big_endian);
	ret->row_count = sframe_u32(data + 12, ret->big_endian);
	ret->rows_bytes = sframe_u32(data + 16, ret->big_endian);
	ret->from_field = input->object || (ret->version > 1 && ret->flags & SFRAME_START_PCREL);
	return check_machine(ret, error) || check_places(ret, data, error) ? -1 : 0;
}

/* ---- an entry of the index ---------------------------------------------------------------- */

static int entry_bad(const struct sframe_header *header, enum error_code code, uint32_t offset,
		     struct error *error, const char *what, uint64_t number)
{
	return error_set(error, code, header->section->name, offset, "%s %" PRIu64, what, number);
}

/* The address that start counts from, plus start. */
static uint64_t begin_of(const struct sframe_header *header, uint32_t entry, int64_t start)
{
	return header->section->vaddr + (header->from_field ? entry : header->offset) +
	       (uint64_t)start;
}

/* What all versions have in their info byte. info_at: where that is. */
static int read_info(const struct sframe_header *header, uint8_t info, uint32_t info_at,
		     struct sframe_function *ret, struct error *error)
{
	static const uint8_t bytes[] = { 1, 2, 4 };
	unsigned int type = info & INFO_START_TYPE;

	if (type >= ARRAY_COUNT(bytes))
		return entry_bad(header, ERROR_SFRAME_FUNCTION, info_at, error,
				 "rows of a type that is not known:", type);
	ret->start_bytes = bytes[type];
	ret->repeats = info & INFO_REPEATS;
	ret->key_b = info & INFO_KEY_B;
	return 0;
}

static int read_old_entry(const struct sframe_header *header, const uint8_t *data,
			  struct sframe_function *ret, struct error *error)
{
	bool big = header->big_endian;
	uint32_t rows = sframe_u32(data + 8, big);

	ret->pc_begin = begin_of(header, ret->offset, (int32_t)sframe_u32(data, big));
	ret->pc_range = sframe_u32(data + 4, big);
	ret->row_count = sframe_u32(data + 12, big);
	ret->repeat = header->version == 2 ? data[17] : 0;
	if (rows > header->rows_bytes)
		return entry_bad(header, ERROR_SFRAME_BOUNDS, ret->offset + 8, error,
				 "the function's rows begin past the end of all, at", rows);
	ret->rows_offset = header->rows_offset + rows;
	return read_info(header, data[16], ret->offset + 16, ret, error);
}

static int read_new_entry(const struct sframe_header *header, const uint8_t *data,
			  struct sframe_function *ret, struct error *error)
{
	bool big = header->big_endian;
	uint32_t at = sframe_u32(data + 12, big), attribute;
	const uint8_t *bytes;

	ret->pc_begin = begin_of(header, ret->offset, (int64_t)sframe_u64(data, big));
	ret->pc_range = sframe_u32(data + 8, big);
	if (at > header->rows_bytes || header->rows_bytes - at < ATTRIBUTE_BYTES)
		return entry_bad(header, ERROR_SFRAME_BOUNDS, ret->offset + 12, error,
				 "the function's attribute reaches past the rows' end, at", at);
	attribute = header->rows_offset + at;
	bytes = header->section->data + attribute;
	ret->row_count = sframe_u16(bytes, big);
	ret->signal_frame = bytes[2] & INFO_SIGNAL;
	ret->flexible = (bytes[3] & INFO2_TYPE) == INFO2_FLEXIBLE;
	ret->repeat = bytes[4];
	ret->rows_offset = attribute + ATTRIBUTE_BYTES;
	ret->outermost = !ret->row_count && !ret->flexible;
	if ((bytes[3] & INFO2_TYPE) > INFO2_FLEXIBLE)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, attribute + 3, error,
				 "a function of a type that is not known:", bytes[3] & INFO2_TYPE);
	return read_info(header, bytes[2], attribute + 2, ret, error);
}

static int read_entry(const struct sframe_header *header, struct sframe_function *ret,
		      struct error *error)
{
	const uint8_t *data = header->section->data + ret->offset;
	uint32_t rows;
	int status = header->version == 3 ? read_new_entry(header, data, ret, error)
					  : read_old_entry(header, data, ret, error);

	if (status)
		return status;
	rows = header->rows_offset + header->rows_bytes - ret->rows_offset;
	/* A row has its start and its info byte at least. */
	if (ret->row_count > rows / (ret->start_bytes + 1u))
		return entry_bad(
			header, ERROR_SFRAME_BOUNDS, ret->offset, error,
			"the function has more rows than there is room for:", ret->row_count);
	if (ret->pc_range && ret->pc_begin + ret->pc_range - 1 < ret->pc_begin)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, ret->offset, error,
				 "the function's addresses wrap: its size is", ret->pc_range);
	if (ret->repeats && header->version > 1 && !ret->repeat)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, ret->offset, error,
				 "rows of a block that repeats, of size", ret->repeat);
	return 0;
}

/* What an entry costs, for the limits. */
static int count_entry(struct reading *reading, const struct sframe_header *header,
		       const struct sframe_function *function, struct error *error)
{
	uint32_t repeat = sframe_repeat(function);

	reading->rows += function->row_count;
	if (reading->rows > (uint64_t)header->rows_bytes * SHARED_ROWS_MAX)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, function->offset, error,
				 "functions share more rows than are read:", reading->rows);
	if (!function->repeats)
		return 0;
	if (function->row_count > repeat)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, function->offset, error,
				 "a block has more rows than bytes:", function->row_count);
	reading->blocks += function->pc_range / repeat + 1;
	if (reading->blocks > SFRAME_BLOCKS_MAX)
		return entry_bad(header, ERROR_SFRAME_FUNCTION, function->offset, error,
				 "more blocks repeat than are read:", reading->blocks);
	return 0;
}

static void read_index(struct reading *reading, uint32_t number)
{
	struct sframe *sframe = reading->sframe;
	const struct sframe_header *header = &sframe->header[number];
	unsigned int bytes = sframe_index_bytes(header->version);
	size_t room = sframe->function_count + header->function_count;
	struct sframe_function *grown = realloc(sframe->function, (room + 1) * sizeof(*grown));
	struct error error;

	if (!grown) {
		reading->out_of_memory = true;
		return;
	}
	sframe->function = grown;
	reading->rows = 0;
	for (uint32_t i = 0; i < header->function_count; i++) {
		struct sframe_function *function = &grown[sframe->function_count];

		*function = (struct sframe_function) { .header = number,
						       .offset = header->index_offset + i * bytes };
		if (read_entry(header, function, &error) ||
		    count_entry(reading, header, function, &error))
			diagnose(reading, &error);
		else
			sframe->function_count++;
	}
}

/* ---- a section ---------------------------------------------------------------------------- */

/* Where the next header begins: linkers align them, by zeros. section->size: there is none. */
static uint64_t next_header(const struct sframe_input *input, uint64_t at)
{
	const struct image_section *section = input->section;
	uint64_t most = section->size - at < PADDING_MAX ? section->size : at + PADDING_MAX;

	while (at < most && !section->data[at])
		at++;
	/* Behind the header where a segment leads to is what else the linker has put there. */
	if (!input->bounded &&
	    (section->size - at < 2 || (sframe_u16(section->data + at, false) != SFRAME_MAGIC &&
					sframe_u16(section->data + at, true) != SFRAME_MAGIC)))
		return section->size;
	return at;
}

static void read_section(struct reading *reading)
{
	const struct image_section *section = reading->input->section;
	struct sframe *sframe = reading->sframe;
	struct error error;
	uint64_t at = 0;

	if (section->size > UINT32_MAX) {
		error_set(&error, ERROR_SFRAME_BOUNDS, section->name, 0,
			  "a section of 4 GiB or more is not read");
		diagnose(reading, &error);
		return;
	}
	while (at < section->size && !reading->out_of_memory) {
		struct sframe_header header;

		if (read_header(reading->input, (uint32_t)at, &header, &error)) {
			diagnose(reading, &error);
			return;
		}
		if (!ARRAY_ADD(sframe->header, sframe->header_count, header)) {
			reading->out_of_memory = true;
			return;
		}
		read_index(reading, (uint32_t)sframe->header_count - 1);
		at = next_header(reading->input, header.end);
	}
}

int sframe_create_sections(const struct sframe_input *input, size_t count, struct sframe **ret,
			   struct error *error)
{
	struct sframe *sframe = calloc(1, sizeof(*sframe));
	struct reading reading = { .sframe = sframe };

	*ret = NULL;
	if (!sframe)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for SFrame");
	for (size_t i = 0; i < count; i++) {
		reading.input = &input[i];
		if (input[i].section->data)
			read_section(&reading);
	}
	if (reading.out_of_memory) {
		sframe_destroy(sframe);
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for SFrame");
	}
	if (!sframe->header_count && sframe->diagnostics.count) {
		*error = sframe->diagnostics.error[0];
		sframe_destroy(sframe);
		return -1;
	}
	if (!sframe->header_count) {
		sframe_destroy(sframe);
		return error_set(error, ERROR_NO_SFRAME, NULL, 0, "the image has no .sframe");
	}
	if (sframe_order(sframe, error)) {
		sframe_destroy(sframe);
		return -1;
	}
	*ret = sframe;
	return 0;
}

int sframe_create(const struct image *image, struct sframe **ret, struct error *error)
{
	struct sframe_input input[SFRAMES_MAX];
	const struct image_section *section;
	const struct error *unread;
	size_t count = 0;

	*ret = NULL;
	for (size_t i = 0; (section = image_sframe(image, i, &unread)); i++)
		if (section->data)
			input[count++] = (struct sframe_input) {
				.section = section,
				.object = image->type == ET_REL,
				.bounded = !image_sframe_is_unnamed(image)
			};
	if (!count && image_sframe(image, 0, &unread) && unread->code) {
		*error = *unread;
		return -1;
	}
	if (sframe_create_sections(input, count, ret, error))
		return -1;
	(*ret)->image = image;
	for (size_t i = 0; image_sframe(image, i, &unread); i++)
		if (unread->code)
			error_list_add(&(*ret)->diagnostics, unread);
	return 0;
}

uint16_t sframe_code_section(const struct sframe *sframe, const struct sframe_function *function)
{
	const struct image_section *section = sframe->header[function->header].section;

	return sframe->image
		       ? image_referenced_section(sframe->image, section->data + function->offset)
		       : 0;
}

void sframe_destroy(struct sframe *sframe)
{
	if (!sframe)
		return;
	free(sframe->header);
	free(sframe->function);
	free(sframe->by_pc);
	free(sframe->reach);
	error_list_deinit(&sframe->diagnostics);
	free(sframe);
}

bool sframe_is_amd64(const struct sframe *sframe)
{
	return !ARRAY_ANY(sframe->header_count, i, sframe->header[i].machine != SFRAME_AMD64);
}

/* ---- what contradicts itself -------------------------------------------------------------- */

static int accept_row(void *context, const struct sframe_row *row)
{
	return 0;
}

static void check_header(const struct sframe *sframe, uint32_t number, struct error_list *ret)
{
	const struct sframe_header *header = &sframe->header[number];
	unsigned int known = header->version == 1 ? SFRAME_SORTED | SFRAME_FRAME_POINTER
			     : header->version == 2
				     ? SFRAME_SORTED | SFRAME_FRAME_POINTER | SFRAME_START_PCREL
				     : SFRAME_SORTED | SFRAME_START_PCREL;
	const struct sframe_function *last = NULL;
	uint64_t rows = 0, functions = 0;
	struct error error;

	if (header->flags & ~known) {
		header_bad(header, ERROR_SFRAME_HEADER, 3, &error,
			   "flags that this version doesn't have:", header->flags);
		error_list_add(ret, &error);
	}
	for (size_t i = 0; i < sframe->function_count; i++) {
		const struct sframe_function *function = &sframe->function[i];

		if (function->header != number)
			continue;
		functions++;
		rows += function->row_count;
		if (header->flags & SFRAME_SORTED && last && last->pc_begin > function->pc_begin) {
			entry_bad(header, ERROR_SFRAME_ORDER, function->offset, &error,
				  "not in order of PC, as the header says it is: entry",
				  (function->offset - header->index_offset) /
					  sframe_index_bytes(header->version));
			error_list_add(ret, &error);
		}
		last = function;
	}
	if (functions == header->function_count && rows != header->row_count) {
		header_bad(
			header, ERROR_SFRAME_HEADER, 12, &error,
			"the header counts other rows than its functions have:", header->row_count);
		error_list_add(ret, &error);
	}
}

static void check_overlaps(const struct sframe *sframe, struct error_list *ret)
{
	struct error error;
	uint64_t end = 0;

	for (size_t i = 0; sframe->reach && i < sframe->by_pc_count; i++) {
		const struct sframe_function *function = &sframe->function[sframe->by_pc[i]];

		if (function->pc_begin < end) {
			entry_bad(&sframe->header[function->header], ERROR_SFRAME_ORDER,
				  function->offset, &error,
				  "shares code with another function; its size is",
				  function->pc_range);
			error_list_add(ret, &error);
		}
		if (function->pc_begin + function->pc_range > end)
			end = function->pc_begin + function->pc_range;
	}
}

void sframe_check(const struct sframe *sframe, struct error_list *ret)
{
	struct error error;

	for (size_t i = 0; i < sframe->diagnostics.count; i++)
		error_list_add(ret, &sframe->diagnostics.error[i]);
	ret->dropped += sframe->diagnostics.dropped;
	for (uint32_t i = 0; i < sframe->header_count; i++)
		check_header(sframe, i, ret);
	for (size_t i = 0; i < sframe->function_count; i++)
		if (sframe_rows(sframe, &sframe->function[i], accept_row, NULL, &error) < 0)
			error_list_add(ret, &error);
	/* Functions of an object file are in sections that all begin at 0. */
	if (!sframe->image || sframe->image->type != ET_REL)
		check_overlaps(sframe, ret);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_places.c - each kind of fault at each place of a small image, and images that are refused
 *
 * transcripts/plant_places.txt has all of them, by kind, function and row: the stretches that say something
 * else than before, and the bytes of the file that differ; or why nothing is planted there.
 * transcripts/plant_layouts.txt has the bytes where the image is laid out in another way.
 * TRANSCRIPTS_WRITE=1 writes it: look at every difference before it is committed.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "freed.h"
#include "corpus/plant/plant_image.c"
#include "commands/tests/transcript.h"

static struct plant_file file;

/* An image in a file that is gone. */
static int open_bytes(struct plant_image *ret, struct error *error)
{
	char path[] = "/tmp/test_plant_places-XXXXXX";
	int fd = mkstemp(path), status;

	ck_assert(fd >= 0 && write(fd, file.bytes, file.size) == (ssize_t)file.size);
	close(fd);
	status = plant_image_open(ret, path, error);
	unlink(path);
	return status;
}

static void open_image(struct plant_image *ret)
{
	struct error error;

	plant_file_make(&file);
	ck_assert_msg(!open_bytes(ret, &error), "%s", error.message);
}

/* ---- each kind at each place ---------------------------------------------------------------- */

static void say_bytes(FILE *to, const struct plant_image *image, const struct planting *planting)
{
	for (size_t i = 0; i < image->size; i++) {
		if (planting->file[i] == image->file[i])
			continue;
		fprintf(to, "\t\t@%zx", i);
		for (; i < image->size && planting->file[i] != image->file[i]; i++)
			fprintf(to, " %02x>%02x", image->file[i], planting->file[i]);
		fputc('\n', to);
	}
}

/* What is said of a planting. */
enum detail { SAY_ALL, SAY_BYTES, SAY_WHERE };

/* What is planted there, to be freed. */
static char *said_of(const struct plant_image *image, const struct plant_kind *kind,
		     const struct cfi_fde *fde, size_t row, uint64_t seed, enum detail detail)
{
	struct planting planting;
	struct error error;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (planting_create(image, kind, fde, row, seed, &planting, &error)) {
		ck_assert(!planting.file && !planting.range);
		fprintf(to, "%s: %s\n", error_code_name(error.code), error.message);
		fclose(to);
		return text;
	}
	ck_assert(planting.kind == kind && planting.fde_pc == fde->pc_begin);
	fprintf(to, "%s row %zu\n", planting.function, planting.row);
	for (size_t i = 0; detail == SAY_ALL && i < planting.range_count; i++) {
		const struct plant_range *range = &planting.range[i];

		fprintf(to, "\t0x%" PRIx64 "..0x%" PRIx64 " %s\n\t- %s\n\t+ %s\n", range->pc,
			range->pc_end, range->function, range->before, range->after);
		ck_assert_ptr_eq(planting_range(&planting, range->pc), range);
		ck_assert_ptr_eq(planting_range(&planting, range->pc_end - 1), range);
		ck_assert_ptr_ne(planting_range(&planting, range->pc_end), range);
		ck_assert_ptr_ne(planting_range(&planting, range->pc - 1), range);
	}
	if (detail != SAY_WHERE)
		say_bytes(to, image, &planting);
	planting_deinit(&planting);
	ck_assert(!planting.file && !planting.range && !planting.kind);
	fclose(to);
	return text;
}

/* A seed is named where it makes a difference. */
static void say_row(FILE *to, const struct plant_image *image, const struct plant_kind *kind,
		    const struct cfi_fde *fde, size_t row)
{
	FREED char *first = said_of(image, kind, fde, row, 0, SAY_ALL),
		   *second = said_of(image, kind, fde, row, 1, SAY_ALL);

	fprintf(to, "%s 0x%" PRIx64 " %zu: %s", kind->name, fde->pc_begin, row, first);
	if (strcmp(first, second) != 0)
		fprintf(to, "%s 0x%" PRIx64 " %zu, seed 1: %s", kind->name, fde->pc_begin, row,
			second);
}

static void say_any_row(FILE *to, const struct plant_image *image, const struct plant_kind *kind,
			const struct cfi_fde *fde)
{
	for (uint64_t seed = 6; seed < 9; seed++) {
		FREED char *said = said_of(image, kind, fde, PLANT_ANY_ROW, seed, SAY_WHERE);

		fprintf(to, "%s 0x%" PRIx64 " any, seed %d: %s", kind->name, fde->pc_begin,
			(int)seed, said);
	}
}

/* The text is that of transcripts/NAME.txt; it is freed. */
#define LICENCE "## SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause\n"

static void check_kept(const char *name, char *text)
{
	char path[2 * PATH_MAX], *expected, *whole;
	size_t same = 0, line = 2;
	FILE *kept;

	transcript_path(name, path, sizeof(path));
	if (getenv("TRANSCRIPTS_WRITE") && (kept = fopen(path, "we"))) {
		fputs(LICENCE, kept);
		fputs(text, kept);
		fclose(kept);
	}
	kept = fopen(path, "re");
	ck_assert_msg(kept != NULL, "%s is missing", path);
	whole = transcript_read(kept);
	fclose(kept);
	ck_assert_msg(!strncmp(whole, LICENCE, strlen(LICENCE)), "%s has no licence", path);
	expected = whole + strlen(LICENCE);
	for (; expected[same] && expected[same] == text[same]; same++)
		line += expected[same] == '\n';
	while (same && text[same - 1] != '\n')
		same--;
	ck_assert_msg(!strcmp(expected, text), "%s, line %zu is:\n%.1000s", name, line,
		      text + same);
	free(whole);
	free(text);
}

START_TEST(each_kind_at_each_place)
{
	struct plant_image image;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	open_image(&image);
	for (size_t i = 0; plant_kind_at(i); i++)
		for (size_t j = 0; j < image.cfi->fde_count; j++) {
			const struct plant_kind *kind = plant_kind_at(i);
			const struct cfi_fde *fde = &image.cfi->fde[j];
			size_t rows = plant_row_count(&image, kind, fde);

			for (size_t row = 0; row <= rows; row++) /* the last is none */
				say_row(to, &image, kind, fde, row);
			if (kind->by_row)
				say_any_row(to, &image, kind, fde);
		}
	fclose(to);
	plant_image_close(&image);
	check_kept("plant_places", text);
}
END_TEST

/* ---- images that are laid out in another way -------------------------------------------------- */

/* Of the first CIE, behind its length: version, "zR", alignments, column, encoding, instructions. */
#define CIE_AT(field) (PLANT_EH_FRAME + (field))
#define SECTION(number, member)                                                                    \
	(0x1300 + (number) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, member))
#define SEGMENT(member) (sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, member))

static const struct variant {
	const char *name;
	size_t at;
	uint8_t bytes[8];
	size_t size;
} variants[] = {
	{ "CIE version 3", CIE_AT(8), { 3 }, 1 },
	{ "code alignment 2", CIE_AT(12), { 2 }, 1 },
	{ "data alignment -4", CIE_AT(13), { 0x7c }, 1 },
	{ "data alignment 8", CIE_AT(13), { 8 }, 1 },
	{ "PCs as pcrel udata4", CIE_AT(16), { 0x13 }, 1 },
	{ "CFA by its offset alone", CIE_AT(17), { CFA_nop, CFA_DEF_CFA_OFFSET, 8 }, 3 },
	{ "no initial return address", CIE_AT(20), { CFA_nop, CFA_nop }, 2 },
	{ "the return address alone", CIE_AT(17), { CFA_nop, CFA_nop, CFA_nop }, 3 },
	{ "no search table", SECTION(1, sh_name), { 0 }, 4 },
	{ "an empty search table", PLANT_HDR + 8, { 0 }, 4 },
	{ "a search table of two", PLANT_HDR + 8, { 2 }, 4 },
	{ "a search table of absolute addresses", PLANT_HDR + 3, { 0x03 }, 1 },
	{ "a search table of no entries that is omitted", PLANT_HDR + 2, { 0xff }, 1 },
	{ "a segment that ends behind the code", SEGMENT(p_filesz), { 0x50, 0x10 }, 8 },
	{ "a segment that ends with the code", SEGMENT(p_filesz), { 0x48, 0x10 }, 8 },
	{ "no function names", SECTION(3, sh_type), { SHT_NULL }, 4 },
	{ "no instruction at the first function",
	  PLANT_FRAMED,
	  { 0x06, 0x06, 0x06, 0x06, 0x06 },
	  5 },
	{ "a jump over the function's end", PLANT_PUSHES, { 0xe9, 1, 0, 0, 0 }, 5 },
};

/* What is planted at the FDE's row, or as a whole, in the layout of before, to be freed; "": no such. */
static char *plain_of(const struct plant_kind *kind, uint64_t pc)
{
	static struct plant_image plain;

	if (!plain.image)
		open_image(&plain);
	return said_of(&plain, kind, cfi_fde_find(plain.cfi, pc), kind->by_row, 0, SAY_BYTES);
}

/* Only what is not as it is in the plain image. */
static void say_layout(FILE *to, const struct plant_image *image, const struct plant_kind *kind)
{
	static const uint64_t pc[] = { PLANT_FRAMED, PLANT_PUSHES, PLANT_PLT, PLANT_SIGNAL };

	for (int i = 0; i < COUNT(pc); i++) {
		const struct cfi_fde *fde = cfi_fde_find(image->cfi, pc[i]);
		char *plain, *said;

		if (!fde)
			continue;
		plain = plain_of(kind, pc[i]);
		said = said_of(image, kind, fde, kind->by_row, 0, SAY_BYTES);
		if (strcmp(plain, said) != 0)
			fprintf(to, "%s 0x%" PRIx64 ": %s", kind->name, pc[i], said);
		free(plain);
		free(said);
	}
}

START_TEST(other_layouts)
{
	struct plant_image image;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct error error;

	free(plain_of(plant_kind_at(0), PLANT_PUSHES));
	for (int v = 0; v < COUNT(variants); v++) {
		plant_file_make(&file);
		memcpy(file.bytes + variants[v].at, variants[v].bytes, variants[v].size);
		fprintf(to, "## %s\n", variants[v].name);
		if (open_bytes(&image, &error)) {
			fprintf(to, "%s: %s\n", error_code_name(error.code), error.message);
			continue;
		}
		for (size_t i = 0; plant_kind_at(i); i++)
			say_layout(to, &image, plant_kind_at(i));
		plant_image_close(&image);
	}
	fclose(to);
	check_kept("plant_layouts", text);
}
END_TEST

/* ---- images that are refused ---------------------------------------------------------------- */

#define EHDR(member) offsetof(Elf64_Ehdr, member)
/* Of the sections' headers: .eh_frame is the second. */
#define SHDR(number, member) (0x1300 + (number) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, member))

static const struct image_case {
	const char *name;
	size_t at;
	uint16_t value; /* there */
	enum error_code code;
	const char *message;
} images[] = {
	{ "of_another_machine", EHDR(e_machine), EM_386, ERROR_UNSUPPORTED_ELF, NULL },
	{ "without_segments", EHDR(e_phnum), 0, ERROR_UNSUPPORTED_ELF,
	  "it has no segments to run from" },
	{ "without_eh_frame", SHDR(2, sh_name), 0, ERROR_NO_CFI, NULL },
	{ "no_elf_file", 0, 0, ERROR_NOT_ELF, NULL },
};

START_TEST(an_image_that_is_refused)
{
	const struct image_case *test = &images[_i];
	struct plant_image image;
	struct error error = { 0 };

	plant_file_make(&file);
	memcpy(file.bytes + test->at, &test->value, sizeof(test->value));
	ck_assert_int_eq(open_bytes(&image, &error), -1);
	ck_assert_msg(error.code == test->code, "%s: %s", test->name, error_code_name(error.code));
	ck_assert_msg(!test->message || !strcmp(error.message, test->message), "%s: %s", test->name,
		      error.message);
	ck_assert(!image.image && !image.cfi && !image.whole && !image.file && !image.size &&
		  !image.decoder);
}
END_TEST

START_TEST(a_file_that_can_not_be_read)
{
	struct plant_image image;
	struct error error = { 0 };

	ck_assert_int_eq(plant_image_open(&image, "/nonexistent/file", &error), -1);
	ck_assert_str_eq(error.message, "opening it: No such file or directory");
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(!image.file && !image.size);
	ck_assert_int_eq(plant_image_open(&image, "/tmp", &error), -1);
	ck_assert_str_eq(error.message, "reading it: Is a directory");
	ck_assert(!image.file);
}
END_TEST

/* A file of sysfs says that it has a page, and has less. */
START_TEST(a_file_that_is_shorter_than_it_says)
{
	static const char path[] = "/sys/kernel/uevent_seqnum";
	struct plant_image image;
	struct error error = { 0 };

	if (access(path, R_OK)) {
		printf("SKIP: no %s\n", path);
		return;
	}
	ck_assert_int_eq(plant_image_open(&image, path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	ck_assert_str_eq(error.message, "it was cut while it was read");
	ck_assert(!image.file);
}
END_TEST

START_TEST(an_image_is_as_it_is_on_disk)
{
	struct plant_image image;

	open_image(&image);
	ck_assert_uint_eq(image.size, file.size);
	ck_assert(!memcmp(image.file, file.bytes, file.size));
	ck_assert_uint_eq(image.cfi->fde_count, 4);
	ck_assert_uint_eq(image.whole->fde_count, 4);
	plant_image_close(&image);
	ck_assert(!image.image && !image.cfi && !image.whole && !image.file && !image.size &&
		  !image.decoder);
}
END_TEST

/* ---- instructions --------------------------------------------------------------------------- */

/* push %rbp (1); mov %rsp,%rbp (3); push %rbx (1) ... */
static const struct instruction_case {
	uint64_t start, vaddr, previous;
} instructions[] = {
	{ PLANT_FRAMED, PLANT_FRAMED, 0 },
	{ PLANT_FRAMED, PLANT_FRAMED + 1, PLANT_FRAMED },
	{ PLANT_FRAMED, PLANT_FRAMED + 2, 0 },
	{ PLANT_FRAMED, PLANT_FRAMED + 3, 0 },
	{ PLANT_FRAMED, PLANT_FRAMED + 4, PLANT_FRAMED + 1 },
	{ PLANT_FRAMED, PLANT_FRAMED + 5, PLANT_FRAMED + 4 },
	{ PLANT_FRAMED + 1, PLANT_FRAMED + 5, PLANT_FRAMED + 4 },
	{ PLANT_FRAMED + 5, PLANT_FRAMED + 5, 0 },
	{ PLANT_FRAMED + 6, PLANT_FRAMED + 5, 0 },
	{ 0x9000, 0x9001, 0 }, /* in no segment */
};

START_TEST(the_instruction_before)
{
	const struct instruction_case *test = &instructions[_i];
	struct plant_image image;

	open_image(&image);
	ck_assert_uint_eq(plant_previous_instruction(&image, test->start, test->vaddr),
			  test->previous);
	ck_assert_uint_eq(plant_instruction_bytes(&image, PLANT_FRAMED), 1);
	ck_assert_uint_eq(plant_instruction_bytes(&image, PLANT_FRAMED + 1), 3);
	ck_assert_uint_eq(plant_instruction_bytes(&image, 0x9000), 0);
	plant_image_close(&image);
}
END_TEST

START_TEST(bytes_of_the_copy)
{
	struct plant_image image;
	uint8_t copy[1];

	open_image(&image);
	const struct image_section *eh_frame = image.cfi->section,
				   *hdr = &image.image->eh_frame_hdr;
	const struct plant_site site = { .source = &image, .file = copy };

	ck_assert_ptr_eq(plant_site_bytes(&site, eh_frame->data), copy + PLANT_EH_FRAME);
	ck_assert_ptr_eq(plant_site_bytes(&site, eh_frame->data + eh_frame->size - 1),
			 copy + PLANT_EH_FRAME + eh_frame->size - 1);
	ck_assert_ptr_eq(plant_site_bytes(&site, hdr->data), copy + PLANT_HDR);
	ck_assert_ptr_eq(plant_site_bytes(&site, hdr->data + hdr->size - 1),
			 copy + PLANT_HDR + hdr->size - 1);
	plant_image_close(&image);
}
END_TEST

SUITE(plant_places, TIMEOUT(300), TEST(each_kind_at_each_place), TEST(other_layouts),
      LOOP(an_image_that_is_refused, images), TEST(a_file_that_can_not_be_read),
      TEST(a_file_that_is_shorter_than_it_says), TEST(an_image_is_as_it_is_on_disk),
      LOOP(the_instruction_before, instructions), TEST(bytes_of_the_copy))

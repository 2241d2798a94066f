/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image.c - opening ELF images, whole, damaged and cut short
 *
 * The whole image is this test program itself: it has symbols, a build-id and an .eh_frame. The
 * damaged ones are copies of it with one field changed, or cut at every 997th byte, or with random
 * bytes over .eh_frame. Whatever they give, it is an error or rows, never a crash or a hang.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "cfi/cfi.h"

struct file {
	uint8_t *data;
	size_t size;
};

static struct file read_self(void)
{
	struct file file = { NULL, 0 };
	FILE *stream = fopen("/proc/self/exe", "r");
	ck_assert_ptr_nonnull(stream);
	fseek(stream, 0, SEEK_END);
	file.size = (size_t)ftell(stream);
	rewind(stream);
	file.data = malloc(file.size);
	ck_assert_ptr_nonnull(file.data);
	ck_assert_uint_eq(fread(file.data, 1, file.size, stream), file.size);
	fclose(stream);
	return file;
}

static Elf64_Ehdr *header_of(struct file *file)
{
	return (Elf64_Ehdr *)file->data;
}

static Elf64_Shdr *section_of(struct file *file, const char *name)
{
	Elf64_Ehdr *header = header_of(file);
	Elf64_Shdr *sections = (Elf64_Shdr *)(file->data + header->e_shoff);
	const char *names = (const char *)file->data + sections[header->e_shstrndx].sh_offset;
	for (unsigned int i = 1; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	ck_abort_msg("no section %s", name);
}

static Elf64_Phdr *segment_of(struct file *file, uint32_t type)
{
	Elf64_Ehdr *header = header_of(file);
	Elf64_Phdr *segments = (Elf64_Phdr *)(file->data + header->e_phoff);
	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == type)
			return &segments[i];
	ck_abort_msg("no segment of type %u", type);
}

static int count_row(void *context, const struct row *row)
{
	ck_assert_uint_lt(row->pc, row->pc_end);
	++*(uint64_t *)context;
	return 0;
}

/* Reads all that can be read; returns how many rows, and fails if a row is impossible. */
static uint64_t read_all(const struct file *file, struct error *error)
{
	struct image *image;
	uint64_t rows = 0;
	error->code = ERROR_NONE;
	if (image_create_memory(file->data, file->size, "copy", &image, error)) {
		ck_assert_ptr_null(image);
		ck_assert_int_ne(error->code, ERROR_NONE);
		ck_assert_msg(error->message[0], "an error without a sentence");
		return 0;
	}
	struct cfi *cfi;
	if (!cfi_create(image, &cfi, error))
		for (size_t i = 0; i < cfi->fde_count; i++)
			cfi_rows(cfi, &cfi->fde[i], count_row, &rows, error);
	cfi_destroy(cfi);
	image_symbol_find(image, 0x1000);
	image_destroy(image);
	return rows;
}

/* ---- the whole image ---------------------------------------------------------------------- */

START_TEST(whole_image_has_everything)
{
	struct image *image;
	struct error error;
	ck_assert_msg(!image_create("/proc/self/exe", &image, &error), "%s", error.message);
	ck_assert_int_eq(image->machine, EM_X86_64);
	ck_assert_uint_ge(image->segment_count, 2);
	ck_assert_ptr_nonnull(image->eh_frame.data);
	ck_assert_str_eq(image->eh_frame.name, ".eh_frame");
	ck_assert_ptr_nonnull(image->eh_frame_hdr.data);
	ck_assert_uint_eq(image->build_id_size, 20);

	uint64_t main_vaddr = image_symbol_address(image, "main");
	ck_assert_uint_ne(main_vaddr, 0);
	const struct image_symbol *symbol = image_symbol_find(image, main_vaddr + 1);
	ck_assert_ptr_nonnull(symbol);
	ck_assert_str_eq(symbol->name, "main");
	ck_assert_uint_eq(symbol->pc, main_vaddr);
	ck_assert_uint_eq(image_symbol_address(image, "no such function"), 0);
	ck_assert_ptr_null(image_symbol_find(image, 1));
	ck_assert_ptr_eq(image_symbol_at(image, main_vaddr), symbol);
	ck_assert_ptr_null(image_symbol_at(image, main_vaddr + 1));
	ck_assert_ptr_null(image_symbol_at(image, 1));

	struct cfi *cfi;
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	struct row row;
	ck_assert_int_eq(cfi_row_find(cfi, main_vaddr, &row, &error), 1);
	ck_assert_int_eq(row.cfa.kind, RULE_CFA_REGISTER);
	ck_assert_uint_eq(row.cfa.reg, REGISTER_RSP);
	ck_assert_int_eq(row.cfa.offset, 8);
	ck_assert_int_eq(row.reg[REGISTER_RIP].offset, -8);
	cfi_destroy(cfi);

	/* The bytes behind an address are the ones that run. */
	const uint8_t *bytes = image_bytes(image, main_vaddr, 16);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_ptr_null(image_bytes(image, main_vaddr, SIZE_MAX));
	ck_assert_ptr_null(image_bytes(image, UINT64_MAX - 4, 16));
	image_destroy(image);
}
END_TEST

START_TEST(code_and_program_headers_are_found)
{
	const struct image_segment *code;
	const uint8_t *bytes;
	struct file file = read_self();
	size_t size;
	struct image *image;
	struct error error;
	Elf64_Phdr header;

	ck_assert_msg(!image_create_memory(file.data, file.size, "copy", &image, &error), "%s",
		      error.message);
	code = image_code_segment(image, image_symbol_address(image, "main"));
	ck_assert_ptr_nonnull(code);
	ck_assert(code->executable);
	ck_assert_ptr_eq(image_code_segment(image, code->vaddr), code);
	ck_assert_ptr_eq(image_code_segment(image, code->vaddr + code->file_bytes - 1), code);
	ck_assert_ptr_null(image_code_segment(image, code->vaddr - 1));
	ck_assert_ptr_null(image_code_segment(image, code->vaddr + code->file_bytes));
	ck_assert_ptr_null(image_code_segment(image, image->eh_frame.vaddr));

	bytes = image_bytes_most(image, code->vaddr, 16, &size);
	ck_assert_ptr_eq(bytes, image_bytes(image, code->vaddr, 16));
	ck_assert_uint_eq(size, 16);
	bytes = image_bytes_most(image, code->vaddr + code->file_bytes - 3, 16, &size);
	ck_assert_ptr_eq(bytes, image_bytes(image, code->vaddr + code->file_bytes - 3, 3));
	ck_assert_uint_eq(size, 3);
	ck_assert_ptr_null(image_bytes_most(image, UINT64_MAX - 4, 16, &size));
	ck_assert_uint_eq(size, 0);

	ck_assert(image_program_header(image, PT_DYNAMIC, &header));
	ck_assert_mem_eq(&header, segment_of(&file, PT_DYNAMIC), sizeof(header));
	ck_assert(image_program_header(image, PT_LOAD, &header)); /* the first */
	ck_assert_mem_eq(&header, segment_of(&file, PT_LOAD), sizeof(header));
	ck_assert(!image_program_header(image, PT_SHLIB, &header));
	image_destroy(image);
	free(file.data);
}
END_TEST

START_TEST(symbols_are_sorted_and_have_one_best_name)
{
	struct image *image;
	struct error error;
	ck_assert_int_eq(image_create("/proc/self/exe", &image, &error), 0);
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	ck_assert_uint_gt(count, 10);
	for (size_t i = 1; i < count; i++) {
		ck_assert_uint_le(symbol[i - 1].pc, symbol[i].pc);
		ck_assert(symbol[i - 1].pc != symbol[i].pc ||
			  strcmp(symbol[i - 1].name, symbol[i].name));
	}
	image_destroy(image);
}
END_TEST

START_TEST(eh_frame_without_section_headers)
{
	struct file file = read_self();
	struct error error;
	uint64_t rows = read_all(&file, &error);
	ck_assert_uint_gt(rows, 100);
	header_of(&file)->e_shoff = 0;
	header_of(&file)->e_shnum = 0;
	header_of(&file)->e_shstrndx = 0;
	ck_assert_uint_eq(read_all(&file, &error), rows);
	free(file.data);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------- */

#define DAMAGE(name, ...)                                                                          \
	static void name(struct file *file)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

DAMAGE(too_short, file->size = 15)
DAMAGE(only_ident, file->size = 16)
DAMAGE(bad_magic, file->data[0] = 0)
DAMAGE(class_32, file->data[EI_CLASS] = ELFCLASS32)
DAMAGE(big_endian, file->data[EI_DATA] = ELFDATA2MSB)
DAMAGE(other_machine, header_of(file)->e_machine = EM_AARCH64)
DAMAGE(shoff_past_end, header_of(file)->e_shoff = file->size)
DAMAGE(shoff_wraps, header_of(file)->e_shoff = UINT64_MAX - 32)
DAMAGE(shnum_past_end, header_of(file)->e_shnum = 0xfeff)
DAMAGE(shentsize_wrong, header_of(file)->e_shentsize = 63)
DAMAGE(phoff_past_end, header_of(file)->e_phoff = file->size)
DAMAGE(phentsize_wrong, header_of(file)->e_phentsize = 0)
DAMAGE(text_past_end, section_of(file, ".text")->sh_size = file->size)
DAMAGE(eh_frame_offset_wraps, section_of(file, ".eh_frame")->sh_offset = UINT64_MAX - 8)

static void huge_section_count(struct file *file)
{
	Elf64_Shdr *first = (Elf64_Shdr *)(file->data + header_of(file)->e_shoff);
	header_of(file)->e_shnum = 0;
	first->sh_size = UINT64_MAX / 2;
}

static void segment_past_end(struct file *file)
{
	Elf64_Phdr *segment = segment_of(file, PT_LOAD);
	segment->p_offset = file->size - 1;
}

DAMAGE(segment_wraps, segment_of(file, PT_LOAD)->p_vaddr = UINT64_MAX - 1)

static void no_sections_bad_eh_frame_hdr(struct file *file)
{
	header_of(file)->e_shoff = 0;
	header_of(file)->e_shnum = 0;
	segment_of(file, PT_GNU_EH_FRAME)->p_vaddr = 0x7fffffff0000;
}

static void no_sections_bad_encoding(struct file *file)
{
	file->data[section_of(file, ".eh_frame_hdr")->sh_offset + 1] = 0xff;
	header_of(file)->e_shoff = 0;
	header_of(file)->e_shnum = 0;
}

static void bad_compression(struct file *file)
{
	Elf64_Shdr *section = section_of(file, ".eh_frame");
	section->sh_flags |= SHF_COMPRESSED;
	section->sh_flags &= ~(uint64_t)SHF_ALLOC;
	memset(file->data + section->sh_offset, 0xff, 24);
}

DAMAGE(no_cfi, section_of(file, ".eh_frame")->sh_type = SHT_NOBITS)

static const struct {
	const char *name;
	void (*damage)(struct file *file);
	enum error_code code;
	const char *section;
} damages[] = {
	{ "too_short", too_short, ERROR_NOT_ELF, "" },
	{ "only_ident", only_ident, ERROR_ELF_BOUNDS, "ELF header" },
	{ "bad_magic", bad_magic, ERROR_NOT_ELF, "" },
	{ "class_32", class_32, ERROR_UNSUPPORTED_ELF, "" },
	{ "big_endian", big_endian, ERROR_UNSUPPORTED_ELF, "" },
	{ "other_machine", other_machine, ERROR_UNSUPPORTED_ELF, "" },
	{ "shoff_past_end", shoff_past_end, ERROR_ELF_BOUNDS, "section headers" },
	{ "shoff_wraps", shoff_wraps, ERROR_ELF_BOUNDS, "section headers" },
	{ "shnum_past_end", shnum_past_end, ERROR_ELF_BOUNDS, "section headers" },
	{ "huge_section_count", huge_section_count, ERROR_ELF_BOUNDS, "section headers" },
	{ "shentsize_wrong", shentsize_wrong, ERROR_ELF_BOUNDS, "section headers" },
	{ "phoff_past_end", phoff_past_end, ERROR_ELF_BOUNDS, "program headers" },
	{ "phentsize_wrong", phentsize_wrong, ERROR_ELF_BOUNDS, "program headers" },
	{ "text_past_end", text_past_end, ERROR_ELF_BOUNDS, ".text" },
	{ "eh_frame_offset_wraps", eh_frame_offset_wraps, ERROR_ELF_BOUNDS, ".eh_frame" },
	{ "segment_past_end", segment_past_end, ERROR_ELF_BOUNDS, NULL },
	{ "segment_wraps", segment_wraps, ERROR_ELF_BOUNDS, NULL },
	{ "no_sections_bad_eh_frame_hdr", no_sections_bad_eh_frame_hdr, ERROR_ELF_BOUNDS,
	  "PT_GNU_EH_FRAME" },
	{ "no_sections_bad_encoding", no_sections_bad_encoding, ERROR_POINTER_ENCODING,
	  ".eh_frame_hdr" },
	{ "bad_compression", bad_compression, ERROR_ELF_BOUNDS, ".eh_frame" },
	{ "no_cfi", no_cfi, ERROR_NO_CFI, "" },
};

START_TEST(damage_is_named)
{
	struct file file = read_self();
	damages[_i].damage(&file);
	struct error error;
	ck_assert_uint_eq(read_all(&file, &error), 0);
	ck_assert_msg(error.code == damages[_i].code, "%s: %s: %s", damages[_i].name,
		      error_code_name(error.code), error.message);
	if (damages[_i].section)
		ck_assert_msg(!strcmp(error.section, damages[_i].section), "%s: in '%s'",
			      damages[_i].name, error.section);
	free(file.data);
}
END_TEST

START_TEST(section_past_end_gives_its_file_offset)
{
	struct file file = read_self();
	uint64_t offset = section_of(&file, ".text")->sh_offset;
	text_past_end(&file);
	struct error error;
	read_all(&file, &error);
	ck_assert_uint_eq(error.offset, offset);
	free(file.data);
}
END_TEST

START_TEST(every_truncation_is_an_error)
{
	struct file file = read_self();
	size_t size = file.size;
	for (file.size = 0; file.size < size; file.size += 997) {
		/* A copy of its own size, so that a checker of memory sees a byte too far. */
		struct error error;
		ck_assert_uint_eq(read_all(&file, &error), 0);
		ck_assert_msg(error.code == ERROR_NOT_ELF || error.code == ERROR_ELF_BOUNDS,
			      "cut at %zu: %s", file.size, error_code_name(error.code));
	}
	free(file.data);
}
END_TEST

/* Rows need no section headers, so what is cut off may be gone for good: still no crash. */
START_TEST(every_truncation_without_section_headers)
{
	struct file file = read_self();
	header_of(&file)->e_shoff = 0;
	header_of(&file)->e_shnum = 0;
	size_t size = file.size;
	for (file.size = 0; file.size < size; file.size += 997) {
		struct error error;
		read_all(&file, &error);
	}
	free(file.data);
}
END_TEST

START_TEST(random_bytes_over_eh_frame)
{
	struct file whole = read_self();
	struct file file = { malloc(whole.size), whole.size };
	unsigned int seed = 7 + (unsigned int)_i;
	for (int round = 0; round < 200; round++) {
		memcpy(file.data, whole.data, whole.size);
		const Elf64_Shdr *section = section_of(&file, ".eh_frame");
		/* From a single byte to all of them. */
		size_t count = section->sh_size >> (rand_r(&seed) % 16);
		for (size_t i = 0; i <= count; i++)
			file.data[section->sh_offset + (size_t)rand_r(&seed) % section->sh_size] =
				(uint8_t)(rand_r(&seed) >> 5);
		struct error error;
		read_all(&file, &error);
	}
	free(file.data);
	free(whole.data);
}
END_TEST

START_TEST(random_bytes_over_headers)
{
	struct file whole = read_self();
	struct file file = { malloc(whole.size), whole.size };
	unsigned int seed = 70 + (unsigned int)_i;
	for (int round = 0; round < 200; round++) {
		memcpy(file.data, whole.data, whole.size);
		const Elf64_Ehdr *header = header_of(&whole);
		size_t sections = header->e_shoff;
		size_t bytes = header->e_shnum * sizeof(Elf64_Shdr);
		for (int i = 0; i < 4; i++) {
			size_t at = rand_r(&seed) % 2 ? sections + (size_t)rand_r(&seed) % bytes
						      : 16 + (size_t)rand_r(&seed) % 1000;
			file.data[at] = (uint8_t)(rand_r(&seed) >> 5);
		}
		struct error error;
		read_all(&file, &error);
	}
	free(file.data);
	free(whole.data);
}
END_TEST

static const struct {
	const char *path;
	enum error_code code;
} not_images[] = {
	{ "/nonexistent/file", ERROR_SYSTEM },
	{ "/", ERROR_NOT_ELF },
	{ "/dev/null", ERROR_NOT_ELF },
	{ "/proc/self/cmdline", ERROR_NOT_ELF },
};

START_TEST(what_is_no_image_is_an_error)
{
	struct image *image;
	struct error error;
	ck_assert_int_eq(image_create(not_images[_i].path, &image, &error), -1);
	ck_assert_ptr_null(image);
	ck_assert_msg(error.code == not_images[_i].code, "%s: %s: %s", not_images[_i].path,
		      error_code_name(error.code), error.message);
}
END_TEST

SUITE(image, TEST(whole_image_has_everything), TEST(code_and_program_headers_are_found),
      TEST(symbols_are_sorted_and_have_one_best_name), TEST(eh_frame_without_section_headers),
      LOOP(damage_is_named, damages), TEST(section_past_end_gives_its_file_offset),
      TEST(every_truncation_is_an_error), TEST(every_truncation_without_section_headers),
      TIMES(random_bytes_over_eh_frame, 4), TIMES(random_bytes_over_headers, 4),
      LOOP(what_is_no_image_is_an_error, not_images))

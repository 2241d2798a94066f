/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_sections.c - PT_GNU_EH_FRAME, as it is and emptied: whether unwinders are led to .eh_frame; and FDEs over
 * bytes that nobody executes
 */
#include <elf.h>
#include "tests/suite.h"
#include "assembly_fixture.h"
#include "analysis/lint/lint.h"

static void count_sections(void *context, const struct lint_finding *finding)
{
	*(int *)context += finding->id == LINT_SECTION || finding->id == LINT_SEARCH_TABLE;
}

static int sections_found(const struct assembled *assembled)
{
	int found = 0;
	const struct lint_watch watch = { .finding = count_sections, .context = &found };
	struct lint_counts counts;
	struct image *image;
	struct cfi *cfi;
	struct error error;

	ck_assert_int_eq(image_create(assembled->path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	ck_assert_int_eq(lint_image(cfi, NULL, &watch, &counts, &error), 0);
	cfi_destroy(cfi);
	image_destroy(image);
	return found;
}

/* by 0: as objcopy leaves it where it was told to remove .eh_frame_hdr; else its address alone is so much too large. */
static void move_segment(const char *path, unsigned int by)
{
	FILE *file = fopen(path, "r+");
	Elf64_Ehdr header;
	Elf64_Phdr program;
	int emptied = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, file), 1);
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		long at = (long)(header.e_phoff + i * sizeof(program));

		ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
		ck_assert_uint_eq(fread(&program, sizeof(program), 1, file), 1);
		if (program.p_type != PT_GNU_EH_FRAME)
			continue;
		program.p_vaddr += by;
		if (!by)
			program.p_filesz = program.p_memsz = program.p_offset = 0;
		ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
		ck_assert_uint_eq(fwrite(&program, sizeof(program), 1, file), 1);
		emptied++;
	}
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(emptied, 1);
}

/* The header of .eh_frame_hdr: its address and offset are so much too large. */
static void move_section(const char *path, unsigned int by)
{
	FILE *file = fopen(path, "r+");
	struct image *image;
	struct error error;
	Elf64_Ehdr header;
	Elf64_Shdr section;
	int moved = 0;

	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, file), 1);
	for (unsigned int i = 0; i < header.e_shnum; i++) {
		long at = (long)(header.e_shoff + i * sizeof(section));

		ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
		ck_assert_uint_eq(fread(&section, sizeof(section), 1, file), 1);
		if (section.sh_addr != image->eh_frame_hdr.vaddr)
			continue;
		section.sh_addr += by;
		section.sh_offset += by;
		section.sh_size -= by;
		ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
		ck_assert_uint_eq(fwrite(&section, sizeof(section), 1, file), 1);
		moved++;
	}
	image_destroy(image);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(moved, 1);
}

START_TEST(an_empty_segment_leads_nowhere)
{
	struct assembled assembled;

	assembled_open_function(&assembled, "ret");
	ck_assert_int_eq(sections_found(&assembled), 0);
	move_segment(assembled.path, 0);
	ck_assert_int_eq(sections_found(&assembled), 1);
	assembled_close(&assembled);
}
END_TEST

static void expect_moved(void (*move)(const char *path, unsigned int by), int found)
{
	struct assembled assembled;

	for (unsigned int by = 1; by <= 8; by++) {
		assembled_open_function(&assembled, "ret");
		move(assembled.path, by);
		ck_assert_int_eq(sections_found(&assembled), found);
		assembled_close(&assembled);
	}
}

/* An unwinder in the process has its address alone, whatever the file's offset and the section headers say. */
START_TEST(a_segment_of_another_address_leads_nowhere)
{
	expect_moved(move_segment, 1);
}
END_TEST

/* What nobody reads accuses nobody. */
START_TEST(a_section_header_of_another_address_is_not_read)
{
	expect_moved(move_section, 0);
}
END_TEST

/* ---- what is not executable ----------------------------------------------------------------- */

#define BLOB                                                                                       \
	".type blob, @function; blob: startproc; push rbx; nop; cfa 32; nop; pop rbx; ret; "       \
	"endproc; .size blob, .-blob; nop; ret; "

/* Behind it another, whose instructions restore what was not remembered. */
#define AGAIN                                                                                      \
	".section .eh_frame,\"a\",@unwind; 1: .long 3f-2f; 2: .long 0; .byte 1; .asciz \"zR\"; "   \
	".byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1; .p2align 3; 3: .long 5f-4f; 4: .long "   \
	".-1b, blob+6-., 2; .byte 0, 0x0b; .p2align 3; 5: "

static void note_finding(void *context, const struct lint_finding *finding)
{
	if (finding->pc_end) /* the search table's are none of an FDE */
		*(uint64_t *)context |= 1u << finding->id;
}

static void headers_away(const char *path)
{
	FILE *file = fopen(path, "r+");
	Elf64_Ehdr header;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, file), 1);
	header.e_shoff = 0;
	header.e_shnum = header.e_shstrndx = 0;
	rewind(file);
	ck_assert_uint_eq(fwrite(&header, sizeof(header), 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
}

/* Code in one segment, and the blob in another, unless it is executable. */
static uint64_t findings_of_blob(const char *flags, bool headers, struct lint_counts *ret)
{
	struct assembled assembled;
	uint64_t found = 0;
	const struct lint_watch watch = { .finding = note_finding, .context = &found };
	struct error error;
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly,
				  "f: startproc; nop; ret; endproc; "
				  ".section .blob,\"%s\",@progbits; .p2align 3; " BLOB AGAIN,
				  flags),
			 0);
	assembled_open(&assembled, assembly);
	free(assembly);
	if (!headers) {
		headers_away(assembled.path);
		cfi_destroy(assembled.cfi);
		image_destroy(assembled.image);
		ck_assert_int_eq(image_create(assembled.path, &assembled.image, &error), 0);
		ck_assert_int_eq(cfi_create(assembled.image, &assembled.cfi, &error), 0);
	}
	ck_assert_uint_eq(assembled.cfi->fde_count, 3);
	for (size_t i = 0; i < 3; i++) /* linkers refuse FDEs over each other */
		assembled.cfi->fde[i].pc_range += assembled.cfi->fde[i].pc_range == 5 ? 2 : 0;
	ck_assert_int_eq(lint_image(assembled.cfi, NULL, &watch, ret, &error), 0);
	assembled_close(&assembled);
	return found;
}

START_TEST(what_nobody_executes_is_no_code)
{
	struct lint_counts counts;

	/* As code it has more than one fault. */
	ck_assert_uint_eq(findings_of_blob("ax", true, &counts),
			  1u << LINT_CFA | 1u << LINT_OVERLAP | 1u << LINT_BROKEN_OFF);
	for (int headers = 0; headers < 2; headers++) {
		ck_assert_uint_eq(findings_of_blob("aw", headers, &counts), 0);
		ck_assert_uint_eq(counts.fdes, 3);
		ck_assert_uint_eq(counts.proven, 1);
		ck_assert_uint_eq(counts.unproven[FLOW_NO_ENTRY], 2);
		ck_assert_uint_eq(counts.instructions, 2);
	}
}
END_TEST

SUITE(lint_sections, TEST(an_empty_segment_leads_nowhere),
      TEST(a_segment_of_another_address_leads_nowhere),
      TEST(a_section_header_of_another_address_is_not_read), TEST(what_nobody_executes_is_no_code))

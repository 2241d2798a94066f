/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_sections.c - PT_GNU_EH_FRAME, as it is and emptied: whether unwinders are led to .eh_frame
 */
#include <elf.h>
#include "assembly_fixture.h"
#include "lint/lint.h"

static void count_sections(void *context, const struct lint_finding *finding)
{
	*(int *)context += finding->id == LINT_SECTION;
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
	ck_assert_int_eq(lint_image(cfi, &watch, &counts, &error), 0);
	cfi_destroy(cfi);
	image_destroy(image);
	return found;
}

/* As objcopy leaves it where it was told to remove .eh_frame_hdr. */
static void empty_segment(const char *path)
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
		program.p_filesz = program.p_memsz = program.p_offset = 0;
		ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
		ck_assert_uint_eq(fwrite(&program, sizeof(program), 1, file), 1);
		emptied++;
	}
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(emptied, 1);
}

START_TEST(an_empty_segment_leads_nowhere)
{
	struct assembled assembled;

	assembled_open_function(&assembled, "	ret\n");
	ck_assert_int_eq(sections_found(&assembled), 0);
	empty_segment(assembled.path);
	ck_assert_int_eq(sections_found(&assembled), 1);
	assembled_close(&assembled);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lint_sections");
	TCase *tcase = tcase_create("segments");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, an_empty_segment_leads_nowhere);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

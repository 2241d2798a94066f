/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_files.c - `table` of several files and archives: what it counts over all, and how much it says of each
 */
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "tables/table/tests/table_sections.h"

static void debug_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
}

static void link_to_nothing(struct diff_image *image)
{
	section_debug_link(image, "nothing");
}

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

/* What is no image. */
static void link_to_text(struct diff_image *image)
{
	section_debug_link(image, "text");
}

static void many_outside(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	for (int i = 0; i < 22; i++)
		DIFF_IMAGE_FDE(image, cie, 0x9000 + 0x10 * i, 0x10, CFA_nop);
}

/* An FDE whose CIE would be within itself. */
static void of_no_cie(struct diff_image *image)
{
	static const uint8_t fde[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };

	diff_image_put(image, fde, sizeof(fde));
}

/* f has no length, and g has one. */
static void symbols(struct diff_image *image)
{
	const Elf64_Sym symbol[3] = {
		{ 0 },
		{ .st_name = 1,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1210 },
		{ .st_name = 3,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1100,
		  .st_size = 0x10 },
	};

	diff_image_put(image, symbol, sizeof(symbol));
}

static void symbol_names(struct diff_image *image)
{
	diff_image_put(image, "\0f\0g", 5);
}

static void three(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1210, 0x10, CFA_nop);
}

static const struct {
	const char *name;
	struct test_section section[5];
} images[] = {
	{ "good", { SECTION(".eh_frame", eh_frame) } },
	{ "three",
	  { { ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 },
	    SECTION(".eh_frame", three),
	    { ".symtab", symbols, SHT_SYMTAB, 0, 0 },
	    { ".strtab", symbol_names, SHT_STRTAB, 0, 0 } } },
	{ "nothing", { NO_SECTION } },
	{ "outside", { SECTION(".eh_frame", many_outside) } },
	{ "bad", { { ".eh_frame", of_no_cie, 0, 0, 1 } } },
	{ "very_bad", { { ".eh_frame", of_no_cie, 0, 0, 1005 } } },
	{ "debug", { SECTION(".debug_frame", debug_frame) } },
	{ "linked", { SECTION(".eh_frame", eh_frame), SECTION(".gnu_debuglink", debug_link) } },
	{ "only_linked", { SECTION(".gnu_debuglink", debug_link) } },
	{ "junk_linked",
	  { { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 },
	    SECTION(".gnu_debuglink", debug_link) } },
	{ "linked_to_nothing",
	  { SECTION(".eh_frame", eh_frame), SECTION(".gnu_debuglink", link_to_nothing) } },
	{ "linked_to_text",
	  { SECTION(".eh_frame", eh_frame), SECTION(".gnu_debuglink", link_to_text) } },
};

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }
#define HAS(...)       .has = { __VA_ARGS__ }
#define HAS_NOT(...)   .has_not = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *argument[6];
	enum exit_status status;
	const char *has[4], *has_not[2];
} commands[] = {
	{ "entries_of_all_files_are_counted", ARGUMENTS("three", "good", "nothing"), EXIT_OK,
	  HAS("checked: 4 entries; not checked: 1 images without CFI") },
	{ "whichever_comes_last", ARGUMENTS("nothing", "good", "three"), EXIT_OK,
	  HAS("checked: 4 entries; not checked: 1 images without CFI") },
	{ "a_bad_one_is_not_forgotten", ARGUMENTS("bad", "good"), EXIT_BAD_INPUT,
	  HAS("bad: .eh_frame") },
	{ "nor_if_it_comes_last", ARGUMENTS("good", "bad"), EXIT_BAD_INPUT, HAS("bad: .eh_frame") },
	{ "twenty_of_what_no_table_has", ARGUMENTS("outside"), EXIT_OK,
	  HAS("of 0x9000..0x9010", "of 0x9130..0x9140", "outside: and 2 more (--json has them)"),
	  HAS_NOT("of 0x9140..0x9150") },
	{ "of_a_part_nothing", ARGUMENTS("outside", "--pc=0x9150"), EXIT_OK, HAS("cfa=rsp+8"),
	  HAS_NOT("no executable segment") },
	{ "all_of_it_in_json", ARGUMENTS("outside", "--json"), EXIT_OK,
	  HAS("\"pc\":\"0x9140\",\"pc_end\":\"0x9150\"}"), HAS_NOT("more") },
	{ "twenty_of_what_is_wrong", ARGUMENTS("very_bad"), EXIT_BAD_INPUT,
	  HAS("very_bad: and 985 more (--json has them)") },
	{ "a_thousand_in_json", ARGUMENTS("very_bad", "--json"), EXIT_BAD_INPUT,
	  HAS("{\"type\":\"error\",\"image\":\"very_bad\",\"more\":5}\n",
	      "very_bad: and 985 more\n"),
	  HAS_NOT("(--json") },
	{ "a_function_without_length_is_its_first_byte", ARGUMENTS("three", "--func=f"), EXIT_OK,
	  HAS("function f\n"), HAS_NOT("function g\n", "function fde") },
	{ "a_function_of_a_length", ARGUMENTS("three", "--func=g"), EXIT_OK, HAS("function g\n"),
	  HAS_NOT("function f\n", "function fde") },
	{ "of_two_files_one_has_it", ARGUMENTS("good", "three", "--func=g"), EXIT_OK,
	  HAS("good: the image has no function 'g'",
	      "checked: 1 entries; not checked: 1 files without an FDE there") },
	{ "debug_frame_is_the_debug_file_s", ARGUMENTS("linked", "--section=.debug_frame"), EXIT_OK,
	  HAS("cfa=rsp+16") },
	{ "eh_frame_is_its_own", ARGUMENTS("linked", "--section=.eh_frame"), EXIT_OK,
	  HAS("cfa=rsp+8"), HAS_NOT("cfa=rsp+16") },
	{ "and_all_is_both", ARGUMENTS("linked"), EXIT_OK, HAS("cfa=rsp+8", "cfa=rsp+16") },
	{ "as_readelf_shows_them", ARGUMENTS("linked", "--format=readelf"), EXIT_OK,
	  HAS("section (loaded from linked):", ".debug_frame section (loaded from debug):") },
	{ "of_both_files_one_section",
	  ARGUMENTS("linked", "--format=readelf", "--section=.debug_frame"), EXIT_OK,
	  HAS("Contents of the .debug_frame section (loaded from debug):"),
	  HAS_NOT("the image has no", ".eh_frame section") },
	{ "the_other_one", ARGUMENTS("linked", "--format=readelf", "--section=.eh_frame"), EXIT_OK,
	  HAS("Contents of the .eh_frame section (loaded from linked):"),
	  HAS_NOT("the image has no", ".debug_frame section") },
	{ "what_the_debug_file_alone_has", ARGUMENTS("only_linked", "--format=readelf"), EXIT_OK,
	  HAS("Contents of the .debug_frame section (loaded from debug):"),
	  HAS_NOT("the image has no", "without CFI") },
	{ "that_is_no_excuse_for_what_can_not_be_read",
	  ARGUMENTS("junk_linked", "--format=readelf"), EXIT_BAD_INPUT,
	  HAS("Contents of the .debug_frame section (loaded from debug):",
	      "junk_linked: .debug_frame"),
	  HAS_NOT("without CFI") },
	{ "a_debug_file_that_has_nothing", ARGUMENTS("linked_to_nothing", "--format=readelf"),
	  EXIT_OK, HAS("Contents of the .eh_frame section (loaded from linked_to_nothing):"),
	  HAS_NOT("the image has no", "without CFI") },
	{ "a_debug_file_that_is_none", ARGUMENTS("linked_to_text", "--format=readelf"), EXIT_OK,
	  HAS("Contents of the .eh_frame section:\n"), HAS_NOT("the image has no", "loaded from") },
	{ "neither_has_it",
	  ARGUMENTS("linked_to_nothing", "--format=readelf", "--section=.debug_frame"),
	  EXIT_SKIPPED,
	  HAS("linked_to_nothing: the image has no .debug_frame\n",
	      "checked: 0 entries; not checked: 1 images without CFI"),
	  HAS_NOT("Contents") },
	{ "as_readelf_shows_one", ARGUMENTS("good", "--format=readelf"), EXIT_OK,
	  HAS("Contents of the .eh_frame section:\n"), HAS_NOT("loaded from") },
	{ "members_have_a_comment", ARGUMENTS("two.a"), EXIT_OK,
	  HAS("# two.a(one)\n", "# two.a(other)\n"), HAS_NOT("File:") },
	{ "and_a_line_as_readelf_has_it", ARGUMENTS("two.a", "--format=readelf"), EXIT_OK,
	  HAS("\nFile: two.a(one)\n", "\nFile: two.a(other)\n"), HAS_NOT("# two") },
	{ "an_archive_that_is_damaged_behind_its_members", ARGUMENTS("damaged.a"), EXIT_BAD_INPUT,
	  HAS("# damaged.a(other)\n", "not checked: 1 files that are no ELF files") },
	{ "members_that_are_no_images_are_counted_by_what_they_are", ARGUMENTS("mixed.a", "good"),
	  EXIT_OK,
	  HAS("# mixed.a(one)\n", "checked: 2 entries; not checked: 2 objects of which code is "
				  "made when they are linked "
				  "(LTO), 1 archives within archives"),
	  HAS_NOT("strict") },
	{ "and_over_two_archives_added_up", ARGUMENTS("mixed.a", "lto.a", "mixed.a"), EXIT_OK,
	  HAS("checked: 2 entries; not checked: 5 objects of which code is made when they are "
	      "linked "
	      "(LTO), 2 archives within archives") },
	{ "strictly_they_fail", ARGUMENTS("mixed.a", "good", "--strict"), EXIT_FINDINGS,
	  HAS("1 archives within archives; ", "; that fails with --strict") },
	{ "of_nothing_else_nothing_is_checked", ARGUMENTS("lto.a"), EXIT_SKIPPED,
	  HAS("checked: 0 entries; not checked: 1 objects of which code is made",
	      "nothing was checked") },
	{ "and_nothing_in_json", ARGUMENTS("two.a", "--json"), EXIT_OK, HAS("\"two.a(other)\""),
	  HAS_NOT("# ", "File:") },
};

static void put_member(FILE *file, const char *name, const void *bytes, size_t size)
{
	fprintf(file, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644, size);
	ck_assert_uint_eq(fwrite(bytes, size, 1, file), 1);
}

/* Of the image "good", of what is none (LLVM's bitcode, an archive), and of both. */
static void make_archives(void)
{
	static const char bitcode[4] = "BC\xc0\xde", archive[8] = "!<arch>\n";
	static char bytes[SECTION_IMAGE_BYTES];
	FILE *good = fopen("good", "r"), *two = fopen("two.a", "w"), *lto = fopen("lto.a", "w"),
	     *mixed = fopen("mixed.a", "w");

	ck_assert(good && two && lto && mixed && fread(bytes, sizeof(bytes), 1, good) == 1);
	fprintf(two, "%.8s", archive);
	put_member(two, "one/", bytes, sizeof(bytes));
	put_member(two, "other/", bytes, sizeof(bytes));
	fprintf(lto, "%.8s", archive);
	put_member(lto, "bitcode/", bitcode, sizeof(bitcode));
	fprintf(mixed, "%.8s", archive);
	put_member(mixed, "bitcode/", bitcode, sizeof(bitcode));
	put_member(mixed, "one/", bytes, sizeof(bytes));
	put_member(mixed, "inner/", archive, sizeof(archive));
	put_member(mixed, "more/", bitcode, sizeof(bitcode));
	ck_assert(!fclose(good) && !fclose(two) && !fclose(lto) && !fclose(mixed));
	ck_assert_int_eq(system("cp two.a damaged.a && printf 'no header' >>damaged.a"), 0);
}

START_TEST(files_one_after_another)
{
	typeof(&commands[0]) c = &commands[_i];
	char *arguments[8] = { "table" };
	int status;

	ck_assert_int_eq(system("echo text >text"), 0);
	for (int i = 0; i < COUNT(images); i++)
		section_image_write(images[i].name, images[i].section);
	make_archives();
	for (int i = 0; i < COUNT(c->argument) && c->argument[i]; i++)
		arguments[1 + i] = (char *)c->argument[i];
	char *output = command_output(command_table, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	output_says(c->name, output, c->has, COUNT(c->has), c->has_not, COUNT(c->has_not));
	free(output);
	for (int i = 0; i < COUNT(images); i++)
		unlink(images[i].name);
	ck_assert_int_eq(system("rm two.a damaged.a lto.a mixed.a text"), 0);
}
END_TEST

SUITE(table_files, FIXTURE(folder_enter, folder_remove), LOOP(files_one_after_another, commands))

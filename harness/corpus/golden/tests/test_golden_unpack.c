/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_unpack.c - what of a pack is not believed, and what runs nowhere else
 *
 * Archives and their provenances are made up; test_golden_pack.c packs and unpacks real ones.
 */
#include "tests/suite.h"
#include "corpus/golden/golden_unpack.c"
#include "golden_fixture.h"

static struct golden_options options;
static struct golden_run run = { .options = &options };
static struct unpacking unpacking = { .run = &run, .folder = "out" };
static struct golden_archive archive;

static void add_member(const char *name, const void *data, size_t size)
{
	struct error error;
	char *copy = malloc(size + 1);

	memcpy(copy, data, size);
	ck_assert_int_eq(golden_archive_add(&archive, name, copy, size, &error), 0);
}

/* A provenance's line of a file that is "x"; NULL: as it should be. */
struct line {
	const char *path, *program, *toolchain, *needs, *expected;
	size_t bytes; /* 0: as it should be */
	bool other_sum;
};

static struct golden_packed packed_of(const struct line *line)
{
	static char sum[GOLDEN_SHA256_SIZE];
	struct golden_packed ret = { .bytes = line->bytes ? line->bytes : 1 };
	struct error error;

	ck_assert_int_eq(golden_sha256(line->other_sum ? "y" : "x", 1, sum, &error), 0);
	ret.column[GOLDEN_PATH] = (char *)(line->path ? line->path : "a.O2");
	ret.column[GOLDEN_PROGRAM] = (char *)(line->program ? line->program : "a");
	ret.column[GOLDEN_TOOLCHAIN] = (char *)(line->toolchain ? line->toolchain : "gcc-12");
	ret.column[GOLDEN_VARIANT] = (char *)"O2";
	ret.column[GOLDEN_LANGUAGE] = (char *)"c";
	ret.column[GOLDEN_NEEDS] = (char *)(line->needs ? line->needs : "-");
	ret.column[GOLDEN_EXPECTED] = (char *)(line->expected ? line->expected : "-");
	ret.column[GOLDEN_SHA256] = sum;
	return ret;
}

static void begin(void)
{
	set_up();
	archive = (struct golden_archive) { .count = 0 };
	add_member("a.O2", "x", 1);
	add_member("b.O2", "x", 1);
	unpacking.names = json_pack("{s:b}", "b.O2", 1);
}

static void end(void)
{
	golden_archive_deinit(&archive);
	json_decref(unpacking.names);
	folder_remove();
}

/* ---- one file -------------------------------------------------------------------------------- */

static const struct packed_case {
	const char *name;
	struct line line;
	const char *message; /* how it begins; NULL: it is believed */
} files[] = {
	{ "good", { 0 }, NULL },
	{ "not_in_the_archive", { .path = "c.O2" }, "c.O2 is not in the archive" },
	{ "of_another_toolchain",
	  { .toolchain = "gcc-13" },
	  "a.O2 is another toolchain's, gcc-13" },
	{ "in_two_archives", { .path = "b.O2" }, "b.O2 is in two archives" },
	{ "it_expects_something", { .expected = "exact" }, NULL },
	{ "it_expects_what_is_not_known",
	  { .expected = "nonsense" },
	  "a.O2 expects what is not known" },
	{ "of_another_size", { .bytes = 2 }, "a.O2 has 1 bytes, SHA-256 2d711642b726" },
	{ "of_another_sum", { .other_sum = true }, "a.O2 has 1 bytes, SHA-256 2d711642b726" },
	{ "it_needs_one", { .needs = "b.O2" }, NULL },
	{ "it_needs_two", { .needs = "b.O2, a.O2" }, NULL },
	{ "it_needs_what_is_not_there",
	  { .needs = "c.so" },
	  "a.O2 needs c.so, which is not there" },
	{ "the_second_is_not_there",
	  { .needs = "b.O2,c.so" },
	  "a.O2 needs c.so, which is not there" },
	{ "the_first_is_not_there",
	  { .needs = "c.so b.O2" },
	  "a.O2 needs c.so, which is not there" },
};

START_TEST(a_file_is_what_it_says)
{
	struct golden_packed packed = packed_of(&files[_i].line);
	struct error error = { 0 };
	int status = check_packed(&unpacking, "gcc-12", &archive, &packed, &error);

	ck_assert_msg(status == (files[_i].message ? -1 : 0), "%s: %s", files[_i].name,
		      error.message);
	if (status) {
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		ck_assert_msg(!strncmp(error.message, files[_i].message, strlen(files[_i].message)),
			      "%s: %s", files[_i].name, error.message);
	}
}
END_TEST

/* ---- the archive ------------------------------------------------------------------------------ */

static const struct archive_case {
	const char *name;
	struct line line[3]; /* path NULL: no more */
	size_t members;
	const char *message;
} archives[] = {
	{ "good", { { .path = "a.O2" }, { .path = "c.O2" } }, 2, NULL },
	{ "a_file_more", { { .path = "a.O2" } }, 2, "2 files, its provenance names 1" },
	{ "named_twice",
	  { { .path = "a.O2" }, { .path = "c.O2" }, { .path = "a.O2" } },
	  2,
	  "its provenance names a.O2 twice" },
	{ "a_file_less",
	  { { .path = "a.O2" }, { .path = "c.O2" } },
	  1,
	  "c.O2 is not in the archive" },
	{ "nothing", { { 0 } }, 0, "0 files, its provenance names 0" },
};

START_TEST(an_archive_is_what_it_says)
{
	const struct archive_case *test = &archives[_i];
	struct golden_packed packed[3];
	struct golden_provenance provenance = { packed, 0 };
	struct error error = { 0 };
	int status;

	free(archive.member[1].name);
	archive.member[1].name = strdup("c.O2");
	for (; provenance.count < 3 && test->line[provenance.count].path; provenance.count++)
		packed[provenance.count] = packed_of(&test->line[provenance.count]);
	archive.count = test->members;
	status = check_archive(&unpacking, "gcc-12", &archive, &provenance, &error);
	archive.count = 2;
	ck_assert_msg(status == (test->message ? -1 : 0), "%s: %s", test->name, error.message);
	ck_assert_msg(!status || !strcmp(error.message, test->message), "%s: %s", test->name,
		      error.message);
}
END_TEST

/* ---- where it runs ---------------------------------------------------------------------------- */

/* An ELF file of so many segments, one of which is of that type. */
static void make_elf(uint8_t bytes[1024], unsigned int count, unsigned int at, uint32_t type)
{
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					   EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = count };

	memset(bytes, 0, 1024);
	memcpy(bytes, &header, sizeof(header));
	for (unsigned int i = 0; i < count; i++)
		memcpy(bytes + sizeof(header) + i * sizeof(Elf64_Phdr),
		       &(Elf64_Phdr) { .p_type = i == at ? type : PT_LOAD }, sizeof(Elf64_Phdr));
}

START_TEST(who_asks_for_an_interpreter)
{
	uint8_t bytes[1024];
	struct golden_member member = { (char *)"a", (char *)bytes, sizeof(bytes) };

	for (unsigned int at = 0; at < 4; at++) {
		make_elf(bytes, 3, at, PT_INTERP);
		ck_assert_int_eq(has_interpreter(&member), at < 3);
		make_elf(bytes, 3, at, PT_DYNAMIC);
		ck_assert(!has_interpreter(&member));
	}
	make_elf(bytes, 0, 0, PT_INTERP);
	ck_assert(!has_interpreter(&member));
	memset(bytes, 'x', sizeof(bytes));
	ck_assert(!has_interpreter(&member));
}
END_TEST

START_TEST(what_is_left_out)
{
	static const struct {
		struct line line;
		bool left_out;
	} cases[] = {
		{ { .path = "static" }, false },
		{ { .path = "dynamic" }, true },
		{ { .path = "static", .program = "-" }, true },
		{ { .path = "static", .needs = "lib.so" }, true },
	};
	uint8_t bytes[1024];

	make_elf(bytes, 2, 1, PT_INTERP);
	add_member("dynamic", bytes, sizeof(bytes));
	make_elf(bytes, 2, 1, PT_DYNAMIC);
	add_member("static", bytes, sizeof(bytes));
	for (int i = 0; i < COUNT(cases); i++) {
		struct golden_packed packed = packed_of(&cases[i].line);

		options.standalone = false;
		ck_assert(!is_left_out(&unpacking, &archive, &packed));
		options.standalone = true;
		ck_assert_int_eq(is_left_out(&unpacking, &archive, &packed), cases[i].left_out);
	}
	options.standalone = false;
}
END_TEST

/* ---- what is written -------------------------------------------------------------------------- */

START_TEST(files_and_their_manifest)
{
	static const struct line lines[] = {
		{ .path = "a.O2", .needs = "b.O2", .expected = "exact" },
		{ .path = "b.O2", .program = "-" }
	};
	struct golden_packed packed[] = { packed_of(&lines[0]), packed_of(&lines[1]) };
	const struct golden_provenance provenance = { packed, 2 };
	char *text;
	size_t size;
	struct error error;
	struct stat status;

	unpacking.manifest = open_memstream(&text, &size);
	json_object_clear(unpacking.names);
	ck_assert_int_eq(write_archive(&unpacking, &archive, &provenance, &error), 2);
	fclose(unpacking.manifest);
	/* Of a library there is no line. */
	ck_assert_str_eq(text, "a.O2\ta\tgcc-12\tO2\tc\tb.O2\texact\n");
	free(text);
	ck_assert_str_eq(read_text("out/a.O2"), "x");
	ck_assert_str_eq(read_text("out/b.O2"), "x");
	ck_assert_int_eq(stat("out/a.O2", &status), 0);
	ck_assert_int_eq(status.st_mtime, 0);
	ck_assert_int_eq(status.st_mode & 0777, 0755);
	ck_assert_uint_eq(json_object_size(unpacking.names), 2);
	ck_assert_ptr_nonnull(json_object_get(unpacking.names, "b.O2"));
	/* Nothing runs anywhere else. */
	options.standalone = true;
	unpacking.manifest = open_memstream(&text, &size);
	ck_assert_int_eq(write_archive(&unpacking, &archive, &provenance, &error), 0);
	options.standalone = false;
	unpacking.folder = "out/a.O2";
	ck_assert_int_eq(write_archive(&unpacking, &archive, &provenance, &error), -1);
	unpacking.folder = "out";
	fclose(unpacking.manifest);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

/* ---- which are packs -------------------------------------------------------------------------- */

START_TEST(names_of_packs)
{
	static const struct {
		const char *name;
		int is_one;
	} names[] = { { "gcc-12.2.0.tar.xz", 1 },
		      { "gcc-12.2.0.tsv", 1 },
		      { ".tar.xz", 0 },
		      { ".tsv", 0 },
		      { "a.tsv", 1 },
		      { "tsv", 0 },
		      { "xtsv", 0 },
		      { "a.tar.xz.new", 0 },
		      { "a.tsv.new", 0 },
		      { "a.tar.gz", 0 },
		      { ".hidden.tsv", 0 },
		      { "a.tar.x", 0 } };

	for (int i = 0; i < COUNT(names); i++) {
		struct dirent entry = { 0 };

		strcpy(entry.d_name, names[i].name);
		ck_assert_msg(is_pack(&entry) == names[i].is_one, "%s", names[i].name);
	}
}
END_TEST

START_TEST(folders_without_packs)
{
	struct error error = { 0 };

	options.golden = "nowhere";
	ck_assert_int_eq(golden_unpack(&run, "out", &error), -1);
	ck_assert_str_eq(error.message, "cannot read nowhere/binaries: No such file or directory");
	options.golden = "golden";
	ck_assert(!mkdir("golden", 0777) && !mkdir("golden/binaries", 0777));
	ck_assert_int_eq(golden_unpack(&run, "out", &error), -1);
	ck_assert_str_eq(error.message, "nothing is packed in golden/binaries");
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert(!is_there("out/manifest.tsv"));
}
END_TEST

SUITE(golden_unpack, TIMEOUT(300), FIXTURE(begin, end), LOOP(a_file_is_what_it_says, files),
      LOOP(an_archive_is_what_it_says, archives), TEST(who_asks_for_an_interpreter),
      TEST(what_is_left_out), TEST(files_and_their_manifest), TEST(names_of_packs),
      TEST(folders_without_packs))

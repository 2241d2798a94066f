/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_pack.c - packed binaries are what they were, or they are refused
 *
 * What pack refuses to keep; that what it kept is checked without the corpus, byte for byte; and a
 * table of packs that somebody spoiled afterwards, each of which must fail the check by name. What
 * may be in an archive at all is test_golden_archive.c's.
 */
#include <archive.h>
#include <archive_entry.h>
#include "tests/suite.h"
#include "golden_fixture.h"

#define ARCHIVE	   "golden/binaries/" TOOLCHAIN ".tar.xz"
#define PROVENANCE "golden/binaries/" TOOLCHAIN ".tsv"

static void pack(void)
{
	bless();
	ck_assert_int_eq(golden("pack", "self"), EXIT_OK);
}

/* ---- pack -------------------------------------------------------------------------------- */

struct pack_case {
	const char *name;
	bool blessed; /* the golden is there */
	const char *golden_what, *golden_with;
	const char *manifest;
	bool ci;
	const char *argument;
	int status;
	bool packed;
	const char *said;
};

static const struct pack_case pack_cases[] = {
	{ "a_binary_with_its_golden", .blessed = true, .argument = "self", .packed = true,
	  .said = "packed archive " TOOLCHAIN ": 1 files" },
	{ "a_dry_run", .blessed = true, .argument = "--dry-run", .said = "would_pack" },
	{ "without_a_golden", .argument = "self", .status = EXIT_FINDINGS, .said = "no_golden" },
	{ "with_another_golden", .blessed = true, .golden_what = "+0x1 cfa=rsp+16",
	  .golden_with = "+0x1 cfa=rsp+24", .argument = "self", .status = EXIT_FINDINGS,
	  .said = "different" },
	{ "with_a_golden_that_is_none", .blessed = true, .golden_what = "stackproof",
	  .golden_with = "Stackproof", .argument = "self", .status = EXIT_FINDINGS,
	  .said = "unreadable_golden" },
	{ "one_refused_is_all_refused", .blessed = true,
	  .manifest = MANIFEST("-") "gone\tother\t" TOOLCHAIN "\tO2-nofp\tc\t-\n",
	  .argument = TOOLCHAIN, .status = EXIT_FINDINGS, .said = "failed archive " TOOLCHAIN },
	{ "what_was_not_built_is_skipped", .blessed = true,
	  .manifest = MANIFEST("-") "skip:no_compiler\tother\t" TOOLCHAIN "\tO2-nofp\tc\t-\n",
	  .argument = TOOLCHAIN, .packed = true, .said = "no_compiler" },
	{ "ci", .blessed = true, .ci = true, .argument = "self", .status = EXIT_USAGE },
	{ "a_name_that_nothing_has", .blessed = true, .argument = "another", .status = EXIT_USAGE },
};

START_TEST(test_pack)
{
	const struct pack_case *pack_case = &pack_cases[_i];
	int status;

	if (pack_case->blessed)
		bless();
	if (pack_case->golden_what)
		edit(GOLDEN, pack_case->golden_what, pack_case->golden_with);
	if (pack_case->manifest)
		write_text("corpus/manifest.tsv", pack_case->manifest);
	if (pack_case->ci)
		setenv("CI", "1", 1);
	status = golden("pack", pack_case->argument, *pack_case->argument == '-' ? "self" : NULL);
	ck_assert_msg(status == pack_case->status, "%s: status %d:\n%s", pack_case->name, status,
		      read_text("output"));
	if (pack_case->said)
		said(pack_case->said);
	ck_assert_msg(is_there(ARCHIVE) == pack_case->packed, "%s", pack_case->name);
	ck_assert_msg(is_there(PROVENANCE) == pack_case->packed, "%s", pack_case->name);
}
END_TEST

/* ---- provenance -------------------------------------------------------------------------- */

START_TEST(test_provenance_says_who_built_it)
{
	/* Where the compiler lives in a root, its links are followed there (scripts/in-root), and
	 * its packages are the root's. */
	setenv("HOME", "/home/me", 1);
	setenv("STACKPROOF_CACHE", "cache", 1);
	setenv("PATH", "bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	write_text("scripts/in-root",
		   "#!/bin/sh\n"
		   "[ \"$1 $2 $3 $4\" = '--bind /out trixie readlink' ] || exit 1\n"
		   "echo /usr/bin/real-gcc-13\n");
	write_text("bin/dpkg-query",
		   "#!/bin/sh\n"
		   "[ \"$1\" = --admindir=cache/roots/trixie/var/lib/dpkg ] || exit 1\n"
		   "case $2 in\n"
		   "-S) echo \"gcc-13-x86-64:amd64: $3\" ;;\n"
		   "-W) echo \"$5 13.2.0-1\" ;;\n"
		   "esac\n");
	write_text("corpus/rules/" BINARY,
		   "GOCACHE=x/y scripts/corpus-step profile $@ scripts/in-root --bind /out trixie "
		   "/usr/bin/gcc-13 -O2 -I/home/me/x -o $@ testprogs/c/self.c\nnofp main\n");
	pack();

	const char *text = read_text(PROVENANCE);

	ck_assert_ptr_nonnull(strstr(text, "\tgcc-13-x86-64 13.2.0-1\t"));
	ck_assert_ptr_nonnull(
		strstr(text, "\tGOCACHE=x/y scripts/corpus-step profile $@ scripts/in-root trixie "
			     "/usr/bin/gcc-13 -O2 -I~/x -o $@ testprogs/c/self.c\n"));
	ck_assert_ptr_null(strstr(text, "nofp main"));
}
END_TEST

START_TEST(test_a_binary_that_says_where_it_was_built_is_refused)
{
	static struct plant_file file;

	plant_file_make(&file);
	strcpy((char *)file.bytes + PLANT_END + 8, "/home/me/tree/self.c");
	write_bytes("corpus/" BINARY, file.bytes, file.size);
	bless();
	setenv("HOME", "/home/me", 1);
	ck_assert_int_eq(golden("pack", "self"), EXIT_FINDINGS);
	said("names a folder of this machine");
	ck_assert(!is_there(ARCHIVE));
	setenv("HOME", "/home/you", 1);
	ck_assert_int_eq(golden("pack", "self"), EXIT_OK);
}
END_TEST

START_TEST(test_what_is_not_known_is_a_dash)
{
	pack();
	ck_assert_ptr_nonnull(strstr(read_text(PROVENANCE), "\t-\t-\t-\t-\n"));
}
END_TEST

/* ---- check --hermetic, unpack ------------------------------------------------------------ */

START_TEST(test_packed_binaries_are_checked_without_the_corpus)
{
	pack();
	ck_assert_int_eq(system("rm -r corpus"), 0);
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_OK);
	said("golden: 1 passed, 0 failed, 0 skipped");
	ck_assert_int_eq(golden("check"), EXIT_BAD_INPUT);
}
END_TEST

START_TEST(test_packing_twice_gives_the_same_bytes)
{
	pack();
	ck_assert_int_eq(system("cp " ARCHIVE " before.xz; cp " PROVENANCE " before.tsv"), 0);
	ck_assert_int_eq(system("touch corpus/" BINARY), 0);
	ck_assert_int_eq(golden("pack", "self"), EXIT_OK);
	ck_assert_int_eq(system("cmp " ARCHIVE " before.xz && cmp " PROVENANCE " before.tsv"), 0);
}
END_TEST

START_TEST(test_unpack_makes_a_corpus)
{
	struct golden_table built, unpacked;
	struct error error = { 0 };

	pack();
	ck_assert_int_eq(golden("unpack", "un/packed"), EXIT_OK);
	ck_assert_int_eq(golden("unpack", "un/packed"), EXIT_OK); /* over itself */
	ck_assert_ptr_nonnull(strstr(read_text("un/packed/manifest.tsv"),
				     "\n" BINARY "\tself\t" TOOLCHAIN "\tO2-nofp\tc\t-\t-\n"));
	ck_assert(!golden_table_of_image("corpus/" BINARY, &built, &error));
	ck_assert(!golden_table_of_image("un/packed/" BINARY, &unpacked, &error));
	ck_assert_str_eq(built.data, unpacked.data);
	golden_table_deinit(&built);
	golden_table_deinit(&unpacked);
	ck_assert_int_eq(access("un/packed/" BINARY, X_OK), 0);
	ck_assert_int_eq(system("rm -r corpus && mv un/packed corpus"), 0);
	ck_assert_int_eq(golden("check"), EXIT_OK);
}
END_TEST

START_TEST(test_a_changed_row_of_a_packed_binary_is_shown)
{
	pack();
	edit(GOLDEN, "+0x1 cfa=rsp+16 ra=c-8 rbp", "+0x1 cfa=rsp+24 ra=c-8 rbp");
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_FINDINGS);
	said("framed +0x1 at 0x1001: `mov rbp, rsp`: expected cfa=rsp+24");
}
END_TEST

START_TEST(test_a_packed_binary_without_a_golden_is_no_skip)
{
	pack();
	ck_assert_int_eq(system("rm -r golden/tables"), 0);
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_FINDINGS);
	said("no_golden");
	said("0 skipped");
}
END_TEST

START_TEST(test_nothing_packed_is_no_skip)
{
	bless();
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_BAD_INPUT);
	ck_assert_int_eq(golden("unpack", "un"), EXIT_BAD_INPUT);
	write_text("golden/binaries/README", "not a pack\n");
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_BAD_INPUT);
	said("nothing is packed");
}
END_TEST

/* ---- packs that somebody spoiled --------------------------------------------------------- */

struct spoiled_member {
	const char *name;
	bool is_binary; /* the packed one's bytes; or else others */
};

/* One way to spoil it each. */
struct spoiled_case {
	const char *name;
	const char *command;		 /* of the shell */
	const char *what, *with;	 /* in the provenance */
	struct spoiled_member member[2]; /* of another archive in its place */
	const char *said;
};

static const struct spoiled_case spoiled_cases[] = {
	{ "no_provenance", "rm " PROVENANCE, .said = "tsv is not there" },
	{ "no_archive", "rm " ARCHIVE, .said = "tar.xz is not there" },
	{ "an_archive_that_is_none", "echo no > " ARCHIVE, .said = "no .tar.xz" },
	{ "an_empty_archive", ": > " ARCHIVE, .said = "unreadable_archive" },
	{ "an_archive_cut_in_half", "head -c 300 " ARCHIVE " > x; mv x " ARCHIVE,
	  .said = "unreadable_archive" },
	{ "a_folder_for_an_archive", "rm " ARCHIVE "; mkdir " ARCHIVE, .said = "is no file" },
	{ "an_archive_that_is_too_big", "truncate -s 5M " ARCHIVE, .said = "is no file" },
	{ "a_file_more_in_the_archive", .member = { { BINARY, true }, { "more" } },
	  .said = "2 files, its provenance names 1" },
	{ "another_file_in_the_archive", .member = { { BINARY } },
	  .said = "its provenance says another file" },
	{ "another_name_in_the_archive", .member = { { "more" } },
	  .said = BINARY " is not in the archive" },
	{ "a_path_in_the_archive", .member = { { "../t/more" } }, .said = "is no plain name" },
	{ "another_toolchain_s",
	  "mv " ARCHIVE " golden/binaries/cc-2.tar.xz; mv " PROVENANCE " golden/binaries/cc-2.tsv",
	  .said = "is another toolchain's" },
	{ "a_file_in_two_archives",
	  "sed s/cc-1.2.3/cc-2/ " PROVENANCE " > golden/binaries/cc-2.tsv; cp " ARCHIVE
	  " golden/binaries/cc-2.tar.xz",
	  .said = "is in two archives" },
	{ "a_line_twice", "tail -n 1 " PROVENANCE " > x; cat x >> " PROVENANCE,
	  .said = "names " BINARY " twice" },
	{ "a_line_with_a_column_less", "sed -i 's/\\t[^\\t]*$//' " PROVENANCE,
	  .said = "is not a packed file's" },
	{ "a_sum_that_is_none", NULL, "\t8", "\tx", .said = NULL },
	{ "needs_that_are_not_there", NULL, "\tc\t-\t", "\tc\tlib.so\t",
	  .said = "needs lib.so, which is not there" },
	{ "an_expectation_that_is_none", NULL, "\tc\t-\t-\t", "\tc\t-\tperfect\t",
	  .said = "expects what is not known" },
	{ "a_name_with_a_path", NULL, "\n" BINARY, "\n../" BINARY,
	  .said = "is not a packed file's" },
	{ "a_size_that_is_none", NULL, "\t-\t-\t", "\t-\t-\t-", .said = "is not a packed file's" },
};

static void put_member(struct archive *to, const struct spoiled_member *member)
{
	struct archive_entry *entry = archive_entry_new();
	static char bytes[1 << 16];
	size_t size = 2;

	memcpy(bytes, "1\n", size);
	if (member->is_binary) {
		FILE *file = fopen("corpus/" BINARY, "r");

		ck_assert_ptr_nonnull(file);
		size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
	}
	archive_entry_set_pathname(entry, member->name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0755);
	archive_entry_set_size(entry, (la_int64_t)size);
	ck_assert_int_eq(archive_write_header(to, entry), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_data(to, bytes, size), (la_ssize_t)size);
	archive_entry_free(entry);
}

static void pack_others(const struct spoiled_case *spoiled)
{
	struct archive *to = archive_write_new();

	archive_write_set_format_ustar(to);
	archive_write_add_filter_xz(to);
	ck_assert_int_eq(archive_write_open_filename(to, ARCHIVE), ARCHIVE_OK);
	for (size_t i = 0; i < 2 && spoiled->member[i].name; i++)
		put_member(to, &spoiled->member[i]);
	ck_assert_int_eq(archive_write_close(to), ARCHIVE_OK);
	archive_write_free(to);
}

START_TEST(test_a_spoiled_pack_fails)
{
	const struct spoiled_case *spoiled = &spoiled_cases[_i];
	int status;

	pack();
	if (spoiled->command)
		ck_assert_int_eq(system(spoiled->command), 0);
	else if (spoiled->member[0].name)
		pack_others(spoiled);
	else if (spoiled->said)
		edit(PROVENANCE, spoiled->what, spoiled->with);
	else
		ck_assert_int_eq(system("sed -i 's/\\t[0-9a-f]\\{64\\}\\t/\\tx&/' " PROVENANCE), 0);
	status = golden("check", "--hermetic");
	ck_assert_msg(status == EXIT_FINDINGS || status == EXIT_BAD_INPUT, "%s: status %d",
		      spoiled->name, status);
	said("unreadable_archive");
	said(spoiled->said ? spoiled->said : "is not a packed file's");
	status = golden("unpack", "un");
	ck_assert_msg(status == EXIT_FINDINGS, "%s: status %d", spoiled->name, status);
	ck_assert_int_eq(system("test ! -e un/more -a ! -e more"), 0);
}
END_TEST

START_TEST(test_a_spoiled_pack_costs_no_other)
{
	pack();
	write_text("golden/binaries/aa-1.tsv", "");
	write_text("golden/binaries/zz-1.tar.xz", "");
	ck_assert_int_eq(golden("check", "--hermetic"), EXIT_FINDINGS);
	said("golden: 1 passed, 2 failed, 0 skipped");
}
END_TEST

START_TEST(test_standalone_leaves_out_what_needs_a_loader)
{
	static struct plant_file file;
	Elf64_Phdr interpreter = { .p_type = PT_INTERP };

	pack();
	ck_assert_int_eq(golden("unpack", "--standalone", "a"), EXIT_OK);
	ck_assert(is_there("a/" BINARY));
	plant_file_make(&file);
	((Elf64_Ehdr *)file.bytes)->e_phnum = 2;
	memcpy(file.bytes + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), &interpreter,
	       sizeof(interpreter));
	write_bytes("corpus/" BINARY, file.bytes, file.size);
	ck_assert_int_eq(golden("pack", "self"), EXIT_OK);
	ck_assert_int_eq(golden("unpack", "--standalone", "b"), EXIT_OK);
	ck_assert(!is_there("b/" BINARY));
	said("0 of 1 files");
}
END_TEST

SUITE(golden_pack, TIMEOUT(200), FIXTURE(set_up, folder_remove), LOOP(test_pack, pack_cases),
      TEST(test_provenance_says_who_built_it),
      TEST(test_a_binary_that_says_where_it_was_built_is_refused),
      TEST(test_what_is_not_known_is_a_dash),
      TEST(test_packed_binaries_are_checked_without_the_corpus),
      TEST(test_packing_twice_gives_the_same_bytes), TEST(test_unpack_makes_a_corpus),
      TEST(test_a_changed_row_of_a_packed_binary_is_shown),
      TEST(test_a_packed_binary_without_a_golden_is_no_skip), TEST(test_nothing_packed_is_no_skip),
      LOOP(test_a_spoiled_pack_fails, spoiled_cases), TEST(test_a_spoiled_pack_costs_no_other),
      TEST(test_standalone_leaves_out_what_needs_a_loader))

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_file.c - a case as a file: what is written comes back, and nothing of one is believed
 *
 * Cases made by hand, each with one thing that is never written: every one is refused, with the field
 * or the member, and leaves no folder behind. Then a good one, cut at each length and with each of its
 * bytes changed.
 */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "tests/suite.h"
#include "judge/disputes/disputes.h"

#define PAGE 4096u

static char folder[] = "/tmp/test_dispute_file.XXXXXX";
static char path[64];

static void enter_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(!setenv("TMPDIR", folder, 1));
	snprintf(path, sizeof(path), "%s/case", folder);
}

/* Nothing but the case itself is left. */
static void remove_folder(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* ---- case.json -------------------------------------------------------------------------- */

#define REGISTERS                                                                                  \
	"{\"rax\":\"0x1\",\"rdx\":\"0x2\",\"rcx\":\"0x3\",\"rbx\":\"0x4\",\"rsi\":\"0x5\","        \
	"\"rdi\":\"0x6\",\"rbp\":\"0x7\",\"rsp\":\"0x7000\",\"r8\":\"0x9\",\"r9\":\"0xa\","        \
	"\"r10\":\"0xb\",\"r11\":\"0xc\",\"r12\":\"0xd\",\"r13\":\"0xe\",\"r14\":\"0xf\","         \
	"\"r15\":\"0x10\",\"rip\":\"0xffffffffffffffff\"}"
#define GOOD                                                                                       \
	"{\"format\":\"stackproof case\",\"version\":1,\"about\":{\"program\":\"./it\"},"          \
	"\"point\":17,\"thread\":42,\"follow_frame_pointers\":false,\"cut\":false,"                \
	"\"registers\":" REGISTERS ","                                                             \
	"\"truth\":{\"rooted\":true,\"stop\":\"complete\",\"frames\":[\"0x1000\",\"0x2000\"]},"    \
	"\"answers\":[{\"engine\":\"cfi\",\"asked\":true,\"in_kernel\":false,"                     \
	"\"external\":false,\"differs\":false,\"stop\":\"no_row\",\"frames\":[\"0x1000\"]},"       \
	"{\"engine\":\"bpf\",\"asked\":true,\"in_kernel\":true,\"external\":false,"                \
	"\"differs\":false,\"stop\":\"guessed\",\"frames\":[\"0x1000\",\"0x3000\"],"               \
	"\"guessed\":[1]}],"                                                                       \
	"\"images\":[{\"path\":\"/x/../y\",\"build_id\":\"ab\",\"bytes\":8192,\"whole\":false}],"  \
	"\"code\":[{\"start\":\"0x1000\",\"end\":\"0x3000\",\"bias\":\"0x1000\",\"image\":0,"      \
	"\"path\":\"/x/../y\"}],"                                                                  \
	"\"maps\":[{\"start\":\"0x1000\",\"end\":\"0x3000\",\"offset\":\"0x0\","                   \
	"\"permissions\":\"r-xp\",\"image\":0,\"path\":\"/x/../y\"}],"                             \
	"\"memory\":[{\"address\":\"0x7000\",\"bytes\":8192},"                                     \
	"{\"address\":\"0xa000\",\"bytes\":4096}],"                                                \
	"\"unreadable\":[\"0xb000\"]}"

/* What of GOOD is replaced, once, and by what. */
static const struct {
	const char *name;
	const char *from, *to;
	const char *message;
} texts[] = {
	{ "no_json", "{\"format\"", "\"format\"", "'[' or '{' expected near '\"format\"'" },
	{ "another_format", "stackproof case", "stackproof face",
	  "format is not \"stackproof case\"" },
	{ "a_later_version", "\"version\":1", "\"version\":2",
	  "version 2 of the format is not read here" },
	{ "no_version", "\"version\":1", "\"revision\":1",
	  "version is no number that it could be" },
	{ "a_field_twice", "\"point\":17", "\"point\":17,\"point\":18", "duplicate object key" },
	{ "about_is_no_object", "{\"program\":\"./it\"}", "[]", "about is missing" },
	{ "point_is_negative", "\"point\":17", "\"point\":-1",
	  "point is no number that it could be" },
	{ "thread_is_zero", "\"thread\":42", "\"thread\":0",
	  "thread is no number that it could be" },
	{ "thread_is_text", "\"thread\":42", "\"thread\":\"42\"",
	  "thread is no number that it could be" },
	{ "a_register_is_missing", "\"r8\":\"0x9\",", "", "r8 is no address" },
	{ "a_register_is_a_number", "\"r8\":\"0x9\"", "\"r8\":9", "r8 is no address" },
	{ "a_register_has_17_digits", "\"r8\":\"0x9\"", "\"r8\":\"0x10000000000000009\"",
	  "r8 is no address" },
	{ "a_register_is_in_capitals", "\"r9\":\"0xa\"", "\"r9\":\"0xA\"", "r9 is no address" },
	{ "a_register_is_empty", "\"r9\":\"0xa\"", "\"r9\":\"0x\"", "r9 is no address" },
	{ "rooted_is_a_number", "\"rooted\":true", "\"rooted\":1",
	  "rooted is neither true nor false" },
	{ "no_such_stop", "\"stop\":\"complete\"", "\"stop\":\"never\"", "stop is no stop reason" },
	{ "a_frame_is_no_address", "\"0x2000\"", "8192", "frames has what is no address" },
	{ "an_answer_of_nobody", "\"engine\":\"cfi\"", "\"engine\":\"\"",
	  "answers[0].engine is no name, or there twice" },
	{ "two_answers_of_one", "\"engine\":\"bpf\"", "\"engine\":\"cfi\"",
	  "answers[1].engine is no name, or there twice" },
	{ "a_guessed_frame_that_is_not_there", "\"guessed\":[1]", "\"guessed\":[2]",
	  "answers[1].guessed names a frame that is not there" },
	{ "a_guessed_frame_below_zero", "\"guessed\":[1]", "\"guessed\":[-1]",
	  "answers[1].guessed names a frame that is not there" },
	{ "an_image_that_is_too_large", "\"bytes\":8192,\"whole\"",
	  "\"bytes\":17179869185,\"whole\"", "images[0].bytes is no number that it could be" },
	{ "an_image_without_a_path", "\"path\":\"/x/../y\",\"build_id\"", "\"build_id\"",
	  "images[0].path is no text" },
	{ "code_of_no_image", "\"bias\":\"0x1000\",\"image\":0", "\"bias\":\"0x1000\",\"image\":1",
	  "code[0].image is no number that it could be" },
	{ "code_of_less_than_no_image", "\"bias\":\"0x1000\",\"image\":0",
	  "\"bias\":\"0x1000\",\"image\":-2", "code[0].image is no number that it could be" },
	{ "code_that_is_empty", "\"end\":\"0x3000\",\"bias\"", "\"end\":\"0x1000\",\"bias\"",
	  "code[0].start is not behind the one before, or not before its end" },
	{ "maps_that_overlap", "\"maps\":[",
	  "\"maps\":[{\"start\":\"0x0\",\"end\":\"0x1001\",\"offset\":\"0x0\","
	  "\"permissions\":\"r-xp\",\"image\":0,\"path\":\"\"},",
	  "maps[1].start is not behind the one before, or not before its end" },
	{ "permissions_with_a_line_break", "r-xp", "r-x\\n", "maps[0].permissions are none" },
	{ "memory_that_is_no_page", "\"address\":\"0x7000\"", "\"address\":\"0x7001\"",
	  "memory[0].address or bytes are no pages" },
	{ "memory_of_half_a_page", "\"bytes\":4096", "\"bytes\":6144",
	  "memory[1].address or bytes are no pages" },
	{ "memory_of_nothing", "\"bytes\":4096", "\"bytes\":0",
	  "memory[1].bytes is no number that it could be" },
	{ "memory_that_overlaps", "\"address\":\"0xa000\"", "\"address\":\"0x8000\"",
	  "memory[1].address is not behind the one before" },
	{ "memory_beyond_the_end", "\"address\":\"0xa000\",\"bytes\":4096",
	  "\"address\":\"0xfffffffffffff000\",\"bytes\":8192",
	  "memory[1].address or bytes are no pages" },
	{ "memory_is_missing", "\"memory\":", "\"memories\":", "memory is missing" },
	{ "unreadable_is_no_list", "[\"0xb000\"]", "{}", "unreadable is no list, or too long" },
	{ "unreadable_is_no_address", "[\"0xb000\"]", "[1]", "unreadable[0]. is no address" },
};

/* GOOD with that change. To be freed. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(GOOD, from);
	char *text;

	ck_assert_msg(at && !strstr(at + 1, from), "%s is not there once", from);
	ck_assert(asprintf(&text, "%.*s%s%s", (int)(at - GOOD), GOOD, to, at + strlen(from)) > 0);
	return text;
}

START_TEST(text_that_is_refused)
{
	char *text = changed(texts[_i].from, texts[_i].to);
	struct error error = { 0 };

	ck_assert_msg(!dispute_from_json(text, strlen(text), &error), "%s", texts[_i].name);
	ck_assert_msg(!strcmp(error.section, "case.json"), "%s: %s", texts[_i].name, error.section);
	ck_assert_msg(!strncmp(error.message, texts[_i].message, strlen(texts[_i].message)),
		      "%s: %s", texts[_i].name, error.message);
	free(text);
}
END_TEST

START_TEST(text_that_is_accepted)
{
	/* What is not known is passed over. */
	char *text = changed("\"point\":17", "\"point\":17,\"later\":[1]");
	struct error error;
	struct dispute *dispute = dispute_from_json(text, strlen(text), &error);

	ck_assert_msg(dispute != NULL, "%s", error.message);
	ck_assert(dispute->point == 17 && dispute->tid == 42 && dispute->rooted);
	ck_assert(dispute->regs.value[REGISTER_RSP] == 0x7000 && dispute->regs.known == 0x1ffff);
	ck_assert(dispute->regs.value[REGISTER_RIP] == UINT64_MAX);
	ck_assert(dispute->truth.count == 2 && dispute->truth.pc[1] == 0x2000);
	ck_assert(dispute->truth.stop == STOP_COMPLETE);
	ck_assert(dispute->answer_count == 2 && dispute->answer[1].in_kernel);
	ck_assert(stack_is_guessed(&dispute->answer[1].stack, 1));
	ck_assert(!stack_is_guessed(&dispute->answer[1].stack, 0));
	ck_assert(dispute->code[0].image == 0 && dispute->map[0].end == 0x3000);
	ck_assert(dispute->run_count == 2 && dispute->run[1].offset == 0xa000);
	ck_assert(dispute->unreadable_count == 1 && dispute->unreadable[0] == 0xb000);
	ck_assert_str_eq(dispute_text(dispute, "program"), "./it");
	ck_assert_str_eq(dispute_text(dispute, "nothing"), "");
	dispute_destroy(dispute);
	free(text);
}
END_TEST

/* ---- the archive ------------------------------------------------------------------------ */

struct member {
	const char *name;  /* NULL: no more */
	size_t size;	   /* of zeros; 0: of GOOD */
	unsigned int type; /* 0: AE_IFREG */
	const char *link;
};

#define MEMBERS_MAX 6
/* clang-format off */
#define TEXT  { .name = "case.json" }
#define RUN_1 { .name = "memory/0000000000007000", .size = 8192 }
#define RUN_2 { .name = "memory/000000000000a000", .size = 4096 }
#define IMAGE { .name = "image/0", .size = 8192 }
/* clang-format on */

#define MEMBERS(...) .member = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct member member[MEMBERS_MAX];
	const char *section, *message; /* NULL: it is accepted */
} archives[] = {
	{ "as_it_is_written", MEMBERS(TEXT, RUN_1, RUN_2, IMAGE), NULL, NULL },
	{ "nothing", .section = "case.json", .message = "the archive ends before it" },
	{ "without_a_text", MEMBERS(RUN_1), "case.json", "another member is in its place" },
	{ "without_memory", MEMBERS(TEXT), "memory/0000000000007000",
	  "the archive ends before it" },
	{ "in_another_order", MEMBERS(TEXT, RUN_2, RUN_1, IMAGE), "memory/0000000000007000",
	  "another member is in its place" },
	{ "one_twice", MEMBERS(TEXT, RUN_1, RUN_1, RUN_2), "memory/000000000000a000",
	  "another member is in its place" },
	{ "one_more", MEMBERS(TEXT, RUN_1, RUN_2, IMAGE, { .name = "image/1", .size = 1 }),
	  "image/1", "case.json does not have it" },
	{ "a_path_that_leads_out",
	  MEMBERS(TEXT, RUN_1, RUN_2, { .name = "../image/0", .size = 8192 }), "image/0",
	  "another member is in its place" },
	{ "an_absolute_path", MEMBERS(TEXT, RUN_1, RUN_2, { .name = "/image/0", .size = 8192 }),
	  "image/0", "another member is in its place" },
	{ "a_symbolic_link",
	  MEMBERS(TEXT, RUN_1, RUN_2,
		  { .name = "image/0", .type = AE_IFLNK, .link = "/etc/passwd" }),
	  "image/0", "another member is in its place" },
	{ "a_hard_link", MEMBERS(TEXT, RUN_1, RUN_2, { .name = "image/0", .link = "/etc/passwd" }),
	  "image/0", "another member is in its place" },
	{ "a_folder", MEMBERS(TEXT, { .name = "memory/0000000000007000", .type = AE_IFDIR }),
	  "memory/0000000000007000", "another member is in its place" },
	{ "memory_that_is_too_long",
	  MEMBERS(TEXT, { .name = "memory/0000000000007000", .size = 8193 }),
	  "memory/0000000000007000", "it has more bytes than it may" },
	{ "memory_that_is_too_short",
	  MEMBERS(TEXT, { .name = "memory/0000000000007000", .size = 8191 }),
	  "memory/0000000000007000", "it has fewer bytes than case.json says" },
	{ "an_image_of_another_size",
	  MEMBERS(TEXT, RUN_1, RUN_2, { .name = "image/0", .size = 8191 }), "image/0",
	  "it has another size than case.json says" },
};

static void write_member(struct archive *to, const struct member *member)
{
	static const char zeros[16384];
	struct archive_entry *entry = archive_entry_new();
	bool is_text = !strcmp(member->name, "case.json");
	size_t size = is_text ? strlen(GOOD) : member->size;

	archive_entry_set_pathname(entry, member->name);
	archive_entry_set_filetype(entry, member->type ? member->type : AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)size);
	if (member->link && member->type)
		archive_entry_set_symlink(entry, member->link);
	else if (member->link)
		archive_entry_set_hardlink(entry, member->link);
	ck_assert_int_eq(archive_write_header(to, entry), ARCHIVE_OK);
	if (size)
		ck_assert_int_eq(archive_write_data(to, is_text ? GOOD : zeros, size), size);
	archive_entry_free(entry);
}

static void write_archive(const struct member *member)
{
	struct archive *to = archive_write_new();

	archive_write_set_format_pax(to);
	archive_write_add_filter_gzip(to);
	archive_write_set_options(to, "gzip:!timestamp");
	ck_assert_int_eq(archive_write_open_filename(to, path), ARCHIVE_OK);
	for (int i = 0; i < MEMBERS_MAX && member[i].name; i++)
		write_member(to, &member[i]);
	ck_assert_int_eq(archive_write_free(to), ARCHIVE_OK);
}

START_TEST(archive_with_members)
{
	struct dispute_folder images;
	struct error error = { 0 };
	struct dispute *dispute;
	struct stat file;
	char *image;

	enter_folder();
	write_archive(archives[_i].member);
	dispute = dispute_read(path, &images, &error);
	ck_assert_msg(!dispute == !!archives[_i].message, "%s: %s", archives[_i].name,
		      error.message);
	if (dispute) {
		image = dispute_folder_image(&images, 0);
		ck_assert(!stat(image, &file) && file.st_size == 8192);
		ck_assert_uint_eq(file.st_mode & 0777, 0600);
		free(image);
		ck_assert_uint_eq(dispute->memory.count, 3);
	} else {
		ck_assert_msg(!strcmp(error.section, archives[_i].section), "%s: in %s",
			      archives[_i].name, error.section);
		ck_assert_msg(
			!strncmp(error.message, archives[_i].message, strlen(archives[_i].message)),
			"%s: %s", archives[_i].name, error.message);
		ck_assert_ptr_null(images.path);
	}
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	remove_folder();
}
END_TEST

/* ---- there and back --------------------------------------------------------------------- */

/* GOOD, with its memory and its image. */
static struct dispute *make_dispute(uint8_t image[8192])
{
	struct error error;
	struct dispute *dispute = dispute_from_json(GOOD, strlen(GOOD), &error);
	uint8_t page[PAGE];

	ck_assert_msg(dispute != NULL, "%s", error.message);
	for (unsigned int i = 0; i < 3; i++) {
		memset(page, 'a' + (int)i, sizeof(page));
		ck_assert(dispute_add_page(dispute, i < 2 ? 0x7000 + i * PAGE : 0xa000, page));
	}
	memset(image, 0, 8192);
	memset(image + PAGE, 'x', PAGE);
	dispute->image[0].bytes = image;
	ck_assert(!dispute_keep_range(&dispute->image[0], PAGE, PAGE, &error));
	return dispute;
}

static char *text_of(const struct dispute *dispute)
{
	json_t *object = dispute_to_json(dispute);
	char *text = json_dumps(object, JSON_COMPACT);

	json_decref(object);
	return text;
}

START_TEST(what_is_written_comes_back)
{
	uint8_t image[8192], back[8192];
	struct dispute_folder images;
	struct error error;
	struct dispute *dispute, *read;
	char *text, *expected, *name;
	FILE *file;

	enter_folder();
	dispute = make_dispute(image);
	ck_assert_msg(!dispute_write(dispute, path, &error), "%s", error.message);
	ck_assert(dispute_is_case(path));
	read = dispute_read(path, &images, &error);
	ck_assert_msg(read != NULL, "%s %s", error.section, error.message);
	text = text_of(read);
	expected = text_of(dispute);
	ck_assert_str_eq(expected, GOOD);
	ck_assert_str_eq(text, GOOD);
	ck_assert_uint_eq(read->memory.count, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert(!memcmp(read->memory.page[i].bytes, dispute->memory.page[i].bytes, PAGE));
	name = dispute_folder_image(&images, 0);
	file = fopen(name, "r");
	ck_assert_uint_eq(fread(back, 1, sizeof(back), file), sizeof(back));
	ck_assert(!memcmp(back, image, sizeof(image)));
	fclose(file);
	free(name);
	free(text);
	free(expected);
	dispute_destroy(read);
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	remove_folder();
}
END_TEST

static void put(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* Reads what is at path. True: it was accepted. */
static bool is_accepted(void)
{
	struct dispute_folder images;
	struct error error = { 0 };
	struct dispute *dispute = dispute_read(path, &images, &error);
	bool accepted = dispute;

	ck_assert(accepted || error.message[0]);
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	return accepted;
}

/* A good case's bytes. */
static size_t good_case(char *ret, size_t size)
{
	uint8_t image[8192];
	struct error error;
	struct dispute *dispute = make_dispute(image);
	FILE *file;
	size_t got;

	ck_assert(!dispute_write(dispute, path, &error));
	dispute_destroy(dispute);
	file = fopen(path, "r");
	got = fread(ret, 1, size, file);
	ck_assert(got && got < size);
	fclose(file);
	return got;
}

/* What gzip makes of what is at path. */
static size_t unpacked(char *ret, size_t size)
{
	gzFile file = gzopen(path, "rbe");
	int got = gzread(file, ret, size);

	ck_assert(got > 0 && got < (int)size);
	ck_assert_int_eq(gzclose_r(file), Z_OK);
	return got;
}

START_TEST(cut_at_each_length)
{
	static char bytes[65536];
	size_t size;

	enter_folder();
	size = good_case(bytes, sizeof(bytes));
	for (size_t cut = 0; cut < size; cut++) {
		put(bytes, cut);
		ck_assert_msg(!is_accepted(), "cut at %zu of %zu", cut, size);
	}
	put(bytes, size);
	ck_assert(is_accepted());
	remove_folder();
}
END_TEST

/* It is found, unless gzip makes the same of it: zeros are copied from zeros, wherever they are. */
START_TEST(each_byte_changed)
{
	static const unsigned char changes[] = { 0x01, 0x80, 0xff };
	static char bytes[65536], archive[65536], other[65536];
	size_t size, archive_size;

	enter_folder();
	size = good_case(bytes, sizeof(bytes));
	archive_size = unpacked(archive, sizeof(archive));
	for (size_t at = 0; at < size; at++) {
		bytes[at] ^= changes[_i];
		put(bytes, size);
		if (is_accepted())
			ck_assert_msg(unpacked(other, sizeof(other)) == archive_size &&
					      !memcmp(other, archive, archive_size),
				      "byte %zu of %zu ^ 0x%02x", at, size, changes[_i]);
		bytes[at] ^= changes[_i];
	}
	remove_folder();
}
END_TEST

START_TEST(told_apart_by_content)
{
	enter_folder();
	ck_assert(!dispute_is_case(path));
	put("\x1f", 1);
	ck_assert(!dispute_is_case(path));
	put("stackproof recording 4\n", 23);
	ck_assert(!dispute_is_case(path));
	put("\x1f\x8b", 2);
	ck_assert(dispute_is_case(path));
	ck_assert(!is_accepted());
	remove_folder();
}
END_TEST

SUITE(dispute_file, LOOP(text_that_is_refused, texts), TEST(text_that_is_accepted),
      LOOP(archive_with_members, archives), TEST(what_is_written_comes_back),
      TEST(cut_at_each_length), TIMES(each_byte_changed, 3), TEST(told_apart_by_content))

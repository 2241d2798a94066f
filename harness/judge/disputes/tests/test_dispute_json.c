/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_json.c - case.json: each field is needed, of its kind, and within its bounds
 *
 * A good text is changed by its places: "truth.frames" or "maps.0.start". What is accepted must be
 * written again as it was. test_dispute_file.c has the words of each refusal, and the archive.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/disputes/disputes.h"

static const char good[] =
	"{\"format\":\"stackproof case\",\"version\":1,\"about\":{\"program\":\"./it\"},"
	"\"point\":17,\"thread\":42,\"follow_frame_pointers\":true,\"cut\":true,"
	"\"registers\":{\"rax\":\"0x1\",\"rdx\":\"0x2\",\"rcx\":\"0x3\",\"rbx\":\"0x4\","
	"\"rsi\":\"0x5\",\"rdi\":\"0x6\",\"rbp\":\"0x7\",\"rsp\":\"0x7000\",\"r8\":\"0x9\","
	"\"r9\":\"0xa\",\"r10\":\"0xb\",\"r11\":\"0xc\",\"r12\":\"0xd\",\"r13\":\"0xe\","
	"\"r14\":\"0xf\",\"r15\":\"0x10\",\"rip\":\"0x1234567890abcdef\"},"
	"\"truth\":{\"rooted\":true,\"stop\":\"complete\",\"frames\":[\"0x1000\",\"0x2000\"]},"
	"\"answers\":[{\"engine\":\"cfi\",\"asked\":true,\"in_kernel\":false,\"external\":true,"
	"\"differs\":false,\"stop\":\"no_row\",\"frames\":[]},"
	"{\"engine\":\"bpf\",\"asked\":false,\"in_kernel\":true,\"external\":false,"
	"\"differs\":true,\"stop\":\"guessed\",\"frames\":[\"0x1000\",\"0x3000\",\"0x4000\"],"
	"\"guessed\":[0,2]}],"
	"\"images\":[{\"path\":\"/x\",\"build_id\":\"ab\",\"bytes\":8192,\"whole\":false},"
	"{\"path\":\"/y\",\"build_id\":\"\",\"bytes\":0,\"whole\":true}],"
	"\"code\":[{\"start\":\"0x1000\",\"end\":\"0x3000\",\"bias\":\"0x1000\",\"image\":0,"
	"\"path\":\"/x\"},{\"start\":\"0x3000\",\"end\":\"0x3001\",\"bias\":\"0xfff\","
	"\"image\":1,\"path\":\"/y\"},{\"start\":\"0x4000\",\"end\":\"0x5000\",\"bias\":\"0x0\","
	"\"image\":-1,\"path\":\"\"}],"
	"\"maps\":[{\"start\":\"0x1000\",\"end\":\"0x3000\",\"offset\":\"0x0\","
	"\"permissions\":\"r-xp\",\"image\":0,\"path\":\"/x\"},"
	"{\"start\":\"0x3000\",\"end\":\"0x4000\",\"offset\":\"0x5000\","
	"\"permissions\":\"rw-s\",\"image\":-1,\"path\":\"[heap]\"}],"
	"\"memory\":[],\"unreadable\":[\"0xb000\",\"0xd000\"]}";

static json_t *good_json(void)
{
	json_t *root = json_loads(good, 0, NULL);

	ck_assert_ptr_nonnull(root);
	return root;
}

/* NULL: it is refused, and *error says why. */
static struct dispute *read_json(const json_t *root, struct error *error)
{
	char *text = json_dumps(root, 0);
	struct dispute *dispute = dispute_from_json(text, strlen(text), error);

	free(text);
	return dispute;
}

/* The parent of what is at that place, and in *ret_last the last part of it. */
static json_t *parent_of(json_t *root, const char *place, const char **ret_last)
{
	char part[32];

	for (const char *dot; (dot = strchr(place, '.')); place = dot + 1) {
		snprintf(part, sizeof(part), "%.*s", (int)(dot - place), place);
		root = json_is_array(root) ? json_array_get(root, atoi(part))
					   : json_object_get(root, part);
		ck_assert_msg(root != NULL, "%s", place);
	}
	*ret_last = place;
	return root;
}

static void put(json_t *root, const char *place, const char *value)
{
	const char *last;
	json_t *parent = parent_of(root, place, &last),
	       *new = json_loads(value, JSON_DECODE_ANY, NULL);

	ck_assert_msg(new != NULL, "%s", value);
	if (json_is_array(parent))
		ck_assert_int_eq(json_array_set_new(parent, atoi(last), new), 0);
	else
		ck_assert_int_eq(json_object_set_new(parent, last, new), 0);
}

START_TEST(what_is_read_is_written_again)
{
	json_t *root = good_json(), *again;
	struct error error;
	struct dispute *dispute = read_json(root, &error);

	ck_assert_msg(dispute != NULL, "%s", error.message);
	again = dispute_to_json(dispute);
	ck_assert(json_equal(root, again));
	json_decref(again);
	json_decref(root);
	dispute_destroy(dispute);
}
END_TEST

/* ---- what is missing, or of another kind ---------------------------------------------------- */

static const char *const fields[] = IN_BRACES(
	"format", "version", "about", "point", "thread", "follow_frame_pointers", "cut",
	"registers", "registers.rax", "registers.rbp", "registers.r15", "registers.rip", "truth",
	"truth.rooted", "truth.stop", "truth.frames", "answers", "answers.0.engine",
	"answers.0.asked", "answers.0.in_kernel", "answers.0.external", "answers.1.differs",
	"answers.1.stop", "answers.1.frames", "images", "images.0.path", "images.0.build_id",
	"images.1.bytes", "images.1.whole", "code", "code.0.start", "code.0.end", "code.0.bias",
	"code.1.image", "code.2.path", "maps", "maps.0.start", "maps.0.end", "maps.0.offset",
	"maps.1.permissions", "maps.1.image", "maps.1.path", "memory", "unreadable");

START_TEST(each_field_is_needed)
{
	static const char *const wrong[] = { "null", "\"?\"", "-7", "1.5", "{}", "[{}]" };
	const char *last;

	for (int i = -1; i < COUNT(wrong); i++) {
		json_t *root = good_json();
		struct error error = { 0 };
		struct dispute *dispute;
		json_t *parent = parent_of(root, fields[_i], &last);

		/* Some are texts of any kind. */
		if (i >= 0 && !strcmp(wrong[i], "\"?\"") &&
		    (!strcmp(last, "path") || !strcmp(last, "build_id") ||
		     !strcmp(last, "engine"))) {
			json_decref(root);
			continue;
		}
		if (i >= 0)
			put(root, fields[_i], wrong[i]);
		else
			ck_assert_int_eq(json_object_del(parent, last), 0);
		dispute = read_json(root, &error);
		if (i >= 0 && !strcmp(wrong[i], "{}") && !strcmp(last, "about"))
			ck_assert_ptr_nonnull(dispute);
		else
			ck_assert_msg(!dispute, "%s: %s", fields[_i], i < 0 ? "" : wrong[i]);
		ck_assert(dispute || error.message[0]);
		ck_assert(dispute || error.code == ERROR_TEXT_SYNTAX);
		dispute_destroy(dispute);
		json_decref(root);
	}
}
END_TEST

/* ---- bounds --------------------------------------------------------------------------------- */

static const struct bound {
	const char *place, *value;
	const char *refused; /* how the message begins; NULL: it is accepted */
} bounds[] = {
	{ "version", "0", "version is no number that it could be" },
	{ "version", "2", "version 2 of the format is not read here" },
	{ "version", "2147483647", "version 2147483647 of the format" },
	{ "version", "2147483648", "version is no number that it could be" },
	{ "point", "0", NULL },
	{ "point", "9223372036854775807", NULL },
	{ "point", "-1", "point is no number that it could be" },
	{ "thread", "1", NULL },
	{ "thread", "0", "thread is no number that it could be" },
	{ "thread", "2147483647", NULL },
	{ "thread", "2147483648", "thread is no number that it could be" },
	{ "registers.r8", "\"0x0\"", NULL },
	{ "registers.r8", "\"0xffffffffffffffff\"", NULL },
	{ "registers.r8", "\"0x00000000000000001\"", "r8 is no address" },
	{ "registers.r8", "\"0x\"", "r8 is no address" },
	{ "registers.r8", "\"x8\"", "r8 is no address" },
	{ "registers.r8", "\"8\"", "r8 is no address" },
	{ "registers.r8", "\"0x1g\"", "r8 is no address" },
	{ "registers.r8", "\"0x 1\"", "r8 is no address" },
	{ "registers.r8", "\"0x-1\"", "r8 is no address" },
	{ "truth.frames", "[]", NULL },
	{ "truth.frames.1", "\"0x\"", "frames has what is no address" },
	{ "truth.frames.0", "1", "frames has what is no address" },
	{ "truth.stop", "\"\"", "stop is no stop reason" },
	{ "answers.1.guessed", "[]", NULL },
	{ "answers.1.guessed", "{}", "answers[1].guessed is no list" },
	{ "answers.1.guessed.1", "1", NULL },
	{ "answers.1.guessed.1", "3", "answers[1].guessed names a frame that is not there" },
	{ "answers.1.guessed.0", "-1", "answers[1].guessed names a frame that is not there" },
	{ "answers.1.guessed.0", "\"0\"", "answers[1].guessed names a frame that is not there" },
	{ "answers.0.guessed", "[0]", "answers[0].guessed names a frame that is not there" },
	{ "answers.1.engine", "\"cfi\"", "answers[1].engine is no name, or there twice" },
	{ "answers.1.engine", "\"\"", "answers[1].engine is no name, or there twice" },
	{ "answers.1.engine", "7", "answers[1].engine is no name, or there twice" },
	{ "answers", "[]", NULL },
	{ "images.0.bytes", "17179869184", NULL },
	{ "images.0.bytes", "17179869185", "images[0].bytes is no number that it could be" },
	{ "images.1.bytes", "-1", "images[1].bytes is no number that it could be" },
	{ "code.0.image", "1", NULL },
	{ "code.0.image", "2", "code[0].image is no number that it could be" },
	{ "code.0.image", "-2", "code[0].image is no number that it could be" },
	{ "code.0.start", "\"0x0\"", NULL },
	{ "code.0.end", "\"0x1001\"", NULL },
	{ "code.0.end", "\"0x1000\"", "code[0].start is not behind" },
	{ "code.0.end", "\"0xfff\"", "code[0].start is not behind" },
	{ "code.1.start", "\"0x2fff\"", "code[1].start is not behind" },
	{ "code.2.start", "\"0x3001\"", NULL },
	{ "code.2.start", "\"0x3000\"", "code[2].start is not behind" },
	{ "code.2.start", "\"0x0\"", "code[2].start is not behind" },
	{ "maps.0.image", "1", NULL },
	{ "maps.0.image", "2", "maps[0].image is no number that it could be" },
	{ "maps.0.image", "-2", "maps[0].image is no number that it could be" },
	{ "maps.0.start", "\"0x0\"", NULL },
	{ "maps.1.start", "\"0x2fff\"", "maps[1].start is not behind" },
	{ "maps.1.end", "\"0x3001\"", NULL },
	{ "maps.1.end", "\"0x3000\"", "maps[1].start is not behind" },
	{ "maps.1.permissions", "\"----\"", NULL },
	{ "maps.1.permissions", "\"rwx\"", "maps[1].permissions are none" },
	{ "maps.1.permissions", "\"rwxps\"", "maps[1].permissions are none" },
	{ "maps.1.permissions", "\"rwxq\"", "maps[1].permissions are none" },
	{ "memory",
	  "[{\"address\":\"0x7000\",\"bytes\":4096},"
	  "{\"address\":\"0x8000\",\"bytes\":4096}]",
	  NULL },
	{ "memory",
	  "[{\"address\":\"0x7000\",\"bytes\":4096},"
	  "{\"address\":\"0x7000\",\"bytes\":4096}]",
	  "memory[1].address is not behind the one before" },
	{ "memory",
	  "[{\"address\":\"0x7000\",\"bytes\":8192},"
	  "{\"address\":\"0x8000\",\"bytes\":4096}]",
	  "memory[1].address is not behind the one before" },
	{ "memory", "[{\"address\":\"0x7000\",\"bytes\":67108864}]", NULL },
	{ "memory", "[{\"address\":\"0x7000\",\"bytes\":67112960}]",
	  "memory[0].bytes is no number that it could be" },
	{ "memory", "[{\"address\":\"0x7000\",\"bytes\":4095}]",
	  "memory[0].bytes is no number that it could be" },
	{ "memory", "[{\"address\":\"0x7000\",\"bytes\":4097}]",
	  "memory[0].address or bytes are no pages" },
	{ "memory", "[{\"address\":\"0x7008\",\"bytes\":4096}]",
	  "memory[0].address or bytes are no pages" },
	{ "memory", "[{\"address\":\"0xffffffffffffe000\",\"bytes\":4096}]", NULL },
	{ "memory", "[{\"address\":\"0xffffffffffffe000\",\"bytes\":12288}]",
	  "memory[0].address or bytes are no pages" },
	{ "memory", "[{\"bytes\":4096}]", "memory[0].address is no address" },
	{ "memory", "[{\"address\":\"0x7000\"}]", "memory[0].bytes is no number" },
	{ "unreadable", "[]", NULL },
	{ "unreadable.1", "\"0x\"", "unreadable[1]. is no address" },
};

START_TEST(each_bound)
{
	const struct bound *test = &bounds[_i];
	json_t *root = good_json();
	struct error error = { 0 };
	struct dispute *dispute;

	put(root, test->place, test->value);
	dispute = read_json(root, &error);
	ck_assert_msg(!dispute == !!test->refused, "%s = %s: %s", test->place, test->value,
		      error.message);
	if (!dispute) {
		ck_assert_msg(!strncmp(error.message, test->refused, strlen(test->refused)),
			      "%s = %s: %s", test->place, test->value, error.message);
		ck_assert_str_eq(error.section, "case.json");
	} else if (strcmp(test->place, "memory") != 0) {
		json_t *again = dispute_to_json(dispute);

		if (!strcmp(test->place, "answers.1.guessed"))
			json_object_del(json_array_get(json_object_get(root, "answers"), 1),
					"guessed");
		ck_assert_msg(json_equal(root, again), "%s = %s", test->place, test->value);
		json_decref(again);
	}
	dispute_destroy(dispute);
	json_decref(root);
}
END_TEST

/* ---- lists ---------------------------------------------------------------------------------- */

static const struct list_case {
	const char *list;
	size_t most;
} lists[] = {
	{ "answers", DISPUTE_ANSWERS_MAX },  { "images", DISPUTE_IMAGES_MAX },
	{ "code", DISPUTE_MAPPINGS_MAX },    { "maps", DISPUTE_MAPPINGS_MAX },
	{ "unreadable", DISPUTE_PAGES_MAX },
};

/* As many as may be, and one more. */
START_TEST(lists_have_limits)
{
	const struct list_case *test = &lists[_i];

	for (int more = 0; more < 2; more++) {
		json_t *root = good_json(), *list = json_object_get(root, test->list),
		       *one = json_copy(json_array_get(list, 0));
		struct error error = { 0 };
		struct dispute *dispute;

		json_array_clear(list);
		for (size_t i = 0; i < test->most + more; i++) {
			json_t *next = json_copy(one);

			if (json_is_object(next)) {
				json_object_set_new(next, "engine", json_sprintf("e%zu", i));
				json_object_set_new(next, "start", json_sprintf("0x%zx", i));
				json_object_set_new(next, "end", json_sprintf("0x%zx", i + 1));
			}
			json_array_append_new(list, next);
		}
		if (!strcmp(test->list, "images"))
			ck_assert_int_eq(json_array_size(list), test->most + more);
		dispute = read_json(root, &error);
		ck_assert_msg((dispute == NULL) == (more == 1), "%s: %s", test->list,
			      error.message);
		if (more) {
			char message[64];

			snprintf(message, sizeof(message), "%s is no list, or too long",
				 test->list);
			ck_assert_str_eq(error.message, message);
		}
		dispute_destroy(dispute);
		json_decref(one);
		json_decref(root);
	}
}
END_TEST

START_TEST(text_that_is_no_json)
{
	struct error error = { 0 };

	ck_assert_ptr_null(dispute_from_json("{\"format\":", 10, &error));
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
	ck_assert_str_eq(error.section, "case.json");
	ck_assert_uint_eq(error.offset, 10);
	ck_assert_ptr_null(dispute_from_json("", 0, &error));
	ck_assert_ptr_null(dispute_from_json("[]", 2, &error));
	ck_assert_str_eq(error.message, "format is not \"stackproof case\"");
	/* Only so many bytes are its. */
	ck_assert_ptr_null(dispute_from_json(good, sizeof(good) - 2, &error));
	struct dispute *dispute = dispute_from_json(good, sizeof(good) - 1, &error);

	ck_assert_ptr_nonnull(dispute);
	dispute_destroy(dispute);
}
END_TEST

SUITE(dispute_json, TIMEOUT(300), TEST(what_is_read_is_written_again),
      LOOP(each_field_is_needed, fields), LOOP(each_bound, bounds), LOOP(lists_have_limits, lists),
      TEST(text_that_is_no_json))

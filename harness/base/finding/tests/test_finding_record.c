/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_finding_record.c - findings of JSON as records: each field where it belongs, whatever an object has
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "finding_fixture.h"

/* Of each kind of field some, with values that are told apart. */
static const char full[] =
	"{\"type\":\"lint_finding\",\"image\":\"/a/b\",\"register\":\"rbx\",\"table\":\"orc\","
	"\"ignored\":\"why\",\"pc\":\"0x10\",\"offset\":7,\"count\":9,\"frame\":3,\"known\":true,"
	"\"linked_in\":true,\"path\":[1],\"other_kernel\":\"5.10\",\"instruction\":\"ret\"}";

START_TEST(each_field_is_read)
{
	json_t *object = json_loads(full, 0, NULL);
	const struct finding_record finding = finding_record_read(object);

	ck_assert_str_eq(finding.type, "lint_finding");
	ck_assert_str_eq(finding.image, "/a/b");
	ck_assert_str_eq(finding.reg, "rbx");
	ck_assert_str_eq(finding.table, "orc");
	ck_assert_str_eq(finding.ignored, "why");
	ck_assert_str_eq(finding.pc, "0x10");
	ck_assert_str_eq(finding.other_kernel, "5.10");
	ck_assert_uint_eq(finding.offset, 7);
	ck_assert_uint_eq(finding.count, 9);
	ck_assert_uint_eq(finding.frame, 3);
	ck_assert(finding.known && finding.linked_in && !finding.expected && !finding.no_cfi);
	ck_assert_uint_eq(json_array_size(finding.path), 1);
	ck_assert_ptr_null(finding.disassembly);
	ck_assert_ptr_eq(finding.object, object);
	ck_assert(finding_is_excused(&finding));
	ck_assert_uint_eq(finding_points(&finding), 9);
	json_decref(object);
}
END_TEST

/* What is of another kind is as good as none. */
static const struct {
	const char *rule, *object;
	bool is_ignored;
} others[] = {
	{ "nothing", "{}", false },
	{ "numbers_for_texts", "{\"image\":1,\"id\":2,\"register\":3,\"table\":4}", false },
	{ "texts_for_numbers_and_flags", "{\"count\":\"1\",\"offset\":\"2\",\"known\":\"true\"}",
	  false },
	{ "a_count_below_zero", "{\"count\":-1,\"offset\":-9}", false },
	{ "false_and_null", "{\"known\":false,\"image\":null,\"path\":null}", false },
	{ "ignored_for_no_reason", "{\"ignored\":true}", true },
	{ "an_array", "[1]", false },
};

START_TEST(others_are_none)
{
	json_t *object = json_loads(others[_i].object, 0, NULL);
	const struct finding_record finding = finding_record_read(object);

	ck_assert_msg(object != NULL, "%s", others[_i].rule);
	ck_assert_msg(!finding.image[0] && !finding.id[0] && !finding.reg[0] && !finding.mend[0],
		      "%s", others[_i].rule);
	ck_assert_str_eq(finding.table, "cfi");
	ck_assert_msg(!finding.count && !finding.offset && !finding.known, "%s", others[_i].rule);
	ck_assert_uint_eq(finding_points(&finding), 1);
	ck_assert_msg((finding.ignored != NULL) == others[_i].is_ignored, "%s", others[_i].rule);
	ck_assert_msg(finding_is_excused(&finding) == others[_i].is_ignored, "%s", others[_i].rule);
	json_decref(object);
}
END_TEST

START_TEST(no_object_is_a_record_of_nothing)
{
	const struct finding_record finding = finding_record_read(NULL);

	ck_assert_str_eq(finding.type, "");
	ck_assert_ptr_null(finding.ignored);
	ck_assert_ptr_null(finding.object);
}
END_TEST

/* A copy outlives its object, and says which finding it is, but not with what evidence. */
START_TEST(a_copy_is_its_own)
{
	json_t *object = json_loads(full, 0, NULL);
	char *texts;
	struct finding_record copy = finding_record_copy(RECORD(object), &texts);

	json_decref(object);
	ck_assert_str_eq(copy.image, "/a/b");
	ck_assert_str_eq(copy.reg, "rbx");
	ck_assert_str_eq(copy.ignored, "why");
	ck_assert_str_eq(copy.function, "");
	ck_assert_str_eq(copy.instruction, "ret");
	ck_assert_uint_eq(copy.offset, 7);
	ck_assert_str_eq(copy.pc, "");
	ck_assert_ptr_null(copy.path);
	ck_assert_ptr_null(copy.object);
	free(texts);
	copy = finding_record_copy(RECORD(NULL), &texts);
	ck_assert_ptr_null(copy.ignored);
	free(texts);
}
END_TEST

SUITE(finding_record, TEST(each_field_is_read), LOOP(others_are_none, others),
      TEST(no_object_is_a_record_of_nothing), TEST(a_copy_is_its_own))

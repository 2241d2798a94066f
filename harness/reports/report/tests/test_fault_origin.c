/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_fault_origin.c - whose code it is that a finding is about
 */
#include <stdlib.h>
#include <string.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"

#define WRONG(function) "\"kind\":\"wrong\",\"function\":\"" function "\""

static const struct origin_case {
	const char *name;
	const char *language;
	const char *finding;
	enum fault_origin origin;
} origin_cases[] = {
	{ "own_function", "c", WRONG("work"), ORIGIN_COMPILED },
	{ "thunks_are_the_compilers", "c", WRONG("__llvm_retpoline_r11") ",\"linked_in\":true",
	  ORIGIN_COMPILED },
	{ "those_of_gcc_too", "c", WRONG("__x86_indirect_thunk_rax") ",\"linked_in\":true",
	  ORIGIN_COMPILED },
	{ "of_a_section_of_its_own", "asm",
	  "\"kind\":\"missing\",\"function\":\".plt\",\"section\":\".plt\"", ORIGIN_COMPILED },
	{ "linked_in", "c", WRONG("memcpy") ",\"linked_in\":true", ORIGIN_LIBRARY },
	{ "stripped_and_without_fde", "c",
	  "\"kind\":\"missing\",\"function\":\"gap@0x10\",\"stripped\":true", ORIGIN_STARTUP },
	{ "stripped_assembly", "asm",
	  "\"kind\":\"missing\",\"function\":\"gap@0x10\",\"stripped\":true", ORIGIN_HANDWRITTEN },
	{ "wrong_in_a_start_file", "c",
	  "\"kind\":\"wrong\",\"function\":\"_init\",\"start_file\":\"crti.o\"", ORIGIN_COMPILED },
	{ "linked_in_and_without_fde", "c",
	  "\"kind\":\"missing\",\"function\":\"f\",\"linked_in\":true", ORIGIN_LIBRARY },
	{ "wrong_in_a_stripped_file", "c", WRONG("gap@0x10") ",\"stripped\":true",
	  ORIGIN_COMPILED },
	{ "without_fde_and_not_stripped", "c", "\"kind\":\"missing\",\"function\":\"gap@0x10\"",
	  ORIGIN_COMPILED },
	{ "start_up_code_of_assembly", "asm",
	  "\"kind\":\"missing\",\"function\":\"_init\",\"start_file\":\"crti.o\"", ORIGIN_STARTUP },
	{ "the_name_of_start_up_code_alone", "c",
	  "\"kind\":\"missing\",\"function\":\"frame_dummy\"", ORIGIN_COMPILED },
	{ "start_of_an_assembly_program", "asm", "\"kind\":\"no_end\",\"function\":\"_start\"",
	  ORIGIN_HANDWRITTEN },
	{ "library_in_a_memfd", "c", WRONG("copied") ",\"image\":\"/memfd:lib (deleted)\"",
	  ORIGIN_COMPILED },
	{ "made_in_a_memfd", "c", WRONG("unmapped") ",\"image\":\"/memfd:jit (deleted)\"",
	  ORIGIN_HANDWRITTEN },
	{ "made_in_memory", "c", WRONG("f") ",\"image\":\"[anonymous]\"", ORIGIN_HANDWRITTEN },
	{ "of_another_name_in_a_memfd", "asm", WRONG("unmapped2") ",\"image\":\"/memfd:jit\"",
	  ORIGIN_HANDWRITTEN },
	{ "linked_into_a_memfd", "c", WRONG("f") ",\"image\":\"/memfd:lib\",\"linked_in\":true",
	  ORIGIN_LIBRARY },
	{ "the_kernels_older_one", "c", WRONG("f") ",\"image\":\"[vsyscall]\"", ORIGIN_LIBRARY },
	{ "the_kernels", "c", WRONG("f") ",\"image\":\"[vdso]\"", ORIGIN_LIBRARY },
	{ "another_image", "c", WRONG("longjmp") ",\"image\":\"/lib/libc.so.6\"", ORIGIN_LIBRARY },
	{ "a_library_of_the_program", "c",
	  WRONG("work") ",\"image\":\"/x/p.gcc-12.2.0.O2-nofp.ac.so\"", ORIGIN_COMPILED },
	{ "a_name_that_begins_alike", "c", WRONG("work") ",\"image\":\"/x/p.gcc-12.2.0.O2-nofpx\"",
	  ORIGIN_LIBRARY },
};

START_TEST(test_origin)
{
	const struct origin_case *c = &origin_cases[_i];
	struct results results DEINIT(results_deinit);
	char json[512];

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc-12.2.0", "O2-nofp",
					 c->language);
	snprintf(json, sizeof(json), "{%s}", c->finding);
	json_t *finding = json_loads(json, 0, NULL);
	ck_assert_ptr_nonnull(finding);
	if (!json_object_get(finding, "image"))
		json_object_set_new(finding, "image", json_string(cell->binary));
	enum fault_origin origin = fault_origin_of(cell, RECORD(finding));
	ck_assert_str_eq(fault_origin_name(ORIGIN_COUNT), "?");
	ck_assert_msg(origin == c->origin, "%s: %s", c->name, fault_origin_name(origin));
	json_decref(finding);
}
END_TEST

SUITE(fault_origin, LOOP(test_origin, origin_cases))

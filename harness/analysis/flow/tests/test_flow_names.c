/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_names.c - what a function's name says of it
 */
#include "tests/suite.h"
#include "analysis/code/code.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "cfi/code_name.h"
#include "analysis/flow/flow_callees.h"

enum { NEVER = 1, SPLITS = 2, FRAGMENT = 4 };

static const struct name_case {
	const char *name;
	int is;
} names[] = {
	{ "_Exit", NEVER },
	{ "abort", NEVER },
	{ "exit", NEVER },
	{ "thrd_exit", NEVER },
	{ "exi", 0 },
	{ "exit_", 0 },
	/* Go's, by how they begin. */
	{ "runtime.goPanic", NEVER },
	{ "runtime.goPanicIndexU", NEVER },
	{ "runtime.panicdottypeE", NEVER },
	{ "runtime.goPani", 0 },
	{ "xruntime.goPanic", 0 },
	/* C++'s */
	{ "_ZSt20__throw_length_errorPKc", NEVER },
	{ "_ZSt09__throw_", NEVER },
	{ "_ZSt90__throw_x", NEVER },
	{ "_ZSt__throw_x", NEVER },
	{ "_ZSt20__throwx", 0 },
	{ "_ZSt/__throw_x", 0 },
	{ "_ZSt:__throw_x", 0 },
	{ "_ZSs20__throw_x", 0 },
	{ "_ZSt", 0 },
	{ "__throw_x", 0 },
	{ "_ZSt21__glibcxx_assert_failPKciS0_S0_", NEVER },
	{ "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", NEVER },
	{ "_Z9qt_assertPKcS0_i", NEVER },
	{ "_ZNK14QMessageLogger5fatalEPKcz", NEVER },
	{ "_ZNK14QMessageLogger5debugEPKcz", 0 },
	/* Rust's, of both manglings */
	{ "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE", NEVER },
	{ "_RNvNtCsabc_4core9panicking5panic", NEVER },
	{ "_RINvNtCsabc_4core9panicking13assert_failedjjE", NEVER },
	{ "_RNvXNtCsabc_4core9panickingNtB2_10AssertKind3fmt", 0 },
	{ "_RNvNtCsabc_4core3fmt5write", 0 },
	/* other languages' */
	{ "caml_ml_array_bound_error", NEVER },
	{ "caml_raise_exn", NEVER },
	{ "caml_call_gc", 0 },
	{ "__gnat_rcheck_CE_Overflow_Check", NEVER },
	{ "_gfortran_stop_string", NEVER },
	{ "_d_assert", NEVER },
	{ "g_assertion_message_expr", NEVER },
	{ "g_log", 0 },
	/* -fsplit-stack */
	{ "__morestack", SPLITS },
	{ "__morestack_large_model", SPLITS },
	{ "__morestack_non_split", SPLITS },
	{ "__morestack_", 0 },
	/* what was cut off */
	{ "g", 0 },
	{ "g.cold", FRAGMENT },
	{ "g.warm", FRAGMENT },
	{ "g.cold.10", FRAGMENT },
	{ "g.cold.1.warm", FRAGMENT },
	{ "g.eh", FRAGMENT },
	{ "g.__part.1", FRAGMENT },
	{ "g.__partial", 0 },
	{ "g.colder", 0 },
	{ "g.cold.a", 0 },
	{ "g.part.0", 0 },
	{ ".cold", 0 },
	{ "gg", 0 },
	{ "gg.cold", FRAGMENT },
	{ "h", 0 },
};

static struct assembled assembled;
static struct flow_callees *callees;

/* Two bytes each. */
static void setup(void)
{
	char *assembly = NULL;
	size_t size;
	FILE *file = open_memstream(&assembly, &size);

	ck_assert_ptr_nonnull(file);
	fprintf(file, "f: startproc; call ext@PLT; ret; endproc; ");
	for (int i = 0; i < COUNT(names); i++)
		fprintf(file,
			"\"%s\": startproc; nop; ret; endproc; .size \"%s\", 2; "
			".type \"%s\", @function; ",
			names[i].name, names[i].name, names[i].name);
	fprintf(file, ".section .pltx, \"ax\"; ret; .section .init, \"ax\"; ret; ");
	fclose(file);
	assembled_open(&assembled, assembly);
	callees = flow_callees_create(assembled.cfi, NULL, false);
	ck_assert_ptr_nonnull(callees);
	free(assembly);
}

static void teardown(void)
{
	flow_callees_destroy(callees);
	assembled_close(&assembled);
}

static uint64_t address_of(const char *name)
{
	uint64_t pc = image_symbol_address(assembled.image, name);

	ck_assert_msg(pc, "%s", name);
	return pc;
}

/* Also if it was asked before, and what was asked since is kept in its place. */
START_TEST(a_name_says_it)
{
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < COUNT(names); i++) {
			uint64_t pc = address_of(names[i].name);
			const struct cfi_fde *fde = cfi_fde_find(assembled.cfi, pc);

			ck_assert_msg(flow_never_returns(callees, pc) == (names[i].is == NEVER),
				      "%s", names[i].name);
			ck_assert_msg(flow_splits_stack(callees, pc) == (names[i].is == SPLITS),
				      "%s", names[i].name);
			ck_assert_msg(flow_is_fragment(callees, pc) == (names[i].is == FRAGMENT),
				      "%s", names[i].name);
			ck_assert_ptr_eq(flow_callee_fde(callees, pc), fde);
			ck_assert_uint_eq(fde->pc_begin, pc);
			/* Behind its begin nothing is said. */
			ck_assert(!flow_never_returns(callees, pc + 1));
			ck_assert(!flow_splits_stack(callees, pc + 1));
			ck_assert(!flow_is_fragment(callees, pc + 1));
			ck_assert_ptr_eq(flow_callee_fde(callees, pc + 1), fde);
		}
}
END_TEST

/* Addresses far from each other have one place in the cache. */
START_TEST(where_nothing_is)
{
	uint64_t pc = address_of("abort");

	for (uint64_t at = pc; at < pc + (1u << 16); at += at == pc ? 4096 - pc % 4096 : 1) {
		bool is = at == pc;

		ck_assert_int_eq(flow_never_returns(callees, at), is);
		ck_assert_int_eq(flow_callee_fde(callees, at) != NULL, is);
	}
	ck_assert(flow_never_returns(callees, pc));
	ck_assert(!flow_splits_stack(callees, 1u << 22));
	ck_assert(!flow_is_fragment(callees, 1u << 22));
	ck_assert(!flow_is_binder(callees, 1u << 22));
	ck_assert(!flow_never_returns(callees, 0));
	ck_assert_ptr_null(flow_callee_fde(callees, 0));
}
END_TEST

START_TEST(a_fragment_is_of_one_function)
{
	uint64_t g = address_of("g"), cold = address_of("g.cold");

	ck_assert(flow_is_fragment_of(callees, cold, g));
	ck_assert(flow_is_fragment_of(callees, address_of("g.cold.10"), g));
	ck_assert(flow_is_fragment_of(callees, address_of("gg.cold"), address_of("gg")));
	ck_assert(flow_is_fragment_of(callees, address_of("g.cold.1.warm"), address_of("g.cold")) ==
		  false);
	ck_assert(!flow_is_fragment_of(callees, cold, address_of("h")));
	ck_assert(!flow_is_fragment_of(callees, cold, address_of("gg")));
	ck_assert(!flow_is_fragment_of(callees, address_of("gg.cold"), g));
	ck_assert(!flow_is_fragment_of(callees, cold, g + 1));
	ck_assert(!flow_is_fragment_of(callees, cold + 1, g));
	ck_assert(!flow_is_fragment_of(callees, g, g));
	ck_assert(!flow_is_fragment_of(callees, cold, 1u << 22));
	ck_assert(!flow_is_fragment_of(callees, 1u << 22, g));
}
END_TEST

static uint64_t section_named(const char *name)
{
	struct code_name found;

	for (uint64_t pc = 1; pc < 1u << 14; pc++) {
		code_name_find(assembled.image, assembled.cfi, pc, &found);
		if (found.kind == CODE_SECTION && !strcmp(found.name, name))
			return pc;
	}
	ck_abort_msg("%s", name);
}

START_TEST(stubs_and_what_they_lead_to)
{
	uint64_t f = address_of("f"), stub;
	const uint8_t *call = image_bytes(assembled.image, f, 5);
	int32_t distance;

	memcpy(&distance, call + 1, 4);
	stub = f + 5 + (uint64_t)(int64_t)distance;
	ck_assert(flow_is_stub(callees, stub));
	ck_assert(!flow_is_stub(callees, f));
	ck_assert(!flow_is_binder(callees, stub));
	ck_assert(!flow_is_binder(callees, f));
	ck_assert(flow_is_binder(callees, section_named(".plt")));
	ck_assert(flow_is_binder(callees, section_named(".pltx")));
	ck_assert(!flow_is_binder(callees, section_named(".init")));
}
END_TEST

START_TEST(go_has_its_own_begin)
{
	struct assembled go;

	ck_assert(!code_is_go(assembled.image));
	assembled_open(&go, "f: startproc; runtime.text: ret; endproc");
	ck_assert(code_is_go(go.image));
	assembled_close(&go);
}
END_TEST

SUITE(flow_names, TIMEOUT(300), FIXTURE(setup, teardown), TEST(a_name_says_it),
      TEST(where_nothing_is), TEST(a_fragment_is_of_one_function),
      TEST(stubs_and_what_they_lead_to), TEST(go_has_its_own_begin))

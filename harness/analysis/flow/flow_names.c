/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_names.c - functions that never return, by name
 *
 * The list has those of the run-times of C, C++, Rust, Go, OCaml, Ada, Fortran, D and of Qt and GLib that their
 * standards and headers declare so. A program
 * may have a function of its own that is named like one of C's: if its code returns, the name says nothing.
 * It is not needed for a proof: behind another call that never returns, the rows are another way's,
 * and that is noticed (flow.c). It spares ways that nobody takes.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/code_name.h"
#include "flow_names.h"
#include "flow_noreturn.h"

#define GO_TEXT "runtime.text" /* Go's linker puts it into whatever it links */

#define CACHE_ENTRIES 32768u /* a power of two */
#define STUB_ENTRIES  4096u  /* the same */

/* runtime.goPanicIndexU and the like. */
static const char *const never_prefix[] = {
	"_ZN3std7process4exit17h",
	"_ZN3std7process5abort17h",
	"_ZN4core6option13expect_failed17h",
	"_ZN4core6option13unwrap_failed17h",
	"_ZN4core6result13unwrap_failed17h",
	"_ZN4core9panicking",
	"_ZN5alloc5alloc18handle_alloc_error17h",
	"_ZN5alloc7raw_vec12handle_error17h",
	"_ZN5alloc7raw_vec17capacity_overflow17h",
	"__gnat_rcheck_",
	"runtime.goPanic",
	"runtime.panicIndex",
	"runtime.panicSlice",
	"runtime.panicdottype",
};

/* libgcc/config/i386/morestack.S. */
static const char *const split[] = {
	"__morestack",
	"__morestack_large_model",
	"__morestack_non_split",
};

/* Only landing pads call these. */
static const char *const landing[] = {
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"__cxa_begin_catch",
	"__cxa_get_exception_ptr",
};

/* What is known of an address that is called. */
struct callee {
	uint64_t pc; /* 0: none */
	const struct cfi_fde *fde;
	bool never, splits, lands;
	struct flow_done done;
	enum flow_throws throws;
};

/* Of an address that may be in a PLT. */
struct stub {
	uint64_t pc;
	bool asked, is;
};

struct flow_names {
	const struct cfi *cfi;
	struct flow_noreturn *noreturn; /* who is asked of a function's code; NULL: nobody */
	struct callee entry[CACHE_ENTRIES];
	struct stub stub[STUB_ENTRIES];
};

/* Sorted. */
static const char *const never[] = {
	"_Exit",
	"_Unwind_Resume",
	"_Unwind_SjLj_Resume",
	"_Z11qt_assert_xPKcS0_S0_i",
	"_Z9qBadAllocv",
	"_Z9qt_assertPKcS0_i",
	"_ZNK14QMessageLogger5fatalEPKcz",
	"_ZSt10unexpectedv",
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
	"_ZSt21__glibcxx_assert_failPKciS0_S0_",
	"_ZSt9terminatev",
	"__assert",
	"__assert_fail",
	"__assert_perror_fail",
	"__chk_fail",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_call_terminate",
	"__cxa_call_unexpected",
	"__cxa_deleted_virtual",
	"__cxa_pure_virtual",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_length",
	"__cxa_throw_bad_array_new_length",
	"__fortify_fail",
	"__gnat_last_chance_handler",
	"__gnat_raise_exception",
	"__gnat_raise_program_error",
	"__gnat_reraise_zcx",
	"__go_assert_fail",
	"__libc_fatal",
	"__libc_longjmp",
	"__libc_siglongjmp",
	"__longjmp_chk",
	"__rust_abort",
	"__rust_drop_panic",
	"__rust_foreign_exception",
	"__stack_chk_fail",
	"__stack_chk_fail_local",
	"__ubsan_handle_builtin_unreachable",
	"__ubsan_handle_missing_return",
	"_d_arraybounds",
	"_d_arrayboundsp",
	"_d_assert",
	"_d_assert_msg",
	"_d_assertp",
	"_d_throw",
	"_d_throw_exception",
	"_exit",
	"_gfortran_error_stop_numeric",
	"_gfortran_error_stop_string",
	"_gfortran_os_error",
	"_gfortran_os_error_at",
	"_gfortran_runtime_error",
	"_gfortran_runtime_error_at",
	"_gfortran_stop_numeric",
	"_gfortran_stop_string",
	"_longjmp",
	"abort",
	"caml_array_bound_error",
	"caml_bad_caml_state",
	"caml_failwith",
	"caml_failwith_value",
	"caml_fatal_error",
	"caml_fatal_uncaught_exception",
	"caml_invalid_argument",
	"caml_invalid_argument_value",
	"caml_ml_array_bound_error",
	"caml_raise",
	"caml_raise_constant",
	"caml_raise_end_of_file",
	"caml_raise_exception",
	"caml_raise_exn",
	"caml_raise_not_found",
	"caml_raise_out_of_memory",
	"caml_raise_stack_overflow",
	"caml_raise_sys_error",
	"caml_raise_with_arg",
	"caml_raise_with_string",
	"caml_raise_zero_divide",
	"caml_reraise_exn",
	"err",
	"errx",
	"exit",
	"g_assertion_message_expr",
	"longjmp",
	"objc_exception_rethrow",
	"objc_exception_throw",
	"pthread_exit",
	"quick_exit",
	"runtime.gopanic",
	"runtime.panicdivide",
	"runtime.panicmem",
	"runtime.panicshift",
	"runtime.throw",
	"rust_begin_unwind",
	"rust_oom",
	"rust_panic",
	"siglongjmp",
	"thrd_exit",
	"verr",
	"verrx",
};

/* std::__throw_length_error(char const*) and the like. */
static const char throw_prefix[] = "_ZSt";

bool flow_names_throws(const char *name)
{
	if (strncmp(name, throw_prefix, sizeof(throw_prefix) - 1))
		return false;
	name += sizeof(throw_prefix) - 1;
	while (*name >= '0' && *name <= '9')
		name++;
	return !strncmp(name, "__throw_", 8);
}

struct flow_names *flow_names_create(const struct cfi *cfi)
{
	struct flow_names *names = calloc(1, sizeof(*names));

	if (names)
		names->cfi = cfi;
	return names;
}

void flow_names_destroy(struct flow_names *names)
{
	free(names);
}

static int compare_names(const void *name, const void *entry)
{
	return strcmp(name, *(const char *const *)entry);
}

/* core::panicking's functions by Rust's v0 mangling: _RNvNtCsHASH_4core9panicking5panic; with `I`, of a generic one. */
static bool is_panic(const char *name)
{
	static const char start[] = "NvNtCs", end[] = "_4core9panicking";

	if (name[0] != '_' || name[1] != 'R')
		return false;
	name += name[2] == 'I' ? 3 : 2;
	if (strncmp(name, start, sizeof(start) - 1) != 0)
		return false;
	name = strchr(name, '_');
	return name && !strncmp(name, end, sizeof(end) - 1);
}

static bool is_listed(const char *name)
{
	if (bsearch(name, never, sizeof(never) / sizeof(never[0]), sizeof(never[0]), compare_names))
		return true;
	for (size_t i = 0; i < sizeof(never_prefix) / sizeof(never_prefix[0]); i++)
		if (!strncmp(never_prefix[i], name, strlen(never_prefix[i])))
			return true;
	return flow_names_throws(name) || is_panic(name);
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void flow_names_ask(struct flow_names *names, struct flow_noreturn *noreturn)
{
	names->noreturn = noreturn;
}

/* The function that begins there is the one that is called, whoever else has that name. */
static bool is_own(const struct image *image, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_find(image, pc);

	return symbol && symbol->pc == pc &&
	       (symbol->binding == STB_LOCAL || symbol->visibility != STV_DEFAULT ||
		image->type == ET_EXEC);
}

bool flow_never_by_name(const struct flow_names *names, uint64_t pc, bool *ret_own)
{
	struct code_name name;

	*ret_own = false;
	code_name_find(names->cfi->image, names->cfi, pc, &name);
	if (!name.name || name.start != pc || !is_listed(name.name))
		return false;
	/* No function of C has a point in its name: those are Go's. */
	*ret_own = !strchr(name.name, '.') && is_own(names->cfi->image, pc);
	return true;
}

static bool never_returns(const struct flow_names *names, uint64_t pc)
{
	bool own;

	if (!flow_never_by_name(names, pc, &own))
		return false;
	return !own || !names->noreturn || flow_noreturn_find(names->noreturn, pc);
}

static struct callee *find_callee(struct flow_names *names, uint64_t pc)
{
	struct callee *callee = &names->entry[(pc ^ pc >> 12) % CACHE_ENTRIES];
	struct code_name name;

	if (callee->pc == pc && pc)
		return callee;
	code_name_find(names->cfi->image, names->cfi, pc, &name);
	callee->pc = pc;
	callee->fde = cfi_fde_find(names->cfi, pc);
	callee->done = (struct flow_done) { FLOW_ELSEWHERE_UNASKED };
	callee->throws = FLOW_THROWS_UNASKED;
	callee->never = never_returns(names, pc);
	callee->lands = name.name && name.start == pc &&
			is_among(landing, sizeof(landing) / sizeof(landing[0]), name.name);
	callee->splits = name.name && name.start == pc &&
			 is_among(split, sizeof(split) / sizeof(split[0]), name.name);
	return callee;
}

bool flow_never_returns(struct flow_names *names, uint64_t pc)
{
	return find_callee(names, pc)->never;
}

struct flow_done *flow_names_done(struct flow_names *names, uint64_t pc)
{
	return &find_callee(names, pc)->done;
}

enum flow_throws *flow_names_throwing(struct flow_names *names, uint64_t pc)
{
	return &find_callee(names, pc)->throws;
}

bool flow_lands(struct flow_names *names, uint64_t pc)
{
	return find_callee(names, pc)->lands;
}

bool flow_splits_stack(struct flow_names *names, uint64_t pc)
{
	return find_callee(names, pc)->splits;
}

const struct cfi_fde *flow_names_fde(struct flow_names *names, uint64_t pc)
{
	return find_callee(names, pc)->fde;
}

bool flow_is_stub(struct flow_names *names, uint64_t pc)
{
	struct stub *stub = &names->stub[(pc >> 3 ^ pc >> 15) % STUB_ENTRIES];

	if (!stub->asked || stub->pc != pc)
		*stub = (struct stub) { pc, true,
					code_name_is_stub(names->cfi->image, names->cfi, pc) };
	return stub->is;
}

bool flow_is_go(const struct image *image)
{
	return image_symbol_address(image, GO_TEXT) != 0;
}

bool flow_is_binder(struct flow_names *names, uint64_t pc)
{
	struct code_name name;

	code_name_find(names->cfi->image, names->cfi, pc, &name);
	return name.kind == CODE_SECTION && !strncmp(name.name, ".plt", 4);
}

/* What a fragment's name adds to its function's; NULL: it is none. */
static const char *fragment_suffix(const char *name)
{
	static const char *const suffix[] = {
		".cold", ".warm", ".eh",
		".__part", /* the last two: LLVM's -fbasic-block-sections */
	};

	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		const char *at = strstr(name, suffix[i]), *end = at ? at + strlen(suffix[i]) : NULL;

		if (at && at != name && strspn(end, ".0123456789") == strlen(end))
			return at;
	}
	return NULL;
}

bool flow_is_fragment_name(const char *name)
{
	return fragment_suffix(name) != NULL;
}

bool flow_is_fragment(const struct flow_names *names, uint64_t pc)
{
	struct code_name name;

	code_name_find(names->cfi->image, names->cfi, pc, &name);
	return name.name && name.start == pc && fragment_suffix(name.name);
}

bool flow_is_fragment_of(const struct flow_names *names, uint64_t pc, uint64_t function)
{
	struct code_name name, whole;
	const char *suffix;

	code_name_find(names->cfi->image, names->cfi, pc, &name);
	suffix = name.name && name.start == pc ? fragment_suffix(name.name) : NULL;
	if (!suffix)
		return false; /* mostly: the function is not asked for, then */
	code_name_find(names->cfi->image, names->cfi, function, &whole);
	return whole.name && whole.start == function &&
	       strlen(whole.name) == (size_t)(suffix - name.name) &&
	       !strncmp(whole.name, name.name, (size_t)(suffix - name.name));
}

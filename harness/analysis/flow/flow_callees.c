/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_callees.c - what is known of functions that are called, by their names and by their code
 *
 * By name: the list has those of the run-times of C, C++, Rust, Go, OCaml, Ada, Fortran, D and of Qt and GLib that
 * their standards and headers declare noreturn. A name decides before the code does: longjmp's code says nothing. But who
 * is named so, is this image's own, and is seen to come to a return instruction, returns: a parser's exit(). What another
 * image defines is known by name alone, and so is what is called by a PLT, though this image has it: others may come
 * before. No proof needs the list: behind another call that never returns, the rows are another path's, and that is
 * noticed (flow.c). It spares paths that nobody takes.
 *
 * By code: a function returns if some path from its entry comes to a return. The path goes on behind a call
 * only if what is called returns, so the answers hang on each other, in circles too. They are the
 * least fixpoint: nobody returns until a path shows it. That is right, because each return that happens
 * ends after a number of steps.
 *
 *	die:	call puts@plt		a stub: a function elsewhere, which returns
 *		call leave
 *		ret			only if leave returns
 *	leave:	call exit@plt		by name: never
 *		jmp die			as die does, and die as leave: neither
 *
 * Functions are asked for only when no other path of their caller's has come to a return. There are two questions, of
 * which each has a fixpoint of its own, because they differ in what is not certain:
 *
 *	never		a call of it never comes back. What is not certain returns: a computed jump, which may be a tail
 *			call; bytes that are no instruction; and whatever loads rsp or stores it, as switches of stacks
 *			do (somebody else comes back in its place: Go's morestack). So do a weak function of an object
 *			file, in whose place another may be linked, and what stops until an interrupt or a debugger lets
 *			it go on.
 *	certainly	it is seen to return: no compiler takes what has a return for a function that never comes back.
 *			What is not certain doesn't return, and names say nothing: a path goes by branches, direct jumps,
 *			and behind calls of functions that certainly return. So it never strays into another function, as
 *			one behind a call that never comes back would. Not seen is not the opposite of never.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "address_set.h"
#include "array.h"
#include "cfi/code_name.h"
#include "flow_paths.h"

#define CACHE_ENTRIES 32768u /* a power of two */
#define STUB_ENTRIES  4096u  /* the same */

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

enum answer { OPEN, RETURNS, NEVER };

/* Who goes on once it is known that a function returns: another, at pc; 0: it returns as well. */
struct waiter {
	uint32_t function;
	uint32_t next; /* number + 1; 0: the last */
	uint64_t pc;
};

/* How a path of a function comes back. */
struct ending {
	bool plain; /* by a return instruction, or in a function elsewhere */
	enum flow_takes takes;
};

static const struct ending plain = { .plain = true };
static const struct ending unclear = { .plain = false };
static const struct ending moved = { .takes = FLOW_TAKES_PERHAPS };

struct function {
	uint64_t entry;
	enum answer answer;
	bool stacked;
	bool named;	      /* like one that never returns */
	struct ending ending; /* RETURNS: by the way that was seen to */
	bool asked;	      /* since the last time that all was known */
	uint32_t waiters;     /* number + 1 of the first */
	uint32_t steps;
	uint64_t *todo; /* where its paths go on */
	size_t todo_count;
	uint32_t *callee; /* what it waits for, and has not asked for */
	size_t callee_count;
	struct address_set seen; /* its instructions */
};

/* All answers to one question. */
struct fixpoint {
	struct flow_callees *callees;
	bool certainly; /* which question it is */
	struct address_set entries;
	struct function *function; /* by its entry's number, less 1 */
	size_t count;
	struct waiter *waiter;
	size_t waiter_count;
	uint32_t *stack; /* functions to follow, the last first */
	size_t stack_count;
	uint32_t *asked;
	size_t asked_count;
	bool no_memory;
};

struct flow_callees {
	const struct cfi *cfi;
	struct code_decoder *decoder; /* NULL: nobody's code is asked */
	bool is_object; /* a weak function's place may be another's when it is linked */
	struct fixpoint never, certainly;
	struct flow_fragment pads; /* the last FDE that had a call, with its landing pads */
	struct callee entry[CACHE_ENTRIES];
	struct stub stub[STUB_ENTRIES];
};

/* ---- by name -------------------------------------------------------------------------------- */

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

/* Sorted. */
static const char *const never_name[] = {
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

bool flow_name_throws(const char *name)
{
	if (strncmp(name, throw_prefix, sizeof(throw_prefix) - 1))
		return false;
	name += sizeof(throw_prefix) - 1;
	while (*name >= '0' && *name <= '9')
		name++;
	return !strncmp(name, "__throw_", 8);
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
	if (bsearch(name, never_name, sizeof(never_name) / sizeof(never_name[0]),
		    sizeof(never_name[0]), compare_names))
		return true;
	return ARRAY_ANY(ARRAY_COUNT(never_prefix), i,
			 !strncmp(never_prefix[i], name, strlen(never_prefix[i]))) ||
	       flow_name_throws(name) || is_panic(name);
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
	return ARRAY_ANY(count, i, !strcmp(names[i], name));
}

/* By the name alone the function there, or behind the stub there, never returns. *ret_own: its code is here, and no
 * other's comes in its place. */
static bool flow_never_by_name(const struct flow_callees *callees, uint64_t pc, bool *ret_own)
{
	struct code_name name;

	*ret_own = false;
	code_name_find(callees->cfi->image, callees->cfi, pc, &name);
	if (!name.name || name.start != pc || !is_listed(name.name))
		return false;
	/* The function that begins there is the one that is called, whoever else has that name: where another may come
	 * in its place, a call goes by a PLT. No function of C has a point in its name: those are Go's. */
	*ret_own = !strchr(name.name, '.') && image_symbol_at(callees->cfi->image, pc);
	return true;
}

bool flow_callee_is_replaced(const struct flow_callees *callees, uint64_t pc)
{
	const struct image_symbol *symbol = callees->is_object
						    ? image_symbol_at(callees->cfi->image, pc)
						    : NULL;

	return symbol && symbol->binding == STB_WEAK;
}

bool flow_is_stub(struct flow_callees *callees, uint64_t pc)
{
	struct stub *stub = &callees->stub[(pc >> 3 ^ pc >> 15) % STUB_ENTRIES];

	if (!stub->asked || stub->pc != pc)
		*stub = (struct stub) { pc, true,
					code_name_is_stub(callees->cfi->image, callees->cfi, pc) };
	return stub->is;
}

bool flow_is_binder(struct flow_callees *callees, uint64_t pc)
{
	struct code_name name;

	code_name_find(callees->cfi->image, callees->cfi, pc, &name);
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

bool flow_is_fragment(const struct flow_callees *callees, uint64_t pc)
{
	struct code_name name;

	code_name_find(callees->cfi->image, callees->cfi, pc, &name);
	return name.name && name.start == pc && fragment_suffix(name.name);
}

bool flow_is_fragment_of(const struct flow_callees *callees, uint64_t pc, uint64_t function)
{
	struct code_name name, whole;
	const char *suffix;

	code_name_find(callees->cfi->image, callees->cfi, pc, &name);
	suffix = name.name && name.start == pc ? fragment_suffix(name.name) : NULL;
	if (!suffix)
		return false; /* mostly: the function is not asked for, then */
	code_name_find(callees->cfi->image, callees->cfi, function, &whole);
	return whole.name && whole.start == function &&
	       strlen(whole.name) == (size_t)(suffix - name.name) &&
	       !strncmp(whole.name, name.name, (size_t)(suffix - name.name));
}

/* ---- by code: one fixpoint for each question ------------------------------------------------- */

static bool no_memory(struct fixpoint *fixpoint)
{
	fixpoint->no_memory = true;
	return false;
}

static void forget(struct function *function)
{
	free(function->todo);
	free(function->callee);
	address_set_deinit(&function->seen);
	function->todo = NULL;
	function->callee = NULL;
	function->todo_count = function->callee_count = 0;
}

/* ---- functions by their entry ------------------------------------------------------------- */

static void answer_at_once(struct fixpoint *fixpoint, struct function *function)
{
	uint64_t entry = function->entry;
	bool own, never;

	if (fixpoint->certainly) {
		function->answer = flow_callee_is_replaced(fixpoint->callees, entry) ? NEVER : OPEN;
		return;
	}
	never = flow_never_by_name(fixpoint->callees, entry, &own);
	function->named = never && own;
	if (never && !own)
		function->answer = NEVER;
	else if (!never && (flow_is_stub(fixpoint->callees, entry) ||
			    flow_callee_is_replaced(fixpoint->callees, entry)))
		function->answer = RETURNS;
	function->ending.plain = function->answer == RETURNS;
}

/* false: no memory. */
static bool function_at(struct fixpoint *fixpoint, uint64_t entry, uint32_t *ret)
{
	const uint32_t number = address_set_add(&fixpoint->entries, entry);

	*ret = number - 1;
	if (number && number <= fixpoint->count)
		return true;
	if (!number ||
	    !ARRAY_ADD(fixpoint->function, fixpoint->count, (struct function) { .entry = entry }))
		return no_memory(fixpoint);
	answer_at_once(fixpoint, &fixpoint->function[*ret]);
	return true;
}

/* ---- who waits for whom ------------------------------------------------------------------- */

static bool stack_push(struct fixpoint *fixpoint, uint32_t number)
{
	struct function *function = &fixpoint->function[number];

	if (function->answer != OPEN || function->stacked)
		return true;
	if (!ARRAY_ADD(fixpoint->stack, fixpoint->stack_count, number))
		return no_memory(fixpoint);
	function->stacked = true;
	return true;
}

static bool todo_add(struct fixpoint *fixpoint, uint32_t number, uint64_t pc)
{
	struct function *function = &fixpoint->function[number];

	if (function->answer != OPEN)
		return true;
	if (!ARRAY_ADD(function->todo, function->todo_count, pc))
		return no_memory(fixpoint);
	return stack_push(fixpoint, number);
}

/* It returns: so do those that ended with it, and the others go on behind their call. Where that is plain a name
 * counts no more. */
static bool returns(struct fixpoint *fixpoint, uint32_t number, struct ending ending)
{
	FREED uint32_t *list = NULL;
	size_t count = 0;
	bool good = true;

	while (good) {
		struct function *function = &fixpoint->function[number];

		if (function->answer == OPEN && (ending.plain || !function->named)) {
			function->answer = RETURNS;
			function->ending = ending;
			forget(function);
			for (uint32_t at = function->waiters; at && good;) {
				const struct waiter *waiter = &fixpoint->waiter[at - 1];

				at = waiter->next;
				if (waiter->pc)
					good = todo_add(fixpoint, waiter->function, waiter->pc);
				else if (!ARRAY_ADD(list, count, waiter->function))
					good = no_memory(fixpoint);
			}
		}
		if (!count)
			break;
		number = list[--count];
	}
	return good;
}

/* The path goes on at pc if the function at target returns; 0: then it returns itself. */
static bool wait_for(struct fixpoint *fixpoint, uint32_t number, uint64_t target, uint64_t pc)
{
	uint32_t called;
	struct function *function;

	if (!function_at(fixpoint, target, &called))
		return false;
	if (fixpoint->function[called].answer == NEVER)
		return true;
	if (fixpoint->function[called].answer == RETURNS)
		return pc ? todo_add(fixpoint, number, pc)
			  : returns(fixpoint, number, fixpoint->function[called].ending);
	function = &fixpoint->function[number];
	if (fixpoint->waiter_count == UINT32_MAX - 1 ||
	    !ARRAY_ADD(fixpoint->waiter, fixpoint->waiter_count,
		       (struct waiter) { .function = number,
					 .next = fixpoint->function[called].waiters,
					 .pc = pc }) ||
	    !ARRAY_ADD(function->callee, function->callee_count, called))
		return no_memory(fixpoint);
	fixpoint->function[called].waiters = (uint32_t)fixpoint->waiter_count;
	return true;
}

/* ---- the code ----------------------------------------------------------------------------- */

/* false: it was there before, or there is no memory. */
static bool see(struct fixpoint *fixpoint, struct function *function, uint64_t pc)
{
	const uint32_t before = function->seen.count;

	if (!address_set_add(&function->seen, pc))
		return no_memory(fixpoint);
	return function->seen.count > before;
}

/* The bytes from pc to the end of its segment, or 0. */
static uint64_t bytes_at(const struct image *image, uint64_t pc, const uint8_t **ret)
{
	const struct image_segment *segment = image_code_segment(image, pc);
	uint64_t size;

	if (!segment)
		return 0;
	size = segment->file_bytes - (pc - segment->vaddr);
	*ret = image_bytes(image, pc, size);
	return *ret ? size : 0;
}

/* Where an exception from the call is caught. */
static bool add_pads(struct fixpoint *fixpoint, uint32_t number, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(fixpoint->callees->cfi, pc);
	struct flow_fragment *fragment = &fixpoint->callees->pads;
	struct error error;
	bool good = true;

	if (!fde)
		return true;
	if (fragment->fde != fde) {
		free(fragment->pad);
		*fragment = (struct flow_fragment) { .fde = fde,
						     .begin = fde->pc_begin,
						     .end = fde->pc_begin + fde->pc_range };
		if (flow_landing_read(fixpoint->callees->cfi, fragment, &error))
			return no_memory(fixpoint);
	}
	if (fragment->pads_unread)
		return returns(fixpoint, number, unclear);
	for (size_t i = 0; i < fragment->pad_count && good; i++)
		if (pc >= fragment->pad[i].begin && pc < fragment->pad[i].end)
			good = todo_add(fixpoint, number, fragment->pad[i].pad);
	return good;
}

/* rsp becomes what another stack has, or somebody keeps it to come back. */
static bool may_switch(const struct code *code)
{
	if (code->flow != CODE_NEXT)
		return false;
	if (code->effect == EFFECT_STORE && code->source == REGISTER_RSP)
		return true;
	switch (code->effect) {
	case EFFECT_MOVE: return code->reg == REGISTER_RSP && code->source != REGISTER_RBP;
	case EFFECT_ADDRESS:
		return code->reg == REGISTER_RSP && code->base != REGISTER_RSP &&
		       code->base != REGISTER_RBP;
	case EFFECT_EXCHANGE: return code->reg == REGISTER_RSP || code->source == REGISTER_RSP;
	case EFFECT_WRITES: return code->written & 1u << REGISTER_RSP;
	case EFFECT_LOAD:
	case EFFECT_POP:
	case EFFECT_CONSTANT: return code->reg == REGISTER_RSP;
	default: return false;
	}
}

/* Inside of the FDE, or where there is none, it is the function's own code. */
static bool is_own_code(const struct fixpoint *fixpoint, uint64_t from, uint64_t to)
{
	const struct cfi_fde *fde = cfi_fde_find(fixpoint->callees->cfi, to);

	if (fde && from >= fde->pc_begin && from - fde->pc_begin < fde->pc_range)
		return true;
	if (fde ? fde->pc_begin == to : cfi_fde_find(fixpoint->callees->cfi, from) != NULL)
		return false;
	return !flow_is_stub(fixpoint->callees, to);
}

static bool jump(struct fixpoint *fixpoint, uint32_t number, const struct code *code)
{
	if (is_own_code(fixpoint, code->pc, code->target))
		return todo_add(fixpoint, number, code->target);
	return wait_for(fixpoint, number, code->target, 0);
}

/* The code there takes off the address that a call would have left: so it is the caller's own (retpolines, and
 * returns by such thunks). */
static bool takes_return(const struct fixpoint *fixpoint, uint64_t pc)
{
	const uint8_t *bytes = NULL;
	uint64_t size = bytes_at(fixpoint->callees->cfi->image, pc, &bytes);
	struct code code;

	if (!size)
		return false;
	code_decode(fixpoint->callees->decoder, pc, bytes, size, &code);
	return code.effect == EFFECT_POP ||
	       (code.reg == REGISTER_RSP && ((code.effect == EFFECT_ADD && code.constant > 0) ||
					     (code.effect == EFFECT_ADDRESS &&
					      code.base == REGISTER_RSP && code.displacement > 0)));
}

static bool call(struct fixpoint *fixpoint, uint32_t number, const struct code *code)
{
	uint64_t next = code->pc + code->length;

	if (code->flow == CODE_CALL && code->target == next)
		return todo_add(fixpoint, number, next); /* to know where it is */
	if (code->flow == CODE_CALL && takes_return(fixpoint, code->target))
		return returns(fixpoint, number, unclear);
	if (!add_pads(fixpoint, number, code->pc))
		return false;
	if (code->flow == CODE_CALL)
		return wait_for(fixpoint, number, code->target, next);
	return todo_add(fixpoint, number, next);
}

/* What is known of the instructions before, straight on. */
struct before {
	bool rax_known; /* for the system call that ends the process or the thread */
	int64_t rax;
	bool put_on_top; /* by the last one */
	bool moved;	 /* rsp, by a number that is computed */
	uint32_t written;
	/* Registers of those that may hold the return address, or lead to it: a bit for each. rsp does. */
	uint32_t copies;
};

static bool leads_there(const struct before *before, uint8_t reg)
{
	return reg < REGISTER_GPR_COUNT && (before->copies | 1u << REGISTER_RSP) >> reg & 1;
}

static bool copies_it(const struct before *before, const struct code *code)
{
	switch (code->effect) {
	case EFFECT_POP: return true;
	case EFFECT_MOVE: return leads_there(before, code->source);
	case EFFECT_EXCHANGE:
		return leads_there(before, code->source) || leads_there(before, code->reg);
	case EFFECT_LOAD:
	case EFFECT_ADDRESS:
		return leads_there(before, code->base) || leads_there(before, code->index);
	case EFFECT_ADD:
	case EFFECT_ADD_REGISTER:
	case EFFECT_SUBTRACT_REGISTER: return leads_there(before, code->reg);
	default: return false;
	}
}

/* By a number that is computed. False: from a frame pointer, perhaps. */
static bool moves_stack(const struct code *code)
{
	return code->effect == EFFECT_ADD_REGISTER || code->effect == EFFECT_SUBTRACT_REGISTER ||
	       (code->effect == EFFECT_ADDRESS && code->index != CODE_NO_REGISTER);
}

static bool puts_on_top(const struct before *before, const struct code *code)
{
	if (code->effect == EFFECT_PUSH)
		return true;
	return code->effect == EFFECT_STORE && code->base == REGISTER_RSP &&
	       leads_there(before, code->source);
}

static void note(struct before *before, const struct code *code)
{
	before->put_on_top = puts_on_top(before, code);
	if (!code->written)
		return;
	before->copies = copies_it(before, code) ? before->copies | code->written
						 : before->copies & ~code->written;
	before->written |= code->written;
	if (!(code->written >> REGISTER_RSP & 1))
		return;
	if (moves_stack(code))
		before->moved = true;
	else if (code->effect == EFFECT_MOVE || code->effect == EFFECT_LEAVE ||
		 (code->effect == EFFECT_ADDRESS && code->base != REGISTER_RSP))
		before->moved = false;
}

static bool exits(struct before *before, const struct code *code)
{
	if (code->system_call)
		return before->rax_known && flow_thread_ends_by(before->rax);
	if (code->effect == EFFECT_CONSTANT && code->reg == REGISTER_RAX) {
		before->rax_known = true;
		before->rax = code->constant;
	} else if (code->written & 1u << REGISTER_RAX || code->flow != CODE_NEXT) {
		before->rax_known = false;
	}
	return false;
}

/* A return address is put back, or kept in a register, by who takes arguments off from above it, or makes room beneath
 * it. */
static struct ending ending_by(const struct before *before, const struct code *code)
{
	const uint8_t source = code->source;
	const bool by_register = code->flow == CODE_JUMP_INDIRECT && source != CODE_NO_REGISTER &&
				 (!(before->written >> source & 1) || leads_there(before, source));
	const bool perhaps = code->flow == CODE_RETURN ? before->put_on_top || before->moved
						       : by_register;

	return (struct ending) {
		.plain = code->flow == CODE_RETURN,
		.takes = code->returned_bytes ? FLOW_TAKES_ARGUMENTS
			 : perhaps	      ? FLOW_TAKES_PERHAPS
					      : FLOW_TAKES_NOTHING,
	};
}

/* The same where only what is certain counts. */
static bool step_certain(struct fixpoint *fixpoint, uint32_t number, const struct code *code,
			 bool *ret_on)
{
	const uint64_t next = code->pc + code->length;

	*ret_on = code->flow == CODE_NEXT || code->flow == CODE_BRANCH ||
		  code->flow == CODE_BEGIN || (code->flow == CODE_CALL && code->target == next);
	switch (code->flow) {
	case CODE_BRANCH:
	case CODE_BEGIN:
	case CODE_JUMP: return todo_add(fixpoint, number, code->target);
	case CODE_CALL: return *ret_on || wait_for(fixpoint, number, code->target, next);
	case CODE_RETURN: return returns(fixpoint, number, plain);
	default: return true;
	}
}

/* *ret_on: the path goes on to the next instruction. */
static bool step(struct fixpoint *fixpoint, uint32_t number, const struct code *code,
		 struct before *before, bool *ret_on)
{
	if (fixpoint->certainly)
		return step_certain(fixpoint, number, code, ret_on);
	*ret_on = false;
	if (may_switch(code))
		return returns(fixpoint, number, moved);
	if (exits(before, code))
		return true;
	switch (code->flow) {
	case CODE_NEXT: *ret_on = true; return true;
	case CODE_CALL:
	case CODE_CALL_INDIRECT: return call(fixpoint, number, code);
	case CODE_JUMP: return jump(fixpoint, number, code);
	case CODE_BRANCH:
	case CODE_BEGIN: *ret_on = true; return jump(fixpoint, number, code);
	case CODE_STOP:
		*ret_on = code->may_stop &&
			  is_own_code(fixpoint, code->pc, code->pc + code->length);
		return true;
	case CODE_RETURN:
	case CODE_JUMP_INDIRECT: return returns(fixpoint, number, ending_by(before, code));
	case CODE_UNKNOWN: return returns(fixpoint, number, unclear);
	}
	return true;
}

/* From pc on, as far as it goes straight. */
static bool walk(struct fixpoint *fixpoint, uint32_t number, uint64_t pc)
{
	const uint32_t most = fixpoint->certainly ? FLOW_CERTAIN_CODE_MAX : FLOW_NORETURN_CODE_MAX;
	struct before before = { .rax_known = false };
	const uint8_t *bytes = NULL;
	uint64_t size = bytes_at(fixpoint->callees->cfi->image, pc, &bytes);
	bool on = true;

	while (on) {
		struct function *function = &fixpoint->function[number];
		struct code code;

		if (function->answer != OPEN || !see(fixpoint, function, pc))
			return !fixpoint->no_memory;
		if (!size || ++function->steps > most)
			return fixpoint->certainly || returns(fixpoint, number, unclear);
		code_decode(fixpoint->callees->decoder, pc, bytes, size, &code);
		if (!step(fixpoint, number, &code, &before, &on))
			return false;
		note(&before, &code);
		pc += code.length;
		bytes += code.length;
		size -= code.length;
	}
	return true;
}

/* Until wanted has an answer. */
static bool follow(struct fixpoint *fixpoint, uint32_t wanted)
{
	while (fixpoint->stack_count && fixpoint->function[wanted].answer == OPEN) {
		uint32_t number = fixpoint->stack[fixpoint->stack_count - 1];
		struct function *function = &fixpoint->function[number];
		bool good = true;

		if (!function->asked && function->answer == OPEN) {
			if (!ARRAY_ADD(fixpoint->asked, fixpoint->asked_count, number))
				return no_memory(fixpoint);
			function->asked = true;
			good = todo_add(fixpoint, number, function->entry);
		} else if (function->todo_count) {
			good = walk(fixpoint, number, function->todo[--function->todo_count]);
		} else if (function->callee_count) {
			uint32_t callee = function->callee[--function->callee_count];

			if (!fixpoint->function[callee].asked)
				good = stack_push(fixpoint, callee);
		} else {
			function->stacked = false;
			fixpoint->stack_count--;
		}
		if (!good)
			return false;
	}
	return true;
}

/* Nothing is left to follow: whoever has not returned never will. */
static void close_all(struct fixpoint *fixpoint)
{
	for (size_t i = 0; i < fixpoint->asked_count; i++) {
		struct function *function = &fixpoint->function[fixpoint->asked[i]];

		if (function->answer == OPEN) {
			function->answer = NEVER;
			forget(function);
		}
	}
	fixpoint->asked_count = 0;
}

struct flow_callees *flow_callees_create(const struct cfi *cfi, struct code_decoder *decoder,
					 bool is_object)
{
	struct flow_callees *callees = calloc(1, sizeof(*callees));

	if (!callees)
		return NULL;
	callees->cfi = cfi;
	callees->decoder = decoder;
	callees->is_object = is_object;
	callees->never.callees = callees->certainly.callees = callees;
	callees->certainly.certainly = true;
	return callees;
}

static void deinit(struct fixpoint *fixpoint)
{
	for (size_t i = 0; i < fixpoint->count; i++)
		forget(&fixpoint->function[i]);
	free(fixpoint->function);
	address_set_deinit(&fixpoint->entries);
	free(fixpoint->waiter);
	free(fixpoint->stack);
	free(fixpoint->asked);
}

void flow_callees_destroy(struct flow_callees *callees)
{
	if (!callees)
		return;
	deinit(&callees->never);
	deinit(&callees->certainly);
	free(callees->pads.pad);
	free(callees);
}

/* What is known of the function at pc; NULL without memory. */
static const struct function *answer_of(struct fixpoint *fixpoint, uint64_t pc)
{
	uint32_t number;

	if (!fixpoint->callees->decoder || fixpoint->no_memory ||
	    !function_at(fixpoint, pc, &number) || !stack_push(fixpoint, number) ||
	    !follow(fixpoint, number))
		return NULL;
	if (!fixpoint->stack_count)
		close_all(fixpoint);
	return &fixpoint->function[number];
}

bool flow_never_returns_by_code(struct flow_callees *callees, uint64_t pc)
{
	const struct function *function = answer_of(&callees->never, pc);

	return function && function->answer == NEVER;
}

bool flow_certainly_returns(struct flow_callees *callees, uint64_t pc)
{
	const struct function *function = answer_of(&callees->certainly, pc);

	return function && function->answer == RETURNS;
}

enum flow_takes flow_callee_takes(struct flow_callees *callees, uint64_t pc)
{
	const struct function *function = answer_of(&callees->never, pc);

	return function ? function->ending.takes : FLOW_TAKES_NOTHING;
}

bool flow_comes_to_return(struct flow_callees *callees, uint64_t pc)
{
	const struct function *function = answer_of(&callees->never, pc);

	return function && function->answer == RETURNS && function->ending.plain &&
	       !flow_is_stub(callees, pc) && !flow_callee_is_replaced(callees, pc);
}

/* ---- what is asked often -------------------------------------------------------------------- */

static bool never_returns(struct flow_callees *callees, uint64_t pc)
{
	bool own;

	if (!flow_never_by_name(callees, pc, &own))
		return false;
	return !own || !callees->decoder || flow_never_returns_by_code(callees, pc);
}

static struct callee *find_callee(struct flow_callees *callees, uint64_t pc)
{
	struct callee *callee = &callees->entry[(pc ^ pc >> 12) % CACHE_ENTRIES];
	struct code_name name;

	if (callee->pc == pc && pc)
		return callee;
	code_name_find(callees->cfi->image, callees->cfi, pc, &name);
	callee->pc = pc;
	callee->fde = cfi_fde_find(callees->cfi, pc);
	callee->done = (struct flow_done) { FLOW_ELSEWHERE_UNASKED };
	callee->throws = FLOW_THROWS_UNASKED;
	callee->never = never_returns(callees, pc);
	callee->lands = name.name && name.start == pc &&
			is_among(landing, sizeof(landing) / sizeof(landing[0]), name.name);
	callee->splits = name.name && name.start == pc &&
			 is_among(split, sizeof(split) / sizeof(split[0]), name.name);
	return callee;
}

bool flow_never_returns(struct flow_callees *callees, uint64_t pc)
{
	return find_callee(callees, pc)->never;
}

struct flow_done *flow_callee_done(struct flow_callees *callees, uint64_t pc)
{
	return &find_callee(callees, pc)->done;
}

enum flow_throws *flow_callee_throwing(struct flow_callees *callees, uint64_t pc)
{
	return &find_callee(callees, pc)->throws;
}

bool flow_lands(struct flow_callees *callees, uint64_t pc)
{
	return find_callee(callees, pc)->lands;
}

bool flow_splits_stack(struct flow_callees *callees, uint64_t pc)
{
	return find_callee(callees, pc)->splits;
}

const struct cfi_fde *flow_callee_fde(struct flow_callees *callees, uint64_t pc)
{
	return find_callee(callees, pc)->fde;
}

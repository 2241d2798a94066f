/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_throw.c - does a call throw where the tables say that its exception would land?
 *
 * A compiler writes one call site for all calls in a row that land at the same pad. GCC begins it at the first of
 * them that throws and ends it behind the last; LLVM extends the one before. Those between may be noexcept, and then
 * a register may be saved around just such a call (-fshrink-wrap-separate, GCC 15 and later):
 *
 *		call throws		; the call site begins
 *		mov [rsp+8], rbx
 *		.cfi_offset rbx, -24
 *		mov rbx, rax
 *		call _ZdlPv@PLT		; never lands at pad, whose row says nothing of rbx
 *		mov rbx, [rsp+8]
 *		.cfi_restore rbx
 *		call throws		; and ends
 *
 * So the first and the last call of a call site throw, as far as the compiler knows, and of those between only a callee
 * that is known to. Calls that never throw don't count. Nor does the first one behind an instruction that may
 * trap: of Ada and Go that throws, too (-fnon-call-exceptions), and perhaps is what the call site begins at.
 *
 * A callee never throws by its name, if the C++ ABI or the C library says so, or by its code: no call of it may
 * throw but those whose exceptions are caught there. It is not asked which personality a function has: a call
 * outside of all call sites, by which C++'s terminates, perhaps throws.
 */
#include <stdlib.h>
#include <string.h>
#include "cfi/code_name.h"
#include "flow_callees.h"
#include "flow_throw.h"

/* ---- by name ------------------------------------------------------------------------------ */

/* No function throws through these: the C++ ABI's and operator delete, whoever defines them. */
static const char *const never_prefix[] = {
	"_ZdlPv", /* operator delete and its relatives ([new.delete]) */
	"_ZdaPv", /* delete[] */
	"_ZSt9terminatev",
	"_ZSt17current_exceptionv",
	"_ZSt18uncaught_exception",
	"_ZSt19uncaught_exceptions",
	"__clang_call_terminate",
	"__cxa_allocate_exception",
	"__cxa_atexit",
	"__cxa_begin_catch",
	"__cxa_call_terminate",
	"__cxa_current_exception_type",
	"__cxa_free_exception",
	"__cxa_get_exception_ptr",
	"__cxa_guard_abort",
	"__cxa_guard_release",
	"__cxa_pure_virtual",
	"__dynamic_cast",
	"__stack_chk_fail",
	"__tls_get_addr",
};

/* The same of libraries' functions, by a PLT: a program's own may do as it likes. The C library's are declared
 * __THROW; no cancellation point is among them. */
static const char *const never_elsewhere[] = {
	"__assert_fail",
	"__chk_fail",
	"__errno_location",
	"__memcpy_chk",
	"__memmove_chk",
	"__memset_chk",
	"__strcpy_chk",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmRKSt9nothrow_t",
	"abort",
	"aligned_alloc",
	"calloc",
	"free",
	"malloc",
	"memchr",
	"memcmp",
	"memcpy",
	"memmove",
	"memrchr",
	"memset",
	"posix_memalign",
	"realloc",
	"strchr",
	"strcmp",
	"strcpy",
	"strlen",
	"strncmp",
	"strncpy",
	"strrchr",
	"strstr",
};

static const char *const always[] = {
	"_Unwind_RaiseException",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_length",
	"__cxa_throw_bad_array_new_length",
};

/* By a PLT: of its own operator new a program's compiler may see that it never throws. */
static const char *const always_elsewhere[] = {
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
	"_Znam",
	"_ZnamSt11align_val_t",
	"_Znwm",
	"_ZnwmSt11align_val_t",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool has(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

static bool begins(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(list[i], name, strlen(list[i])))
			return true;
	return false;
}

static enum flow_throws by_name(const struct flow_world *world, uint64_t pc)
{
	struct code_name name;

	code_name_find(world->cfi->image, world->cfi, pc, &name);
	if (!name.name || name.start != pc)
		return FLOW_THROWS_PERHAPS;
	if (has(always, COUNT(always), name.name) || flow_name_throws(name.name))
		return FLOW_THROWS;
	if (begins(never_prefix, COUNT(never_prefix), name.name))
		return FLOW_THROWS_NEVER;
	if (name.kind != CODE_STUB)
		return FLOW_THROWS_PERHAPS;
	if (has(always_elsewhere, COUNT(always_elsewhere), name.name))
		return FLOW_THROWS;
	return has(never_elsewhere, COUNT(never_elsewhere), name.name) ? FLOW_THROWS_NEVER
								       : FLOW_THROWS_PERHAPS;
}

/* ---- by code ------------------------------------------------------------------------------ */

/* Functions whose code is looked at. */
struct search {
	const struct flow_world *world;
	const struct cfi_fde *fde[FLOW_THROW_FDES_MAX];
	size_t count;
	uint32_t steps;
};

/* What the code at target throws, its caller throws. False: it perhaps throws. */
static bool add(struct search *search, uint64_t target, bool called)
{
	const struct flow_world *world = search->world;
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, target);
	enum flow_throws named = by_name(world, target);

	if (named != FLOW_THROWS_PERHAPS)
		return named == FLOW_THROWS_NEVER;
	if (!fde || flow_is_stub(world->callees, target) || (called && fde->pc_begin != target) ||
	    (world->never_by_code && flow_callee_is_replaced(world->callees, target)))
		return false;
	for (size_t i = 0; i < search->count; i++)
		if (search->fde[i] == fde)
			return true;
	if (search->count == FLOW_THROW_FDES_MAX)
		return false;
	search->fde[search->count++] = fde;
	return true;
}

/* An exception of the call is caught in its function. */
static bool is_caught(const struct flow_part *part, uint64_t pc)
{
	for (size_t i = 0; i < part->pad_count; i++)
		if (pc >= part->pad[i].begin && pc < part->pad[i].end)
			return true;
	return false;
}

/* False: by the instruction the function perhaps throws. */
static bool look(struct search *search, const struct flow_part *part, const struct code *code)
{
	switch (code->flow) {
	case CODE_CALL: return is_caught(part, code->pc) || add(search, code->target, true);
	case CODE_CALL_INDIRECT: return is_caught(part, code->pc);
	case CODE_JUMP:
	case CODE_BRANCH:
	case CODE_BEGIN:
		return (code->target >= part->begin && code->target < part->end) ||
		       add(search, code->target, false);
	case CODE_JUMP_INDIRECT: /* perhaps another function's code */
	case CODE_UNKNOWN: return false;
	default: return true;
	}
}

static bool look_through(struct search *search, const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(search->world->cfi->image, fde);
	struct flow_part part = { .fde = fde,
				  .begin = fde->pc_begin,
				  .end = fde->pc_begin + fde->pc_range };
	struct error error;
	bool never, on = true;

	never = bytes && !flow_landing_read(search->world->cfi, &part, &error) && !part.pads_unread;
	for (uint64_t pc = part.begin; never && pc < part.end;) {
		struct code code;

		code_decode(search->world->decoder, pc, bytes + (pc - part.begin), part.end - pc,
			    &code);
		never = ++search->steps <= FLOW_THROW_CODE_MAX && look(search, &part, &code);
		if (!code.is_padding)
			on = code.flow == CODE_NEXT || code.flow == CODE_BRANCH;
		pc += code.length;
	}
	free(part.pad);
	return never && !on;
}

static bool never_by_code(const struct flow_world *world, uint64_t pc)
{
	struct search search = { .world = world };
	bool never = add(&search, pc, true) && search.count;

	for (size_t i = 0; never && i < search.count; i++)
		never = look_through(&search, search.fde[i]);
	return never;
}

static enum flow_throws find(const struct flow_world *world, uint64_t pc)
{
	enum flow_throws named = by_name(world, pc);

	return named == FLOW_THROWS_PERHAPS && never_by_code(world, pc) ? FLOW_THROWS_NEVER : named;
}

static enum flow_throws callee_throws(const struct flow_world *world, const struct code *call)
{
	enum flow_throws *known;

	if (call->flow != CODE_CALL)
		return FLOW_THROWS_PERHAPS;
	known = flow_callee_throwing(world->callees, call->target);
	if (*known == FLOW_THROWS_UNASKED) {
		enum flow_throws found = find(world, call->target);

		/* What was asked meanwhile may have taken its place. */
		known = flow_callee_throwing(world->callees, call->target);
		*known = found;
	}
	return *known;
}

/* ---- in its call site --------------------------------------------------------------------- */

/* A load or a store that no function's own stack answers. */
static bool may_trap(const struct code *code)
{
	return code->has_memory && code->effect != EFFECT_ADDRESS && !code->is_padding &&
	       code->base != REGISTER_RSP && code->base != REGISTER_RBP &&
	       code->base != CODE_NO_REGISTER;
}

/* From begin to end, in the part, there is nothing that may throw. */
static bool is_quiet(const struct flow_world *world, const struct flow_part *part, uint64_t begin,
		     uint64_t end)
{
	uint32_t steps = 0;

	for (uint64_t pc = begin; pc < end;) {
		struct code code;

		if (++steps > FLOW_THROW_CODE_MAX)
			return false;
		code_decode(world->decoder, pc, part->bytes + (pc - part->begin), part->end - pc,
			    &code);
		if (!code.length || may_trap(&code))
			return false;
		if ((code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT) &&
		    callee_throws(world, &code) != FLOW_THROWS_NEVER)
			return false;
		pc += code.length;
	}
	return true;
}

enum flow_throws flow_throw_lands(const struct flow_world *world, const struct flow_part *part,
				  const struct landing_pad *pad, const struct code *call)
{
	const uint64_t begin = pad->begin > part->begin ? pad->begin : part->begin;
	const uint64_t end = pad->end < part->end ? pad->end : part->end;
	enum flow_throws throws = callee_throws(world, call);

	if (throws == FLOW_THROWS_PERHAPS && (is_quiet(world, part, begin, call->pc) ||
					      is_quiet(world, part, call->pc + call->length, end)))
		throws = FLOW_THROWS;
	return throws;
}

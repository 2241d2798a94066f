/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_walk.c - a walk by libgcc's _Unwind_Backtrace() that begins in the other process's registers
 *
 * _Unwind_Backtrace() begins in its caller. So its caller has CFI by which all registers are those
 * of a structure: it looks as if the other process's thread had called it. It is a signal's frame
 * (DWARF's augmentation 'S'), so that libgcc looks up where the thread is, and not the byte before,
 * as it does for return addresses.
 *
 * libgcc says END_OF_STACK of three things. No FDE covers a PC: that PC is the last one that it
 * shows. A return address was read and is 0, or the CFI says that there is none: then it shows a PC
 * of 0, and the return address's register has what was read, or what it had before.
 *
 * Where libgcc calls abort(), the walk ends, for the program that libgcc is in would. It has no
 * check against going round: such a stack ends here.
 */
#include <setjmp.h>
#include <unwind.h>
#include "libgcc_inside.h"

#define REGISTER_RSP 7
#define REGISTER_RA  16

static struct {
	const struct stackproof_engine_point *point; /* NULL: nothing is tried */
	struct stackproof_engine_stack *stack;
	sigjmp_buf out;
	uint64_t shown;		 /* frames by libgcc: our own, where the thread is, its callers */
	uint64_t pc, cfa;	 /* of the latest */
	uint64_t return_address; /* of the latest: what its register has */
} walk;

/*
 * _Unwind_Backtrace(trace, NULL), with the registers at reg[] for its caller's. In its CFI, while
 * rbx is reg: the CFA is the word at 8 * 7, and register r is saved at 8 * r, but for rsp, which is
 * the CFA. DW_CFA_def_cfa_expression is 0x0f, DW_CFA_expression 0x10, DW_OP_breg3 0x73, DW_OP_deref
 * 0x06. Nobody looks before or behind the call.
 */
_Unwind_Reason_Code libgcc_backtrace(const uint64_t *reg, _Unwind_Trace_Fn trace);
__asm__(".text\n"
	".globl libgcc_backtrace\n"
	".type libgcc_backtrace, @function\n"
	"libgcc_backtrace:\n"
	".cfi_startproc\n"
	".cfi_signal_frame\n"
	".cfi_escape 0x0f, 3, 0x73, 56, 0x06\n"
	".cfi_escape 0x10, 0, 2, 0x73, 0\n"
	".cfi_escape 0x10, 1, 2, 0x73, 8\n"
	".cfi_escape 0x10, 2, 2, 0x73, 16\n"
	".cfi_escape 0x10, 3, 2, 0x73, 24\n"
	".cfi_escape 0x10, 4, 2, 0x73, 32\n"
	".cfi_escape 0x10, 5, 2, 0x73, 40\n"
	".cfi_escape 0x10, 6, 2, 0x73, 48\n"
	/* From 64 on an SLEB128 number has two bytes. */
	".cfi_escape 0x10, 8, 3, 0x73, 0xc0, 0\n"
	".cfi_escape 0x10, 9, 3, 0x73, 0xc8, 0\n"
	".cfi_escape 0x10, 10, 3, 0x73, 0xd0, 0\n"
	".cfi_escape 0x10, 11, 3, 0x73, 0xd8, 0\n"
	".cfi_escape 0x10, 12, 3, 0x73, 0xe0, 0\n"
	".cfi_escape 0x10, 13, 3, 0x73, 0xe8, 0\n"
	".cfi_escape 0x10, 14, 3, 0x73, 0xf0, 0\n"
	".cfi_escape 0x10, 15, 3, 0x73, 0xf8, 0\n"
	".cfi_escape 0x10, 16, 3, 0x73, 0x80, 1\n"
	"push %rbx\n"
	"mov %rdi, %rbx\n"
	"mov %rsi, %rdi\n"
	"xor %esi, %esi\n"
	"call _Unwind_Backtrace\n"
	"pop %rbx\n"
	"ret\n"
	".cfi_endproc\n"
	".size libgcc_backtrace, . - libgcc_backtrace\n");

/* What the linker puts in abort()'s place, and in place of the lock that a walk which ended at a
 * fault would have kept. */
void __wrap_abort(void) __attribute__((noreturn));
int __wrap_pthread_mutex_lock(void *mutex);
int __wrap_pthread_mutex_unlock(void *mutex);
void __real_abort(void) __attribute__((noreturn));

void __wrap_abort(void)
{
	if (libgcc_is_tried())
		libgcc_end(STACKPROOF_ENGINE_FOREIGN);
	__real_abort();
}

int __wrap_pthread_mutex_lock(void *mutex)
{
	return 0;
}

int __wrap_pthread_mutex_unlock(void *mutex)
{
	return 0;
}

bool libgcc_is_tried(void)
{
	return walk.point;
}

void libgcc_end(uint32_t stop)
{
	siglongjmp(walk.out, (int)stop);
}

uint32_t libgcc_try(const struct stackproof_engine_point *point, void (*function)(void *argument),
		    void *argument)
{
	int stop;

	libgcc_memory_begin(point);
	walk.point = point;
	stop = sigsetjmp(walk.out, 0);
	if (!stop)
		function(argument);
	walk.point = NULL;
	libgcc_memory_forget();
	return (uint32_t)stop;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *unused)
{
	uint64_t pc = _Unwind_GetIP(context), cfa = _Unwind_GetCFA(context);
	struct stackproof_engine_stack *stack = walk.stack;

	walk.shown++;
	if (walk.shown > 2) {
		/* The return address was read there, or might have been: of our own memory. */
		if (is_home(cfa))
			libgcc_end(STACKPROOF_ENGINE_UNSUPPORTED);
		if (pc == walk.pc && cfa == walk.cfa)
			libgcc_end(STACKPROOF_ENGINE_NO_PROGRESS);
		if (pc && stack->count == stack->capacity)
			libgcc_end(STACKPROOF_ENGINE_DEPTH);
		if (pc)
			stack->pc[stack->count++] = pc;
	}
	/* What covers it is our own. */
	if (walk.shown > 1 && is_home(pc))
		libgcc_end(STACKPROOF_ENGINE_UNSUPPORTED);
	walk.pc = pc;
	walk.cfa = cfa;
	walk.return_address = _Unwind_GetGR(context, REGISTER_RA);
	return _URC_NO_REASON;
}

static bool is_mapped(const struct stackproof_engine_point *point, uint64_t pc)
{
	for (uint64_t i = 0; i < point->mapping_count; i++)
		if (pc >= point->mapping[i].start && pc < point->mapping[i].end)
			return true;
	return false;
}

/* Of a walk that libgcc itself has ended. */
static uint32_t stop_of(_Unwind_Reason_Code code)
{
	if (code != _URC_END_OF_STACK)
		return STACKPROOF_ENGINE_MALFORMED;
	if (!walk.pc && walk.shown > 2)
		return walk.return_address ? STACKPROOF_ENGINE_COMPLETE
					   : STACKPROOF_ENGINE_ZERO_RETURN;
	/* A return address is looked up as the byte before. */
	if (libgcc_images_lack(walk.pc) || libgcc_images_lack(walk.pc - 1))
		return STACKPROOF_ENGINE_UNSUPPORTED;
	return is_mapped(walk.point, walk.pc) ? STACKPROOF_ENGINE_NO_ROW
					      : STACKPROOF_ENGINE_NO_MAPPING;
}

void *libgcc_open(uint32_t version, const char *argument, struct stackproof_engine_about *ret)
{
	static const char name[] = "libgcc_eh.a of gcc " LIBGCC_VERSION;

	_Static_assert(sizeof(name) <= sizeof(ret->version), "libgcc's version");
	if (version != STACKPROOF_ENGINE_VERSION)
		return NULL;
	for (size_t i = 0; i < sizeof(name); i++)
		ret->version[i] = name[i];
	return &walk;
}

static void backtrace(void *argument)
{
	walk.stack->stop = stop_of(libgcc_backtrace(walk.point->reg, on_frame));
}

int libgcc_walk(void *engine, const struct stackproof_engine_point *point,
		struct stackproof_engine_stack *ret)
{
	uint32_t stop = libgcc_images_take(point);

	walk.stack = ret;
	walk.shown = 0;
	ret->pc[ret->count++] = point->reg[REGISTER_RA];
	if (!stop && is_home(point->reg[REGISTER_RSP]))
		stop = STACKPROOF_ENGINE_UNSUPPORTED;
	if (!stop)
		stop = libgcc_try(point, backtrace, NULL);
	if (stop)
		ret->stop = stop;
	return 0;
}

void libgcc_close(void *engine)
{
}

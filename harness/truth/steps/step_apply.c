/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_apply.c - one executed instruction -> the shadow stack
 *
 * The registers before and after an instruction are known, and what it was. That is enough:
 *
 *	call		pushes what memory holds at the new rsp, if that is the address behind it
 *	system call	may be rt_sigreturn (the handler's frames go)
 *	anything else	drops the frames below the new rsp. If a return address was popped or
 *			dropped so, the registers that have it are followed until it is stored again
 *
 * On which stack that is, step_stacks.c says.
 *
 * A handler's frame on x86-64 (arch/x86/include/asm/sigframe.h, struct rt_sigframe): the restorer's
 * address at rsp, then struct ucontext.
 */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "hash.h"
#include "step_stacks.h"

#define ERRNO_MAX     4095 /* the kernel's MAX_ERRNO: results from -4095 to -1 are errors */
#define I386_MMAP     90   /* int 0x80 takes the numbers of i386 */
#define I386_MUNMAP   91
#define I386_MPROTECT 125
#define I386_MREMAP   163
#define I386_MMAP2    192

void callee_saved_of(const struct user_regs_struct *regs, uint64_t ret[CALLEE_SAVED_COUNT])
{
	const uint64_t saved[CALLEE_SAVED_COUNT] = { regs->rbx, regs->rbp, regs->r12,
						     regs->r13, regs->r14, regs->r15 };

	memcpy(ret, saved, sizeof(saved));
}

/* What a call pushed at the rsp of regs. */
static int push_call(struct stepped_process *process, struct stepped_thread *thread,
		     const struct user_regs_struct *regs, uint64_t return_address)
{
	uint64_t saved[CALLEE_SAVED_COUNT];

	callee_saved_of(regs, saved);
	if (!shadow_stack_call(&thread->shadow, regs->rsp, return_address, saved))
		return stepped_out_of_memory(process);
	return 0;
}

/* Almost every instruction leaves the thread where it was, and this costs nothing then. A frame
 * pointer leads up, to the end of its function; only down, or above what is known, is it another
 * matter. */
static bool may_switch(const struct stepped_thread *thread, uint64_t sp)
{
	enum sp_source source = thread->next.sp_source;

	return sp < thread->stack.low || sp >= thread->stack.high || sp > thread->base ||
	       (source != SP_MOVED && (source != SP_FROM_FRAME || sp < thread->regs.rsp));
}

/* Whether the bytes pushed by what was at pc say that it was a call, and of which return address. Of
 * a known call that is certain where they can't be read, too (memfd_secret). */
static bool pushed_return_address(struct stepped_process *process, struct instruction executed,
				  uint64_t pc, uint64_t sp, uint64_t *ret)
{
	if (process->memory.read(process->memory.context, sp, ret, sizeof(*ret))) {
		*ret = pc + executed.length;
		return executed.kind == INSTRUCTION_CALL && executed.length;
	}
	if (executed.kind == INSTRUCTION_CALL && *ret != pc + executed.length && executed.length)
		process->counters->call_mismatches++;
	return *ret > pc && *ret <= pc + INSTRUCTION_BYTES_MAX;
}

/* What the innermost handler has interrupted; NULL: there is none on this stack. */
static struct shadow_frame *interrupted_frame(const struct shadow_stack *shadow)
{
	size_t i = shadow->count;

	while (i > 0 && !shadow->frame[i - 1].interrupted)
		i--;
	return i > 0 ? &shadow->frame[i - 1] : NULL;
}

static bool is_sigreturn(const struct stepped_thread *thread)
{
	return thread->next.kind == INSTRUCTION_SYSCALL && thread->regs.rax == SYS_rt_sigreturn &&
	       !thread->next.traits.legacy_call;
}

/*
 * rt_sigreturn: the handler's frames go, as if the interrupted code had gone on. From there, rsp
 * was set to what the handler says: step_stacks.c must know whether that is on another stack.
 */
static void leave_handler(struct stepped_process *process, struct stepped_thread *thread,
			  const struct user_regs_struct *regs)
{
	struct shadow_frame *frame = interrupted_frame(&thread->shadow);
	uint64_t sp, saved[CALLEE_SAVED_COUNT];

	if (!frame)
		return;
	sp = frame->interrupted_sp;
	callee_saved_of(regs, saved);
	frame->clobbered = memcmp(frame->callee_saved, saved, sizeof(saved)) != 0;
	shadow_stack_leave_handler(&thread->shadow, regs->rip, regs->rsp);
	thread->regs.rsp = sp;
	if (sp == regs->rsp)
		return;
	thread->next.sp_source = SP_FROM_MEMORY;
	process->counters->disturbances++;
}

/*
 * If a handler lets its program go on elsewhere, and the interrupted PC is where a call would have
 * left it, then it has let the interrupted code call something (Go preempts so).
 */
static int after_handler(struct stepped_process *process, struct stepped_thread *thread,
			 const struct user_regs_struct *regs, uint64_t interrupted)
{
	uint64_t top;

	shadow_stack_move(&thread->shadow, regs->rsp);
	if (!interrupted || regs->rip == interrupted ||
	    process->memory.read(process->memory.context, regs->rsp, &top, sizeof(top)) ||
	    top != interrupted)
		return 0;
	if (push_call(process, thread, regs, interrupted))
		return -1;
	thread->shadow.frame[thread->shadow.count - 1].planted = true;
	return 0;
}

/* rt_sigreturn has no result: rax is the interrupted code's. */
static int apply_sigreturn(struct stepped_process *process, struct stepped_thread *thread,
			   const struct user_regs_struct *regs)
{
	const struct shadow_frame *frame = interrupted_frame(&thread->shadow);
	uint64_t interrupted = frame ? frame->return_address : 0;

	leave_handler(process, thread, regs);
	if (may_switch(thread, regs->rsp) && stepped_follow_stack(process, thread, regs->rsp))
		return -1;
	return after_handler(process, thread, regs, interrupted);
}

/* A ret, held against the frame on top. */
static int apply_return(struct stepped_process *process, struct stepped_thread *thread,
			const struct user_regs_struct *regs)
{
	struct step_counters *counters = process->counters;
	uint64_t slot = thread->regs.rsp, saved[CALLEE_SAVED_COUNT];
	enum return_kind kind;

	/* A switch that was none: the frame is on the stack before. */
	if (!thread->shadow.count && !thread->shadow.rooted)
		stepped_unswitch_stack(process, thread, slot, regs->rip);
	thread->shadow.at = thread->regs.rip;
	callee_saved_of(regs, saved);
	counters->returns_registers += !shadow_stack_restores(&thread->shadow, slot, saved);
	kind = shadow_stack_return(&thread->shadow, slot, regs->rip, regs->rsp);
	counters->returns++;
	counters->returns_replaced += kind == RETURN_REPLACED;
	counters->returns_stray += kind == RETURN_STRAY;
	counters->returns_doubled += kind == RETURN_DOUBLED;
	counters->frames_moved += kind == RETURN_COPIED;
	thread->shadow.in_transit = false;
	thread->may_continue = false;
	if (kind == RETURN_STRAY)
		return stepped_enter_array(process, thread, slot, regs->rip);
	stepped_settle_presumed(thread);
	return 0;
}

/* ---- return addresses that are moved by hand ---------------------------------------------- */

/* Which registers have a return address after the instruction: those that had it before and were
 * not written, and those that it was copied to. */
static uint16_t followed(const struct instruction *executed, uint16_t before,
			 const struct user_regs_struct *regs, uint64_t return_address)
{
	uint16_t after = before & ~executed->writes;

	if (executed->computed_from & before)
		after |= executed->writes;
	return after & registers_with(regs, return_address);
}

/* Where the instruction stores a register, or loads one. */
static uint64_t transfer_address(const struct stepped_thread *thread, uint64_t stack)
{
	return thread->next.traits.addresses ? store_address(&thread->next, &thread->regs) : stack;
}

/* A frame's return address is at this address, or a copy of it. */
static bool is_read_at(const struct shadow_frame *frame, uint64_t address)
{
	return address == frame->slot || (frame->copied && address == frame->copied);
}

/* Follows return addresses that were taken out of their slots. */
static void follow_carriers(struct stepped_thread *thread, const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	const struct instruction *executed = &thread->next;
	const struct shadow_frame *top = shadow->count ? &shadow->frame[shadow->count - 1] : NULL;

	if (shadow->carriers)
		shadow->carriers = followed(executed, shadow->carriers, regs,
					    shadow->taken_off.return_address);
	if (!top || top->interrupted)
		return;
	if (shadow->readers)
		shadow->readers = followed(executed, shadow->readers, regs, top->return_address);
	if (executed->traits.loaded && is_read_at(top, transfer_address(thread, thread->regs.rsp)))
		shadow->readers |= executed->traits.loaded &
				   registers_with(regs, top->return_address);
}

/* One of these registers was stored where rsp stands now. */
static bool is_stored(const struct stepped_thread *thread, const struct user_regs_struct *regs,
		      uint16_t registers)
{
	return thread->next.traits.stored & registers &&
	       transfer_address(thread, thread->regs.rsp - sizeof(uint64_t)) == regs->rsp;
}

/* The return address of the frame on top is stored once more, further in. */
static void note_copy(struct stepped_thread *thread, const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	struct shadow_frame *top = shadow->count ? &shadow->frame[shadow->count - 1] : NULL;

	if (!top || top->interrupted || regs->rsp >= top->slot)
		return;
	if (thread->next.traits.copies
		    ? is_read_at(top, store_address(&thread->next, &thread->regs))
		    : is_stored(thread, regs, shadow->readers))
		top->copied = regs->rsp;
}

/* The frame that was taken off is put back where rsp is at its slot again, and the slot as it was.
 * It has moved where a register that carried its return address was stored at another one. */
static int apply_taken_off(struct stepped_process *process, struct stepped_thread *thread,
			   const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	bool is_back = regs->rsp == shadow->taken_off.slot;
	uint64_t value;

	if (!is_back && (!is_stored(thread, regs, shadow->carriers) ||
			 (shadow->count && shadow->frame[shadow->count - 1].slot <= regs->rsp)))
		return 0;
	if (process->memory.read(process->memory.context, regs->rsp, &value, sizeof(value)) ||
	    value != shadow->taken_off.return_address) {
		if (!shadow->carriers)
			shadow_stack_settle_taken_off(shadow);
		return 0;
	}
	*(is_back ? &process->counters->put_back : &process->counters->frames_moved) += 1;
	return shadow_stack_put_at(shadow, regs->rsp) ? 0 : stepped_out_of_memory(process);
}

/* The word below rsp is where the jmp went: pop and jmp instead of ret. */
static bool is_popped(const struct stepped_process *process, const struct user_regs_struct *regs)
{
	uint64_t word;

	return !process->memory.read(process->memory.context, regs->rsp - sizeof(word), &word,
				     sizeof(word)) &&
	       word == regs->rip;
}

/* rsp has moved. True if frames were dropped. */
static bool apply_move(struct stepped_process *process, struct stepped_thread *thread,
		       const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	size_t before = shadow->count;
	const struct shadow_frame *top = before ? &shadow->frame[before - 1] : NULL;
	uint16_t carriers = shadow->readers;
	bool dropped;

	/* A call of the next instruction has only pushed its own PC. */
	if (!top || top->called == top->return_address)
		carriers = 0;
	dropped = carriers ? shadow_stack_move_held(shadow, regs->rsp)
			   : shadow_stack_move(shadow, regs->rsp);
	if (!dropped)
		return false;
	if (shadow->taken_off.slot) {
		process->counters->taken_off++;
		shadow->carriers = carriers;
	} else {
		process->counters->abandoned += before - shadow->count;
	}
	return true;
}

/* Neither call nor ret nor system call: rsp may have moved over frames, or a jump have ended
 * one. */
static int apply_other(struct stepped_process *process, struct stepped_thread *thread,
		       const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	uint64_t next = thread->regs.rip + thread->next.length;
	bool jumped = regs->rip != next && regs->rip != thread->regs.rip; /* rep movs is no jump */
	uint64_t epoch = shadow->epoch;

	if (regs->rip != next)
		shadow->in_transit = false;
	if (jumped)
		thread->may_continue = false;
	shadow->at = thread->regs.rip;
	if (shadow->taken_off.slot && jumped)
		shadow_stack_jump(shadow, regs->rip, regs->rsp);
	else if (jumped && thread->next.traits.jumps_computed && is_popped(process, regs))
		shadow_stack_popped_jump(shadow, regs->rsp - sizeof(uint64_t), regs->rip);
	if (apply_move(process, thread, regs))
		shadow->in_transit = regs->rip == next;
	process->counters->disturbances += shadow->epoch - epoch;
	if (shadow->readers || thread->next.traits.copies)
		note_copy(thread, regs);
	if (shadow->carriers)
		shadow->in_transit = true; /* until it is put somewhere, or jumped to */
	return shadow->taken_off.slot ? apply_taken_off(process, thread, regs) : 0;
}

/* The instruction's effect on the shadow stack; thread->regs are still those before it. */
static int apply(struct stepped_process *process, struct stepped_thread *thread,
		 const struct user_regs_struct *regs)
{
	struct instruction executed = thread->next;
	uint64_t pc = thread->regs.rip;
	uint64_t sp = regs->rsp;
	bool pushed_word = sp == thread->regs.rsp - sizeof(uint64_t);
	uint64_t return_address;

	shadow_stack_enter(&thread->shadow, pc, thread->regs.rsp);
	if (executed.traits.loaded || thread->shadow.carriers || thread->shadow.readers)
		follow_carriers(thread, regs);
	switch (executed.kind) {
	case INSTRUCTION_UNKNOWN:
		process->counters->unknown_instructions++;
		/* fall through */
	case INSTRUCTION_CALL:
		if (pushed_word &&
		    pushed_return_address(process, executed, pc, sp, &return_address)) {
			if (thread->may_continue && stepped_continue_stack(process, thread))
				return -1;
			return push_call(process, thread, regs, return_address);
		}
		break;
	case INSTRUCTION_SYSCALL: shadow_stack_move(&thread->shadow, sp); return 0;
	case INSTRUCTION_RETURN:
		if (sp > thread->regs.rsp)
			return apply_return(process, thread, regs);
		break;
	case INSTRUCTION_OTHER:
	case INSTRUCTION_TRAP: break;
	}
	return apply_other(process, thread, regs);
}

static int follow_and_apply(struct stepped_process *process, struct stepped_thread *thread,
			    const struct user_regs_struct *regs)
{
	if (may_switch(thread, regs->rsp) && stepped_follow_stack(process, thread, regs->rsp))
		return -1;
	return apply(process, thread, regs);
}

/* Which registers hold what was computed from rsp, after the instruction. */
static uint16_t derived_after(const struct stepped_thread *thread)
{
	const struct instruction *executed = &thread->next;
	uint16_t derived = thread->derived & ~executed->writes;

	if (executed->computed_from & (thread->derived | 1u << NUMBER_RSP))
		derived |= executed->writes;
	return derived;
}

int stepped_apply(struct stepped_process *process, struct stepped_thread *thread,
		  const struct user_regs_struct *regs)
{
	thread->looked = false;
	if (thread->next.writes)
		thread->derived = derived_after(thread);
	return is_sigreturn(thread) ? apply_sigreturn(process, thread, regs)
				    : follow_and_apply(process, thread, regs);
}

void stepped_arrive(struct stepped_process *process, struct stepped_thread *thread,
		    const struct user_regs_struct *regs)
{
	thread->regs = *regs;
	thread->next = process->decode(process->context, regs->rip);
}

/* The frame that the kernel built at sp, arch/x86/include/asm/sigframe.h. */
struct rt_signal_frame {
	uint64_t restorer;
	ucontext_t context;
};

#define SIGNAL_FRAME_BYTES offsetof(struct rt_signal_frame, context.uc_mcontext.fpregs)

int stepped_enter_handler(struct stepped_process *process, struct stepped_thread *thread,
			  const struct user_regs_struct *regs)
{
	struct rt_signal_frame frame;
	uint64_t sp = regs->rsp;

	if (process->memory.read(process->memory.context, sp, &frame, SIGNAL_FRAME_BYTES))
		return error_set(process->error, ERROR_PROTOCOL, NULL, 0,
				 "no signal frame at 0x%llx, where a handler begins", regs->rsp);

	const stack_t *alternate = &frame.context.uc_stack;
	uint64_t low = (uint64_t)(uintptr_t)alternate->ss_sp;
	struct signal_frame signal = {
		.restorer_slot = sp,
		.restorer = frame.restorer,
		.interrupted_slot = sp + offsetof(struct rt_signal_frame,
						  context.uc_mcontext.gregs[REG_RIP]),
		.interrupted_pc = frame.context.uc_mcontext.gregs[REG_RIP],
		.interrupted_sp = frame.context.uc_mcontext.gregs[REG_RSP],
		.interrupted_sum = registers_sum(frame.context.uc_mcontext.gregs),
		.callee_saved = { frame.context.uc_mcontext.gregs[REG_RBX],
				  frame.context.uc_mcontext.gregs[REG_RBP],
				  frame.context.uc_mcontext.gregs[REG_R12],
				  frame.context.uc_mcontext.gregs[REG_R13],
				  frame.context.uc_mcontext.gregs[REG_R14],
				  frame.context.uc_mcontext.gregs[REG_R15] },
		.alternate_low = low,
		.alternate_high = alternate->ss_flags & SS_DISABLE ? low : low + alternate->ss_size,
	};

	process->counters->signals++;
	thread->may_continue = false;
	if (!shadow_stack_signal(&thread->shadow, &signal))
		return stepped_out_of_memory(process);
	stepped_arrive(process, thread, regs);
	return 0;
}

/* ---- system calls ------------------------------------------------------------------------ */

bool call_failed(uint64_t result)
{
	return result >= (uint64_t)-ERRNO_MAX;
}

bool call_may_change_code(uint64_t number, uint64_t protection)
{
	switch (number) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect: return protection & PROT_EXEC;
	case SYS_munmap:
	case SYS_mremap:
	case SYS_remap_file_pages:
	case SYS_shmat:
	case SYS_shmdt:
	/* The numbers of int 0x80, where they don't mean something frequent in 64 bits. */
	case I386_MMAP:
	case I386_MUNMAP:
	case I386_MPROTECT:
	case I386_MREMAP:
	case I386_MMAP2: return true;
	default: return false;
	}
}

uint64_t call_clone_flags(const struct stepped_process *process,
			  const struct user_regs_struct *before)
{
	uint64_t flags = 0;

	if (before->rax == SYS_clone)
		return before->rdi;
	if (before->rax == SYS_vfork)
		return CLONE_VM | CLONE_VFORK;
	if (before->rax != SYS_clone3 ||
	    process->memory.read(process->memory.context, before->rdi, &flags, sizeof(flags)))
		return 0;
	return flags;
}

static uint64_t hash_stack(const struct stepped_thread *thread)
{
	const struct shadow_stack *shadow = &thread->shadow;
	uint64_t frames = shadow->count ? shadow->frame[shadow->count - 1].sum : 0;

	return hash_word(hash_word(frames, shadow->count << 1 | shadow->rooted), thread->regs.rip);
}

/* sum: of all threads' digests. */
static void add_stack(struct stacks_digest *digest, uint64_t one, uint64_t *sum)
{
	*sum -= digest->all;
	digest->stacks++;
	digest->last = one;
	digest->all = hash_word(digest->all, one);
	*sum += digest->all;
}

void stepped_point(struct stepped_process *process, struct stepped_thread *thread)
{
	uint64_t one = hash_stack(thread);

	if (thread->digest.stacks && one == thread->digest.last)
		return;
	process->counters->stacks++;
	add_stack(&thread->digest, one, &process->counters->stacks_digest);
}

void stepped_entry(struct stepped_process *process, struct stepped_thread *thread)
{
	process->counters->entries++;
	add_stack(&thread->entries, hash_stack(thread), &process->counters->entries_digest);
}

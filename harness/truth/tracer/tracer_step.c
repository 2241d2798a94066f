/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_step.c - one executed instruction -> the shadow stack; points
 *
 * The tracer knows the registers before and after an instruction, and what it was. That is enough:
 *
 *	call		pushes what memory holds at the new rsp, if that is the address behind it
 *	system call	may map code (the cache goes), or be rt_sigreturn (the handler's frames go)
 *	anything else	drops the frames below the new rsp. If a return address was popped or
 *			dropped so, the registers that have it are followed until it is stored again
 *
 * On which stack that is, tracer_stacks.c says.
 *
 * A handler's frame on x86-64 (arch/x86/include/asm/sigframe.h, struct rt_sigframe): the restorer's
 * address at rsp, then struct ucontext.
 */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "children.h"
#include "tracer.h"
#include "user_registers.h"

#define ERRNO_MAX     4095 /* the kernel's MAX_ERRNO: results from -4095 to -1 are errors */
#define I386_MMAP     90   /* int 0x80 takes the numbers of i386 */
#define I386_MUNMAP   91
#define I386_MPROTECT 125
#define I386_MREMAP   163
#define I386_MMAP2    192

int tracer_out_of_memory(struct tracer *tracer)
{
	return error_set(tracer->error, ERROR_MEMORY, NULL, 0, "out of memory for a shadow stack");
}

static void take_callee_saved(const struct user_regs_struct *regs, uint64_t *ret)
{
	const uint64_t saved[CALLEE_SAVED_COUNT] = { regs->rbx, regs->rbp, regs->r12,
						     regs->r13, regs->r14, regs->r15 };

	memcpy(ret, saved, sizeof(saved));
}

/* What a call pushed at the rsp of regs. */
static int push_call(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs, uint64_t return_address)
{
	uint64_t saved[CALLEE_SAVED_COUNT];

	take_callee_saved(regs, saved);
	if (!shadow_stack_call(&thread->shadow, regs->rsp, return_address, saved))
		return tracer_out_of_memory(tracer);
	return 0;
}

struct instruction tracer_decode(struct tracer *tracer, uint64_t pc)
{
	if (tracer->volatile_count && tracer_is_volatile(tracer, pc))
		return decoder_decode(tracer->decoder, pc, &tracer->memory);
	return decoder_at(tracer->decoder, pc, &tracer->memory);
}

void thread_go_on(struct tracer *tracer, struct thread *thread)
{
	thread->inherits = false;
	thread->state = THREAD_STEPPED;
	thread_rseq_find(tracer, thread);
	thread->next = tracer_decode(tracer, thread->regs.rip);
}

void thread_begin(struct tracer *tracer, struct thread *thread, bool rooted)
{
	thread_begin_stack(tracer, thread, rooted);
	thread_go_on(tracer, thread);
}

void thread_destroy(struct thread *thread)
{
	thread_end_stacks(thread);
	free(thread);
}

/* Almost every instruction leaves the thread where it was, and this costs nothing then. A frame
 * pointer leads up, to the end of its function; only down, or above what is known, is it another
 * matter. */
static bool may_switch(const struct thread *thread, uint64_t sp)
{
	enum sp_source source = thread->next.sp_source;

	return sp < thread->stack.low || sp >= thread->stack.high || sp > thread->base ||
	       (source != SP_MOVED && (source != SP_FROM_FRAME || sp < thread->regs.rsp));
}

/* Whether the bytes pushed by what was at pc say that it was a call, and of which return address. Of
 * a known call that is certain where they can't be read, too (memfd_secret). */
static bool pushed_return_address(struct tracer *tracer, struct instruction executed, uint64_t pc,
				  uint64_t sp, uint64_t *ret)
{
	if (tracer->memory.read(tracer->memory.context, sp, ret, sizeof(*ret))) {
		*ret = pc + executed.length;
		return executed.kind == INSTRUCTION_CALL && executed.length;
	}
	if (executed.kind == INSTRUCTION_CALL && *ret != pc + executed.length && executed.length)
		tracer->counters.call_mismatches++;
	return *ret > pc && *ret <= pc + INSTRUCTION_BYTES_MAX;
}

static bool is_error(uint64_t result)
{
	return result >= (uint64_t)-ERRNO_MAX;
}

/* Whether a system call that succeeded can have changed what code is mapped. */
static bool may_change_code(uint64_t number, uint64_t protection)
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

/* What the innermost handler has interrupted; NULL: there is none on this stack. */
static struct shadow_frame *interrupted_frame(const struct shadow_stack *shadow)
{
	size_t i = shadow->count;

	while (i > 0 && !shadow->frame[i - 1].interrupted)
		i--;
	return i > 0 ? &shadow->frame[i - 1] : NULL;
}

static bool is_sigreturn(const struct thread *thread)
{
	return thread->next.kind == INSTRUCTION_SYSCALL && thread->regs.rax == SYS_rt_sigreturn &&
	       !thread->next.traits.legacy_call;
}

/*
 * rt_sigreturn: the handler's frames go, as if the interrupted code had gone on. From there, rsp
 * was set to what the handler says: tracer_stacks.c must know whether that is on another stack.
 */
static void leave_handler(struct tracer *tracer, struct thread *thread,
			  const struct user_regs_struct *regs)
{
	struct shadow_frame *frame = interrupted_frame(&thread->shadow);
	uint64_t sp, saved[CALLEE_SAVED_COUNT];

	if (!frame)
		return;
	sp = frame->interrupted_sp;
	take_callee_saved(regs, saved);
	frame->clobbered = memcmp(frame->callee_saved, saved, sizeof(saved)) != 0;
	shadow_stack_leave_handler(&thread->shadow, regs->rip, regs->rsp);
	thread->regs.rsp = sp;
	if (sp == regs->rsp)
		return;
	thread->next.sp_source = SP_FROM_MEMORY;
	tracer->counters.disturbances++;
}

/*
 * If a handler lets its program go on elsewhere, and the interrupted PC is where a call would have
 * left it, then it has let the interrupted code call something (Go preempts so).
 */
static int after_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs, uint64_t interrupted)
{
	uint64_t top;

	shadow_stack_move(&thread->shadow, regs->rsp);
	if (!interrupted || regs->rip == interrupted ||
	    tracer->memory.read(tracer->memory.context, regs->rsp, &top, sizeof(top)) ||
	    top != interrupted)
		return 0;
	if (push_call(tracer, thread, regs, interrupted))
		return -1;
	thread->shadow.frame[thread->shadow.count - 1].planted = true;
	return 0;
}

/* rt_sigreturn has no result: rax is the interrupted code's. */
static int apply_sigreturn(struct tracer *tracer, struct thread *thread,
			   const struct user_regs_struct *regs)
{
	const struct shadow_frame *frame = interrupted_frame(&thread->shadow);
	uint64_t interrupted = frame ? frame->return_address : 0;

	leave_handler(tracer, thread, regs);
	if (may_switch(thread, regs->rsp) && thread_follow_stack(tracer, thread, regs->rsp))
		return -1;
	return after_handler(tracer, thread, regs, interrupted);
}

uint64_t tracer_clone_flags(const struct tracer *tracer, const struct user_regs_struct *before)
{
	uint64_t flags = 0;

	if (before->rax == SYS_clone)
		return before->rdi;
	if (before->rax == SYS_vfork)
		return CLONE_VM | CLONE_VFORK;
	if (before->rax != SYS_clone3 ||
	    tracer->memory.read(tracer->memory.context, before->rdi, &flags, sizeof(flags)))
		return 0;
	return flags;
}

/* What was made by clone(2) with CLONE_UNTRACED: no event tells of it, and it can't be followed. */
static void count_untraced(struct tracer *tracer, const struct user_regs_struct *before,
			   uint64_t result)
{
	uint64_t flags;

	if (is_error(result) || !result)
		return;
	flags = tracer_clone_flags(tracer, before);
	if (!(flags & CLONE_UNTRACED))
		return;
	if (flags & CLONE_THREAD)
		tracer->counters.untraced++;
	else if (tracer->children)
		children_hidden(tracer->children);
	else
		tracer->counters.children++;
}

static int after_system_call(struct tracer *tracer, struct thread *thread,
			     const struct user_regs_struct *regs)
{
	const struct user_regs_struct *before = &thread->regs;

	shadow_stack_move(&thread->shadow, regs->rsp);
	count_untraced(tracer, before, regs->rax);
	if (is_error(regs->rax) || !may_change_code(before->rax, before->rdx))
		return 0;
	return tracer_mappings_changed(tracer, false);
}

/* A ret, held against the frame on top. */
static int apply_return(struct tracer *tracer, struct thread *thread,
			const struct user_regs_struct *regs)
{
	struct tracer_counters *counters = &tracer->counters;
	uint64_t slot = thread->regs.rsp, saved[CALLEE_SAVED_COUNT];
	enum return_kind kind;

	/* A switch that was none: the frame is on the stack before. */
	if (!thread->shadow.count && !thread->shadow.rooted)
		thread_unswitch_stack(tracer, thread, slot, regs->rip);
	thread->shadow.at = thread->regs.rip;
	take_callee_saved(regs, saved);
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
		return thread_enter_array(tracer, thread, slot, regs->rip);
	thread_settle_presumed(thread);
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
static uint64_t transfer_address(const struct thread *thread, uint64_t stack)
{
	return thread->next.traits.addresses ? store_address(&thread->next, &thread->regs) : stack;
}

/* A frame's return address is at this address, or a copy of it. */
static bool is_read_at(const struct shadow_frame *frame, uint64_t address)
{
	return address == frame->slot || (frame->copied && address == frame->copied);
}

/* Follows return addresses that were taken out of their slots. */
static void follow_carriers(struct thread *thread, const struct user_regs_struct *regs)
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
static bool is_stored(const struct thread *thread, const struct user_regs_struct *regs,
		      uint16_t registers)
{
	return thread->next.traits.stored & registers &&
	       transfer_address(thread, thread->regs.rsp - sizeof(uint64_t)) == regs->rsp;
}

/* The return address of the frame on top is stored once more, further in. */
static void note_copy(struct thread *thread, const struct user_regs_struct *regs)
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
static int apply_taken_off(struct tracer *tracer, struct thread *thread,
			   const struct user_regs_struct *regs)
{
	struct shadow_stack *shadow = &thread->shadow;
	bool is_back = regs->rsp == shadow->taken_off.slot;
	uint64_t value;

	if (!is_back && (!is_stored(thread, regs, shadow->carriers) ||
			 (shadow->count && shadow->frame[shadow->count - 1].slot <= regs->rsp)))
		return 0;
	if (tracer->memory.read(tracer->memory.context, regs->rsp, &value, sizeof(value)) ||
	    value != shadow->taken_off.return_address) {
		if (!shadow->carriers)
			shadow_stack_settle_taken_off(shadow);
		return 0;
	}
	*(is_back ? &tracer->counters.put_back : &tracer->counters.frames_moved) += 1;
	return shadow_stack_put_at(shadow, regs->rsp) ? 0 : tracer_out_of_memory(tracer);
}

/* The word below rsp is where the jmp went: pop and jmp instead of ret. */
static bool is_popped(const struct tracer *tracer, const struct user_regs_struct *regs)
{
	uint64_t word;

	return !tracer->memory.read(tracer->memory.context, regs->rsp - sizeof(word), &word,
				    sizeof(word)) &&
	       word == regs->rip;
}

/* rsp has moved. True if frames were dropped. */
static bool apply_move(struct tracer *tracer, struct thread *thread,
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
		tracer->counters.taken_off++;
		shadow->carriers = carriers;
	} else {
		tracer->counters.abandoned += before - shadow->count;
	}
	return true;
}

/* Neither call nor ret nor system call: rsp may have moved over frames, or a jump have ended
 * one. */
static int apply_other(struct tracer *tracer, struct thread *thread,
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
	else if (jumped && thread->next.traits.jumps_computed && is_popped(tracer, regs))
		shadow_stack_popped_jump(shadow, regs->rsp - sizeof(uint64_t), regs->rip);
	if (apply_move(tracer, thread, regs))
		shadow->in_transit = regs->rip == next;
	tracer->counters.disturbances += shadow->epoch - epoch;
	if (shadow->readers || thread->next.traits.copies)
		note_copy(thread, regs);
	if (shadow->carriers)
		shadow->in_transit = true; /* until it is put somewhere, or jumped to */
	return shadow->taken_off.slot ? apply_taken_off(tracer, thread, regs) : 0;
}

/* The instruction's effect on the shadow stack; thread->regs are still those before it. */
static int apply(struct tracer *tracer, struct thread *thread, const struct user_regs_struct *regs)
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
		tracer->counters.unknown_instructions++;
		/* fall through */
	case INSTRUCTION_CALL:
		if (pushed_word &&
		    pushed_return_address(tracer, executed, pc, sp, &return_address)) {
			if (thread->may_continue && thread_continue_stack(tracer, thread))
				return -1;
			return push_call(tracer, thread, regs, return_address);
		}
		break;
	case INSTRUCTION_SYSCALL: return after_system_call(tracer, thread, regs);
	case INSTRUCTION_RETURN:
		if (sp > thread->regs.rsp)
			return apply_return(tracer, thread, regs);
		break;
	case INSTRUCTION_OTHER:
	case INSTRUCTION_TRAP: break;
	}
	return apply_other(tracer, thread, regs);
}

static int follow_and_apply(struct tracer *tracer, struct thread *thread,
			    const struct user_regs_struct *regs)
{
	if (may_switch(thread, regs->rsp) && thread_follow_stack(tracer, thread, regs->rsp))
		return -1;
	return apply(tracer, thread, regs);
}

/* Which registers hold what was computed from rsp, after the instruction. */
static uint16_t derived_after(const struct thread *thread)
{
	const struct instruction *executed = &thread->next;
	uint16_t derived = thread->derived & ~executed->writes;

	if (executed->computed_from & (thread->derived | 1u << NUMBER_RSP))
		derived |= executed->writes;
	return derived;
}

int thread_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	tracer->counters.steps++;
	thread->steps++;
	thread->looked = false;
	thread->traps.repair_count = 0;
	thread_executed(tracer, thread, regs);
	if (thread->next.writes)
		thread->derived = derived_after(thread);
	if (is_sigreturn(thread) ? apply_sigreturn(tracer, thread, regs)
				 : follow_and_apply(tracer, thread, regs))
		return -1;
	if (thread_hide_stepping(tracer, thread, regs))
		return -1;
	thread_rseq_step(tracer, thread, regs);
	thread->regs = *regs;
	tracer->counters.last_pc = regs->rip;
	thread->next = tracer_decode(tracer, regs->rip);
	return 0;
}

/* The frame that the kernel built at sp, arch/x86/include/asm/sigframe.h. */
struct rt_signal_frame {
	uint64_t restorer;
	ucontext_t context;
};

#define SIGNAL_FRAME_BYTES offsetof(struct rt_signal_frame, context.uc_mcontext.fpregs)

int thread_enter_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs)
{
	struct rt_signal_frame frame;
	uint64_t sp = regs->rsp;

	if (tracer->memory.read(tracer->memory.context, sp, &frame, SIGNAL_FRAME_BYTES))
		return error_set(tracer->error, ERROR_PROTOCOL, NULL, 0,
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

	tracer->counters.signals++;
	thread->may_continue = false;
	if (!shadow_stack_signal(&thread->shadow, &signal))
		return tracer_out_of_memory(tracer);
	thread->regs = *regs;
	thread->next = tracer_decode(tracer, regs->rip);
	return thread_traps_in_handler(tracer, thread, sp);
}

static void count_point(struct tracer_counters *counters, const struct thread *thread, bool trapped)
{
	size_t frames = thread->shadow.count;

	if (counters->points == 0 || frames < counters->min_frames)
		counters->min_frames = frames;
	if (frames > counters->max_frames)
		counters->max_frames = frames;
	counters->points++;
	counters->frames += frames;
	counters->untrapped += !trapped;
	counters->unrooted += !thread->shadow.rooted;
}

static int pass(struct tracer *tracer, const struct thread *thread)
{
	const struct tracer_callbacks *callbacks = tracer->callbacks;

	return callbacks->on_passed ? callbacks->on_passed(callbacks->context, thread->tid,
							   thread->regs.rip, tracer->error)
				    : 0;
}

/* Memory and registers are as the walk in the kernel saw them at the trap, if there was any. */
static int ask_at(struct tracer *tracer, struct thread *thread, struct trace_stop *stop)
{
	const struct tracer_callbacks *callbacks = tracer->callbacks;
	bool shown = stop->trapped && thread->traps.repair_count;
	struct user_regs_struct regs = thread->regs;
	int status;

	if (shown)
		thread_show_trap(tracer, thread, &regs);
	stop->regs = register_values_from_user(&regs);
	status = callbacks->on_stop(callbacks->context, stop, tracer->error);
	if (shown)
		thread_hide_trap(tracer, thread);
	return status;
}

int thread_point(struct tracer *tracer, struct thread *thread, bool trapped)
{
	const struct tracer_options *options = tracer->options;

	if (tracer->to_entry) /* a thread that a library's constructor made */
		return pass(tracer, thread);
	if (tracer->from_pc) {
		if (thread->regs.rip != tracer->from_pc)
			return pass(tracer, thread);
		tracer->from_pc = 0;
	}
	tracer->counters.from_reached = true;
	if (is_vsyscall(thread->regs.rip))
		return 0;
	if (tracer->skips_bare && !thread->shadow.count) {
		tracer->counters.bursts.bare++;
		return pass(tracer, thread);
	}
	if (options->every > 1 && thread->steps % options->every)
		return pass(tracer, thread);
	count_point(&tracer->counters, thread, trapped);
	if (options->point_limit && tracer->counters.points >= options->point_limit)
		tracer->stopping = true;
	if (!tracer->callbacks->on_stop)
		return 0;

	struct trace_stop stop = {
		.pid = tracer->pid,
		.tid = thread->tid,
		.shadow = &thread->shadow,
		.alone = tracer->thread_count == 1 && !tracer->others,
		.looked = thread->looked,
		.trapped = trapped,
	};

	return ask_at(tracer, thread, &stop);
}

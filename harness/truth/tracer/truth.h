/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth.h - the stack as the machine built it
 *
 *	decode.c	what one instruction does to the stack (capstone): call, ret, syscall, other
 *	decode_traits.c	what else the tracer must know of it: jumps, the trap flag, stores
 *	shadow_stack.c	calls and returns seen so far -> the frames that are open now
 *	stack_pool.c	the stacks that no thread is on, with their frames
 *	tracer*.c	ptrace: every thread of a program, one instruction at a time (tracer.h is
 *			their private interface)
 *	target_start.c	a program becomes a process that is watched (target_start.h)
 *	target_memory.c	a stopped process's memory (target_memory.h)
 *	steps_bench.c	how fast that is, beside a program that single-steps itself
 *
 * The shadow stack holds (address of the slot with the return address, return address): pushed when
 * a call lowered rsp by 8, dropped while slot < rsp. Signals push two: the restorer's, and the
 * interrupted PC.
 *
 * A frame is proven by its own return: a ret that takes the return address out of its slot and goes
 * where the call said. Every ret is held against the frame on top, so the truth notices by itself
 * when it was wrong: a return through a slot that no open call wrote (a stray one), or to somewhere
 * else (a replaced one). Frames that leave in another way are only presumed gone. Who judges by a
 * frame watches it, and hears how it ended (struct shadow_observer): until then all that was said
 * is provisional. Setting rsp to what is not computed from it, or dropping several frames at once,
 * disturbs the stack: what was open may or may not be, and nothing that was said before can be
 * proven by what comes after.
 *
 * What the truth is not: of a stack that was switched to by a jump or a return (makecontext,
 * coroutines) it is a prefix, and says so (rooted false); a function that switches in its middle
 * and calls from there keeps its frames. tracer_stacks.c says which switches inside one mapping are
 * seen. A handler that rewrites the interrupted rip in its ucontext is believed only after
 * rt_sigreturn; if it left the interrupted PC on the stack, as a call would, there is a frame for
 * it.
 */
#ifndef STACKPROOF_TRUTH_H
#define STACKPROOF_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <ucontext.h>
#include "error.h"
#include "cfi/expression.h"
#include "walk/stack.h"
#include "table/table_abi.h"

/* ---- decode.c --------------------------------------------------------------------------- */

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_CALL,    /* pushes the address of the next instruction */
	INSTRUCTION_RETURN,  /* ret, ret n */
	INSTRUCTION_SYSCALL, /* syscall, sysenter, int 0x80 */
	INSTRUCTION_TRAP,    /* int3, int1, int n: raises a signal of its own */
	INSTRUCTION_UNKNOWN, /* its opcode can't be read */
};

/* What an instruction does to rsp, other than by pushing and popping. */
enum sp_source {
	SP_MOVED,	  /* nothing, or by an offset from itself */
	SP_FROM_FRAME,	  /* sets it by an offset from rbp: leave, lea rsp, [rbp - 40] */
	SP_FROM_REGISTER, /* sets it to another register's value, or a constant */
	SP_FROM_MEMORY,	  /* to what memory held */
};

enum segment {
	SEGMENT_FLAT,
	SEGMENT_FS,
	SEGMENT_GS,
};

#define BASE_NONE  16 /* 0 to 15 are those of the encoding */
#define BASE_RIP   17
#define NUMBER_RSP 4

/* Where an instruction stores: segment:base + (index << shift) + displacement. */
struct store_operand {
	int32_t displacement;
	uint8_t base, index; /* BASE_NONE and BASE_RIP beside the encoding's */
	uint8_t shift;
	uint8_t segment; /* enum segment */
};

struct instruction_traits {
	bool jumps : 1;		 /* may go on elsewhere than behind itself */
	bool jumps_computed : 1; /* jmp to what a register or memory has */
	bool pushes_flags : 1;	 /* pushf */
	bool pops_flags : 1;	 /* popf, iret */
	bool holds_trap : 1;	 /* mov ss: the next one runs in the same step */
	bool legacy_call : 1;	 /* int 0x80, sysenter: numbers of i386 */
	bool stores : 1;	 /* to memory, at store */
	bool addresses : 1;	 /* stored or loaded is at store, else at rsp: push, pop */
	bool copies : 1;	 /* pushes what is at store */
	/* The general register that goes whole to memory, or comes from there, by mov, push or pop;
	 * as a mask by the encoding's numbers; 0: none. */
	uint16_t stored, loaded;
	struct store_operand store;
};

struct instruction {
	enum instruction_kind kind;
	enum sp_source sp_source;
	uint8_t sp_register; /* SP_FROM_REGISTER: which, by the encoding's number (rsp is 4) */
	uint8_t length;	     /* bytes; 0 if unknown */
	/* General registers that it writes, and those that the results are computed from, as
	 * masks by the encoding's numbers: `lea rax, [rbx + rcx]` writes 1 from 8 and 2. What
	 * comes from memory is computed from nothing. */
	uint16_t writes, computed_from;
	struct instruction_traits traits;
};

#define INSTRUCTION_BYTES_MAX 15 /* Intel SDM volume 2, 2.3.11 */

/* The kind alone, from the bytes at a PC: exact wherever the opcode is within size. */
enum instruction_kind instruction_kind(const uint8_t *bytes, size_t size);
/* The bytes of `syscall` at a PC, or of what does the same (Intel SDM volume 2); 0: it is none. */
unsigned int syscall_length(const struct memory_reader *memory, uint64_t pc);
/* *ret_register: SP_FROM_REGISTER's. */
enum sp_source instruction_sp_source(const uint8_t *bytes, size_t size, uint8_t *ret_register);
struct instruction_traits instruction_traits(const uint8_t *bytes, size_t size);
/* Where an instruction that stores will do so, by the registers before it. */
uint64_t store_address(const struct instruction *instruction, const struct user_regs_struct *regs);
/* The general registers but rsp that have this value, as a mask by the encoding's numbers. */
uint16_t registers_with(const struct user_regs_struct *regs, uint64_t value);

struct decoder; /* capstone and a cache by address */
struct decoder *decoder_create(struct error *error);
void decoder_destroy(struct decoder *decoder);
/* Forgets the cache: code was mapped, unmapped or made writable. */
void decoder_flush(struct decoder *decoder);
/* Decodes the instruction at pc, reading through memory only when it is not cached. */
struct instruction decoder_at(struct decoder *decoder, uint64_t pc,
			      const struct memory_reader *memory);
/* The same past the cache: code in memory that is writable and executable at once. */
struct instruction decoder_decode(struct decoder *decoder, uint64_t pc,
				  const struct memory_reader *memory);
/* The same, past the cache and into it. *ret_stale: the cache held another instruction. */
struct instruction decoder_renew(struct decoder *decoder, uint64_t pc,
				 const struct memory_reader *memory, bool *ret_stale);
/* Where the call begins that ends at pc, its return address; 0: there is none. Not a far call. */
uint64_t decoder_call_before(struct decoder *decoder, uint64_t pc,
			     const struct memory_reader *memory);
/* "call qword ptr [rip + 0x2fe2]" for findings; into text. */
void decoder_disassemble(struct decoder *decoder, uint64_t pc, const struct memory_reader *memory,
			 char *text, size_t size);

/* ---- shadow_stack.c --------------------------------------------------------------------- */

struct shadow_frame {
	uint64_t slot;		  /* address of the 8 bytes that hold return_address */
	uint64_t return_address;  /* or the interrupted PC */
	uint64_t watch;		  /* its number for the observer; 0: nobody wants to know */
	uint64_t epoch;		  /* the stack's disturbances before it was opened */
	uint64_t interrupted_sp;  /* rsp then, if it is below a signal frame */
	uint64_t interrupted_sum; /* of all registers then: registers_sum() */
	bool interrupted;	  /* below a signal frame */
	bool planted;	  /* a handler left it for what it interrupted: rsp there is not known */
	bool put_back;	  /* was taken off, and its slot is in use again */
	bool moved;	  /* was taken off, and its return address put into the slot, by hand */
	uint64_t copied;  /* another slot, further in, that its return address was stored in; 0 */
	bool clobbered;	  /* its ret did not bring callee_saved back */
	uint64_t called;  /* the first instruction that began with rsp at the slot; 0: none yet */
	uint64_t entered; /* the last one */
	/* What the caller's rbx, rbp, r12 to r15 were at the call: the callee must bring them back.
	 */
	uint64_t callee_saved[CALLEE_SAVED_COUNT];
};

/* A stack that goes on below another one: where it is, for who comes back to it
 * (tracer_stacks.c). */
struct left_stack {
	uint64_t sp, high;	    /* from rsp where it was left to its end */
	uint64_t low_map, high_map; /* its mapping */
	uint64_t base;
	pid_t root;
};

/* Another stack in use, on top of frames that are still open: shadow_stack.c says why. */
struct shadow_region {
	uint64_t low, high; /* as sigaltstack has it; or the mapping */
	size_t first;	    /* index of the region's first frame: the interrupted one of a signal */
	bool called;	    /* entered by a function that went there and called, not by a signal */
	struct left_stack left; /* called: the one that it came from */
};

/* How a frame left the shadow stack. */
enum frame_end {
	FRAME_RETURNED,	 /* by a ret through its slot, or a jump, to its return address */
	FRAME_REPLACED,	 /* by a ret through its slot to another address */
	FRAME_TAKEN_OFF, /* rsp was moved just above its slot, and it never returned */
	FRAME_ABANDONED, /* several at once: longjmp, an exception; or the thread ended */
	FRAME_LOST,	 /* the whole stack was given up: its memory was used again */
};

/* What a ret did. */
enum return_kind {
	RETURN_EXPECTED, /* the top frame, to its return address */
	RETURN_REPLACED, /* the top frame, to another address */
	RETURN_STRAY,	 /* no open call had put its return address there */
	RETURN_DOUBLED,	 /* as expected, but another frame went, too, or had the same slot */
	RETURN_COPIED,	 /* as expected, out of the slot that the return address was copied to */
};

struct shadow_stack;
/* Who wants to know what became of the frames that it judged by. Any may be NULL. */
struct shadow_observer {
	void *context;
	/* A frame with a watch is gone; target: where a ret through its slot went, else 0. */
	void (*frame_ended)(void *context, const struct shadow_stack *stack,
			    const struct shadow_frame *frame, enum frame_end end, uint64_t target);
	/* A ret took target out of a slot that is no open frame's, or two frames'. */
	void (*stray_return)(void *context, const struct shadow_stack *stack, uint64_t slot,
			     uint64_t target);
	/* Which frames are open is not certain any more; see the top of this file. */
	/* A jmp to a word that was just popped out of slot, where no call had put it. */
	void (*popped_jump)(void *context, const struct shadow_stack *stack, uint64_t slot,
			    uint64_t target);
	/* A frame was taken off alone, and may be put back. Then: it was, or a jump to its return
	 * address has ended it (true); or it was neither (false). Of one frame at a time. */
	void (*taken_off)(void *context, const struct shadow_stack *stack, uint64_t slot);
	void (*settled)(void *context, const struct shadow_stack *stack, bool was_frame);
	void (*disturbed)(void *context, const struct shadow_stack *stack);
	/* In place of settled: the frame that was taken off is open again, at another slot. Or is
	 * so once more. Then: it returned through there (true), or it is gone otherwise, and
	 * whether it was there nobody knows. */
	void (*moved)(void *context, const struct shadow_stack *stack, uint64_t slot);
	void (*moved_ended)(void *context, const struct shadow_stack *stack, uint64_t slot,
			    bool returned);
	/* A frame is about to return through slot, which its return address was copied to. */
	void (*copy_returned)(void *context, const struct shadow_stack *stack, uint64_t slot,
			      uint64_t target);
};

struct shadow_stack {
	uint64_t id;				/* of all stacks of a run, from 1 on; 0: none */
	const struct shadow_observer *observer; /* or NULL */
	uint64_t epoch;				/* disturbances so far */
	struct shadow_frame *frame;		/* [0] is the outermost */
	size_t count;
	size_t capacity;
	struct shadow_region *region; /* [0] is the outermost */
	size_t region_count;
	size_t region_capacity;
	bool rooted;   /* it began at the thread's first instruction: nothing is below frame[0] */
	uint64_t at;   /* the instruction that is being recorded; the caller's to set */
	uint64_t base; /* rsp then, if it is rooted; else UINT64_MAX */
	uint64_t entered; /* as of a frame, with rsp at base */
	/* The function at hand has abandoned frames otherwise than by a return and has not jumped
	 * yet (the end of longjmp or of an exception's landing): where it will go on is not known.
	 */
	bool in_transit;
	/* Its thread or program ends: what is abandoned now was open to the end. */
	bool ends;
	/* The frame that was taken off last, alone. Put back if rsp comes to its slot again and its
	 * return address is still there; moved if a carrier is stored where rsp stands; returned if
	 * a jump goes to that. slot 0: there is none. */
	struct shadow_frame taken_off;
	/* The registers that have had its return address since, by the encoding's numbers; 0: it is
	 * not known where that is. The caller's to set when a frame was taken off, and to follow.
	 */
	uint16_t carriers;
	/* The same of the innermost frame that is open, since it was read out of its slot or of a
	 * copy; until any other is. The caller's, too. */
	uint16_t readers;
};

/* id and observer are the caller's to set. */
void shadow_stack_init(struct shadow_stack *stack, bool rooted);
void shadow_stack_deinit(struct shadow_stack *stack);
/*
 * Records a call that stored return_address in slot (= rsp after it); callee_saved: rbx, rbp, r12
 * to r15 at the call, or NULL. False: out of memory.
 */
bool shadow_stack_call(struct shadow_stack *stack, uint64_t slot, uint64_t return_address,
		       const uint64_t *callee_saved);
/* Notes where a frame's function goes on with rsp at its slot; before the instruction at pc is
 * recorded. */
static inline void shadow_stack_enter(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	if (!stack->count && sp == stack->base)
		stack->entered = pc;
	else if (stack->count && sp == stack->frame[stack->count - 1].slot) {
		struct shadow_frame *top = &stack->frame[stack->count - 1];

		top->entered = pc;
		if (!top->called)
			top->called = pc;
	}
}
/* Records any other executed instruction, by rsp after it. True if it dropped frames. */
bool shadow_stack_move(struct shadow_stack *stack, uint64_t sp);
/* The same where a register has the innermost frame's return address: if that goes alone, it is
 * taken off, wherever rsp stands. */
bool shadow_stack_move_held(struct shadow_stack *stack, uint64_t sp);
/* Records a ret that took target out of slot and left rsp at sp. */
enum return_kind shadow_stack_return(struct shadow_stack *stack, uint64_t slot, uint64_t target,
				     uint64_t sp);
/* Tells that a jmp went to a word that lies right below rsp: it may have been popped as a return
 * address, or be a function's that was kept there. */
void shadow_stack_popped_jump(const struct shadow_stack *stack, uint64_t slot, uint64_t target);
/* Before a ret is recorded: does it bring back what the frame on top has as callee-saved? If
 * not, the frame is marked. */
bool shadow_stack_restores(struct shadow_stack *stack, uint64_t slot, const uint64_t *callee_saved);
/* Records a jump to pc with rsp at sp. True: it was the return of the frame taken off last. */
bool shadow_stack_jump(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* The frame taken off last is open again. False: out of memory. */
bool shadow_stack_put_back(struct shadow_stack *stack);
/* The same at another slot, below all that are open. */
bool shadow_stack_put_at(struct shadow_stack *stack, uint64_t slot);
/* The frame taken off last is gone for good. */
void shadow_stack_settle_taken_off(struct shadow_stack *stack);
/* Which frames are open is not certain any more. */
void shadow_stack_disturb(struct shadow_stack *stack);
/* The stack is given up, and all its frames with it. */
void shadow_stack_end(struct shadow_stack *stack, enum frame_end end);
/* The frames from first on alone, without the outer ones; the root is then not known. */
void shadow_stack_cut(struct shadow_stack *stack, size_t first);

/* What the kernel built on the stack to start a handler; addresses of the tracee. */
struct signal_frame {
	uint64_t restorer_slot; /* rsp at the handler's first instruction */
	uint64_t restorer;
	uint64_t interrupted_slot; /* where the interrupted rip is saved */
	uint64_t interrupted_pc;
	uint64_t interrupted_sp;
	uint64_t interrupted_sum;		   /* registers_sum() */
	uint64_t callee_saved[CALLEE_SAVED_COUNT]; /* as they were interrupted */
	uint64_t alternate_low, alternate_high;	   /* sigaltstack; equal if there is none */
};
/* A number by which the registers of a struct ucontext, REG_R8 to REG_RIP, are known again. */
#define SUMMED_REGISTERS (REG_RIP + 1)
uint64_t registers_sum(const greg_t registers[SUMMED_REGISTERS]);
/* Records that a handler was entered. False: out of memory. */
bool shadow_stack_signal(struct shadow_stack *stack, const struct signal_frame *frame);
/* The first half of shadow_stack_sigreturn(): the handler's frames go, and what was interrupted is
 * on top.
 */
void shadow_stack_leave_handler(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Records that rt_sigreturn went to pc with rsp at sp: on another stack, slots can't tell. */
void shadow_stack_sigreturn(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Whether sp lies on any signal stack in use: not the innermost one if that was just left for an
 * outer one (a handler on an alternate stack, interrupted by one on another: SS_AUTODISARM). */
bool shadow_stack_on_region(const struct shadow_stack *stack, uint64_t sp);
/* Records that what is called next is called on the stack from low to high, by a function on the
 * one in use. False: out of memory. */
bool shadow_stack_continue(struct shadow_stack *stack, uint64_t low, uint64_t high);
/*
 * The frames as a stack whose pc[0] is pc. stop: STOP_COMPLETE if rooted, STOP_NONE if it is only a
 * prefix, STOP_DEPTH if there were more than ret can hold: the innermost are kept. 0, or -1 with
 * ERROR_MEMORY.
 */
int shadow_stack_get(const struct shadow_stack *stack, uint64_t pc, struct stack *ret,
		     struct error *error);
/* A frame of such a stack, or of an engine's beside it, was interrupted by a signal: its PC is no
 * return address. */
bool shadow_stack_is_interrupted(const struct shadow_stack *stack, const struct stack *frames,
				 uint32_t frame);

/* ---- tracer.c --------------------------------------------------------------------------- */

/* A thread at a stop: the instruction at the PC of regs has not run yet. */
struct trace_stop {
	pid_t pid;
	pid_t tid;
	struct register_values regs; /* all are known */
	struct shadow_stack *shadow; /* frames may be watched */
	bool alone;		     /* no other thread runs that could write to memory meanwhile */
	bool looked;  /* the tracer has read the stack already, and so made it present */
	bool trapped; /* stopped by the trap flag, so that signal_generate fired in the thread;
		       * false at a handler's first instruction, at a thread's first stop and at a
		       * breakpoint. The first stop after exec is trapped. The program's own
		       * SIGTRAPs fire it too, without a point. */
};

/* How a run ended. */
enum tracer_ending {
	TRACER_ENDED,	    /* the program did, by itself */
	TRACER_LIMIT,	    /* point_limit was reached */
	TRACER_KILLED,	    /* by SIGKILL, which was not the tracer's */
	TRACER_TIMEOUT,	    /* and so on: tracer_run() fails */
	TRACER_INTERRUPTED, /* by one of ended_by_signals */
	TRACER_FAILED,	    /* an error, the tracer's or a callback's */
};

struct tracer_counters {
	uint64_t steps;		       /* instructions executed under the trap flag */
	uint64_t points;	       /* stops given to on_stop */
	uint64_t untrapped;	       /* of those, with trapped false */
	uint64_t unknown_instructions; /* executed, though their opcode could not be read */
	uint64_t call_mismatches; /* calls that did not push the address behind them: must be 0 */
	uint64_t threads;	  /* of the traced process, the first included */
	uint64_t children;	  /* processes that it made: not followed. Theirs are not counted */
	uint64_t untraced; /* threads that it made so that no tracer is told (CLONE_UNTRACED) */
	uint64_t execs;	   /* that replaced the program, the first not included */
	uint64_t signals;  /* delivered to handlers */
	uint64_t
		stale_instructions; /* executed, though the bytes had changed since they were read */
	uint64_t moved;		    /* steps out of what does not jump: the kernel's doing */
	uint64_t merged_steps;	    /* in which two instructions ran: mov ss, the vsyscall page */
	uint64_t rseq_sections;	    /* restartable sequences that were entered */
	uint64_t rseq_aborts;	    /* of those, given up */
	uint64_t timer_signals;
	uint64_t timer_signals_late; /* of those, that had to wait */
	uint64_t stack_switches; /* to a stack that is neither the thread's nor a signal stack */
	uint64_t frames;	 /* sum over all points of the truth's frames below the PC */
	uint64_t min_frames, max_frames;
	uint64_t unrooted; /* points whose truth is only a prefix */
	/* What the truth noticed of itself. */
	uint64_t returns;	   /* held against the frame on top */
	uint64_t returns_replaced; /* that went elsewhere than their call said */
	uint64_t returns_stray;	   /* through a slot that no open call wrote */
	uint64_t returns_doubled;  /* that closed two frames: must be 0 */
	uint64_t
		returns_registers; /* that did not bring rbx, rbp, r12 to r15 back as at the call */
	uint64_t taken_off;	   /* frames that left by pop, add or lea, alone */
	uint64_t put_back;	   /* of those, put back */
	uint64_t frames_moved;	   /* put into another slot, or returned through a copy */
	uint64_t abandoned;	   /* frames that left with others, or for a lower slot */
	uint64_t disturbances;
	uint64_t last_pc;  /* that a step led to; 0: there was none */
	bool from_reached; /* what options->from names: from there on points are given */
	enum tracer_ending ending;
};

struct tracer_options {
	char *const *argv;
	char *const *envp; /* NULL: environ */
	/*
	 * From where points are given: NULL: the first instruction (the dynamic loader's, if any).
	 * "_start": the program's own entry point; the loader runs unstepped (the stack is empty
	 * there, so the truth is whole). Another symbol of the program: stepped from the entry
	 * point, points given from the symbol's first execution on. A program that exec brings in
	 * later and that lacks the symbol gives points from its entry point on. A thread that a
	 * library's constructor makes is stepped, and gives no points before that either.
	 */
	const char *from;
	bool from_once; /* of the first program only: those that exec brings in give points from
			 * their first instruction on */
	uint64_t every; /* a point at every Nth step of a thread; 0 or 1: at each */
	unsigned timeout_ms;   /* 0: none */
	bool ended_by_signals; /* SIGINT, SIGTERM and SIGHUP to this process end the run only */
	/* eventfd(2) that is written when a signal or the time-out ends the run, for a callback that waits
	 * for something itself; 0: none. */
	int ended_fd;
	bool silence_output;  /* the program's stdout and stderr go to /dev/null */
	bool randomize;	      /* keep address space randomisation; off, so that runs repeat */
	uint64_t point_limit; /* stop (kill) after so many points; 0: none */
	/*
	 * Instead of argv: steps this function in a forked child, which then exits with what it
	 * returns. Every truth is a prefix: who called it is not known. from must be NULL.
	 */
	int (*function)(void *context);
	void *function_context;
};

struct tracer_callbacks {
	/* A process was started or replaced by exec, or its executable mappings changed. */
	int (*on_mappings)(void *context, pid_t pid);
	/* A point. Non-zero ends the run with an error that the callback has set. */
	int (*on_stop)(void *context, const struct trace_stop *stop, struct error *error);
	/* A stop that is no point (from, every). As on_stop. */
	int (*on_passed)(void *context, struct error *error);
	void *context;
	const struct shadow_observer *observer; /* of every stack of the run; or NULL */
};

/*
 * Runs argv from its entry to its exit. Tracer and tracee share one CPU: the current one, to which
 * the calling thread is pinned meanwhile. *ret_status: as waitpid gives it. Any callback may be
 * NULL. Processes that it makes are counted, let go at their first stop, before their maker goes
 * on, and not waited for. Job control stops are overridden. The caller's thread must not have other
 * children that it waits for with waitpid(-1) meanwhile. Fails with ERROR_UNAVAILABLE where ptrace
 * is not permitted, ERROR_TIMEOUT, ERROR_SYSTEM if the program could not be started, or with EINTR
 * if a signal ended the run; the counters are filled in any case, and the program is gone.
 */
int tracer_run(const struct tracer_options *options, const struct tracer_callbacks *callbacks,
	       struct tracer_counters *ret_counters, int *ret_status, struct error *error);

/* ---- steps_bench.c ---------------------------------------------------------------------- */

/*
 * Steps per second of tracer_run with no callbacks, and of a program that sets its own trap flag
 * and has a SIGTRAP handler that returns: the machine's limit. Same workload, alternated, medians of
 * rounds (1 to BENCH_STEPS_ROUNDS, odd).
 */
#define BENCH_STEPS_ROUNDS 5
int bench_steps(unsigned int rounds, double *ret_tracer_steps_per_s, double *ret_self_steps_per_s,
		struct error *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_watch.h - a plugin of QEMU's that knows the true stack of every watched thread of a guest
 *
 *	plugin_watch.c	which instructions of the guest it is called at
 *	plugin_threads.c	whom a vCPU runs; what a thread executed; what the kernel did meanwhile
 *	plugin_told.c	what the agent tells, and who is none
 *	plugin_events.c		processes that are made, that execute programs, map code and end
 *	plugin_fast.c	the same without registers at each instruction (fast.h)
 *	plugin_check.c		the one held against the other
 *	plugin_entries.c	each kernel entry, with its time, as it comes
 *	plugin_given.c		files that the guest gives to the host
 *	plugin_kernel.h		the guest's kernel
 *	plugin_truth.h		a process's stacks as a truth file
 *	plugin_rows.h		where the caller's frame is, as facts that rows must fit
 *	plugin_code.h		the code that it has mapped
 *	plugin_walks.h		BPF's stacks, held against the true ones
 *
 * The rules are those of truth/steps, as for the tracer. What the tracer is told by ptrace is concluded here. When user
 * code goes on after the kernel ran, the last instruction was a system call; or it was not executed (the same PC again); or
 * a signal was delivered: then the kernel's frame is at rsp, and has the registers that the thread had.
 */
#ifndef STACKPROOF_PLUGIN_WATCH_H
#define STACKPROOF_PLUGIN_WATCH_H

#include <sys/user.h>
#include "fast.h"
#include "plugin.h"
#include "plugin_kernel.h"
#include "plugin_rows.h"
#include "plugin_truth.h"
#include "plugin_walks.h"
#include "truth/steps/steps.h"
#include "walk/address_space.h"

/* An instruction of a translated block. */
struct block_instruction {
	const struct instruction *instruction;
	uint64_t offset; /* in its block */
};

/* How a thread has entered the kernel. */
struct kernel_entry {
	bool valid;
	bool calls;	/* by a system call */
	uint64_t ticks; /* of the host's TSC */
	uint64_t pc, sp;
};

#define WATCHED_MAX 65536 /* processes and threads at a time */

struct watched_process;

struct watched_thread {
	struct stepped_thread steps;
	struct watched_process *process;
	bool begun;	/* it has a stack */
	bool executes;	/* a program: its first instruction comes next */
	bool inherits;	/* its stack is a copy of its maker's */
	bool stranger;	/* nobody has told where it began */
	bool in_kernel; /* since its last instruction */
	struct thread_truth truth;
	struct thread_rows rows;
	struct watched_thread *twin; /* the same one, without registers at each instruction */
	struct walk_record *walked;  /* BPF's stack of where it is; NULL: none has come */
	uint64_t
		entry; /* where its first point is to be; 0: at its first instruction, or it was there */
	struct kernel_entry entered; /* since it was in user code last */
};

struct watched_process {
	struct stepped_process steps;
	pid_t pid;
	size_t number; /* in the order in which they were made */
	bool root;     /* the agent has told of it */
	bool executed; /* a program since it is watched */
	bool fast;     /* its threads' registers aren't known at each instruction */
	struct step_counters counters;
	uint64_t
		rows_wrong; /* watch_wrong_returns() when facts about rows were withdrawn last, less: */
	uint64_t rows_excused; /* watch_rows_excused() */
	struct process_truth truth;
	struct watched_thread **thread;
	size_t threads, threads_made;
	const struct instruction *at; /* the instruction at the PC that is asked for next */
	uint64_t image;		      /* fast.h */
	uint64_t wrong_returns;	      /* step_counters' that entries were withdrawn for */
	uint64_t task;		      /* of the thread that runs: by it the mappings are found */
	uint64_t
		untold; /* in code of no mapping that was told of: instructions; if fast: entries */
	struct walk_tally walks;
	struct address_space space;   /* with watch.walks: its code, for tables */
	struct watched_process *twin; /* of its threads' twins; NULL without watch.check */
};

struct watch_counters {
	uint64_t instructions; /* of watched threads */
	uint64_t entries;      /* from the kernel into user code of watched threads */
	uint64_t restarted;    /* instructions that faulted, and were executed again */
	uint64_t lost_events;  /* the kernel's, which did not fit into its ring */
	uint64_t unread_rings, unread_tasks;
	uint64_t given;	      /* bytes that the guest gave */
	uint64_t strangers;   /* threads of watched processes that nobody has told of */
	uint64_t impostors;   /* who told, and wasn't the agent */
	uint64_t agents_lost; /* that ended without a word */
	/* With at=entries: */
	uint64_t calls, returns;
	uint64_t late; /* frames that were found gone at the next call or return only */
	uint64_t remapped, overwritten; /* return addresses: fast.h */
	uint64_t doubtful;		/* entries at which a frame may have been put back unseen */
	/* With check=on: stacks held against the exact ones, and differences. */
	uint64_t checked, different;
	uint64_t
		unsettled; /* instructions between those that are stepped, where no stack is claimed */
	uint64_t different_doubtful, different_entries; /* of the different ones */
};

struct watch {
	struct guest_kernel kernel;
	struct decoder *decoder;
	bool told; /* by the agent, which still runs */
	struct guest_agent agent;
	const char *
		truth; /* where truth files go: the first process's; PATH.NUMBER for others. NULL: none are wanted */
	const char *given;	  /* where a file that the guest gives goes; or NULL */
	struct guest_clock clock; /* bytes 0: it is not known */
	uint64_t clock_ahead;	  /* the guest's TSC less the host's */
	const char *rows;	  /* where facts about rows go; NULL: none are wanted */
	uint64_t first; /* of each block with each caller only so many runs are looked at; 0: all */
	bool registers; /* and callee-saved registers are, at each instruction */
	const char *root; /* where the guest's files are on the host, without a slash at the end */
	bool over;	  /* QEMU ends: what is not over yet was cut short */
	size_t written;	  /* truth files */
	size_t unwritten; /* that could not be: */
	struct error unwritten_error;
	uint64_t next_ns;  /* when those of processes that live are written again */
	bool fast;	   /* stacks are known at entries, without the registers between */
	bool check;	   /* and besides at each instruction, the one held against the other */
	bool walks;	   /* BPF's stacks are held against the true ones */
	bool from_entry;   /* points begin at programs' entry points, not in the dynamic loader */
	const char *wrong; /* with the last that was told wrong; NULL: nothing */
	struct watched_process **process;
	size_t processes;
	size_t made;	 /* processes so far */
	uint64_t images; /* of processes: fast.h */
	size_t alive;	 /* processes and threads */
	struct watch_counters counters;
	struct error error; /* of what ended the watching; the first one */
	bool failed;
};

extern struct watch watch;

/* Stacks are known at each instruction. */
static inline bool watch_is_exact(void)
{
	return !watch.fast || watch.check;
}

/* Why a vCPU looks at itself before a block of user code. */
enum watch_look {
	LOOK_NOT,
	LOOK_KERNEL_RAN,
	LOOK_STEPPED, /* the last instruction is to be applied */
	LOOK_AWAITS,  /* the program's entry point */
};

/* Whether a vCPU is interrupted. */
enum watch_driven {
	DRIVEN_NOT,
	DRIVEN_FRESH, /* it comes from the kernel: not before this instruction */
	DRIVEN,
};

/* What is known of a vCPU, for conditions that are checked inline. */
struct vcpu {
	uint64_t look;	   /* enum watch_look */
	uint64_t watched;  /* the thread that runs is, at each instruction */
	uint64_t driven;   /* enum watch_driven */
	uint64_t followed; /* it is, by calls and returns */
	uint64_t attended; /* when it enters the kernel, that is noted */
	struct fast_words fast;
	uint64_t pc; /* where the block begins */
	struct watched_thread *thread;
};
struct vcpu *watch_vcpu(unsigned number);
/* One of its uint64_t. */
struct qemu_plugin_u64 watch_word(size_t offset);
void watch_read_registers(struct user_regs_struct *ret);
/* Held by all but translation, and calls and returns of the frequent kind. */
void watch_lock(void);
void watch_unlock(void);

/* The registers that are asked for. */
enum watch_register {
	WATCH_GS_KERNEL = sizeof(struct user_regs_struct) /
			  sizeof(uint64_t), /* before it: the members of that struct */
	WATCH_CR3,
	WATCH_REGISTERS
};
uint64_t watch_register(enum watch_register number);

/* ---- plugin_watch.c ------------------------------------------------------------------------ */

/* The thread is about to be freed. */
void watch_thread_leaves(const struct watched_thread *thread);

/* ---- plugin_threads.c ---------------------------------------------------------------------- */

/* User code goes on: the watched thread whose it is; NULL: it is nobody's that is watched. */
struct watched_thread *watch_enter(void);
/* The thread is about to execute the instruction at regs->rip. */
void watch_step(struct watched_thread *thread, const struct user_regs_struct *regs,
		const struct instruction *instruction);

/* Before its first instruction. With from=entry it may not have begun yet. */
void watch_begin(struct watched_thread *thread, const struct user_regs_struct *regs,
		 const struct instruction *instruction);
/* The kernel has put the thread into a signal's handler at regs: the registers that it had. False: it has not. */
bool watch_handler(const struct watched_thread *thread, const struct user_regs_struct *regs,
		   struct user_regs_struct *ret_interrupted);
/* There is no memory: the watching ends. */
void watch_fail(void);
/* Where the process's truth goes, to be freed; NULL: no memory, and that is said. */
char *watch_truth_path(const struct watched_process *process);

/* Returns by which the truth has noticed that it was wrong. */
uint64_t watch_wrong_returns(const struct step_counters *counters);
/* Code that a system call with these registers moved, or put other memory in place of, of which no event tells. */
void watch_follow_code(struct watched_process *process, const struct user_regs_struct *before,
		       uint64_t result);
struct watched_process *watch_process(pid_t pid);
/* NULL: no memory; watch.error is set. */
struct watched_process *watch_process_make(pid_t pid);
struct watched_thread *watch_thread_make(struct watched_process *process, pid_t tid);
struct watched_thread *watch_thread(const struct watched_process *process, pid_t tid);
/* The process has no thread any more, nor any stack. */
void watch_process_empty(struct watched_process *process);
void watch_forget_all(void);
/* Now and then: writes the truth so far of processes that live, for QEMU may be killed. */
void watch_save(void);
/* The thread, or the process with its last one, has ended. */
void watch_thread_end(struct watched_process *process, pid_t tid);
/* A new process's only thread has its maker's stacks. NULL: the maker isn't known. */
void watch_inherit(struct watched_thread *thread, const struct watched_thread *maker);

/* ---- plugin_fast.c -------------------------------------------------------------------------- */

struct rows_seen;

/* What a vCPU runs. */
struct fast_cpu {
	struct fast_state state; /* thread NULL: nobody's that is followed */
	struct watched_thread *thread;
	struct vcpu *vcpu;
	uint64_t
		rows_owner; /* thread->rows.owner if nothing is in doubt, and no segment is unfinished; else 0 */
	struct rows_seen
		*seen; /* how often blocks with their callers were looked at; NULL: not yet */
} __attribute__((aligned(128)));
extern struct fast_cpu watch_fast_cpus[GUEST_RINGS_MAX];

void watch_fast_translated(struct qemu_plugin_tb *tb);
/* A block of user code begins on the vCPU; vcpu->thread is who runs. */
void watch_fast_look(unsigned number, bool kernel_ran);
/* The thread ends. True: some vCPU may just use it, and it must stay in memory. */
bool watch_fast_forget(const struct watched_thread *thread);
/* Adds up the vCPUs' counters. */
void watch_fast_sum(struct watch_counters *ret);

/* ---- plugin_entries.c ------------------------------------------------------------------------ */

/* A block of the kernel begins, the first behind user code of a thread that is followed. */
void watch_kernel_entered(struct watched_thread *thread);
/* The thread entered the kernel: with pc and sp, and its stacks are as they were then. */
void watch_entry(struct watched_thread *thread, uint64_t pc, uint64_t sp);
/* It goes on with other registers: the kernel has put it into a handler, or into a program, or it has just begun. */
void watch_entry_after(struct watched_thread *thread, uint64_t pc, uint64_t sp);
/* It ends, or executes another program, in the kernel. */
void watch_entry_last(struct watched_thread *thread);
/* Looks for returns that went elsewhere: then the thread's entries are in doubt. */
void watch_entry_contradict(struct watched_thread *thread);
/* The process is over. False: its file could not be written. */
bool watch_entries_end(struct watched_process *process);
/* Takes over what the guest has told of its clock. */
void watch_clock(uint64_t address);

/* ---- plugin_given.c -------------------------------------------------------------------------- */

/* Takes what the guest gives. */
void watch_given(uint64_t address);

/* ---- plugin_rows.c --------------------------------------------------------------------------- */

/* The block's segment that begins with instruction number at is to be looked at. Returns its number of instructions. */
size_t watch_rows_translated(struct qemu_plugin_tb *tb, const struct fast_instruction *block,
			     size_t count, size_t at);
/* The thread's stacks may have changed. */
void watch_rows_sync(struct fast_cpu *cpu);
/* What is pending of the thread is contradicted if a return has gone wrong since. from: the stack that it was on. */
void watch_rows_hold(struct watched_thread *thread, uint64_t from);
/* Whether the innermost frame's place is known, if count frames are open: *ret_cfa is where, of ROW_FACT_FRAME. Makes
 * thread->rows that of the stack that it is on. */
enum row_fact_kind watch_rows_kind(struct watched_thread *thread, size_t count, bool doubtful,
				   uint64_t *ret_cfa);
/* Where the return address is beside its slot. */
struct row_fact_return watch_rows_returns(const struct memory_reader *memory, uint64_t cfa,
					  uint64_t return_address);
/* The thread's record of what begins at key->pc with these registers; key has its segment, pc and file, and kind is as
 * watch_rows_kind() says, with cfa, if count frames are open. What is known once of a record is looked up for a new
 * one, whose runs
 * are 0. NULL: no memory. */
struct rows_record *watch_rows_record(struct watched_thread *thread, size_t count,
				      struct rows_record *key, uint64_t cfa, uint64_t sp,
				      uint64_t bp);

/* ---- plugin_rows_calls.c ---------------------------------------------------------------------- */

/* A call instruction of so many bytes was executed, and has pushed the innermost frame. True: calls from there are
 * proven. */
bool watch_rows_called(struct watched_thread *thread, unsigned int length);
/* Behind a call instruction: whether it has. */
static inline bool watch_rows_is_called(const struct watched_thread *thread)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;
	const struct shadow_frame *top = shadow->count ? &shadow->frame[shadow->count - 1] : NULL;

	return top && !top->interrupted && !top->planted && !top->put_back && !top->watch &&
	       !top->called;
}
/* Returns that went elsewhere than their calls said since this was asked last, and contradict nothing but these calls. */
uint64_t watch_rows_excused(void);
extern const struct shadow_observer watch_rows_observer;

/* ---- plugin_rows_exact.c ---------------------------------------------------------------------- */

/* The thread is before its next instruction, and all its registers are known. */
void watch_rows_point(struct watched_thread *thread);

/* ---- plugin_check.c ------------------------------------------------------------------------- */

/* The thread is at its instruction, and what its twin saw before is done. */
void watch_check(const struct watched_thread *thread);

/* ---- plugin_told.c ------------------------------------------------------------------------- */

/* Somebody says the agent's nop; what: GUEST_TELLS, and so on. */
void watch_told(uint32_t what, const struct user_regs_struct *regs);
/* The agent is gone without a word, and its rings with it: nothing is watched any more. */
void watch_look_for_agent(void);

/* ---- plugin_events.c ----------------------------------------------------------------------- */

/* Applies what the kernel has said since. */
void watch_events(void);

/* ---- plugin_report.c ----------------------------------------------------------------------- */

#define WALKS_SHOWN 10
struct walk_record;
/* BPF's stack at pc is neither the true one nor the table's. */
void watch_report_wrong(const struct watched_thread *thread, const struct walk_record *record,
			const struct stack *table, uint64_t pc);
/* The stacks differ. open: the twin's frames. */
void watch_report_difference(const struct watched_thread *thread, size_t open, bool doubtful);
/* Before it is forgotten: writes its line. truth: its truth file, or "". */
void watch_report_process(const struct watched_process *process, const char *truth);
void watch_report_end(void);
/* 0, or -1: it can't be written. path NULL: to standard error. */
int watch_report_open(const char *path);

#endif

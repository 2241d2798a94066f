/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * session.h - the walk in BPF, controlled from user space
 *
 *	bpf_session_open()		load the programs the kernel can run
 *	bpf_session_set_process()	give it a process's mappings and the tables behind them
 *	bpf_session_attach_steps()	walk at every single-step stop; or
 *	bpf_session_attach_samples()	walk at every tick of a clock; or
 *	bpf_session_attach_uprobe()	walk at an instruction; or
 *	bpf_session_attach_tracepoint()	walk at an event of the kernel; or
 *	bpf_session_attach_off_cpu()	walk when a thread leaves its CPU; or
 *	bpf_session_replay()		walk now, from given registers
 *	bpf_session_consume()		take the stacks; or
 *	bpf_session_take_counts()	take each different stack once, with how often it was met
 *
 * Features are probed; kernel versions are never compared. Not thread-safe: one thread per session.
 */
#ifndef STACKPROOF_SESSION_H
#define STACKPROOF_SESSION_H

#include "cfi/expression.h"
#include "walk/address_space.h"
#include "task_notes.h"
#include "walk.h"

/* How the walk goes from frame to frame. */
enum walk_method {
	WALK_METHOD_PROBE, /* the loop if the kernel has bpf_loop, else the chain */
	WALK_METHOD_LOOP,  /* bpf_loop */
	WALK_METHOD_CHAIN, /* tail calls */
};

/* Default capacities, for all images together. */
#define BPF_SESSION_PAGES   (1u << 18) /* an eighth of entries */
#define BPF_SESSION_ENTRIES (1u << 21)
#define BPF_SESSION_SHAPES  (1u << 20)
#define BPF_SESSION_RULES   (1u << 16)
#define BPF_SESSION_PLACES  (1u << 14)

/* Zeros are the defaults. */
struct bpf_session_options {
	enum walk_method method;
	/* Bits 1 << enum walk_entry: the programs to load. 0: steps and samples. To attach another entry
	 * later is ERROR_UNAVAILABLE. */
	uint32_t entries;
	bool count_stacks;	    /* equal stacks are counted in the kernel */
	bool follow_frame_pointers; /* if there is no CFI; such frames have the mark WALK_PC_GUESSED */
	bool kernel_stacks;	    /* in kernel mode the kernel's stack is taken, too */
	bool every_tick; /* what has no list of mappings is sent, too: other processes with one PC and generation 0,
			     * and threads of the kernel's own */
	bool off_cpu;		   /* with count_stacks and the entry of tracepoints, for
				    * bpf_session_attach_off_cpu() alone */
	uint64_t off_least_ns;	   /* shorter times off a CPU are not counted */
	bool no_memo;		   /* look up every PC: for measurements */
	bool wake_up;		   /* bpf_session_fd() becomes readable when records come */
	bool frame_pointer;	   /* load the baseline, too: bpf_get_stack() over frame pointers */
	bool only_frame_pointer;   /* load only the baseline */
	uint32_t process_capacity; /* processes at a time; default 64 */
	uint32_t mapping_capacity; /* of all processes, old and new lists; default 32,768 */
	uint32_t page_capacity;	   /* of tables; default BPF_SESSION_PAGES, and so on */
	uint32_t entry_capacity;   /* of tables */
	uint32_t shape_capacity;   /* rows of shapes */
	uint32_t rule_capacity;	   /* rules */
	uint32_t place_capacity;   /* places of extended rules */
	uint32_t stack_capacity;   /* different counted stacks at a time; default 65,536 */
};

struct bpf_session;
struct perf_event_attr;

/*
 * Loads the programs. *ret: bpf_session_close(). ERROR_UNAVAILABLE: no privilege, no BPF
 * or no BTF, the message says which; the caller reports a skip.
 */
int bpf_session_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error);
void bpf_session_close(struct bpf_session *session);
/* "bpf_loop" or "tail_calls". */
const char *bpf_session_method_name(const struct bpf_session *session);
bool bpf_session_counts_stacks(const struct bpf_session *session);

/*
 * Replaces the walk's mappings of space->pid by those of space, and adds the tables of new images. All spaces
 * must come from the same image store. ERROR_TABLE_LIMIT: a capacity is full; ERROR_UNAVAILABLE: more
 * mappings than any process can have here. The walk then keeps the old mappings.
 */
int bpf_session_set_process(struct bpf_session *session, const struct address_space *space,
			    struct error *error);
/* The walk_record.generation of the process's current mappings. 0: it has none. */
uint32_t bpf_session_generation(const struct bpf_session *session, pid_t pid);
void bpf_session_forget_process(struct bpf_session *session, pid_t pid);

/* Walks a thread of a known process at each SIGTRAP. */
int bpf_session_attach_steps(struct bpf_session *session, struct error *error);
/* Walks frequency_hz times per second of CPU time: a thread (tid), or whatever runs on a CPU (tid -1). */
int bpf_session_attach_samples(struct bpf_session *session, pid_t tid, int cpu,
			       unsigned int frequency_hz, struct error *error);
/* The event of that clock. */
struct perf_event_attr bpf_session_clock(pid_t tid, unsigned int frequency_hz);
/* The same by any perf event. attr: as for perf_event_open(2). */
int bpf_session_attach_event(struct bpf_session *session, struct perf_event_attr *attr, pid_t tid,
			     int cpu, struct error *error);
/* Walks a process (pid), or any known one (pid -1), before the instruction at an offset of the file at path; or, if that is
 * a function's first, where the function has returned to. The options' entries must have 1 << WALK_ENTRY_UPROBE. Not for
 * the baseline. */
int bpf_session_attach_uprobe(struct bpf_session *session, pid_t pid, const char *path,
			      uint64_t offset, bool returns, struct error *error);
/* Walks a known process when a raw tracepoint ("sched_switch") fires in its context. The options' entries must have
 * 1 << WALK_ENTRY_TRACEPOINT. Not for the baseline. */
int bpf_session_attach_tracepoint(struct bpf_session *session, const char *name,
				  struct error *error);
/*
 * Walks a thread when it leaves its CPU, unless it has ended. Its stack is counted when it is back, once, with the time
 * in between: walk_stack_count.off_ns. The options must have off_cpu.
 */
int bpf_session_attach_off_cpu(struct bpf_session *session, struct error *error);
/*
 * Walks the calling thread once, as if regs were its user registers; the caller provides the stack at their
 * rsp. The record's entry is WALK_ENTRY_REPLAY, and the options' entries must have 1 << WALK_ENTRY_REPLAY.
 * ERROR_UNAVAILABLE: the kernel has no BPF_PROG_TEST_RUN for raw tracepoints (before Linux 5.10).
 */
int bpf_session_replay(struct bpf_session *session, const struct register_values *regs,
		       struct error *error);
void bpf_session_detach(struct bpf_session *session);

/*
 * Is given each stack. If stacks are counted, these are the different ones, each once or a few times, and
 * bpf_session_take_counts() is to be used instead. frame_pointer: the stack is the baseline's.
 */
typedef void (*bpf_record_fn)(void *context, const struct walk_record *record, bool frame_pointer);
/* Gives fn all records that there are, without waiting. */
int bpf_session_consume(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error);
/* The ring buffer of the walk's records, a map; the session's. *ret_bytes: how many it holds. -1: there is no walk. */
int bpf_session_records(const struct bpf_session *session, size_t *ret_bytes);
/* A descriptor for poll(2), the session's, which is readable while there are records. -1: the session does not have
 * the option wake_up. */
int bpf_session_fd(const struct bpf_session *session);
/* met: how often, and when it was the last time, on the clock of record->time. */
typedef void (*bpf_count_fn)(void *context, const struct walk_record *record,
			     const struct walk_stack_count *met);
/*
 * If stacks are counted: gives fn each different stack since the last call, and how often it was met. The walk
 * may go on meanwhile. *ret_unsent: how many stacks were met whose record found no room in the ring buffer. After
 * bpf_session_detach() the sum of all counts and all *ret_unsent is walk_counters.stacks.
 */
int bpf_session_take_counts(struct bpf_session *session, bpf_count_fn fn, void *context,
			    uint64_t *ret_unsent, struct error *error);
/* Keeps the records that there are for bpf_session_take_counts(), so that the ring buffer does not run full. Does nothing
 * if stacks are not counted. */
int bpf_session_keep_records(struct bpf_session *session, struct error *error);
/* From now on fn is given each record that is kept, when it is. */
void bpf_session_note_records(struct bpf_session *session, bpf_record_fn fn, void *context);
/* Gives fn each thread that is off its CPU now, if stacks are counted when threads are back: stack_counts_look_off(),
 * which is to be called before each bpf_session_take_counts(). Else there is none. */
typedef void (*bpf_off_fn)(void *context, const struct walk_record *record,
			   const struct walk_off_thread *thread);
int bpf_session_look_off(struct bpf_session *session, bpf_off_fn fn, void *context,
			 uint64_t *ret_unsent, struct error *error);
/* The walk's maps. False: there is no walk. */
bool bpf_session_note_maps(const struct bpf_session *session, struct task_notes_maps *ret);
/* The counters, summed over all entries and CPUs. frame_pointer: of the baseline. */
int bpf_session_counters(const struct bpf_session *session, bool frame_pointer,
			 struct walk_counters *ret, struct error *error);
/*
 * How many nanoseconds the program of WALK_ENTRY_SAMPLE or WALK_ENTRY_STEP has run since it was loaded, and how
 * often. It also runs for unknown processes, where it returns at once. Counted only while the caller holds a file
 * descriptor of bpf_enable_stats(BPF_STATS_RUN_TIME) (Linux 5.8).
 */
int bpf_session_run_time(const struct bpf_session *session, enum walk_entry entry,
			 bool frame_pointer, uint64_t *ret_ns, uint64_t *ret_runs,
			 struct error *error);

#endif

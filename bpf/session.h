/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * session.h - the BPF walk, from user space
 *
 *	bpf_session_open()		load the programs the kernel can run
 *	bpf_session_set_process()	give it a process's mappings and the tables behind them
 *	bpf_session_attach_steps()	walk at every single-step stop; or
 *	bpf_session_attach_samples()	walk at every tick of a clock; or
 *	bpf_session_attach_uprobe()	walk at an instruction; or
 *	bpf_session_attach_tracepoint()	walk at an event of the kernel; or
 *	bpf_session_replay()		walk now, by registers that are given
 *	bpf_session_consume()		take the stacks; or
 *	bpf_session_take_counts()	take each different stack once, with how often it was met
 *
 * Features are probed, versions are never compared. Not thread-safe: one thread per session.
 */
#ifndef STACKPROOF_SESSION_H
#define STACKPROOF_SESSION_H

#include "cfi/expression.h"
#include "walk/address_space.h"
#include "walk.h"

/* How the walk goes from frame to frame. */
enum walk_method {
	WALK_METHOD_PROBE, /* the loop if the kernel has bpf_loop, else the chain */
	WALK_METHOD_LOOP,  /* bpf_loop */
	WALK_METHOD_CHAIN, /* tail calls */
};

/* What there is room for, of all images together, where the options don't say. */
#define BPF_SESSION_PAGES   (1u << 18) /* an eighth of entries */
#define BPF_SESSION_ENTRIES (1u << 21)
#define BPF_SESSION_SHAPES  (1u << 20)
#define BPF_SESSION_RULES   (1u << 16)
#define BPF_SESSION_PLACES  (1u << 14)

/* Zeros are the defaults. */
struct bpf_session_options {
	enum walk_method method;
	/* Bits 1 << enum walk_entry: those that may be attached or called, since they are loaded
	 * now. 0: steps and samples. Attaching another one is ERROR_UNAVAILABLE. */
	uint32_t entries;
	bool count_stacks;	    /* equal stacks are counted in the kernel */
	bool follow_frame_pointers; /* where there is no CFI; WALK_PC_GUESSED marks such frames */
	bool no_memo;		    /* every PC is looked up; to measure that */
	bool wake_up;		    /* bpf_session_fd() wakes who waits for it */
	bool frame_pointer;	    /* load the baseline too */
	bool only_frame_pointer;    /* load nothing else */
	uint32_t process_capacity;  /* processes at a time; 64 */
	uint32_t mapping_capacity;  /* executable mappings of all of them, twice; 32,768 */
	uint32_t page_capacity;	    /* pages; BPF_SESSION_PAGES, ... */
	uint32_t entry_capacity;    /* entries */
	uint32_t shape_capacity;    /* rows of shapes */
	uint32_t rule_capacity;	    /* rules */
	uint32_t place_capacity;    /* places of extended rules */
	uint32_t stack_capacity;    /* different stacks at a time, if they are counted; 65,536 */
};

struct bpf_session;
struct perf_event_attr;

/*
 * Loads. ERROR_UNAVAILABLE: this machine may not or can not (no privilege, no BPF, no BTF), the
 * message says which; the caller reports a skip. *ret: bpf_session_close().
 */
int bpf_session_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error);
void bpf_session_close(struct bpf_session *session);
/* "bpf_loop" or "tail_calls". */
const char *bpf_session_method_name(const struct bpf_session *session);

/*
 * Gives the walk the process's mappings as they are now, with the tables of images it has not met.
 * The space must come from the same image store each time. ERROR_TABLE_LIMIT: a capacity is full;
 * the process then keeps the mappings it had.
 */
int bpf_session_set_process(struct bpf_session *session, const struct address_space *space,
			    struct error *error);
/* What records call the mappings that the process has now, walk_record.generation. 0: it has
 * none. */
uint32_t bpf_session_generation(const struct bpf_session *session, pid_t pid);
void bpf_session_forget_process(struct bpf_session *session, pid_t pid);

/* Walks each thread of a known process at its SIGTRAPs. */
int bpf_session_attach_steps(struct bpf_session *session, struct error *error);
/* Walks a thread (tid) or a CPU (tid -1) at frequency_hz of CPU time. */
int bpf_session_attach_samples(struct bpf_session *session, pid_t tid, int cpu,
			       unsigned int frequency_hz, struct error *error);
/* The same by any perf event, hardware clocks among them: attr as for perf_event_open(2). */
int bpf_session_attach_event(struct bpf_session *session, struct perf_event_attr *attr, pid_t tid,
			     int cpu, struct error *error);
/* Walks a process (pid) or whichever (pid -1) when it comes to the instruction at a file offset
 * of an image. Without the baseline. Options' entries: 1 << WALK_ENTRY_UPROBE. */
int bpf_session_attach_uprobe(struct bpf_session *session, pid_t pid, const char *path,
			      uint64_t offset, struct error *error);
/* Walks each known process when a raw tracepoint fires in its context ("sched_switch"). Without the
 * baseline. Options' entries: 1 << WALK_ENTRY_TRACEPOINT. */
int bpf_session_attach_tracepoint(struct bpf_session *session, const char *name,
				  struct error *error);
/*
 * Walks the calling thread once, as if its user registers were these: what is at their stack
 * pointer is the caller's to put there. The record says WALK_ENTRY_REPLAY. Options' entries: 1 <<
 * WALK_ENTRY_REPLAY. ERROR_UNAVAILABLE: the kernel does not run raw tracepoints for a test (before
 * Linux 5.10).
 */
int bpf_session_replay(struct bpf_session *session, const struct register_values *regs,
		       struct error *error);
void bpf_session_detach(struct bpf_session *session);

/*
 * Called with each stack. If stacks are counted, that is each different one, once or a little more
 * often, and bpf_session_take_counts() is what to call instead. frame_pointer tells the baseline's
 * from the walk's.
 */
typedef void (*bpf_record_fn)(void *context, const struct walk_record *record, bool frame_pointer);
/* Gives every record that is there, without waiting. */
int bpf_session_consume(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error);
/* A descriptor for poll(2), the session's own, that is readable while records are there. -1: the
 * session has not the option wake_up. */
int bpf_session_fd(const struct bpf_session *session);
typedef void (*bpf_count_fn)(void *context, const struct walk_record *record, uint64_t count);
/*
 * If stacks are counted: gives each different one since the last time, with how often it was met,
 * while the walk goes on. *ret_unsent: how many were met whose frames never got through, for want
 * of room in the ring buffer. So walk_counters.stacks is the sum of all counts and all unsent ones,
 * once nothing is attached any more.
 */
int bpf_session_take_counts(struct bpf_session *session, bpf_count_fn fn, void *context,
			    uint64_t *ret_unsent, struct error *error);
/* Sums over CPUs. */
int bpf_session_counters(const struct bpf_session *session, bool frame_pointer,
			 struct walk_counters *ret, struct error *error);
/*
 * Nanoseconds in the program of WALK_ENTRY_SAMPLE or WALK_ENTRY_STEP and how often it ran, over the
 * program's life. It runs for strangers, too, and leaves at once. Counted only while the caller
 * holds a file descriptor of bpf_enable_stats(BPF_STATS_RUN_TIME) (Linux 5.8).
 */
int bpf_session_run_time(const struct bpf_session *session, enum walk_entry entry,
			 bool frame_pointer, uint64_t *ret_ns, uint64_t *ret_runs,
			 struct error *error);

#endif

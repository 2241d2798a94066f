/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk.h - the records and limits that walk.bpf.c, frame_pointer.bpf.c and session.c share
 */
#ifndef STACKPROOF_WALK_H
#define STACKPROOF_WALK_H

#include "table/table_abi.h"

/*
 * The tables of all images are in five BPF arrays (placement.c), whose elements are numbered from 0 on. A
 * place is an array value of its own. Other elements are in chunks, which are so large that most images need
 * one of each kind (find_rule.h, struct walk_chunks). A chunk has all that a look-up needs from its kind:
 *
 *	pages	 a chunk begins with a copy of the page before its first, and ends with one of the page
 *		 behind its last
 *	entries	 a chunk begins with a copy of the entry before its first; a page's entries are never in two
 *		 chunks: instead, the last entry is repeated until the chunk is full
 *	shapes	 a chunk ends with copies of the next chunk's first rows
 *	rules	 no copies
 */
#ifndef WALK_PAGE_SHIFT /* tests use smaller chunks */
#define WALK_PAGE_SHIFT	 16
#define WALK_ENTRY_SHIFT 19
#define WALK_SHAPE_SHIFT 16
#define WALK_RULE_SHIFT	 12
#endif
#define WALK_CHUNK_PAGES   (1u << WALK_PAGE_SHIFT)
#define WALK_CHUNK_ENTRIES (1u << WALK_ENTRY_SHIFT)
#define WALK_ENTRY_ROOM	   4	/* find_rule.h reads so many entries beyond a chunk's own */
#define WALK_ENTRY_SLACK   8192 /* and so many as far as the verifier can tell */
#define WALK_CHUNK_ROWS	   (1u << WALK_SHAPE_SHIFT)
#define WALK_SHAPE_OVERLAP 16 /* at least TABLE_SHAPE_ROWS - 1, and a multiple of 8 bytes */
#define WALK_CHUNK_RULES   (1u << WALK_RULE_SHIFT)

/* Mappings are in chunks, too; those of one process are consecutive, in one chunk. */
#define WALK_MAPPING_SHIFT  13
#define WALK_CHUNK_MAPPINGS (1u << WALK_MAPPING_SHIFT)

/* The frames that each program of the tail-call chain walks. 33 tail calls in a row are allowed since Linux 3.19
 * (MAX_TAIL_CALL_CNT); WALK_FRAMES_MAX needs 32. */
#define WALK_TAIL_FRAMES 33

/* Page n of the chunk is at page[n + 1], and entry n at entry[n + 1] below. */
struct walk_page_chunk {
	__u32 page[WALK_CHUNK_PAGES + 2];
};

struct walk_entry_chunk {
	__u32 entry[WALK_CHUNK_ENTRIES + WALK_ENTRY_SLACK];
};

struct walk_shape_chunk {
	__u16 row[WALK_CHUNK_ROWS + WALK_SHAPE_OVERLAP];
};

struct walk_rule_chunk {
	struct table_rule rule[WALK_CHUNK_RULES];
};

struct walk_mapping_chunk {
	struct walk_mapping mapping[WALK_CHUNK_MAPPINGS];
};

/* The kernel rounds the size of values up to 8 bytes: here it must not change. */
_Static_assert(sizeof(struct walk_page_chunk) % 8 == 0 &&
		       sizeof(struct walk_entry_chunk) % 8 == 0 &&
		       sizeof(struct walk_shape_chunk) % 8 == 0,
	       "chunks are multiples of 8 bytes");

/* A process's mappings at some time. */
struct walk_space {
	__u32 first, count; /* number of its first mapping, and how many */
	__u32 generation;   /* unique in the session; from 1 on */
	__u32 zero;
};

/* The kind of event that started a walk. */
enum walk_entry {
	WALK_ENTRY_STEP,       /* raw tracepoint signal_generate, SIGTRAP of a single step */
	WALK_ENTRY_SAMPLE,     /* perf_event */
	WALK_ENTRY_UPROBE,     /* uprobe, at an instruction */
	WALK_ENTRY_TRACEPOINT, /* any raw tracepoint, in the thread's context */
	WALK_ENTRY_REPLAY,     /* bpf_session_replay() */
	WALK_ENTRY_COUNT,
};

/* Where the thread was. */
enum walk_mode {
	WALK_MODE_USER,
	WALK_MODE_KERNEL,	 /* in a system call, an exception or an interrupt */
	WALK_MODE_KERNEL_THREAD, /* a thread of the kernel's own: no user stack, stop is STOP_NONE */
	WALK_MODE_ENDING,	 /* the process has no memory any more: the same */
	WALK_MODE_COUNT,
};

/* Why a thread leaves its CPU, where stacks are taken for that (walk_off.bpf.h). An entry gives it with the mode. */
enum walk_off {
	WALK_OFF_NONE,
	WALK_OFF_BLOCKED,   /* it waits for something */
	WALK_OFF_PREEMPTED, /* it would go on */
	WALK_OFF_COUNT,
};

#define WALK_OFF_SHIFT 8
#define WALK_MODE_MASK ((1u << WALK_OFF_SHIFT) - 1)

#define WALK_KERNEL_FRAMES_MAX 127 /* kernel.perf_event_max_stack, unless somebody has changed it */
#define WALK_NAME_BYTES	       16  /* TASK_COMM_LEN */

/* A stack, as the ring buffer has it. Of pc[] only count + kernel_count elements are sent. */
struct walk_record {
	__u32 entry; /* enum walk_entry */
	__u32 stop;  /* enum stop_reason */
	__u32 pid;   /* tgid in the session's PID name space */
	__u32 tid;
	__u64 sp;	/* the thread's rsp when the walk began */
	__u64 sequence; /* of walks, per entry and CPU */
	__u64 time;	/* when the walk began: CLOCK_MONOTONIC, nanoseconds */
	__u32 count;
	__u32 generation; /* of the mappings that the walk used */
	__u32 cpu;	  /* the CPU that the thread was on */
	__u32 mode;	  /* enum walk_mode */
	__u64 hash
		[2]; /* of the thread, entry, generation, mode, frames and stop, if stacks are counted */
	/* The rest is described by the session's options: 0 and "" without them, and at a step or a replay. */
	__u64 cgroup; /* the thread's cgroup v2: the inode number of its folder */
	char thread_name[WALK_NAME_BYTES], process_name[WALK_NAME_BYTES];
	__u32 kernel_count; /* PCs of the kernel's stack, which follow the user's in pc[] */
	__u32 off;	    /* enum walk_off */
	__u64 pc[WALK_FRAMES_MAX + WALK_KERNEL_FRAMES_MAX];
};

#ifndef __bpf__
/* The bytes that are sent of a record. */
static inline unsigned long walk_record_bytes(const struct walk_record *record)
{
	unsigned long user = record->count, kernel = record->kernel_count;

	if (user > WALK_FRAMES_MAX)
		user = WALK_FRAMES_MAX;
	if (kernel > WALK_KERNEL_FRAMES_MAX)
		kernel = WALK_KERNEL_FRAMES_MAX;
	return __builtin_offsetof(struct walk_record, pc) + (user + kernel) * sizeof(__u64);
}
#endif

/* A stack that is counted in the kernel is known by its hash. */
struct walk_stack_key {
	__u64 hash[2];
};

struct walk_stack_count {
	__u64 count; /* how often it was met */
	__u64 last;  /* when, the last time: as walk_record.time */
	__u32 sent;  /* 1: its record was sent */
	__u32 zero;
	__u64 off_ns; /* how long its threads were off their CPUs, of those that are counted */
};

/* A thread that is off its CPU: its stack is counted when it is back. */
struct walk_off_thread {
	struct walk_stack_key key;
	__u64 since;  /* CLOCK_MONOTONIC, nanoseconds; 0: it is back */
	__u64 walked; /* walk_record.time */
	__u32 sent;   /* walk_stack_count.sent */
	__u32 zero;
};

/* Counters per entry and CPU; session.c adds them up. samples = stacks + walk_losses(); and where a stack is counted
 * when its thread is back on a CPU, + the threads that are not. */
struct walk_counters {
	__u64 samples; /* events in a known process; in the kernel without those that did not get
			    * the scratch */
	__u64 unknown; /* events in other processes: not in samples, unless every tick is wanted */
	__u64 kernel_threads; /* events in threads of the kernel's own: the same */
	__u64 idle;	      /* events in a CPU's idle thread: not in samples */
	__u64 ending;	      /* events in a process that has no memory any more: the same */
	__u64 stacks;	      /* records sent, or stacks counted */
	__u64 frames;	      /* in these stacks */
	__u64 lost_busy;      /* the CPU's scratch was in use: a walk interrupted another one */
	__u64 lost_space;     /* the ring buffer was full */
	__u64 lost_regs;      /* the user registers could not be read */
	__u64 lost_full;      /* no room to count another stack */
	__u64 lost_count;     /* another CPU held the lock of the stack's bucket */
	__u64 tail_failed;    /* a tail call failed: the walk ended with STOP_DEPTH */
	__u64 window_reads, single_reads; /* reads of the stack */
	__u64 lookups;			  /* PCs that were not in the memo */
	__u64 guesses;			  /* frames found by the frame pointer */
	__u64 lost_return;		  /* times off a CPU of which the end was not seen */
	__u64 off_short;    /* times off a CPU that were too short to be counted: in samples */
	__u64 off_short_ns; /* their sum */
	__u64 stop[STOP_REASON_COUNT];
};

/* The samples that became no stack. */
static inline __u64 walk_losses(const struct walk_counters *counters)
{
	return counters->lost_busy + counters->lost_space + counters->lost_regs +
	       counters->lost_full + counters->lost_count + counters->lost_return +
	       counters->off_short;
}

#define WALK_WINDOW_BYTES 2048

/* A frame whose step_registers() is deferred. */
struct walk_deferred {
	__u64 cfa;
	__u64 codes;
};

/*
 * A cache of rules by PC: samples of a program have the same return addresses again and again. A generation
 * belongs to one list of mappings of one process, and is never reused; while a walk can use it, the tables of
 * its images stay where they are. So a cached rule with the walk's generation is the table's. There is a memo
 * for each kind of event and CPU, so nothing else writes to it during a walk.
 */
#define RULE_MEMO_SHIFT 10

struct rule_memo_entry {
	__u64 pc;
	__u32 generation; /* 0: not usable */
	__u32 number;	  /* of the rule in the array */
	struct table_rule rule;
};

struct rule_memo {
	struct rule_memo_entry entry[1 << RULE_MEMO_SHIFT];
};

static inline __u32 rule_memo_slot(__u64 pc)
{
	return pc * 0x9e3779b97f4a7c15ull >> (64 - RULE_MEMO_SHIFT);
}

/* The state of a walk. It is too large for the BPF stack, where the verifier would track every word, too. */
struct walk_scratch {
	__u32 busy;    /* how many have entered and not left; who finds 1 may use the scratch */
	__u32 mapping; /* number in its chunk of the last PC's mapping */
	__u32 applied; /* how many frames' registers are in state: see deferred */
	__u32 guesses; /* frames found by the frame pointer */
	__u64 guessed; /* WALK_PC_GUESSED if the next PC was guessed, else 0 */
	struct walk_space space; /* a copy of the process's space */
	__u64 window_address;	 /* of window[]; 0: empty */
	__u64 window[WALK_WINDOW_BYTES / 8];
	struct walk_state state;
	struct walk_record record;
	/* By frame. Those from applied on have not been applied to state yet. */
	struct walk_deferred deferred[WALK_FRAMES_MAX];
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk.h - the records and limits that walk.bpf.c, frame_pointer.bpf.c and session.c share
 */
#ifndef STACKPROOF_WALK_H
#define STACKPROOF_WALK_H

#include "table/table_abi.h"

/*
 * The tables of all images lie one after the other in five BPF arrays (placement.c), each numbered
 * through. Places are array values of their own; the rest lies in chunks, so large that most images
 * lie in one of each kind (find_rule.h, struct walk_chunks), and what one look-up needs together is
 * in one value:
 *
 *	pages	 a chunk repeats the number before its first and the one behind its last
 *	entries	 a chunk begins with a copy of the entry before its first, and no page's entries
 *		 straddle two: the last entry is repeated until the chunk is full
 *	shapes	 a chunk ends with copies of the next one's first rows
 *	rules	 nothing more
 */
#ifndef WALK_PAGE_SHIFT /* tests take smaller ones, to see chunks end */
#define WALK_PAGE_SHIFT	 16
#define WALK_ENTRY_SHIFT 19
#define WALK_SHAPE_SHIFT 16
#define WALK_RULE_SHIFT	 12
#endif
#define WALK_CHUNK_PAGES   (1u << WALK_PAGE_SHIFT)
#define WALK_CHUNK_ENTRIES (1u << WALK_ENTRY_SHIFT)
#define WALK_ENTRY_ROOM	   4	/* more in a chunk than its entries: find_rule.h reads that far */
#define WALK_ENTRY_SLACK   8192 /* and that far for all that the verifier knows */
#define WALK_CHUNK_ROWS	   (1u << WALK_SHAPE_SHIFT)
#define WALK_SHAPE_OVERLAP 16 /* at least TABLE_SHAPE_ROWS - 1, and a multiple of 8 bytes */
#define WALK_CHUNK_RULES   (1u << WALK_RULE_SHIFT)

/* Executable mappings of all processes lie in chunks, too; those of one process side by side. */
#define WALK_MAPPING_SHIFT  13
#define WALK_CHUNK_MAPPINGS (1u << WALK_MAPPING_SHIFT)

/* Frames that one program of the tail-call chain walks; 33 in a row are allowed since Linux 3.19
 * (MAX_TAIL_CALL_CNT), 32 are needed for WALK_FRAMES_MAX. */
#define WALK_TAIL_FRAMES 33

/* Number n of a chunk is at [n + 1]. */
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

/* The kernel rounds values up to 8 bytes, and the next one would lie elsewhere. */
_Static_assert(sizeof(struct walk_page_chunk) % 8 == 0 &&
		       sizeof(struct walk_entry_chunk) % 8 == 0 &&
		       sizeof(struct walk_shape_chunk) % 8 == 0,
	       "chunks are multiples of 8 bytes");

/* A process's mappings, at some time. */
struct walk_space {
	__u32 first, count; /* numbers of mappings */
	__u32 generation;   /* no two have the same; from 1 on */
	__u32 zero;
};

/* Who asked for the walk. */
enum walk_entry {
	WALK_ENTRY_STEP,       /* signal_generate, in a thread that trapped */
	WALK_ENTRY_SAMPLE,     /* perf_event */
	WALK_ENTRY_UPROBE,     /* an instruction */
	WALK_ENTRY_TRACEPOINT, /* any raw tracepoint that fires in the thread's context */
	WALK_ENTRY_REPLAY,     /* bpf_session_replay() */
	WALK_ENTRY_COUNT,
};

/* One stack, through the ring buffer. Only pc[0 .. count) is sent. */
struct walk_record {
	__u32 entry; /* enum walk_entry */
	__u32 stop;  /* enum stop_reason */
	__u32 pid;   /* tgid in the session's PID name space */
	__u32 tid;
	__u64 sp; /* the thread's registers at the stop: which stop this is */
	__u64 sequence;
	__u64 time; /* CLOCK_MONOTONIC, in nanoseconds, when the walk began */
	__u32 count;
	__u32 generation; /* of the mappings that the walk went by */
	__u32 cpu;	  /* that the thread was on */
	__u32 zero;
	__u64 hash[2]; /* of pid, generation, stop and frames, if stacks are counted */
	__u64 pc[WALK_FRAMES_MAX];
};

/* A stack that is counted in the kernel: its hash, and how often it was met. */
struct walk_stack_key {
	__u64 hash[2];
};

struct walk_stack_count {
	__u64 count;
	__u32 sent; /* its record was */
	__u32 zero;
};

/* Samples in = stacks out + the losses named here. Per entry and CPU; summed by session.c. */
struct walk_counters {
	__u64 samples;	   /* entries that concerned a registered process; in the kernel: of these
			    * the ones that got the scratch */
	__u64 unknown;	   /* entries in another one, that is no kernel thread: not in samples */
	__u64 ending;	   /* entries in one whose memory is gone, for it ends: not in samples */
	__u64 stacks;	   /* records sent, or stacks counted */
	__u64 frames;	   /* in them */
	__u64 lost_busy;   /* the CPU's scratch was in use: an entry interrupted another */
	__u64 lost_space;  /* the ring buffer was full */
	__u64 lost_regs;   /* the user registers could not be read */
	__u64 lost_full;   /* stacks are counted, and there was no room for one more */
	__u64 lost_count;  /* the same, but another CPU held the lock on its place */
	__u64 tail_failed; /* a tail call failed: the walk ended there, as STOP_DEPTH */
	__u64 window_reads, single_reads; /* of the stack */
	__u64 lookups;			  /* PCs whose rule was not in the memo */
	__u64 guesses;			  /* frames found by the frame pointer */
	__u64 stop[STOP_REASON_COUNT];
};

/* samples = stacks + these. */
static inline __u64 walk_losses(const struct walk_counters *counters)
{
	return counters->lost_busy + counters->lost_space + counters->lost_regs +
	       counters->lost_full + counters->lost_count;
}

#define WALK_WINDOW_BYTES 2048

/* A frame whose rule has been applied but for step_registers(). */
struct walk_deferred {
	__u64 cfa;
	__u64 codes;
};

/*
 * What the table says of a PC, as it was found there before: samples of a program come by the same
 * return addresses again and again. A generation is of one process and one time, and never comes
 * back; while a space has it, its images' tables stay where they are. So an entry is the table's
 * own word, or it is of another generation. One for each entry and CPU: nobody else writes to it
 * meanwhile.
 */
#define RULE_MEMO_SHIFT 10

struct rule_memo_entry {
	__u64 pc;
	__u32 generation; /* 0: none */
	__u32 number;	  /* of the rule, in the array */
	struct table_rule rule;
};

struct rule_memo {
	struct rule_memo_entry entry[1 << RULE_MEMO_SHIFT];
};

static inline __u32 rule_memo_slot(__u64 pc)
{
	return pc * 0x9e3779b97f4a7c15ull >> (64 - RULE_MEMO_SHIFT);
}

/* A walk under way. Too large for the BPF stack, and there the verifier would track every word. */
struct walk_scratch {
	__u32 busy;    /* who has entered and not left: the scratch is the one's who found 1 */
	__u32 mapping; /* number of the mapping of the last PC */
	__u32 applied; /* frames whose registers are all in the state */
	__u32 guesses; /* frames found by the frame pointer */
	__u64 guessed; /* WALK_PC_GUESSED, if the next PC is */
	struct walk_space space; /* a copy */
	__u64 window_address;	 /* of window[]; 0: empty */
	__u64 window[WALK_WINDOW_BYTES / 8];
	struct walk_state state;
	struct walk_record record;
	/* By frame. Those from applied on are still owed to the state. */
	struct walk_deferred deferred[WALK_FRAMES_MAX];
};

#endif

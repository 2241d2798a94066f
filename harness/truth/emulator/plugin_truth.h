/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_truth.h - a watched process's stacks as a truth file
 */
#ifndef STACKPROOF_PLUGIN_TRUTH_H
#define STACKPROOF_PLUGIN_TRUTH_H

#include "number_map.h"
#include "plugin_code.h"
#include "truth/contexts/contexts.h"
#include "truth/contexts/entry_write.h"
#include "truth/steps/steps.h"

/* How often a thread was at a node, on one of its stacks, since that began, or since it was contradicted. */
struct pending_point {
	uint32_t node;
	uint64_t stack; /* the shadow stack's number */
	uint64_t points, in_kernel;
};

/* Of a thread: the way to its last stack, and what is not counted yet. */
struct thread_truth {
	uint64_t stack; /* the shadow stack's number */
	uint64_t *address;
	uint32_t *node;
	size_t depth, address_room, node_room;
	uint64_t epoch; /* the stack's, and its frames, when it was last looked for doubts: */
	size_t frames;
	size_t doubtful; /* stacks of more frames are in doubt; SIZE_MAX: none is */
	struct pending_point *pending;
	uint32_t pendings;
	struct number_map map;
};

struct process_truth {
	bool begun;
	struct context_tree tree;
	struct code_map code;
	uint64_t untold; /* of unproven: in code of no mapping that was told of */
	uint64_t points, proven, unproven, open, system_calls, contradictions, max_frames, execs;
	char *program;	 /* that was executed last */
	char **argument; /* of the first */
	size_t arguments;
	struct entry_writer
		*entries; /* at=entries: they are written as they come; NULL: none was yet */
};

/* After frames went at once: stacks of more frames are in doubt, for a return address is not in its slot; SIZE_MAX: none. */
size_t truth_doubtful_depth(const struct stepped_process *process,
			    const struct shadow_stack *shadow);
/* The thread is before its next instruction. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT. */
int truth_point(struct process_truth *truth, struct thread_truth *thread,
		const struct stepped_process *process, const struct stepped_thread *steps,
		struct error *error);
/*
 * The thread enters the kernel with pc, and has done so since its last entry anything. ret's node, stack and doubt are
 * filled in. unread: its memory is gone. -1: as above.
 */
int truth_entry(struct process_truth *truth, struct thread_truth *thread,
		const struct stepped_process *process, const struct stepped_thread *steps,
		uint64_t pc, bool unread, struct context_entry *ret, struct error *error);
/* What was counted of the thread so far on a stack is contradicted: a return went elsewhere, from one shadow stack to
 * another, or to the same. */
void truth_contradict(struct process_truth *truth, struct thread_truth *thread, uint64_t from,
		      uint64_t to);
/* The thread has ended: what is not contradicted is proven. */
void truth_thread_end(struct process_truth *truth, struct thread_truth *thread);
/* Counts what the thread was seen at so far as proven, if it ended now; sign -1: takes that back. */
void truth_thread_presume(struct process_truth *truth, const struct thread_truth *thread, int sign);
/* Writes the file. partial: why it is not whole, or NULL. */
int truth_write(const struct process_truth *truth, const char *path, const char *release,
		size_t threads, const char *partial, struct error *error);
/* The header's fields of a file of entries: those that are known from the beginning, and those of its end. */
void truth_entries_begin(const struct process_truth *truth, pid_t pid, const char *release);
void truth_entries_end(const struct process_truth *truth, size_t threads);
void truth_deinit(struct process_truth *truth);

#endif

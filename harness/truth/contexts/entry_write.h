/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * entry_write.h - a file of kernel entries, which grows while the program runs
 *
 * docs/TRUTH_FILE.md, "Kernel entries", has the format. What was written is never changed: each node comes before the
 * first entry that has it, and what turns out to be doubtful is withdrawn by a later item. So the file can be read at
 * any time, up to its last checkpoint.
 */
#ifndef STACKPROOF_ENTRY_WRITE_H
#define STACKPROOF_ENTRY_WRITE_H

#include "contexts.h"

/* A thread entered the kernel. */
struct context_entry {
	pid_t tid;
	uint64_t
		stack; /* the number of the stack that it was on; of stacks entries are withdrawn */
	uint64_t time_ns; /* in the clock of perf's events; 0: it is not known */
	uint64_t pc;
	uint32_t node;
	unsigned int flags; /* enum truth_entry_flag */
};

struct entry_writer;
/* Makes a file. -1: it can't be written. *ret: entry_writer_close(). */
int entry_writer_open(const char *path, struct entry_writer **ret, struct error *error);
/* A field of the header: a number if text is NULL. A later one takes the place of one of the same name, but for
 * arguments. */
void entry_write_field(struct entry_writer *writer, const char *name, const char *text,
		       uint64_t number);
/* One entry, and what is new in the tree. */
void entry_write(struct entry_writer *writer, const struct context_tree *tree,
		 const struct context_entry *entry);
/* The thread's entries so far on these two stacks are in doubt. */
void entry_withdraw(struct entry_writer *writer, pid_t tid, uint64_t from, uint64_t to);
/* What is held back comes into the file, and can be read. */
void entry_checkpoint(struct entry_writer *writer);
/* Ends the file; without whole it stays one whose run did not come to its end. -1: not all could be written. */
int entry_writer_close(struct entry_writer *writer, bool whole, struct error *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face.h - what is behind the opaque types of stackproof.h, for face_*.c only
 *
 * The face is what other programs link (libstackproof(3)): a thin layer over unwinder/ and bpf/,
 * which stay free to change. The harness doesn't use it.
 */
#ifndef STACKPROOF_FACE_H
#define STACKPROOF_FACE_H

#include "process_events.h"
#include "truth_file/truth_file.h"
/* The shared object's other functions are hidden. */
#pragma GCC visibility push(default)
#include "stackproof.h"
#pragma GCC visibility pop

struct stackproof_images {
	struct image_store *store;
};

struct stackproof_image {
	struct image_entry *entry; /* held */
};

struct stackproof_space {
	const struct address_space *space; /* own, or one that is borrowed */
	struct address_space own;
};

struct stackproof_truth {
	struct truth_file *file;
};

struct stackproof_session {
	struct bpf_session *session;
	pid_t owner;  /* who opened it */
	bool samples; /* it has that entry */
	/* Of the stack that is given: its PCs without marks. */
	uint64_t pc[WALK_FRAMES_MAX];
	uint8_t guessed[WALK_FRAMES_MAX];
};

/* Each returns -1; ret may be NULL. */
int face_fail(struct stackproof_error *ret, const struct error *error);
int face_fail_argument(struct stackproof_error *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int face_fail_memory(struct stackproof_error *ret);
void face_error(const struct error *error, struct stackproof_error *ret);

/* Rings and attachments are of the process that opened them; in its child of fork(2) there is no
 * memory where they were, and who closes one there ends it for both. -1: this is another one. */
int face_check_owner(pid_t owner, struct stackproof_error *error);

/* Options: given (its first member is its size, NULL: the defaults) to known, which has known_size
 * bytes. */
int face_take(void *known, size_t known_size, const void *given, struct stackproof_error *error);
/* Results: made, of made_size bytes, to ret, as far as its size goes, which stays. */
int face_give(void *ret, const void *made, size_t made_size, struct stackproof_error *error);

uint32_t face_stop(uint32_t reason);
/* A record as its reader sees it, by session's buffers. */
struct stackproof_stack face_stack(struct stackproof_session *session,
				   const struct walk_record *record);

#endif

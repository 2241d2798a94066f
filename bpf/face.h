/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face.h - what is behind the opaque types of stackproof.h, for face_*.c only
 *
 * The face is the interface for other programs (libstackproof(3)): a thin layer over unwinder/ and bpf/,
 * whose interfaces may change. The harness doesn't use the face.
 */
#ifndef STACKPROOF_FACE_H
#define STACKPROOF_FACE_H

#include "process_events.h"
#include "truth_file/truth_file.h"
/* The shared object's other functions are hidden. */
#pragma GCC visibility push(default)
#include "stackproof.h"
#pragma GCC visibility pop

struct code_name;

struct stackproof_images {
	struct image_store *store;
};

struct stackproof_image {
	struct image_entry *entry; /* held */
};

struct stackproof_space {
	const struct address_space *space; /* &own, or borrowed */
	struct address_space own;
};

struct stackproof_truth {
	struct truth_file *file;
};

struct stackproof_session {
	struct bpf_session *session;
	pid_t owner;  /* the process that opened it */
	bool samples; /* its entries include WALK_ENTRY_SAMPLE */
	/* Buffers for the stack that a callback is given: its PCs without marks, and the marks. */
	uint64_t pc[WALK_FRAMES_MAX];
	uint8_t guessed[WALK_FRAMES_MAX];
};

/* Each fills ret, which may be NULL, and returns -1. */
int face_fail(struct stackproof_error *ret, const struct error *error);
int face_fail_argument(struct stackproof_error *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int face_fail_memory(struct stackproof_error *ret);
/* Translates an error. ret must not be NULL. */
void face_error(const struct error *error, struct stackproof_error *ret);

/* -1: this process is not owner, which opened the object, but a child by fork(2). A child does not have the memory
 * of rings, and if it closed the object it would end it for both. */
int face_check_owner(pid_t owner, struct stackproof_error *error);

/* Copies options from given, which begins with its size, to known, of known_size bytes. given NULL: the defaults.
 * -1: given has something that this library does not know. */
int face_take(void *known, size_t known_size, const void *given, struct stackproof_error *error);
/* Copies a result from made, of made_size bytes, to ret, which begins with its size and keeps it; bytes behind
 * made_size are zeroed. */
int face_give(void *ret, const void *made, size_t made_size, struct stackproof_error *error);

/* Whether vaddr is in the image's first code: stackproof_place.first_code. Only close to the entry point it may be, and
 * the CFI is asked. */
bool face_may_be_first_code(const struct image *image, uint64_t vaddr);
bool face_is_first_code(const struct image *image, const struct cfi *cfi, uint64_t vaddr);
/* Writes the name of place->address, if there is one, and how far into it that is. */
void face_name(const struct code_name *name, struct stackproof_place *place);

/* The enum stackproof_stop of an enum stop_reason. */
uint32_t face_stop(uint32_t reason);
/* A record as a stackproof_stack, which points into the session's buffers. */
struct stackproof_stack face_stack(struct stackproof_session *session,
				   const struct walk_record *record);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push_parts.h - what a push is made of: bodies, tries, messages on disk
 */
#ifndef STACKPROOF_PUSH_PARTS_H
#define STACKPROOF_PUSH_PARTS_H

#include <stdatomic.h>
#include "push.h"

#define RETRY_AFTER_MAX 3600 /* seconds: a server that wants more is asked again then */

/* ---- push_body.c ----------------------------------------------------------------------------- */

enum push_kind { PUSH_OTLP, PUSH_PARCA, PUSH_KIND_COUNT };

struct push_body {
	uint8_t *data;
	size_t size;
};

/* A target's kind and URL, to be freed. -1: ERROR_TEXT_SYNTAX, ERROR_MEMORY. */
int push_target_parse(const char *target, enum push_kind *ret, char **ret_url, struct error *error);
/* What a server of this kind is sent; free() ret->data. -1: ERROR_MEMORY. */
int push_body_make(enum push_kind kind, const struct collected *collected, struct push_body *ret,
		   struct error *error);
/* Header lines of such bodies, up to NULL. */
const char *const *push_body_headers(enum push_kind kind);
/* How many profiles the server rejects in the body of its answer, which says that it took the message. */
uint64_t push_body_rejected(enum push_kind kind, const void *answer, size_t size);

/* ---- push_send.c ----------------------------------------------------------------------------- */

enum push_result {
	PUSH_TAKEN,
	PUSH_NOT_TAKEN, /* and it will not be */
	PUSH_AGAIN,	/* it may be taken later */
};

struct push_answer {
	enum push_result result;
	uint64_t wait_ms; /* Retry-After */
	uint64_t rejected;
	char why[200]; /* it was not taken, or "" */
};

struct push_sender;

/* Of one thread at a time. stop_at_ms: from that time of push_now_ms() on a try is given up. */
int push_sender_create(enum push_kind kind, const char *url,
		       const struct profile_push_options *options,
		       const atomic_uint_least64_t *stop_at_ms, struct push_sender **ret,
		       struct error *error);
void push_sender_destroy(struct push_sender *sender);
void push_sender_try(struct push_sender *sender, const struct push_body *body,
		     struct push_answer *ret);
/* CLOCK_MONOTONIC */
uint64_t push_now_ms(void);

/* ---- push_spool.c ---------------------------------------------------------------------------- */

struct push_spool;

/* A message on disk. */
struct push_kept {
	uint64_t time_ns; /* of day, when it was kept: messages are in this order */
	uint64_t key;	  /* of its target, by URL and kind */
	uint64_t size;
	uint32_t serial; /* tells those of one time apart */
	bool in_use;	 /* it is being sent, and not removed for want of room */
};

/* Opens a folder, for this process only, and finds what is in it. -1: ERROR_SYSTEM, ERROR_MEMORY. */
int push_spool_open(const char *folder, uint64_t bytes, struct push_spool **ret,
		    struct error *error);
void push_spool_close(struct push_spool *spool);
/*
 * The rest may be called by several threads. What is removed to make room is told to evicted, without a lock.
 */
typedef void push_evicted_fn(void *context, uint64_t key);
/* Removes the oldest until the folder has no more than its bytes. */
void push_spool_trim(struct push_spool *spool, push_evicted_fn *evicted, void *context);
/* 0; 1: it is larger than all of the room; -1: ERROR_SYSTEM, ERROR_MEMORY. */
int push_spool_keep(struct push_spool *spool, uint64_t key, const struct push_body *body,
		    push_evicted_fn *evicted, void *context, struct error *error);
/* The oldest of a key, in use from now on. False: there is none. */
bool push_spool_take(struct push_spool *spool, uint64_t key, struct push_kept *ret);
/* free() ret->data. -1: ERROR_SYSTEM, ERROR_MEMORY. */
int push_spool_read(struct push_spool *spool, const struct push_kept *kept, struct push_body *ret,
		    struct error *error);
/* Ends its use; removed: also the file. */
void push_spool_release(struct push_spool *spool, const struct push_kept *kept, bool removed);
/* Calls fn for each message's key. */
void push_spool_each(struct push_spool *spool, void (*fn)(void *context, uint64_t key),
		     void *context);

#endif

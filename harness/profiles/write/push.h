/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push.h - collected profiles, sent to servers by HTTP
 *
 *	otlp=URL	OpenTelemetry's profiles: POST to URL/v1development/profiles, or to URL if it has a path
 *	parca=URL	Parca: POST to URL/profiles/writeraw, or to URL if it has a path
 *
 *	push.c		targets, their queues and threads, the account
 *	push_send.c	one message and the server's answer; libcurl, loaded when it is needed
 *	push_body.c	what a server of each kind is sent
 *	push_spool.c	messages on disk, while the server is away
 *
 * Nothing here waits for a server: profile_push_add() leaves the profile to the targets' threads. A message that could
 * not be sent is tried again after a while that doubles, or as the server says (Retry-After). After the last try it is
 * kept on disk, if there is a folder for it, and sent when the server is back. Nothing is dropped uncounted:
 *
 *	made + found = sent + kept + waiting + all of dropped[]
 */
#ifndef STACKPROOF_PUSH_H
#define STACKPROOF_PUSH_H

#include "collected.h"

#define PUSH_WAITING_MAX 16 /* messages of a target that wait to be sent */

struct profile_push;

/* 0 or NULL: as in brackets. */
struct profile_push_options {
	const char *const *target; /* "otlp=URL", "parca=URL" */
	size_t targets;
	const char *spool;	 /* a folder that exists, for one process at a time; [none] */
	uint64_t spool_bytes;	 /* in it at most, of all targets; the oldest go first [64 MiB] */
	unsigned int tries;	 /* of a message until it is kept, or dropped [5] */
	unsigned int wait_ms;	 /* before the second try; then twice as long each time [1,000] */
	unsigned int longest_ms; /* at most so long, but for Retry-After [60,000] */
	unsigned int timeout_ms; /* of one try [30,000] */
};

/* Why a message was dropped. */
enum push_drop {
	PUSH_QUEUE_FULL,  /* the server is slower than profiles are made */
	PUSH_REFUSED,	  /* the server said that it is wrong: 4xx, but 408 and 429 */
	PUSH_NO_ANSWER,	  /* the last try failed, and there is no spool */
	PUSH_SPOOL_FULL,  /* newer ones needed the room */
	PUSH_SPOOL_ERROR, /* the folder can't be written, or a message in it not be read */
	PUSH_NO_MEMORY,
	PUSH_ENDED, /* the program ended first, and there is no spool */
	PUSH_DROP_COUNT,
};

/* Messages: a profile for one target. */
struct push_account {
	uint64_t made, found;	      /* found: on disk, of a run before */
	uint64_t sent, kept, waiting; /* kept: on disk */
	uint64_t dropped[PUSH_DROP_COUNT];
	uint64_t tries, sent_bytes; /* sent_bytes: of bodies */
	uint64_t
		rejected; /* profiles of which the server said in a message that it took, that it rejects them */
	char last[200]; /* why the last try failed, or "" */
};

/* -1: ERROR_TEXT_SYNTAX: no target; ERROR_SYSTEM: the spool can't be used; ERROR_UNAVAILABLE: there is no libcurl;
 * ERROR_MEMORY. */
int profile_push_create(const struct profile_push_options *options, struct profile_push **ret,
			struct error *error);
/* Takes what collected has, which is empty then, for all targets. Does not wait. */
void profile_push_add(struct profile_push *push, struct collected *collected);
/* What became of messages so far, of all targets. */
void profile_push_account(struct profile_push *push, struct push_account *ret);
/* Sends what waits, for at most wait_ms; keeps or drops the rest; frees push. push may be NULL. */
void profile_push_destroy(struct profile_push *push, unsigned int wait_ms,
			  struct push_account *ret);
/* A reason's name in JSON ("queue_full"), and its text for people. */
const char *push_drop_name(enum push_drop drop);
const char *push_drop_text(enum push_drop drop);

#endif

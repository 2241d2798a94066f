/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push.h - collected profiles, sent to servers by HTTP
 *
 *	otlp=URL	OpenTelemetry's profiles: POST to URL/v1development/profiles, or to URL if it has a path
 *	parca=URL	Parca: POST to URL/profiles/writeraw, or to URL if it has a path
 *
 *	push.c		targets, their queues and threads, the account
 *	push_send.c	one message and the server's answer, by libcurl
 *	push_body.c	what a server of each kind is sent
 *	push_spool.c	messages on disk, while a server is away
 *
 * profile_push_add() waits for no server and no disk: it leaves the profile to a thread for each target. What could not
 * be sent is tried again after a time that doubles, and not before the server wants it (Retry-After). After the last try
 * it is kept on disk, if there is a folder for that, as is all that comes until the server is asked again; when that has
 * an answer, what is on disk is sent, the oldest first. An answer 4xx (but 408 and 429) ends a message: the server would
 * say the same again. So does a redirection. Nothing is dropped uncounted:
 *
 *	made + found = sent + kept + waiting + all of dropped[]
 *
 * A message whose answer got lost is sent twice: an OTLP profile has an ID then, by which a server knows it again.
 */
#ifndef STACKPROOF_PUSH_H
#define STACKPROOF_PUSH_H

#include "collected.h"

#define PUSH_WAITING_MAX 16 /* profiles that wait for a target */

struct profile_push;

/* 0 or NULL: as in brackets. */
struct profile_push_options {
	const char *const *target; /* "otlp=URL", "parca=URL" */
	size_t targets;
	const char *const *header; /* sent to all: "Name: value" */
	size_t headers;
	const char *spool; /* a folder, made if it is not there; of one process at a time; [none] */
	uint64_t spool_bytes;	 /* in it at most, of all targets; the oldest go first [64 MiB] */
	unsigned int tries;	 /* of a message until it is kept, or dropped [5] */
	unsigned int wait_ms;	 /* before the second try; then twice as long each time [1,000] */
	unsigned int longest_ms; /* at most so long, but for Retry-After [60,000] */
	unsigned int timeout_ms; /* of one try [30,000] */
};

/* Why a message was dropped. */
enum push_drop {
	PUSH_QUEUE_FULL,  /* profiles are made faster than they are sent */
	PUSH_REFUSED,	  /* by the server's answer */
	PUSH_NO_ANSWER,	  /* the last try failed, and there is no spool */
	PUSH_SPOOL_FULL,  /* newer ones needed the room, or it is too large */
	PUSH_SPOOL_ERROR, /* it can't be written, or not be read again */
	PUSH_NO_MEMORY,
	PUSH_ENDED, /* the program ended first, and there is no spool */
	PUSH_DROP_COUNT,
};

/* Messages: a profile for one target. */
struct push_account {
	uint64_t made, found;	      /* found: on disk, of a run before */
	uint64_t sent, kept, waiting; /* kept: on disk */
	uint64_t dropped[PUSH_DROP_COUNT];
	uint64_t tries, sent_bytes;
	uint64_t
		rejected; /* profiles of which a server that took the message says that it did not take them */
	char last[200]; /* why the last try that failed did, or "" */
};

/* Whether a text is a target. */
bool profile_push_is_target(const char *target);
/* -1: ERROR_TEXT_SYNTAX: what is no target; ERROR_SYSTEM: the spool can't be used; ERROR_UNAVAILABLE: there is no
 * libcurl; ERROR_MEMORY. */
int profile_push_create(const struct profile_push_options *options, struct profile_push **ret,
			struct error *error);
/* Takes what collected has, which is empty then, for all targets. */
void profile_push_add(struct profile_push *push, struct collected *collected);
/* What became of messages so far, of all targets. */
void profile_push_account(struct profile_push *push, struct push_account *ret);
/* Sends what waits, for at most wait_ms; keeps or drops the rest; frees push, which may be NULL. Then nothing is waiting
 * in *ret. */
void profile_push_destroy(struct profile_push *push, unsigned int wait_ms,
			  struct push_account *ret);
/* A reason's name in JSON ("queue_full"), and its text for people. */
const char *push_drop_name(enum push_drop drop);
const char *push_drop_text(enum push_drop drop);

#endif

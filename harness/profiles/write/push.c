/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push.c - profiles that wait for servers, the threads that send them, and the account
 *
 *	profile_push_add()	target's queue		its thread
 *	moves a profile	  ->	profile, profile  ->	head: a body, tried until it is sent, kept or dropped
 *							the oldest on disk, while nothing waits
 *
 * A target is away from a try that failed until the next one is due. Meanwhile what waits goes to disk, if there is a
 * spool, and stays in the queue else. The head has its tries; a message on disk has as many as there is room.
 *
 * One lock covers queues and accounts, and nobody holds it while a profile is encoded, a file is written, or a server
 * is waited for. A profile for several targets is one, and freed by the last of them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "freed.h"
#include "hash.h"
#include "push_parts.h"

#define DEFAULT_SPOOL_BYTES (64ull << 20)
#define DEFAULT_TRIES	    5
#define DEFAULT_WAIT_MS	    1000
#define DEFAULT_LONGEST_MS  60000
#define DEFAULT_TIMEOUT_MS  30000
#define NEVER		    UINT64_MAX

struct shared_profile {
	struct collected collected;
	size_t users;
};

struct target {
	struct profile_push *push;
	enum push_kind kind;
	uint64_t key; /* in the spool */
	struct push_sender *sender;
	pthread_t thread;
	bool started;
	struct shared_profile *waiting[PUSH_WAITING_MAX]; /* the oldest first */
	size_t count;
	size_t in_hand; /* messages that the thread has in memory: the head, and one on its way to disk */
	struct push_body head; /* without data: there is none */
	unsigned int tries;    /* of the head */
	unsigned int failures; /* since the last answer */
	uint64_t due_ms;       /* no try before */
	struct push_account account;
};

struct profile_push {
	struct profile_push_options options;
	struct push_spool *spool;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending;
	uint64_t deadline_ms;		  /* of the ending */
	atomic_uint_least64_t stop_at_ms; /* the same, for tries */
	struct push_account others;	  /* messages on disk for targets that are none now */
	struct target *target;
	size_t targets;
};

static const struct {
	const char *name, *text;
} drops[PUSH_DROP_COUNT] = {
	[PUSH_QUEUE_FULL] = { "queue_full", "too many waited for the server" },
	[PUSH_REFUSED] = { "refused", "the server refused them" },
	[PUSH_NO_ANSWER] = { "no_answer", "no try was answered" },
	[PUSH_SPOOL_FULL] = { "spool_full", "there was no room for them on disk" },
	[PUSH_SPOOL_ERROR] = { "spool_error", "they could not be written to disk, or not read" },
	[PUSH_NO_MEMORY] = { "no_memory", "there was no memory" },
	[PUSH_ENDED] = { "ended", "the program ended first" },
};

const char *push_drop_name(enum push_drop drop)
{
	return drops[drop].name;
}

const char *push_drop_text(enum push_drop drop)
{
	return drops[drop].text;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* With the lock; frees without. */
static void release(struct profile_push *push, struct shared_profile *profile)
{
	if (--profile->users)
		return;
	pthread_mutex_unlock(&push->lock);
	collected_deinit(&profile->collected);
	free(profile);
	pthread_mutex_lock(&push->lock);
}

static struct shared_profile *take_waiting(struct target *target)
{
	struct shared_profile *profile = target->waiting[0];

	memmove(target->waiting, target->waiting + 1, --target->count * sizeof(profile));
	return profile;
}

void profile_push_add(struct profile_push *push, struct collected *collected)
{
	struct shared_profile *profile = malloc(sizeof(*profile)), *dropped;

	if (profile)
		*profile = (struct shared_profile) { *collected, push->targets + 1 };
	else
		collected_deinit(collected);
	collected_init(collected, collected->type);
	pthread_mutex_lock(&push->lock);
	for (size_t i = 0; i < push->targets; i++) {
		struct target *target = &push->target[i];

		target->account.made++;
		if (!profile) {
			target->account.dropped[PUSH_NO_MEMORY]++;
			continue;
		}
		if (target->count == PUSH_WAITING_MAX) {
			target->account.dropped[PUSH_QUEUE_FULL]++;
			dropped = take_waiting(target);
			release(push, dropped);
		}
		target->waiting[target->count++] = profile;
	}
	if (profile)
		release(push, profile); /* this function's own use of it */
	pthread_cond_broadcast(&push->changed);
	pthread_mutex_unlock(&push->lock);
}

/* ---- what becomes of a message: with the lock, which is not held during the work ------------- */

static struct target *target_of(struct profile_push *push, uint64_t key)
{
	return ARRAY_FIRST(push->target, push->targets, one, one->key == key);
}

static struct push_account *account_of(struct profile_push *push, uint64_t key)
{
	struct target *target = target_of(push, key);

	return target ? &target->account : &push->others;
}

static void note_evicted(void *context, uint64_t key)
{
	struct profile_push *push = context;
	struct push_account *account;

	pthread_mutex_lock(&push->lock);
	account = account_of(push, key);
	account->kept--;
	account->dropped[PUSH_SPOOL_FULL]++;
	pthread_mutex_unlock(&push->lock);
}

static void note_problem(struct target *target, const char *why)
{
	snprintf(target->account.last, sizeof(target->account.last), "%.*s",
		 (int)sizeof(target->account.last) - 1, why);
}

/* Keeps a body in hand on disk, or drops it for the reason if there is no spool. */
static void keep(struct target *target, struct push_body body, enum push_drop otherwise)
{
	struct profile_push *push = target->push;
	struct error error;
	int status;

	target->in_hand--;
	if (!push->spool) {
		free(body.data);
		target->account.dropped[otherwise]++;
		return;
	}
	target->account.kept++; /* from now on: another thread may evict it at once */
	pthread_mutex_unlock(&push->lock);
	status = push_spool_keep(push->spool, target->key, &body, note_evicted, push, &error);
	free(body.data);
	pthread_mutex_lock(&push->lock);
	if (!status)
		return;
	target->account.kept--;
	target->account.dropped[status > 0 ? PUSH_SPOOL_FULL : PUSH_SPOOL_ERROR]++;
	if (status < 0)
		note_problem(target, error.message);
}

/* Takes the profile that waits longest in hand, as a body. False: there is no memory, and it is dropped. */
static bool encode_waiting(struct target *target, struct push_body *ret)
{
	struct profile_push *push = target->push;
	struct shared_profile *profile = take_waiting(target);
	struct error error;
	int status;

	target->in_hand++;
	pthread_mutex_unlock(&push->lock);
	status = push_body_make(target->kind, &profile->collected, ret, &error);
	pthread_mutex_lock(&push->lock);
	release(push, profile);
	if (!status)
		return true;
	target->in_hand--;
	target->account.dropped[PUSH_NO_MEMORY]++;
	return false;
}

/* The next try's time: so that many machines don't come at once, up to a quarter earlier. */
static void back_off(struct target *target, const struct push_answer *answer)
{
	const struct profile_push_options *options = &target->push->options;
	uint64_t now = push_now_ms(), wait = options->wait_ms;

	for (unsigned int i = 0; i < target->failures && wait < options->longest_ms; i++)
		wait *= 2;
	wait = wait < options->longest_ms ? wait : options->longest_ms;
	wait -= hash_mix(now ^ target->key) % (wait / 4 + 1);
	wait = wait > answer->wait_ms ? wait : answer->wait_ms;
	target->failures++;
	target->due_ms = now + wait;
}

static enum push_result try_body(struct target *target, const struct push_body *body)
{
	struct profile_push *push = target->push;
	struct push_answer answer;

	pthread_mutex_unlock(&push->lock);
	push_sender_try(target->sender, body, &answer);
	pthread_mutex_lock(&push->lock);
	target->account.tries++;
	target->account.rejected += answer.rejected;
	if (*answer.why)
		note_problem(target, answer.why);
	if (answer.result == PUSH_AGAIN) {
		back_off(target, &answer);
		return answer.result;
	}
	target->failures = 0;
	if (answer.result == PUSH_TAKEN) {
		target->account.sent++;
		target->account.sent_bytes += body->size;
	} else {
		target->account.dropped[PUSH_REFUSED]++;
	}
	return answer.result;
}

static void try_head(struct target *target)
{
	struct push_body body = target->head;
	enum push_result result = try_body(target, &body);

	if (result == PUSH_AGAIN && ++target->tries < target->push->options.tries)
		return;
	target->head = (struct push_body) { 0 };
	if (result == PUSH_AGAIN) {
		keep(target, body, PUSH_NO_ANSWER);
	} else {
		target->in_hand--;
		free(body.data);
	}
}

/* False: nothing is on disk for the target. */
static bool try_kept(struct target *target)
{
	struct profile_push *push = target->push;
	struct push_kept kept;
	struct push_body body;
	struct error error;
	bool removed = true;

	if (!push->spool || !push_spool_take(push->spool, target->key, &kept))
		return false;
	pthread_mutex_unlock(&push->lock);
	if (push_spool_read(push->spool, &kept, &body, &error)) {
		pthread_mutex_lock(&push->lock);
		target->account.dropped[PUSH_SPOOL_ERROR]++;
		note_problem(target, error.message);
	} else {
		pthread_mutex_lock(&push->lock);
		removed = try_body(target, &body) != PUSH_AGAIN;
		free(body.data);
	}
	target->account.kept -= removed;
	pthread_mutex_unlock(&push->lock);
	push_spool_release(push->spool, &kept, removed);
	pthread_mutex_lock(&push->lock);
	return true;
}

/* ---- a target's thread ----------------------------------------------------------------------- */

/* Does what there is to be done now. False: nothing. */
static bool work(struct target *target)
{
	struct profile_push *push = target->push;
	bool is_away = push_now_ms() < target->due_ms;
	struct push_body body;

	if (is_away && push->spool && target->count) {
		if (encode_waiting(target, &body))
			keep(target, body, PUSH_NO_ANSWER);
		return true;
	}
	if (is_away)
		return false;
	if (target->head.data) {
		try_head(target);
		return true;
	}
	if (target->count) {
		target->tries = 0;
		if (encode_waiting(target, &body))
			target->head = body;
		return true;
	}
	return !push->ending && try_kept(target);
}

/* The ending waits for what is in memory, and not where that is better kept on disk. */
static bool has_ended(const struct target *target)
{
	const struct profile_push *push = target->push;
	uint64_t now;

	if (!push->ending)
		return false;
	now = push_now_ms();
	return (!target->head.data && !target->count) || now >= push->deadline_ms ||
	       (push->spool && now < target->due_ms);
}

static void wait_for_change(struct target *target)
{
	struct profile_push *push = target->push;
	uint64_t now = push_now_ms(), until = target->due_ms > now ? target->due_ms : NEVER;
	struct timespec time;

	if (push->ending && push->deadline_ms < until)
		until = push->deadline_ms;
	if (until == NEVER) {
		pthread_cond_wait(&push->changed, &push->lock);
		return;
	}
	time = (struct timespec) { until / 1000, until % 1000 * 1000000 };
	pthread_cond_timedwait(&push->changed, &push->lock, &time);
}

static void *serve(void *context)
{
	struct target *target = context;
	struct profile_push *push = target->push;
	struct push_body body;

	pthread_mutex_lock(&push->lock);
	while (!has_ended(target))
		if (!work(target))
			wait_for_change(target);
	if (target->head.data)
		keep(target, target->head, PUSH_ENDED);
	while (target->count)
		if (encode_waiting(target, &body))
			keep(target, body, PUSH_ENDED);
	pthread_mutex_unlock(&push->lock);
	return NULL;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void note_found(void *context, uint64_t key)
{
	struct push_account *account = account_of(context, key);

	account->found++;
	account->kept++;
}

static int add_target(struct profile_push *push, const char *text, struct error *error)
{
	struct target *target = &push->target[push->targets];
	FREED char *url = NULL;
	int status;

	if (push_target_parse(text, &target->kind, &url, error))
		return -1;
	target->push = push;
	target->key = hash_mix(hash_bytes(url, strlen(url)) ^ target->kind);
	status = push_sender_create(target->kind, url, &push->options, &push->stop_at_ms,
				    &target->sender, error);
	push->targets += !status;
	return status;
}

static int start_thread(struct target *target, struct error *error)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the caller's */
	errno = pthread_create(&target->thread, NULL, serve, target);
	target->started = !errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return target->started ? 0 : error_set_errno(error, "a thread for a server");
}

static void set_defaults(struct profile_push_options *options)
{
	options->spool_bytes = options->spool_bytes ? options->spool_bytes : DEFAULT_SPOOL_BYTES;
	options->tries = options->tries ? options->tries : DEFAULT_TRIES;
	options->wait_ms = options->wait_ms ? options->wait_ms : DEFAULT_WAIT_MS;
	options->longest_ms = options->longest_ms ? options->longest_ms : DEFAULT_LONGEST_MS;
	options->timeout_ms = options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
}

static void init_lock(struct profile_push *push)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&push->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&push->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

int profile_push_create(const struct profile_push_options *options, struct profile_push **ret,
			struct error *error)
{
	struct profile_push *push = calloc(1, sizeof(*push));
	int status = 0;

	if (!push || !(push->target = calloc(options->targets + 1, sizeof(*push->target)))) {
		free(push);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to send profiles");
	}
	push->options = *options;
	set_defaults(&push->options);
	atomic_init(&push->stop_at_ms, NEVER);
	init_lock(push);
	for (size_t i = 0; i < options->targets && !status; i++)
		status = add_target(push, options->target[i], error);
	if (!status && options->spool)
		status = push_spool_open(options->spool, push->options.spool_bytes, &push->spool,
					 error);
	if (!status && push->spool) {
		push_spool_each(push->spool, note_found, push);
		push_spool_trim(push->spool, note_evicted, push);
	}
	for (size_t i = 0; i < push->targets && !status; i++)
		status = start_thread(&push->target[i], error);
	if (status)
		profile_push_destroy(push, 0, NULL);
	else
		*ret = push;
	return status;
}

static void add_account(struct push_account *sum, const struct push_account *account)
{
	sum->made += account->made;
	sum->found += account->found;
	sum->sent += account->sent;
	sum->kept += account->kept;
	for (int i = 0; i < PUSH_DROP_COUNT; i++)
		sum->dropped[i] += account->dropped[i];
	sum->tries += account->tries;
	sum->sent_bytes += account->sent_bytes;
	sum->rejected += account->rejected;
	if (*account->last)
		memcpy(sum->last, account->last, sizeof(sum->last));
}

void profile_push_account(struct profile_push *push, struct push_account *ret)
{
	pthread_mutex_lock(&push->lock);
	*ret = push->others;
	for (size_t i = 0; i < push->targets; i++) {
		add_account(ret, &push->target[i].account);
		ret->waiting += push->target[i].count + push->target[i].in_hand;
	}
	pthread_mutex_unlock(&push->lock);
}

void profile_push_destroy(struct profile_push *push, unsigned int wait_ms, struct push_account *ret)
{
	if (!push)
		return;
	pthread_mutex_lock(&push->lock);
	push->ending = true;
	push->deadline_ms = push_now_ms() + wait_ms;
	atomic_store(&push->stop_at_ms, push->deadline_ms);
	pthread_cond_broadcast(&push->changed);
	pthread_mutex_unlock(&push->lock);
	for (size_t i = 0; i < push->targets; i++)
		if (push->target[i].started)
			pthread_join(push->target[i].thread, NULL);
	if (ret)
		profile_push_account(push, ret);
	for (size_t i = 0; i < push->targets; i++)
		push_sender_destroy(push->target[i].sender);
	push_spool_close(push->spool);
	pthread_mutex_destroy(&push->lock);
	pthread_cond_destroy(&push->changed);
	free(push->target);
	free(push);
}

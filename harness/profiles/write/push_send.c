/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push_send.c - a message sent to a server by HTTP, and its answer
 *
 * libcurl is loaded when a server is first to be sent something, and not linked: it brings 27 libraries (TLS, HTTP/2,
 * LDAP, ...), which every guest would get with the program. Debian has it with OpenSSL and with GnuTLS; their
 * interfaces are one, so whichever is there will do.
 *
 * A server's certificate is verified, as libcurl does it unless it is told not to. Redirections are not followed: they
 * would turn the POST into a GET, and the profile might go to somebody else. Other protocols are off.
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "plain_text.h"
#include "push_parts.h"

#define ANSWER_BYTES 65536 /* of an answer's body: it is not read further, and may have no end */
#define CONNECT_MS   10000

/* With the names that they have in the library. */
#define CURL_FUNCTIONS(X)                                                                          \
	X(global_init)                                                                             \
	X(easy_init)                                                                               \
	X(easy_setopt)                                                                             \
	X(easy_perform)                                                                            \
	X(easy_getinfo)                                                                            \
	X(easy_reset)                                                                              \
	X(easy_cleanup)                                                                            \
	X(easy_strerror)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)

/* Theirs are macros that check types. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

struct curl {
	void *library;
#define MEMBER(name) __typeof__(&curl_##name) name;
	CURL_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct push_sender {
	enum push_kind kind;
	struct curl curl;
	CURL *easy;
	struct curl_slist *headers;
	const atomic_uint_least64_t *stop_at_ms;
	char *url;
	unsigned int timeout_ms;
	char problem[CURL_ERROR_SIZE];
	uint8_t answer[ANSWER_BYTES];
	size_t answer_size;
};

uint64_t push_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/* ---- the library ----------------------------------------------------------------------------- */

static bool find_functions(struct curl *curl)
{
#define FIND(name)                                                                                 \
	curl->name = dlsym(curl->library, "curl_" #name);                                          \
	if (!curl->name)                                                                           \
		return false;
	CURL_FUNCTIONS(FIND)
#undef FIND
	return true;
}

static int load(struct curl *curl, struct error *error)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !curl->library; i++)
		curl->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!curl->library)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "libcurl is not installed, without which nothing is sent");
	if (!find_functions(curl) || curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "libcurl can't be used");
	return 0;
}

/* ---- a sender -------------------------------------------------------------------------------- */

static bool add_header(struct push_sender *sender, const char *line)
{
	struct curl_slist *list = sender->curl.slist_append(sender->headers, line);

	if (list)
		sender->headers = list;
	return list != NULL;
}

int push_sender_create(enum push_kind kind, const char *url,
		       const struct profile_push_options *options,
		       const atomic_uint_least64_t *stop_at_ms, struct push_sender **ret,
		       struct error *error)
{
	struct push_sender *sender = calloc(1, sizeof(*sender));
	bool added = sender && (sender->url = strdup(url));

	if (!added || load(&sender->curl, error)) {
		push_sender_destroy(sender);
		return added ? -1 : error_set(error, ERROR_MEMORY, "", 0, "no memory for a server");
	}
	sender->kind = kind;
	sender->stop_at_ms = stop_at_ms;
	sender->timeout_ms = options->timeout_ms;
	/* No answer 100 is waited for before the body is sent. */
	added = add_header(sender, "Expect:");
	for (const char *const *line = push_body_headers(kind); *line && added; line++)
		added = add_header(sender, *line);
	for (size_t i = 0; i < options->headers && added; i++)
		added = add_header(sender, options->header[i]);
	sender->easy = added ? sender->curl.easy_init() : NULL;
	if (!sender->easy) {
		push_sender_destroy(sender);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a server");
	}
	*ret = sender;
	return 0;
}

/* The library stays: it may have threads and functions for the program's end. */
void push_sender_destroy(struct push_sender *sender)
{
	if (!sender)
		return;
	if (sender->easy)
		sender->curl.easy_cleanup(sender->easy);
	if (sender->headers)
		sender->curl.slist_free_all(sender->headers);
	free(sender->url);
	free(sender);
}

/* ---- a try ----------------------------------------------------------------------------------- */

static size_t take_answer(char *data, size_t size, size_t count, void *context)
{
	struct push_sender *sender = context;
	size_t room = sizeof(sender->answer) - sender->answer_size, all = size * count;

	room = all < room ? all : room;
	memcpy(sender->answer + sender->answer_size, data, room);
	sender->answer_size += room;
	return room; /* less than all ends the connection */
}

/* Called once a second at least. Not 0: the try is given up. */
static int look_at_clock(void *context, curl_off_t to_load, curl_off_t loaded, curl_off_t to_send,
			 curl_off_t sent)
{
	const struct push_sender *sender = context;

	return push_now_ms() >= atomic_load(sender->stop_at_ms);
}

static void set_options(struct push_sender *sender, const struct push_body *body)
{
	const struct curl *curl = &sender->curl;
	CURL *easy = sender->easy;
	uint64_t connect_ms = sender->timeout_ms < CONNECT_MS ? sender->timeout_ms : CONNECT_MS;

	curl->easy_reset(easy); /* connections stay open */
	curl->easy_setopt(easy, CURLOPT_URL, sender->url);
	curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl->easy_setopt(easy, CURLOPT_USERAGENT, "stackproof");
	curl->easy_setopt(easy, CURLOPT_HTTPHEADER, sender->headers);
	curl->easy_setopt(easy, CURLOPT_POST, 1L);
	curl->easy_setopt(easy, CURLOPT_POSTFIELDS, body->data);
	curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L); /* it is a thread of several */
	curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)sender->timeout_ms);
	curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, sender->problem);
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, sender);
	curl->easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	curl->easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, look_at_clock);
	curl->easy_setopt(easy, CURLOPT_XFERINFODATA, sender);
}

static enum push_result result_of(long status)
{
	const long request_timeout = 408, too_many_requests = 429;

	if (status >= 200 && status < 300)
		return PUSH_TAKEN;
	return status == request_timeout || status == too_many_requests || status >= 500
		       ? PUSH_AGAIN
		       : PUSH_NOT_TAKEN;
}

static void read_answer(struct push_sender *sender, long status, struct push_answer *ret)
{
	const struct curl *curl = &sender->curl;
	curl_off_t wait_s = 0;
	char text[100];
	int size;

	ret->result = result_of(status);
	if (ret->result == PUSH_TAKEN) {
		ret->rejected = push_body_rejected(sender->kind, sender->answer,
						   sender->answer_size);
		return;
	}
	if (curl->easy_getinfo(sender->easy, CURLINFO_RETRY_AFTER, &wait_s) == CURLE_OK &&
	    wait_s > 0)
		ret->wait_ms = 1000ull * (wait_s < RETRY_AFTER_MAX ? wait_s : RETRY_AFTER_MAX);
	size = sender->answer_size < sizeof(text) ? (int)sender->answer_size
						  : (int)sizeof(text) - 1;
	snprintf(text, sizeof(text), "%.*s", size, (const char *)sender->answer);
	snprintf(ret->why, sizeof(ret->why), "HTTP status %ld%s%s", status, *text ? ": " : "",
		 PLAIN_TEXT(text));
}

void push_sender_try(struct push_sender *sender, const struct push_body *body,
		     struct push_answer *ret)
{
	const long final = 200; /* the least status of an answer that no other one follows */
	CURLcode code;
	long status = 0;

	*ret = (struct push_answer) { .result = PUSH_AGAIN };
	set_options(sender, body);
	sender->problem[0] = '\0';
	sender->answer_size = 0;
	code = sender->curl.easy_perform(sender->easy);
	sender->curl.easy_getinfo(sender->easy, CURLINFO_RESPONSE_CODE, &status);
	/* The status decides, whatever became of the rest of the answer: who has said 200 has it. */
	if (status >= final)
		read_answer(sender, status, ret);
	else if (code == CURLE_ABORTED_BY_CALLBACK)
		snprintf(ret->why, sizeof(ret->why), "no answer before the program's end");
	else
		snprintf(ret->why, sizeof(ret->why), "%s",
			 PLAIN_TEXT(*sender->problem ? sender->problem
						     : sender->curl.easy_strerror(code)));
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_push.c - servers that answer, answer late, wrongly or never; and an account in which nothing is missing
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include "base/child/child.h"
#include "base/child/subprocess.h"
#include "base/cli/tests/own_files.h"
#include "collected_fixture.h"
#include "fake_server.h"
#include "profiles/profile/tests/profile_fixture.h"
#include "tests/suite.h"

#define WAIT_MS 30000 /* on a loaded machine */

static struct error error;

/* A push to one server of each kind that is named. */
struct pushing {
	struct fake_server server;
	struct profile_push_options options;
	struct profile_push *push;
	char target[2][64];
	const char *targets[2];
};

static const struct fake_answer good = { .status = "200 OK" };

/* kinds: "otlp", or "otlp,parca". Options that are 0 are short times. */
static void pushing_start(struct pushing *pushing, const char *kinds,
			  const struct fake_answer *answer, size_t answers)
{
	struct profile_push_options *options = &pushing->options;

	fake_server_start(&pushing->server, answer, answers);
	options->targets = strchr(kinds, ',') ? 2 : 1;
	snprintf(pushing->target[0], 64, "%.*s=http://127.0.0.1:%d", (int)strcspn(kinds, ","),
		 kinds, pushing->server.port);
	if (options->targets > 1)
		snprintf(pushing->target[1], 64, "%s=http://127.0.0.1:%d/", strchr(kinds, ',') + 1,
			 pushing->server.port);
	pushing->targets[0] = pushing->target[0];
	pushing->targets[1] = pushing->target[1];
	options->target = pushing->targets;
	options->wait_ms = options->wait_ms ? options->wait_ms : 1;
	options->longest_ms = options->longest_ms ? options->longest_ms : 20;
	ck_assert_msg(!profile_push_create(options, &pushing->push, &error), "%s", error.message);
}

static uint64_t dropped_of(const struct push_account *account)
{
	uint64_t sum = 0;

	for (int i = 0; i < PUSH_DROP_COUNT; i++)
		sum += account->dropped[i];
	return sum;
}

static void check_account(const struct push_account *account)
{
	ck_assert_uint_eq(account->made + account->found,
			  account->sent + account->kept + account->waiting + dropped_of(account));
}

static struct push_account account_of(struct pushing *pushing)
{
	struct push_account account;

	profile_push_account(pushing->push, &account);
	check_account(&account);
	return account;
}

/* Waits until nothing waits, and as many are sent, on disk, and dropped. */
static struct push_account wait_for(struct pushing *pushing, uint64_t sent, uint64_t kept,
				    uint64_t dropped)
{
	const uint64_t until = push_now_ms() + WAIT_MS;
	struct push_account account;

	do {
		account = account_of(pushing);
		if (!account.waiting && account.sent == sent && account.kept == kept &&
		    dropped_of(&account) == dropped)
			return account;
		usleep(1000);
	} while (push_now_ms() < until);
	ck_abort_msg("sent %llu, kept %llu, dropped %llu, waiting %llu: %s",
		     (unsigned long long)account.sent, (unsigned long long)account.kept,
		     (unsigned long long)dropped_of(&account), (unsigned long long)account.waiting,
		     account.last);
}

static struct push_account pushing_stop(struct pushing *pushing, unsigned int wait_ms)
{
	struct push_account account;

	profile_push_destroy(pushing->push, wait_ms, &account);
	check_account(&account);
	ck_assert_uint_eq(account.waiting, 0);
	fake_server_stop(&pushing->server);
	return account;
}

static void add_profile(struct pushing *pushing)
{
	struct collected collected;

	collected_fixture(&collected, COLLECTED_CPU);
	profile_push_add(pushing->push, &collected);
	ck_assert_uint_eq(collected.samples, 0);
	collected_deinit(&collected);
}

/* ---- answers --------------------------------------------------------------------------------- */

#define ANSWERS(...)                                                                               \
	.answer = (const struct fake_answer[]) { __VA_ARGS__ },                                    \
	.answers = sizeof((const struct fake_answer[]) { __VA_ARGS__ }) /                          \
		   sizeof(struct fake_answer)

static const struct {
	const char *name;
	const struct fake_answer *answer;
	size_t answers;
	uint64_t sent, dropped[PUSH_DROP_COUNT], tries; /* of two profiles */
	const char *why;				/* of the last failure: a part of it */
} cases[] = {
	{ "good", ANSWERS({ .status = "200 OK" }), .sent = 2, .tries = 2, .why = "" },
	{ "accepted", ANSWERS({ .status = "202 Accepted" }), .sent = 2, .tries = 2, .why = "" },
	{ "error_then_good",
	  ANSWERS({ .status = "500 No" }, { .status = "503 No" }, { .status = "200 OK" }),
	  .sent = 2, .tries = 4, .why = "HTTP status 503" },
	{ "errors_only", ANSWERS({ .status = "500 No", .body = "disk\nfull", .body_size = 9 }),
	  .dropped[PUSH_NO_ANSWER] = 2, .tries = 6, .why = "HTTP status 500: disk?full" },
	{ "not_found", ANSWERS({ .status = "404 Not Found" }, { .status = "200 OK" }), .sent = 1,
	  .dropped[PUSH_REFUSED] = 1, .tries = 2, .why = "HTTP status 404" },
	{ "bad_request", ANSWERS({ .status = "400 Bad" }), .dropped[PUSH_REFUSED] = 2, .tries = 2,
	  .why = "HTTP status 400" },
	{ "request_timeout", ANSWERS({ .status = "408 Late" }, { .status = "200 OK" }), .sent = 2,
	  .tries = 3, .why = "HTTP status 408" },
	{ "too_many_requests", ANSWERS({ .status = "429 Slow" }, { .status = "200 OK" }), .sent = 2,
	  .tries = 3, .why = "HTTP status 429" },
	{ "redirections_are_not_followed",
	  ANSWERS({ .status = "302 Found", .headers = "Location: http://127.0.0.1:1/\r\n" }),
	  .dropped[PUSH_REFUSED] = 2, .tries = 2, .why = "HTTP status 302" },
	{ "closed_in_the_middle", ANSWERS({ .status = "200 OK", .cut = 7 }),
	  .dropped[PUSH_NO_ANSWER] = 2, .tries = 6, .why = "" },
	{ "closed_once", ANSWERS({ .status = "200 OK", .cut = 7 }, { .status = "200 OK" }),
	  .sent = 2, .tries = 3, .why = "" },
	{ "closed_after_the_status", ANSWERS({ .status = "200 OK", .cut = 30 }), .sent = 2,
	  .tries = 2, .why = "" },
	{ "slow", ANSWERS({ .status = "200 OK", .delay_ms = 200 }), .sent = 2, .tries = 2,
	  .why = "" },
};

START_TEST(answers_decide)
{
	struct pushing pushing = { .options = { .tries = 3 } };
	struct push_account account;
	uint64_t dropped = 0;

	for (int i = 0; i < PUSH_DROP_COUNT; i++)
		dropped += cases[_i].dropped[i];
	pushing_start(&pushing, "otlp", cases[_i].answer, cases[_i].answers);
	add_profile(&pushing);
	add_profile(&pushing);
	account = wait_for(&pushing, cases[_i].sent, 0, dropped);
	for (int i = 0; i < PUSH_DROP_COUNT; i++)
		ck_assert_msg(account.dropped[i] == cases[_i].dropped[i], "%s: %s %llu",
			      cases[_i].name, push_drop_name(i),
			      (unsigned long long)account.dropped[i]);
	ck_assert_msg(account.tries == cases[_i].tries, "%s: %llu tries", cases[_i].name,
		      (unsigned long long)account.tries);
	ck_assert_msg(strstr(account.last, cases[_i].why), "%s: %s", cases[_i].name, account.last);
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

START_TEST(a_server_that_never_answers_is_given_up)
{
	static const struct fake_answer never = { .status = NULL };
	struct pushing pushing = { .options = { .tries = 2, .timeout_ms = 100 } };
	struct push_account account;

	pushing_start(&pushing, "otlp", &never, 1);
	add_profile(&pushing);
	account = wait_for(&pushing, 0, 0, 1);
	ck_assert_uint_eq(account.dropped[PUSH_NO_ANSWER], 1);
	ck_assert_uint_eq(account.tries, 2);
	ck_assert_ptr_nonnull(strstr(account.last, "timed out"));
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

START_TEST(nobody_listens)
{
	struct pushing pushing = { .options = { .tries = 2 } };
	struct fake_server server;
	char target[64];
	const char *const targets[] = { target };

	fake_server_start(&server, &good, 1);
	snprintf(target, sizeof(target), "otlp=http://127.0.0.1:%d", server.port);
	fake_server_stop(&server);
	pushing.options.target = targets;
	pushing.options.targets = 1;
	pushing.options.wait_ms = 1;
	ck_assert_int_eq(profile_push_create(&pushing.options, &pushing.push, &error), 0);
	add_profile(&pushing);
	ck_assert_uint_eq(wait_for(&pushing, 0, 0, 1).dropped[PUSH_NO_ANSWER], 1);
	profile_push_destroy(pushing.push, 0, NULL);
}
END_TEST

START_TEST(retry_after_is_kept_to)
{
	static const struct fake_answer answers[] = {
		{ .status = "429 Slow", .headers = "Retry-After: 1\r\n" },
		{ .status = "503 Busy", .headers = "Retry-After: 1\r\n" },
		{ .status = "200 OK" },
	};
	struct pushing pushing = { .options = { .tries = 3 } };

	pushing_start(&pushing, "otlp", answers, 3);
	add_profile(&pushing);
	wait_for(&pushing, 1, 0, 0);
	ck_assert_uint_ge(pushing.server.request[1].time_ms - pushing.server.request[0].time_ms,
			  990);
	ck_assert_uint_ge(pushing.server.request[2].time_ms - pushing.server.request[1].time_ms,
			  990);
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

/* Each at least three quarters of twice the one before. */
START_TEST(waits_double)
{
	static const struct fake_answer answers[] = { { .status = "500 No" },
						      { .status = "500 No" },
						      { .status = "500 No" },
						      { .status = "200 OK" } };
	static const uint64_t least[] = { 75, 150, 300 };
	struct pushing pushing = { .options = { .wait_ms = 100, .longest_ms = 10000 } };

	pushing_start(&pushing, "otlp", answers, 4);
	add_profile(&pushing);
	wait_for(&pushing, 1, 0, 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_ge(pushing.server.request[i + 1].time_ms -
					  pushing.server.request[i].time_ms + 1,
				  least[i]);
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

/* ExportProfilesServiceResponse { partial_success { rejected_profiles: 2, error_message: "no" } } */
START_TEST(rejected_profiles_are_counted)
{
	static const struct fake_answer answer = { .status = "200 OK",
						   .body = "\x0a\x06\x08\x02\x12\x02no",
						   .body_size = 8 };
	struct pushing pushing = { .options = { .tries = 1 } };

	pushing_start(&pushing, "otlp", &answer, 1);
	add_profile(&pushing);
	ck_assert_uint_eq(wait_for(&pushing, 1, 0, 0).rejected, 2);
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

/* ---- what is sent ---------------------------------------------------------------------------- */

START_TEST(servers_get_what_they_take)
{
	static const char *const headers[] = { "Authorization: Bearer x", "X-Scope-OrgID: 7" };
	struct pushing pushing = { .options = { .header = headers, .headers = 2 } };
	const struct fake_request *request = pushing.server.request;
	char *text;

	pushing_start(&pushing, "otlp,parca", &good, 1);
	add_profile(&pushing);
	ck_assert_uint_eq(wait_for(&pushing, 2, 0, 0).made, 2);
	if (request[0].head[6] == 'p') /* "POST /profiles": Parca was the first */
		request++;
	ck_assert_msg(!strncmp(request->head, "POST /v1development/profiles HTTP/1.1\r\n", 38),
		      "%s", request->head);
	ck_assert_ptr_nonnull(
		strstr(request->head, "\r\nContent-Type: application/x-protobuf\r\n"));
	ck_assert_ptr_nonnull(strstr(request->head, "\r\nContent-Encoding: gzip\r\n"));
	ck_assert_ptr_nonnull(strstr(request->head, "\r\nAuthorization: Bearer x\r\n"));
	ck_assert_ptr_null(strstr(request->head, "\r\nExpect:"));
	text = profile_bytes_text(request->body, request->body_size, PROFILE_OTLP);
	ck_assert_msg(strstr(text, "\notlp 4 of 10\n"), "%s", text);
	free(text);
	request = &pushing.server.request[request == pushing.server.request];
	ck_assert_msg(!strncmp(request->head, "POST /profiles/writeraw HTTP/1.1\r\n", 34), "%s",
		      request->head);
	ck_assert_ptr_nonnull(strstr(request->head, "\r\nContent-Type: application/json\r\n"));
	ck_assert_ptr_nonnull(strstr(request->head, "\r\nX-Scope-OrgID: 7\r\n"));
	ck_assert_ptr_null(strstr(request->head, "\r\nContent-Encoding:"));
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

/* ---- the queue and the end ------------------------------------------------------------------- */

START_TEST(the_queue_has_a_bound_and_nobody_waits_for_it)
{
	static const struct fake_answer never = { .status = NULL };
	const uint64_t profiles = 3 * PUSH_WAITING_MAX;
	struct pushing pushing = { .options = { .timeout_ms = 600000 } };
	struct push_account account;
	uint64_t begin;

	pushing_start(&pushing, "otlp", &never, 1);
	begin = push_now_ms();
	for (uint64_t i = 0; i < profiles; i++)
		add_profile(&pushing);
	ck_assert_uint_lt(push_now_ms() - begin, 10000);
	account = account_of(&pushing);
	ck_assert_uint_eq(account.made, profiles);
	ck_assert_uint_le(account.waiting, PUSH_WAITING_MAX + 1);
	ck_assert_uint_ge(account.dropped[PUSH_QUEUE_FULL], profiles - PUSH_WAITING_MAX - 1);
	begin = push_now_ms();
	account = pushing_stop(&pushing, 100);
	ck_assert_uint_lt(push_now_ms() - begin, 20000);
	ck_assert_uint_eq(account.dropped[PUSH_QUEUE_FULL] + account.dropped[PUSH_ENDED], profiles);
}
END_TEST

START_TEST(the_end_sends_what_waits)
{
	static const struct fake_answer slow = { .status = "200 OK", .delay_ms = 20 };
	struct pushing pushing = { .options = { .tries = 1 } };

	pushing_start(&pushing, "otlp", &slow, 1);
	for (int i = 0; i < 5; i++)
		add_profile(&pushing);
	ck_assert_uint_eq(pushing_stop(&pushing, WAIT_MS).sent, 5);
}
END_TEST

START_TEST(reasons_have_names)
{
	for (int i = 0; i < PUSH_DROP_COUNT; i++) {
		ck_assert_uint_eq(strspn(push_drop_name(i), "abcdefghijklmnopqrstuvwxyz_"),
				  strlen(push_drop_name(i)));
		ck_assert(*push_drop_name(i) && *push_drop_text(i));
		for (int other = 0; other < i; other++)
			ck_assert_str_ne(push_drop_name(i), push_drop_name(other));
	}
}
END_TEST

START_TEST(nowhere_is_a_place_to_send_to)
{
	struct profile_push_options options = { .targets = 0 };
	struct profile_push *push;
	struct push_account account;
	struct collected collected;

	ck_assert_int_eq(profile_push_create(&options, &push, &error), 0);
	collected_fixture(&collected, COLLECTED_CPU);
	profile_push_add(push, &collected);
	profile_push_destroy(push, 0, &account);
	ck_assert_uint_eq(account.made, 0);
	profile_push_destroy(NULL, 0, NULL);
}
END_TEST

/* ---- on disk --------------------------------------------------------------------------------- */

static size_t count_files(void)
{
	DIR *open = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(open)))
		count += entry->d_name[0] != '.';
	closedir(open);
	return count;
}

START_TEST(what_is_kept_is_sent_by_the_next_run)
{
	static const struct fake_answer bad = { .status = "500 No" };
	struct pushing pushing = { .options = { .tries = 1,
						.wait_ms = 600000,
						.longest_ms = 600000,
						.spool = folder } },
		       next = { .options = { .spool = folder } };
	struct push_account account;
	struct fake_server *server = &pushing.server;

	pushing_start(&pushing, "otlp", &bad, 1);
	for (int i = 0; i < 3; i++)
		add_profile(&pushing);
	wait_for(&pushing, 0, 3, 0);
	ck_assert_uint_eq(count_files(), 3);
	/* The next run has the same URL: the server stays, and answers otherwise. */
	profile_push_destroy(pushing.push, 0, &account);
	check_account(&account);
	ck_assert_uint_eq(account.kept, 3);
	ck_assert_uint_eq(account.tries, 1);
	server->answer = &good;
	next.options.target = pushing.options.target;
	next.options.targets = 1;
	ck_assert_int_eq(profile_push_create(&next.options, &next.push, &error), 0);
	account = wait_for(&next, 3, 0, 0);
	ck_assert_uint_eq(account.found, 3);
	ck_assert_uint_eq(account.made, 0);
	ck_assert_uint_eq(count_files(), 0);
	for (size_t i = 0; i < 4; i++) {
		char *text = profile_bytes_text(server->request[i].body,
						server->request[i].body_size, PROFILE_OTLP);

		ck_assert_msg(strstr(text, "\notlp 4 of 10\n"), "%s", text);
		free(text);
	}
	profile_push_destroy(next.push, 0, NULL);
	fake_server_stop(server);
}
END_TEST

START_TEST(what_is_kept_is_sent_when_the_server_is_back)
{
	static const struct fake_answer answers[] = { { .status = "503 Away" },
						      { .status = "503 Away" },
						      { .status = "503 Away" },
						      { .status = "200 OK" } };
	struct pushing pushing = { .options = { .tries = 1, .spool = folder } };

	pushing_start(&pushing, "otlp", answers, 4);
	for (int i = 0; i < 4; i++)
		add_profile(&pushing);
	wait_for(&pushing, 4, 0, 0);
	ck_assert_uint_eq(count_files(), 0);
	pushing_stop(&pushing, WAIT_MS);
}
END_TEST

/* The oldest go. One that is larger than all the room is not kept at all. */
START_TEST(the_spool_has_a_bound)
{
	static const struct fake_answer bad = { .status = "500 No" };
	struct pushing pushing = {
		.options = { .tries = 1, .wait_ms = 600000, .longest_ms = 600000, .spool = folder }
	};
	struct push_account account;
	struct collected collected;
	struct push_body body;

	collected_fixture(&collected, COLLECTED_CPU);
	ck_assert_int_eq(push_body_make(PUSH_OTLP, &collected, &body, &error), 0);
	collected_deinit(&collected);
	free(body.data);
	pushing.options.spool_bytes = 2 * body.size + body.size / 2;
	pushing_start(&pushing, "otlp", &bad, 1);
	for (int i = 0; i < 5; i++)
		add_profile(&pushing);
	account = wait_for(&pushing, 0, 2, 3);
	ck_assert_uint_eq(account.dropped[PUSH_SPOOL_FULL], 3);
	ck_assert_uint_eq(count_files(), 2);
	pushing_stop(&pushing, 0);
	pushing.options.spool_bytes = 10;
	pushing_start(&pushing, "otlp", &bad, 1);
	add_profile(&pushing);
	account = wait_for(&pushing, 0, 0, 3);
	ck_assert_uint_eq(account.dropped[PUSH_SPOOL_FULL], 3);
	ck_assert_uint_eq(account.found, 2);
	ck_assert_uint_eq(count_files(), 0);
	pushing_stop(&pushing, 0);
}
END_TEST

/* Without waiting for one that never answers. */
START_TEST(the_end_keeps_what_waits)
{
	static const struct fake_answer never = { .status = NULL };
	struct pushing pushing = { .options = { .timeout_ms = 600000, .spool = folder } };

	pushing_start(&pushing, "otlp,parca", &never, 1);
	for (int i = 0; i < 3; i++)
		add_profile(&pushing);
	ck_assert_uint_eq(pushing_stop(&pushing, 50).kept, 6);
	ck_assert_uint_eq(count_files(), 6);
}
END_TEST

/* Of another target, unfinished by a killed process, somebody else's, no file. */
START_TEST(the_spool_knows_its_files)
{
	struct pushing pushing = { .options = { .spool = folder } };
	struct push_account account;

	file_write_text(in_folder("0000000000000001-00000000-00000000000000ff.push"), "other");
	file_write_text(in_folder("0000000000000002-00000000-00000000000000ff.push.unfinished"),
			"cut");
	file_write_text(in_folder("0000000000000002-00000000-00000000000000fF.push"),
			"no digit of ours");
	file_write_text(in_folder("notes.txt"), "mine");
	ck_assert_int_eq(mkdir(in_folder("0000000000000003-00000000-00000000000000ff.push"), 0700),
			 0);
	pushing_start(&pushing, "otlp", &good, 1);
	add_profile(&pushing);
	account = wait_for(&pushing, 1, 1, 0);
	ck_assert_uint_eq(account.found, 1);
	ck_assert_uint_eq(count_files(), 4);
	pushing_stop(&pushing, 0);
}
END_TEST

START_TEST(kept_messages_that_are_gone_are_counted)
{
	static const struct fake_answer bad = { .status = "500 No" };
	struct pushing pushing = {
		.options = { .tries = 1, .wait_ms = 200, .longest_ms = 200, .spool = folder }
	};

	pushing_start(&pushing, "otlp", &bad, 1);
	add_profile(&pushing);
	wait_for(&pushing, 0, 1, 0);
	folder_remove();
	ck_assert_uint_eq(wait_for(&pushing, 0, 0, 1).dropped[PUSH_SPOOL_ERROR], 1);
	add_profile(&pushing);
	ck_assert_uint_eq(pushing_stop(&pushing, 10000).dropped[PUSH_SPOOL_ERROR], 2);
	folder_make();
}
END_TEST

START_TEST(the_spool_is_one_process_s)
{
	struct pushing pushing = { .options = { .spool = folder } };
	struct profile_push *push;

	pushing_start(&pushing, "otlp", &good, 1);
	ck_assert_int_eq(profile_push_create(&pushing.options, &push, &error), -1);
	ck_assert_int_eq(error.system_errno, EBUSY);
	pushing_stop(&pushing, 0);
	pushing.options.spool = "/proc/no/such/folder";
	ck_assert_int_eq(profile_push_create(&pushing.options, &push, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

/* ---- TLS ------------------------------------------------------------------------------------- */

/* A certificate that nobody has signed: nothing is sent. */
START_TEST(certificates_are_verified)
{
	char path[4096], command[512], target[64], *output;
	const char *const targets[] = { target };
	struct pushing pushing = { .options = { .target = targets, .targets = 1, .tries = 1 } };
	struct fake_server server;
	struct push_account account;

	if (child_find("openssl", path, sizeof(path))) {
		printf("SKIP: no openssl\n");
		return;
	}
	fake_server_start(&server, &good, 1); /* for a port that is free */
	fake_server_stop(&server);
	snprintf(target, sizeof(target), "otlp=https://localhost:%d", server.port);
	snprintf(
		command, sizeof(command),
		"cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 "
		"-subj /CN=localhost && { timeout 60 openssl s_server -accept %d -key key "
		"-cert cert -www -naccept 1 </dev/null >log 2>&1 & for i in $(seq 300); do grep -q "
		"ACCEPT log "
		"&& exit 0; sleep 0.1; done; exit 1; }",
		folder, server.port);
	ck_assert_int_eq(
		subprocess_run((char *[]) { "sh", "-c", command, NULL }, NULL, &output, &error), 0);
	free(output);
	ck_assert_int_eq(profile_push_create(&pushing.options, &pushing.push, &error), 0);
	add_profile(&pushing);
	account = wait_for(&pushing, 0, 0, 1);
	ck_assert_msg(strstr(account.last, "certificate"), "%s", account.last);
	profile_push_destroy(pushing.push, 0, NULL);
}
END_TEST

SUITE(push, LOOP(answers_decide, cases), TEST(a_server_that_never_answers_is_given_up),
      TEST(nobody_listens), TEST(retry_after_is_kept_to), TEST(waits_double),
      TEST(rejected_profiles_are_counted), TEST(servers_get_what_they_take),
      TEST(the_queue_has_a_bound_and_nobody_waits_for_it), TEST(the_end_sends_what_waits),
      TEST(nowhere_is_a_place_to_send_to), TEST(reasons_have_names), GROUP(spool),
      FIXTURE(folder_make, folder_remove), TEST(what_is_kept_is_sent_by_the_next_run),
      TEST(what_is_kept_is_sent_when_the_server_is_back), TEST(the_spool_has_a_bound),
      TEST(the_end_keeps_what_waits), TEST(the_spool_knows_its_files),
      TEST(kept_messages_that_are_gone_are_counted), TEST(the_spool_is_one_process_s),
      TEST(certificates_are_verified))

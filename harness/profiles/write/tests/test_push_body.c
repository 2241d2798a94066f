// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_push_body.c - which servers there are, and what each of them is sent
 */
#include <jansson.h>
#include "collected_fixture.h"
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/write/push_parts.h"
#include "tests/suite.h"

static struct error error;

static const struct {
	const char *target, *url; /* url NULL: it is no target */
	enum push_kind kind;
} targets[] = {
	{ "otlp=http://h", "http://h/v1development/profiles", PUSH_OTLP },
	{ "otlp=http://h:4318/", "http://h:4318/v1development/profiles", PUSH_OTLP },
	{ "otlp=https://[::1]:4318", "https://[::1]:4318/v1development/profiles", PUSH_OTLP },
	{ "otlp=https://h/otlp/profiles", "https://h/otlp/profiles", PUSH_OTLP },
	{ "otlp=https://h?a=b", "https://h?a=b", PUSH_OTLP },
	{ "parca=http://user:word@h:7070", "http://user:word@h:7070/profiles/writeraw",
	  PUSH_PARCA },
	{ "parca=http://h/x/", "http://h/x/", PUSH_PARCA },
	{ "http://h", NULL, 0 },
	{ "otlp=h:4318", NULL, 0 },
	{ "otlp=ftp://h", NULL, 0 },
	{ "otlp=file:///etc/passwd", NULL, 0 },
	{ "otlp=http://", NULL, 0 },
	{ "otlp=http:///path", NULL, 0 },
	{ "parca=", NULL, 0 },
	{ "", NULL, 0 },
};

START_TEST(targets_are_kinds_and_urls)
{
	enum push_kind kind;
	char *url;
	int status = push_target_parse(targets[_i].target, &kind, &url, &error);

	ck_assert_msg(status == (targets[_i].url ? 0 : -1), "%s", targets[_i].target);
	if (status) {
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		return;
	}
	ck_assert_str_eq(url, targets[_i].url);
	ck_assert_int_eq(kind, targets[_i].kind);
	free(url);
}
END_TEST

/* RFC 4648, without a library to agree with. */
static size_t decode_base64(const char *text, uint8_t *ret)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t count = 0, size = 0;

	ck_assert_uint_eq(strlen(text) % 4, 0);
	for (; *text && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		ck_assert_ptr_nonnull(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		count += 6;
		if (count >= 8) {
			count -= 8;
			ret[size++] = bits >> count;
		}
	}
	ck_assert_uint_eq(bits & ((1u << count) - 1), 0);
	ck_assert_uint_le(strlen(text), 2);
	return size;
}

/* The object that Parca is sent; it is checked that its profile is read. */
static json_t *make_parca(const struct collected *collected)
{
	struct push_body body;
	json_error_t where;
	json_t *json;
	const char *profile;
	uint8_t *bytes;
	char *text;

	ck_assert_int_eq(push_body_make(PUSH_PARCA, collected, &body, &error), 0);
	json = json_loadb((const char *)body.data, body.size, 0, &where);
	ck_assert_msg(json != NULL, "%s", where.text);
	free(body.data);
	profile = json_string_value(json_object_get(
		json_array_get(json_object_get(json_array_get(json_object_get(json, "series"), 0),
					       "samples"),
			       0),
		"rawProfile"));
	bytes = malloc(strlen(profile));
	text = profile_bytes_text(bytes, decode_base64(profile, bytes), PROFILE_PPROF);
	ck_assert_msg(strstr(text, "\npprof 4 of 10\n"), "%s", text);
	free(text);
	free(bytes);
	return json;
}

static void check_json(json_t *json, const char *expected)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(parca_gets_series)
{
	struct collected collected;
	json_t *json, *series, *sample;

	collected_fixture(&collected, COLLECTED_CPU);
	json = make_parca(&collected);
	ck_assert_uint_eq(json_object_size(json), 2);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "series")), 1);
	series = json_array_get(json_object_get(json, "series"), 0);
	check_json(json_object_get(series, "labels"),
		   "{\"labels\":[{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
		   "{\"name\":\"node\",\"value\":\"host\"}]}");
	check_json(json_object_get(json, "normalized"), "false");
	ck_assert_uint_eq(json_array_size(json_object_get(series, "samples")), 1);
	sample = json_array_get(json_object_get(series, "samples"), 0);
	check_json(json_object_get(sample, "executableInfo"),
		   "[{\"elfType\":3,\"loadSegment\":{\"offset\":\"4096\",\"vaddr\":\"4096\"}},"
		   "{\"elfType\":3,\"loadSegment\":{\"offset\":\"0\",\"vaddr\":\"0\"}},"
		   "{\"elfType\":3,\"loadSegment\":{\"offset\":\"0\",\"vaddr\":\"0\"}}]");
	json_decref(json);
	collected_deinit(&collected);
}
END_TEST

START_TEST(own_addresses_are_normalized)
{
	struct collected collected;
	json_t *json;

	collected_fixture(&collected, COLLECTED_OFF_CPU);
	collected.own_addresses = true;
	collected.host = add_text(&collected, "a\"b\\c\nd");
	json = make_parca(&collected);
	check_json(json_object_get(json, "normalized"), "true");
	check_json(json_object_get(json_array_get(json_object_get(json, "series"), 0), "labels"),
		   "{\"labels\":[{\"name\":\"__name__\",\"value\":\"off_cpu\"},"
		   "{\"name\":\"node\",\"value\":\"a'b\\\\c\\\\x0ad\"}]}");
	ck_assert_ptr_null(json_object_get(
		json_array_get(json_object_get(json_array_get(json_object_get(json, "series"), 0),
					       "samples"),
			       0),
		"executableInfo"));
	json_decref(json);
	collected_deinit(&collected);
}
END_TEST

static const struct {
	const char *name, *bytes;
	size_t size;
	uint64_t rejected;
} answers[] = {
	{ "empty", "", 0, 0 },
	{ "taken", "\x0a\x00", 2, 0 },
	{ "three_rejected", "\x0a\x02\x08\x03", 4, 3 },
	{ "a_remark_only", "\x0a\x04\x12\x02ok", 6, 0 },
	{ "cut_off", "\x0a\x02\x08", 3, 0 },
	{ "no_message", "<html>", 6, 0 },
	{ "less_than_none", "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, 0 },
};

START_TEST(answers_say_what_was_rejected)
{
	ck_assert_msg(push_body_rejected(PUSH_OTLP, answers[_i].bytes, answers[_i].size) ==
			      answers[_i].rejected,
		      "%s", answers[_i].name);
	ck_assert_uint_eq(push_body_rejected(PUSH_PARCA, answers[_i].bytes, answers[_i].size), 0);
}
END_TEST

SUITE(push_body, LOOP(targets_are_kinds_and_urls, targets), TEST(parca_gets_series),
      TEST(own_addresses_are_normalized), LOOP(answers_say_what_was_rejected, answers))

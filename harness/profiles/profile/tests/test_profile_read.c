/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_read.c - which format a profile is, its lines, and texts and frames that are kept once
 */
#include <sys/stat.h>
#include <zlib.h>
#include "tests/suite.h"
#include "profile_fixture.h"

/* ---- which format --------------------------------------------------------------------------- */

static const struct {
	const char *text;
	enum profile_format format;
} beginnings[] = {
	{ "PERFILE2", PROFILE_PERF_DATA },
	{ "2ELIFREP", PROFILE_PERF_DATA },
	{ "PERFILE3", PROFILE_ANY },
	{ "PERFILE", PROFILE_ANY },
	{ "", PROFILE_ANY },
	{ "\n\n", PROFILE_ANY },
	{ "# a comment\n", PROFILE_ANY },
	/* NDJSON */
	{ "{\"type\":\"profile_stack\"}\n", PROFILE_STACKS },
	{ "\n# x\n {\"type\":\"profile_image\"}\n", PROFILE_STACKS },
	{ "{\"type\":\"sample_score\"}\n{\"count\":1,\"type\":\"profile_stack\"}\n",
	  PROFILE_STACKS },
	{ "{\"type\":\"sample_score\"}\n{\"type\":\"profile_stack\"", PROFILE_STACKS },
	/* JSON of others, in any order, also cut off; and what only looks so */
	{ "{", PROFILE_ANY },
	{ "{\"a\":{\"type\":\"profile_stack\"}}", PROFILE_ANY },
	{ "{\"type\":\"score\"}\n", PROFILE_ANY },
	{ "{\"version\":1,\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"",
	  PROFILE_SPEEDSCOPE },
	{ "{\"exporter\":\"a{b\\\"[\",\"shared\":{\"frames\":[", PROFILE_SPEEDSCOPE },
	{ "{\"$schema\":\"https://json.schemastore.org/sarif\"}", PROFILE_ANY },
	{ "{\"meta\":{\"interval\":1,\"preprocessedProfileVersion\":49},", PROFILE_FIREFOX },
	{ "{\"shared\":{\"stringArray\":[\"a\",", PROFILE_FIREFOX },
	{ "{\"meta\":{\"version\":30,\"stackwalk\":1},\"threads\":[]}", PROFILE_ANY },
	{ "{\"resourceProfiles\":[]}", PROFILE_OTLP },
	{ "{\"dictionary\":{\"stringTable\":[\"\"]},", PROFILE_OTLP },
	{ "{\"resource_profiles\":[]}", PROFILE_OTLP },
	{ "{\"resourceSpans\":[]}", PROFILE_ANY },
	{ "{\"traceEvents\":[{\"ph\":\"X\"}]}", PROFILE_ANY },
	{ "[{\"ph\":\"X\",\"ts\":12}]", PROFILE_ANY },
	{ "{closure};main 12\n", PROFILE_FOLDED },
	{ "[libc.so.6];main 12\n", PROFILE_FOLDED },
	/* bpftrace */
	{ "@[\n    f+1\n]: 12\n", PROFILE_BPFTRACE },
	{ "Attaching 1 probe...\ntotal 12\n\n@st_1[\n    f+1\n, a, 7]: 12\n", PROFILE_BPFTRACE },
	{ "@n: 12\n", PROFILE_BPFTRACE },
	{ "@h: \n[2, 4)  1 |@@|\n", PROFILE_BPFTRACE },
	{ "@babel/core;main 12\n", PROFILE_FOLDED },
	{ "]: 12\n", PROFILE_FOLDED },
	/* folded stacks */
	{ "main;leaf 12\n", PROFILE_FOLDED },
	{ "main 12\n", PROFILE_FOLDED },
	{ "main 12", PROFILE_FOLDED },
	{ "# x\n\nmain 12\n", PROFILE_FOLDED },
	{ "main;leaf 1.5\n", PROFILE_FOLDED },
	{ "main;leaf x\n", PROFILE_ANY },
	{ "main;leaf\nmain;other\nmain 1\n", PROFILE_ANY },
	{ "nonsense\nmain 12\nmain 13\nmore nonsense\n", PROFILE_FOLDED },
	{ "12\n", PROFILE_ANY },
	{ "main x\n", PROFILE_ANY },
	{ "bash 12\nmain 12\n", PROFILE_FOLDED },
	{ "nonsense\nmain 12\n", PROFILE_FOLDED },
	/* perf script */
	{ "bash 12 1.5: cycles: \n\t 1f f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "bash 12 1.5: cycles: \n", PROFILE_PERF_SCRIPT },
	{ "bash 12\n\t 1f f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "# x\nbash 12\n\t 1f f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "\n\t 1f f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "\t 1f f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "bash 12\n\tx f (/a)\n", PROFILE_FOLDED },
	{ "bash 12\n 1f f (/a)\n", PROFILE_FOLDED },
	{ "bash 12\n\n\t 1f f (/a)\n", PROFILE_FOLDED },
	/* no text */
	{ "main;leaf 12\n\001", PROFILE_ANY },
	{ "main;leaf\v\f\r\t12\n", PROFILE_FOLDED },
	{ "<svg>\nmain 12\n", PROFILE_ANY },
	{ "# callgrind format\nfn=(1) main\n16 12\n17 1\n", PROFILE_ANY },
	{ "events: Ir\n16 12\n", PROFILE_ANY },
	{ "\x0a\x04\x12\x02\x12\x00", PROFILE_OTLP },
	{ "\x12\x05\x2a\x01\x61\x3a\x00", PROFILE_OTLP },
	{ "\x12\x7f\x0a\x01\x61\x2a\x01\x62", PROFILE_OTLP },
	{ "\x12\x06\x0a\x01\x01\x12\x01\x01", PROFILE_PPROF },
	{ "\x0a\x02\x08\x01", PROFILE_PPROF },
	{ "\x12\x02\x08\x01", PROFILE_PPROF },
	{ "\x48\x05\x12\x02\x08\x01", PROFILE_PPROF },
};

START_TEST(a_file_s_beginning)
{
	enum profile_format format = profile_format_of(beginnings[_i].text,
						       strlen(beginnings[_i].text));

	ck_assert_msg(format == beginnings[_i].format, "%s is %s", beginnings[_i].text,
		      profile_format_name(format));
}
END_TEST

/* What is none of them: what it looks like, and that it is compressed. */
static const struct {
	const char *bytes;
	size_t size; /* 0: up to the NUL */
	const char *said;
} strangers[] = {
	{ "FLR\0\0\2\0\0", 8, "JFR, of Java's Flight Recorder" },
	{ "\177ELF\2\1\1\0", 8, "an ELF file" },
	{ "PERFILE3........", 16, "perf.data of a version that is not read" },
	{ "gmon\1\0\0\0", 8, "gprof's data" },
	{ "PK\3\4....", 8, "a ZIP archive" },
	{ "\050\265\057\375....", 8, "zstd: unpack it first" },
	{ "stackproof truth", 16, "a truth file: that is what --truth takes" },
	{ "\1\2\3\377", 4, "binary data that begin with 01 02 03 ff" },
	{ "<?xml version=\"1.0\"?>\n", 0, "XML" },
	{ "<svg width=\"1\">\n", 0, "an SVG picture" },
	{ "# callgrind format\n16 12\n", 0, "callgrind's profile" },
	{ "#0  main () at a.c:1\n", 0, "a debugger's backtrace" },
	{ "# x\nmain;leaf\n", 0, "folded stacks without counts" },
	{ "hello world\n", 0, "text, with `hello world'" },
	{ "{\"traceEvents\":[]}", 0, "a Chrome trace" },
	{ "[{\"name\":\"a\",\"ph\":\"B\"}]", 0, "a Chrome trace" },
	{ "{\"nodes\":[{\"id\":1,\"callFrame\":{}}]}", 0, "a CPU profile of V8" },
	{ "{\"type\": \"map\", \"data\": {\"@\": 1}}\n", 0,
	  "bpftrace's JSON: without -f json it is read" },
	{ "{\"meta\":{\"stackwalk\":1}}", 0,
	  "a Gecko profile before it is processed: the Firefox Profiler saves it processed" },
	{ "{\"a\":{\"x\":1},\"b\":[{\"y\":2}],\"c\":3}", 0, "JSON with a, b, c" },
	{ "{}", 0, "JSON" },
};

START_TEST(what_it_looks_like)
{
	char said[256], bytes[4096], path[64], *text;
	int file = profile_file("", 0, path);
	gzFile zipped = gzopen(path, "wb");
	size_t given = strangers[_i].size ? strangers[_i].size : strlen(strangers[_i].bytes);
	ssize_t size;

	snprintf(said, sizeof(said),
		 "error text_syntax: unknown format: it looks like %s (`score --help' says what is "
		 "read)\nany 0 of 0\n",
		 strangers[_i].said);
	text = profile_bytes_text(strangers[_i].bytes, given, PROFILE_ANY);
	ck_assert_str_eq(text, said);
	free(text);
	gzwrite(zipped, strangers[_i].bytes, given);
	gzclose(zipped);
	size = pread(file, bytes, sizeof(bytes), 0);
	text = profile_bytes_text(bytes, size, PROFILE_ANY);
	ck_assert_msg(strstr(text, strangers[_i].said) && strstr(text, ", gzip'd (`score"), "%s",
		      text);
	free(text);
	close(file);
}
END_TEST

START_TEST(formats_by_name)
{
	static const char *const names[] = { "any",	"perf-script", "perf-data", "folded",
					     "pprof",	"stacks",      "bpftrace",  "speedscope",
					     "firefox", "otlp" };

	for (int i = 0; i < COUNT(names); i++) {
		ck_assert_int_eq(profile_format_find(names[i]), i);
		ck_assert_str_eq(profile_format_name(i), names[i]);
	}
	ck_assert_int_eq(profile_format_find(""), PROFILE_FORMAT_COUNT);
	ck_assert_int_eq(profile_format_find("stack"), PROFILE_FORMAT_COUNT);
}
END_TEST

/* ---- lines ---------------------------------------------------------------------------------- */

/* zipped: as gzip writes it. */
static struct profile_lines *open_lines(const char *text, size_t size, bool zipped)
{
	struct profile_lines *ret;
	struct error error;
	char path[64];
	int file = profile_file("", 0, path);

	if (zipped) {
		gzFile to = gzopen(path, "wb");

		ck_assert_int_eq(gzwrite(to, text, size), size);
		ck_assert_int_eq(gzclose(to), Z_OK);
	} else {
		ck_assert_int_eq(pwrite(file, text, size, 0), size);
	}
	ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
	ck_assert_int_eq(profile_lines_open(file, &ret, &error), 0);
	return ret;
}

static const struct {
	const char *text, *said; /* "NUMBER:LINE/" of a whole line, "NUMBER:LINE!" of another */
} texts[] = {
	{ "", "" },
	{ "\n", "1:/" },
	{ "a", "1:a!" },
	{ "a\n", "1:a/" },
	{ "a\nb", "1:a/2:b!" },
	{ "a\n\nb\n", "1:a/2:/3:b/" },
	{ "\n\na\n", "1:/2:/3:a/" },
};

START_TEST(lines_one_by_one)
{
	for (int zipped = 0; zipped < 2; zipped++) {
		struct profile_lines *lines = open_lines(texts[_i].text, strlen(texts[_i].text),
							 zipped);
		struct profile_line line;
		struct error error;
		char said[64] = "";

		while (profile_lines_next(lines, &line, &error) > 0)
			sprintf(said + strlen(said), "%d:%.*s%s", (int)line.number, (int)line.size,
				line.text, line.whole ? "/" : "!");
		ck_assert_str_eq(said, texts[_i].said);
		/* It stays so. */
		ck_assert_int_eq(profile_lines_next(lines, &line, &error), 0);
		profile_lines_close(lines);
	}
}
END_TEST

/* More than is read at once: lines of 1,000 bytes, each with its number. */
START_TEST(many_lines)
{
	enum { LINES = 2000, BYTES = 1000 };
	char *text = malloc(LINES * BYTES + 1), number[16];

	for (int i = 0; i < LINES; i++)
		sprintf(text + i * BYTES, "%-*d\n", BYTES - 1, i + 1);
	for (int zipped = 0; zipped < 2; zipped++) {
		struct profile_lines *lines = open_lines(text, LINES * BYTES, zipped);
		struct profile_line line;
		struct error error;
		const char *data;
		size_t size;

		ck_assert_int_eq(profile_lines_peek(lines, &data, &size, &error), 0);
		ck_assert_uint_ge(size, 256 << 10);
		ck_assert_uint_le(size, LINES * BYTES);
		ck_assert(!memcmp(data, text, size));
		for (int i = 0; i < LINES; i++) {
			ck_assert_int_eq(profile_lines_next(lines, &line, &error), 1);
			snprintf(number, sizeof(number), "%d ", i + 1);
			ck_assert(line.number == (uint64_t)i + 1 && line.size == BYTES - 1 &&
				  line.whole && !memcmp(line.text, number, strlen(number)));
		}
		ck_assert_int_eq(profile_lines_next(lines, &line, &error), 0);
		profile_lines_close(lines);
	}
	free(text);
}
END_TEST

START_TEST(all_of_it)
{
	static const char text[] = "0123456789";
	const uint8_t *data;
	const char *begin;
	struct error error;
	size_t size;

	for (size_t limit = 9; limit <= 11; limit++) {
		struct profile_lines *lines = open_lines(text, 10, limit == 11);

		ck_assert_int_eq(profile_lines_peek(lines, &begin, &size, &error), 0);
		ck_assert_uint_eq(size, 10);
		ck_assert(!memcmp(begin, text, 10));
		profile_lines_close(lines);
		lines = open_lines(text, 10, limit == 11);
		if (limit == 9) {
			ck_assert_int_eq(profile_lines_all(lines, limit, &data, &size, &error), -1);
			ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
			ck_assert_str_eq(error.message, "the profile has more than 9 bytes");
			ck_assert_uint_eq(error.offset, 9);
		} else {
			ck_assert_int_eq(profile_lines_all(lines, limit, &data, &size, &error), 0);
			ck_assert_uint_eq(size, 10);
			ck_assert(!memcmp(data, text, 10));
		}
		profile_lines_close(lines);
	}
	profile_lines_close(NULL);
}
END_TEST

/* All behind the first line. */
START_TEST(the_rest_of_it)
{
	struct profile_lines *lines = open_lines("ab\ncdef", 7, false);
	struct profile_line line;
	const uint8_t *data;
	struct error error;
	size_t size;

	ck_assert_int_eq(profile_lines_next(lines, &line, &error), 1);
	ck_assert_int_eq(profile_lines_all(lines, 4, &data, &size, &error), 0);
	ck_assert_uint_eq(size, 4);
	ck_assert(!memcmp(data, "cdef", 4));
	profile_lines_close(lines);
}
END_TEST

START_TEST(what_can_not_be_read)
{
	struct profile_lines *lines;
	struct profile_line line;
	struct error error;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	ck_assert_int_eq(profile_lines_open(ends[1], &lines, &error), 0);
	ck_assert_int_eq(profile_lines_next(lines, &line, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(!strncmp(error.message, "reading: ", 9));
	profile_lines_close(lines);
}
END_TEST

/* ---- texts and frames ----------------------------------------------------------------------- */

START_TEST(texts_are_kept_once)
{
	struct profile_texts list = { 0 };
	struct error error;
	bool is_new;
	char text[16];

	ck_assert_uint_eq(profile_texts_add(&list, "", 0, &is_new, &error), 0);
	ck_assert(!is_new);
	ck_assert_uint_eq(profile_texts_add(&list, "\0ab", 3, &is_new, &error), 0);
	ck_assert_str_eq(profile_texts_get(&list, 0), "");
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < 3000; i++) {
			snprintf(text, sizeof(text), "%d", i);
			ck_assert_uint_eq(
				profile_texts_add(&list, text, strlen(text), &is_new, &error),
				i + 1);
			ck_assert_int_eq(is_new, !again);
			ck_assert_uint_eq(profile_texts_find(&list, text, strlen(text)), i + 1);
			ck_assert_str_eq(profile_texts_get(&list, i + 1), text);
		}
	ck_assert_uint_eq(list.count, 3000);
	/* Of so many bytes, up to a NUL. */
	ck_assert_uint_eq(profile_texts_add(&list, "1234567", 3, &is_new, &error), 124);
	ck_assert_uint_eq(profile_texts_add(&list, "12\0x", 4, &is_new, &error), 13);
	ck_assert_uint_eq(profile_texts_find(&list, "1234567", 3), 124);
	ck_assert_uint_eq(profile_texts_find(&list, "12\0x", 4), 13);
	ck_assert_uint_eq(profile_texts_find(&list, "x", 1), 0);
	ck_assert_uint_eq(profile_texts_find(&list, "", 0), 0);
	profile_texts_deinit(&list);
	ck_assert(!list.count && !list.bytes && !list.text);
	ck_assert_uint_eq(profile_texts_find(&list, "12", 2), 0);
}
END_TEST

START_TEST(frames_are_kept_once)
{
	struct profile profile;
	struct error error;
	struct profile_frame frame = { 0 };

	profile_init(&profile);
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < 1000; i++) {
			frame.address = i / 10;
			frame.flags = i % 10;
			ck_assert_uint_eq(profile_frame_add(&profile, &frame, &error), i + 1);
			ck_assert_uint_eq(profile_frame(&profile, i + 1)->address, i / 10);
			ck_assert_uint_eq(profile_frame(&profile, i + 1)->flags, i % 10);
		}
	ck_assert_uint_eq(profile.frames, 1000);
	profile_deinit(&profile);
	ck_assert(!profile.frames && !profile.frame);
}
END_TEST

START_TEST(losses_are_counted_and_named)
{
	static const char *const names[] = {
		"bad_head", "bad_frame", "bad_count",	  "too_deep",
		"too_long", "cut_off",	 "bad_reference", "zero_count"
	};
	struct profile profile;

	profile_init(&profile);
	ck_assert_int_eq(COUNT(names), PROFILE_LOSS_COUNT);
	for (int i = 0; i < COUNT(names); i++) {
		ck_assert_str_eq(profile_loss_name(i), names[i]);
		ck_assert_uint_gt(strlen(profile_loss_text(i)), 8);
		for (int j = 0; j <= i; j++)
			profile_lose(&profile, i, 100 + j, "%s %d", "number", j);
		ck_assert_uint_eq(profile.lost[i], i + 1);
	}
	ck_assert_uint_eq(profile_lost(&profile), 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
	ck_assert_str_eq(profile.errors.error[2].section, "line");
	ck_assert_str_eq(profile.errors.error[2].message, "number 1");
	ck_assert_uint_eq(profile.errors.error[2].offset, 101);
	profile_deinit(&profile);
	ck_assert_uint_eq(profile_lost(&profile), 0);
	profile.format = PROFILE_PPROF;
	profile_lose(&profile, PROFILE_CUT_OFF, 7, "x");
	ck_assert_str_eq(profile.errors.error[0].section, "pprof");
	profile_deinit(&profile);
}
END_TEST

/* ---- perf.data ------------------------------------------------------------------------------ */

/* What perf is asked. */
START_TEST(perf_is_asked)
{
	static const char
		header[120] = "PERFILE2",
		asked[] = "script --force --no-inline --ns --show-mmap-events --show-task-events "
			  "--show-lost-events -F "
			  "comm,pid,tid,time,event,ip,sym,symoff,dso -i /proc/self/fd/";
	char folder[] = "/tmp/test_profile_read-XXXXXX", path[80], *text, said[512] = "";
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf", folder);
	file = fopen(path, "w");
	fprintf(file, "#!/bin/sh\necho \"$*\" > %s/asked\n", folder);
	ck_assert_int_eq(fchmod(fileno(file), 0755), 0);
	ck_assert_int_eq(fclose(file), 0);
	setenv("PATH", folder, 1);
	text = profile_bytes_text(header, sizeof(header), PROFILE_ANY);
	unlink(path);
	snprintf(path, sizeof(path), "%s/asked", folder);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(said, sizeof(said), file));
	fclose(file);
	unlink(path);
	rmdir(folder);
	ck_assert_msg(!strncmp(said, asked, strlen(asked)), "%s", said);
	ck_assert_str_eq(text, "perf-data 0 of 0\n");
	free(text);
}
END_TEST

SUITE(profile_read, TIMEOUT(300), LOOP(a_file_s_beginning, beginnings),
      LOOP(what_it_looks_like, strangers), TEST(formats_by_name), LOOP(lines_one_by_one, texts),
      TEST(many_lines), TEST(all_of_it), TEST(the_rest_of_it), TEST(what_can_not_be_read),
      TEST(texts_are_kept_once), TEST(frames_are_kept_once), TEST(losses_are_counted_and_named),
      TEST(perf_is_asked))

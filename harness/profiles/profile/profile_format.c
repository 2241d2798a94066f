/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_format.c - which format a profile is, by its content; and what it is that is none of them
 *
 * The content decides, not the name. perf.data has a magic. JSON is known by its keys: the formats
 * of speedscope, of the Firefox Profiler and of OTLP are objects with keys of their own, and each
 * line of NDJSON of ours has a type. pprof and OTLP are no texts, but fields of their first messages,
 * in any order (Go's runtime begins with the time). Of the texts, bpftrace's maps begin with '@';
 * folded stacks end their lines with a count; and in the text of `perf script` a line that begins
 * with a tab and a number is a frame.
 *
 * What is none of these is not read as if it were: profile_format_guess() says what it looks like.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "array.h"
#include "frame_text.h"
#include "json_outline.h"
#include "otlp.h"
#include "wire.h"

#define PERF_DATA_MAGIC	     "PERFILE2"
#define PERF_DATA_MAGIC_PIPE "2ELIFREP" /* of the other byte order */

static const char *const names[PROFILE_FORMAT_COUNT] = {
	[PROFILE_ANY] = "any",
	[PROFILE_PERF_SCRIPT] = "perf-script",
	[PROFILE_PERF_DATA] = "perf-data",
	[PROFILE_FOLDED] = "folded",
	[PROFILE_PPROF] = "pprof",
	[PROFILE_STACKS] = "stacks",
	[PROFILE_BPFTRACE] = "bpftrace",
	[PROFILE_SPEEDSCOPE] = "speedscope",
	[PROFILE_FIREFOX] = "firefox",
	[PROFILE_OTLP] = "otlp",
};

enum profile_format profile_format_find(const char *name)
{
	enum profile_format format = PROFILE_ANY;

	while (format < PROFILE_FORMAT_COUNT && strcmp(name, names[format]))
		format++;
	return format;
}

const char *profile_format_name(enum profile_format format)
{
	return names[format];
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static const struct json_mark {
	unsigned int depth;
	const char *parent; /* NULL: any */
	const char *name;
	const char *text; /* its value begins so; NULL: whatever it is */
	enum profile_format format;
	const char *what; /* of PROFILE_ANY */
} json_marks[] = {
	{ 1, NULL, "$schema", "https://www.speedscope.app/", PROFILE_SPEEDSCOPE, NULL },
	{ 2, "shared", "frames", NULL, PROFILE_SPEEDSCOPE, NULL },
	{ 2, "meta", "preprocessedProfileVersion", NULL, PROFILE_FIREFOX, NULL },
	{ 2, "shared", "stringArray", NULL, PROFILE_FIREFOX, NULL },
	{ 1, NULL, "resourceProfiles", NULL, PROFILE_OTLP, NULL },
	{ 1, NULL, "resource_profiles", NULL, PROFILE_OTLP, NULL },
	{ 2, "dictionary", "stringTable", NULL, PROFILE_OTLP, NULL },
	{ 2, "dictionary", "string_table", NULL, PROFILE_OTLP, NULL },
	{ 1, NULL, "type", "profile_stack", PROFILE_STACKS, NULL },
	{ 1, NULL, "type", "profile_image", PROFILE_STACKS, NULL },
	{ 1, NULL, "traceEvents", NULL, PROFILE_ANY, "a Chrome trace" },
	{ 2, NULL, "ph", NULL, PROFILE_ANY, "a Chrome trace" },
	{ 3, "nodes", "callFrame", NULL, PROFILE_ANY, "a CPU profile of V8" },
	{ 2, "head", "callFrame", NULL, PROFILE_ANY, "a heap profile of V8" },
	{ 2, "meta", "stackwalk", NULL, PROFILE_ANY,
	  "a Gecko profile before it is processed: the Firefox Profiler saves it processed" },
	{ 1, NULL, "flamebearer", NULL, PROFILE_ANY, "Pyroscope's JSON" },
	{ 1, NULL, "linux-perf-json-version", NULL, PROFILE_ANY, "JSON of `perf data convert'" },
	{ 1, NULL, "resourceSpans", NULL, PROFILE_ANY, "OTLP of another signal" },
	{ 1, NULL, "resourceMetrics", NULL, PROFILE_ANY, "OTLP of another signal" },
	{ 1, NULL, "resourceLogs", NULL, PROFILE_ANY, "OTLP of another signal" },
	{ 1, NULL, "type", "attached_probes", PROFILE_ANY,
	  "bpftrace's JSON: without -f json it is read" },
	{ 1, NULL, "type", "map", PROFILE_ANY, "bpftrace's JSON: without -f json it is read" },
};

static const struct json_mark *find_mark(const struct json_key *key)
{
	return ARRAY_FIRST(json_marks, ARRAY_COUNT(json_marks), mark,
			   mark->depth == key->depth && span_is(key->name, mark->name) &&
				   (!mark->parent || span_is(key->parent, mark->parent)) &&
				   (!mark->text || span_begins(key->text, mark->text)));
}

/* The mark of a format that is read, or else of what else it is; NULL: none. */
static const struct json_mark *mark_of_json(struct span data)
{
	struct json_outline outline = { .at = data.at, .end = data.at + data.size };
	const struct json_mark *found = NULL;
	struct json_key key;

	while (json_outline_next(&outline, &key)) {
		const struct json_mark *mark = find_mark(&key);

		if (mark && (mark->format != PROFILE_ANY || !found))
			found = mark;
		if (found && found->format != PROFILE_ANY)
			break;
	}
	return found;
}

/* The first object that is known, of NDJSON in any line. */
static const struct json_mark *mark_of_lines(struct span data)
{
	const struct json_mark *found = mark_of_json(data);

	while (data.size && (!found || found->format == PROFILE_ANY)) {
		struct span line = span_line(&data);
		const struct json_mark *mark = json_outline_begins(line) ? mark_of_json(line)
									 : NULL;

		if (mark && (mark->format != PROFILE_ANY || !found))
			found = mark;
	}
	return found;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool is_text(struct span data)
{
	return !ARRAY_ANY(data.size, i,
			  (unsigned char)data.at[i] < ' ' && !isspace((unsigned char)data.at[i]));
}

/* "a;b 12" */
static bool is_folded(struct span line)
{
	struct span rest = line, word = { 0 };
	size_t words = 0;
	uint64_t value;
	bool fraction;

	while (rest.size) {
		word = span_word(&rest);
		words++;
	}
	return words > 1 && count_text_read(word, 1, &value, &fraction);
}

/* Half of the lines are stacks with a count. */
static bool is_mostly_folded(struct span data)
{
	size_t lines = 0, folded = 0;

	while (data.size) {
		struct span line = span_trim(span_line(&data));

		if (!line.size || line.at[0] == '#')
			continue;
		lines++;
		folded += is_folded(line);
	}
	return folded && 2 * folded >= lines;
}

/* "@stacks[" or "@:": a map's entry begins. */
static bool is_map_entry(struct span line)
{
	size_t size = 1;

	if (!line.size || line.at[0] != '@')
		return false;
	while (size < line.size && (isalnum((unsigned char)line.at[size]) || line.at[size] == '_'))
		size++;
	return size < line.size && (line.at[size] == '[' || line.at[size] == ':');
}

static bool is_bpftrace(struct span data)
{
	while (data.size) {
		struct span line = span_line(&data);

		if (is_map_entry(line) &&
		    (line.at[line.size - 1] == '[' || memmem(line.at, line.size, ": ", 2) ||
		     line.at[line.size - 1] == ' '))
			return true;
	}
	return false;
}

/* A line that could be a head of perf's could be a folded stack, too ("bash 12"): the next one tells. */
static bool is_perf_frame(struct span line)
{
	return line.size && line.at[0] == '\t' && perf_frame_begins(line);
}

/* A head with a frame in its line may end with a number, as a stack does. */
static bool is_perf_alone(struct span line)
{
	struct perf_head head;
	struct perf_frame frame;

	return perf_head_parse(line, &head) && (head.timed || head.tid >= 0) &&
	       perf_frame_alone_parse(head.rest, &frame);
}

/* Texts that others write, in which a line may look like a stack. */
static const struct {
	const char *begins, *what;
} other_texts[] = {
	{ "<?xml", "XML" },
	{ "<svg", "an SVG picture" },
	{ "<", "HTML or XML" },
	{ "# callgrind format", "callgrind's profile" },
	{ "version: 1", "callgrind's profile" },
	{ "events: ", "callgrind's or cachegrind's profile" },
	{ "desc: ", "massif's or cachegrind's profile" },
	{ "# To display the perf.data header info", "`perf report's text: `perf script's is read" },
	{ "Flat profile:", "gprof's text" },
	{ "heap profile:", "a heap profile of gperftools" },
	{ "v8-version,", "a log of V8" },
	{ "#0 ", "a debugger's backtrace" },
	{ "Thread ", "a debugger's backtrace" },
	{ "[Thread debugging", "a debugger's backtrace" },
	{ "version https://git-lfs", "a pointer of git LFS, not the file" },
};

static const char *other_text(struct span data)
{
	data = span_trim(data);
	for (size_t i = 0; i < sizeof(other_texts) / sizeof(other_texts[0]); i++)
		if (span_begins(data, other_texts[i].begins))
			return other_texts[i].what;
	return NULL;
}

static enum profile_format format_of_text(struct span all)
{
	struct span data = all;

	if (is_bpftrace(all))
		return PROFILE_BPFTRACE;
	while (data.size) {
		struct span line = span_line(&data), next = data, trimmed = span_trim(line);
		struct perf_head head;

		if (is_perf_frame(line) || (trimmed.size && is_perf_frame(span_line(&next))))
			return PROFILE_PERF_SCRIPT;
		if (!trimmed.size || trimmed.at[0] == '#')
			continue;
		if (json_outline_begins(
			    (struct span) { trimmed.at, all.at + all.size - trimmed.at })) {
			const struct json_mark *mark = mark_of_lines(
				(struct span) { trimmed.at, all.at + all.size - trimmed.at });

			return mark ? mark->format : PROFILE_ANY;
		}
		if (is_perf_alone(line))
			return PROFILE_PERF_SCRIPT;
		if (is_folded(trimmed))
			break;
		if (perf_head_parse(line, &head))
			return PROFILE_PERF_SCRIPT;
	}
	return !other_text(all) && is_mostly_folded(all) ? PROFILE_FOLDED : PROFILE_ANY;
}

/* ---- no texts ------------------------------------------------------------------------------- */

/* How a field of profile.proto's Profile is written: 'b' bytes, 'n' a number, '*' either. */
static char pprof_field(uint32_t number)
{
	/* sample_type, sample, mapping, location, function, string_table, drop_frames, keep_frames,
	 * time_nanos, duration_nanos, period_type, period, comment, default_sample_type, doc_url */
	static const char kinds[] = "-bbbbbbnnnnbn*nn";

	return number < sizeof(kinds) - 1 ? kinds[number] : '-';
}

/* Its fields up to the first that is none of a Profile: a type of samples or a sample is among them,
 * or the last one is too long for what is there of the file. */
static bool is_pprof(struct span data)
{
	struct wire wire = { (const uint8_t *)data.at, (const uint8_t *)data.at + data.size,
			     false };
	struct wire_field field = { 0 };

	while (wire_next(&wire, &field)) {
		char kind = pprof_field(field.number);

		if (field.data && !field.is_bytes) /* of 4 or 8 bytes */
			return false;
		if (kind != '*' && kind != (field.is_bytes ? 'b' : 'n'))
			return false;
		if (field.number <= 2)
			return true;
		field = (struct wire_field) { 0 };
	}
	return field.is_bytes && pprof_field(field.number) == 'b';
}

enum profile_format profile_format_of(const void *data, size_t size)
{
	struct span span = { data, size };

	if (span_begins(span, PERF_DATA_MAGIC) || span_begins(span, PERF_DATA_MAGIC_PIPE))
		return PROFILE_PERF_DATA;
	if (is_text(span))
		return format_of_text(span);
	if (otlp_wire_begins(data, size))
		return PROFILE_OTLP;
	return is_pprof(span) ? PROFILE_PPROF : PROFILE_ANY;
}

/* ---- what it looks like --------------------------------------------------------------------- */

static const struct {
	const char *bytes;
	size_t size;
	const char *what;
} magics[] = {
	{ "FLR\0", 4, "JFR, of Java's Flight Recorder" },
	{ "JAVA PROFILE 1.", 15, "a heap dump of Java" },
	{ "\177ELF", 4, "an ELF file" },
	{ "PERFILE", 7, "perf.data of a version that is not read" },
	{ "SIMPLEPERF", 10, "simpleperf's data" },
	{ "\027\010Dtracing", 10, "trace-cmd's data" },
	{ "gmon", 4, "gprof's data" },
	{ "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16, "a CPU profile of gperftools" },
	{ "\037\213", 2, "gzip" },
	{ "\050\265\057\375", 4, "zstd: unpack it first" },
	{ "\3757zXZ\0", 6, "xz: unpack it first" },
	{ "BZh", 3, "bzip2: unpack it first" },
	{ "\004\042\115\030", 4, "lz4: unpack it first" },
	{ "PK\003\004", 4, "a ZIP archive" },
	{ "!<arch>\n", 8, "an archive" },
	{ "SQLite format 3\0", 16, "an SQLite database" },
	{ "Nettrace", 8, ".NET's trace" },
	{ "go 1.", 5, "an execution trace of Go" },
	{ "bplist00", 8, "a property list of Apple's" },
	{ "MOJO", 4, "Austin's MOJO" },
	{ "stackproof truth", 16, "a truth file: that is what --truth takes" },
};

static void guess_json(struct span data, char *text, size_t size)
{
	struct json_outline outline = { .at = data.at, .end = data.at + data.size };
	const struct json_mark *mark = mark_of_lines(data);
	const char *before = " with ";
	struct json_key key;
	size_t used;

	if (mark && mark->what) {
		snprintf(text, size, "%s", mark->what);
		return;
	}
	used = snprintf(text, size, "JSON");
	for (int keys = 0; keys < 4 && json_outline_next(&outline, &key);) {
		if (key.depth != 1 || used + key.name.size + strlen(before) + 1 > size)
			continue;
		used += snprintf(text + used, size - used, "%s%.*s", before, (int)key.name.size,
				 key.name.at);
		before = ", ";
		keys++;
	}
}

static void guess_text(struct span data, char *text, size_t size)
{
	const int shown = 40;
	const char *other = other_text(data);
	struct span line = { 0 };

	while (data.size && (!line.size || line.at[0] == '#'))
		line = span_trim(span_line(&data));
	if (other)
		snprintf(text, size, "%s", other);
	else if (line.size > 1 && memchr(line.at, ';', line.size - 1))
		snprintf(text, size, "folded stacks without counts");
	else
		snprintf(text, size, "text, with `%.*s'",
			 line.size < (size_t)shown ? (int)line.size : shown, line.at);
}

static void guess_bytes(struct span data, char *text, size_t size)
{
	size_t used = snprintf(text, size, "binary data that begin with");

	for (size_t i = 0; i < 8 && i < data.size; i++)
		used += snprintf(text + used, size - used, " %02x", (unsigned char)data.at[i]);
}

void profile_format_guess(const void *data, size_t data_size, char *text, size_t size)
{
	struct span span = { data, data_size };

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (data_size >= magics[i].size && !memcmp(data, magics[i].bytes, magics[i].size)) {
			snprintf(text, size, "%s", magics[i].what);
			return;
		}
	if (!is_text(span))
		guess_bytes(span, text, size);
	else if (json_outline_begins(span))
		guess_json(span, text, size);
	else
		guess_text(span, text, size);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_format.c - which format a file is: each mark alone, two marks in either order, and what only looks so
 *
 * What is none of the formats is guessed: each of the guesses has a line here. ' stands for " in JSON.
 */
#include "tests/suite.h"
#include "profile_fixture.h"

static char *beginning_of(const char *text)
{
	return *text == '{' || *text == '[' ? quoted(text) : strdup(text);
}

static const struct {
	const char *text;
	enum profile_format format;
} beginnings[] = {
	/* a key is known where it belongs, and nowhere else */
	{ "{'dictionary':{'string_table':['']}}", PROFILE_OTLP },
	{ "{'string_table':['']}", PROFILE_ANY },
	{ "{'a':{'frames':[]}}", PROFILE_ANY },
	{ "{'frames':[]}", PROFILE_ANY },
	{ "{'shared':{},'a':{'frames':[]}}", PROFILE_ANY },
	{ "{'a':{},'shared':{'frames':[]}}", PROFILE_SPEEDSCOPE },
	{ "{'a':{'shared':{'frames':[]}}}", PROFILE_ANY },
	{ "{'a':1,'meta':{'x':2,'preprocessedProfileVersion':3}}", PROFILE_FIREFOX },
	{ "{'meta':{'x':{'preprocessedProfileVersion':3}}}", PROFILE_ANY },
	{ "{'a':{'resourceProfiles':[]}}", PROFILE_ANY },
	{ "{'$schema':7}", PROFILE_ANY },
	{ "{'type':'profile_images'}", PROFILE_STACKS },
	{ "{'type':'a profile_stack'}", PROFILE_ANY },
	{ "{'types':'profile_stack'}", PROFILE_ANY },
	{ "{'type':['profile_stack']}", PROFILE_ANY },
	{ "['type','profile_stack']", PROFILE_ANY },
	/* one that is read goes before one that is not, whichever comes first */
	{ "{'traceEvents':[],'shared':{'frames':[]}}", PROFILE_SPEEDSCOPE },
	{ "{'shared':{'frames':[]},'traceEvents':[]}", PROFILE_SPEEDSCOPE },
	{ "{'type':'map'}\n{'type':'profile_stack'}\n", PROFILE_STACKS },
	{ "{'type':'profile_stack'}\n{'type':'map'}\n", PROFILE_STACKS },
	{ "{'a':1}\n\nno JSON\n{'type':'profile_stack'}\n", PROFILE_STACKS },
	/* the first value alone counts in a line */
	{ "{'a':1}{'type':'profile_stack'}", PROFILE_ANY },
	{ "{'a':[{'b':1}],'type':'profile_stack'}", PROFILE_STACKS },
	{ "{'a':'}','type':'profile_stack'}", PROFILE_STACKS },
	{ "[{'ph':1}]", PROFILE_ANY },
	{ "{ 'type' : 'profile_stack' }", PROFILE_STACKS },
	{ "{", PROFILE_ANY },
	{ "{7}\nmain 12\n", PROFILE_FOLDED },
	{ "[]\nmain 12\n", PROFILE_FOLDED },
	/* maps */
	{ "@k[, \n    f+1\n]: 1\n", PROFILE_BPFTRACE },
	{ "main;leaf 12\n@n: 1\n", PROFILE_BPFTRACE },
	{ "@a_1b: 12\n", PROFILE_BPFTRACE },
	{ "@a-b: 12\n", PROFILE_FOLDED },
	{ "@a:b;c 12\n", PROFILE_FOLDED },
	{ "@a[b];c 12\n", PROFILE_FOLDED },
	{ " @a: 12\n", PROFILE_FOLDED },
	{ "@\n@ab\n", PROFILE_ANY },
	/* half of the lines are stacks; comments and empty lines are none */
	{ "# a\n# b\n# c\nmain;leaf\nmain 1\n", PROFILE_FOLDED },
	{ "\n\n\n\nmain;leaf\nmain 1\n", PROFILE_FOLDED },
	{ "main;leaf\nmain;leaf\nmain 1\nmain 2\nmain;leaf\n", PROFILE_ANY },
	{ "main;leaf\nmain;leaf\nmain 1\nmain 2\nmain 3\n", PROFILE_FOLDED },
	{ "a b c 1.5\n", PROFILE_FOLDED },
	{ "a b c 1.5 d\n", PROFILE_ANY },
	/* perf's text */
	{ "x 12\na 7 1.0: b: 1 f (/a) 4K\n", PROFILE_FOLDED },
	{ "a 7 1.0: b: 1 f (/a)   7\n", PROFILE_PERF_SCRIPT },
	{ "a b: 1 main (/a)   7\n", PROFILE_FOLDED },
	{ "# x\n\na 7 1.0: b: 1 f (/a)\n", PROFILE_PERF_SCRIPT },
	{ "nonsense\n# x\nbash 12 1.5: cycles: \n", PROFILE_PERF_SCRIPT },
	/* no texts */
	{ "\x0a\x04\x22\x02\x08\x01", PROFILE_PPROF },
	{ "\x0a\x04\x1a\x02\x08\x01", PROFILE_OTLP },
	{ "main 1\n\x7f\x80\xff 2\n", PROFILE_FOLDED },
};

START_TEST(a_file_s_beginning)
{
	char *text = beginning_of(beginnings[_i].text);
	enum profile_format format = profile_format_of(text, strlen(text));

	ck_assert_msg(format == beginnings[_i].format, "%s is %s", text,
		      profile_format_name(format));
	free(text);
}
END_TEST

#define SIGNAL "OTLP of another signal"
#define FORTY  "0123456789012345678901234567890123456789"
#define LONG                                                                                       \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnn"

static const struct {
	const char *bytes;
	size_t size; /* 0: up to the NUL */
	const char *said;
} strangers[] = {
	{ "FLR\0", 4, "JFR, of Java's Flight Recorder" },
	{ "FLR", 0, "text, with `FLR'" },
	{ "JAVA PROFILE 1.0.2\0", 19, "a heap dump of Java" },
	{ "\177ELF", 0, "an ELF file" },
	{ "PERFILE1", 0, "perf.data of a version that is not read" },
	{ "SIMPLEPERF", 0, "simpleperf's data" },
	{ "\027\010Dtracing", 0, "trace-cmd's data" },
	{ "gmon\1", 0, "gprof's data" },
	{ "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16, "a CPU profile of gperftools" },
	{ "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\1", 16,
	  "binary data that begin with 00 00 00 00 00 00 00 00" },
	{ "\050\265\057\375", 0, "zstd: unpack it first" },
	{ "\3757zXZ\0", 6, "xz: unpack it first" },
	{ "BZh9", 0, "bzip2: unpack it first" },
	{ "\004\042\115\030", 0, "lz4: unpack it first" },
	{ "PK\003\004", 0, "a ZIP archive" },
	{ "!<arch>\n", 0, "an archive" },
	{ "SQLite format 3\0", 16, "an SQLite database" },
	{ "Nettrace", 0, ".NET's trace" },
	{ "go 1.22 trace\0\0\0", 16, "an execution trace of Go" },
	{ "bplist00", 0, "a property list of Apple's" },
	{ "MOJO\1", 0, "Austin's MOJO" },
	{ "\1\2\3", 3, "binary data that begin with 01 02 03" },
	{ "\xef\xbb\xbf\0main 1\n", 11, "binary data that begin with ef bb bf 00 6d 61 69 6e" },
	/* texts */
	{ "\n <?xml version='1.0'?>", 0, "XML" },
	{ "<svg>main 12\n", 0, "an SVG picture" },
	{ "<html>\nmain 12\n", 0, "HTML or XML" },
	{ "# callgrind format\nfn=f\n", 0, "callgrind's profile" },
	{ "version: 1\ncreator: callgrind\n", 0, "callgrind's profile" },
	{ "events: Ir\nf 12\n", 0, "callgrind's or cachegrind's profile" },
	{ "desc: -\ncmd: f 12\n", 0, "massif's or cachegrind's profile" },
	{ "# To display the perf.data header info, please use\n#\n  99.0%  f 12\n", 0,
	  "`perf report's text: `perf script's is read" },
	{ "Flat profile:\n\nf 12\n", 0, "gprof's text" },
	{ "heap profile:  1:  2\n", 0, "a heap profile of gperftools" },
	{ "v8-version,11,3\n", 0, "a log of V8" },
	{ "#0 f\n#1 g 12\n", 0, "a debugger's backtrace" },
	{ "Thread 1\nf 12\n", 0, "a debugger's backtrace" },
	{ "[Thread debugging using libthread_db enabled]\n", 0, "a debugger's backtrace" },
	{ "version https://git-lfs.github.com/spec/v1\nsize 12\n", 0,
	  "a pointer of git LFS, not the file" },
	{ "a;b\nc;d\n", 0, "folded stacks without counts" },
	{ "# a;b\nmain;\n", 0, "text, with `main;'" },
	{ FORTY "\n", 0, "text, with `" FORTY "'" },
	{ FORTY "4\n", 0, "text, with `" FORTY "'" },
	{ "\n# x\n\n  ab\nc\n", 0, "text, with `ab'" },
	{ "# x\n", 0, "text, with `# x'" },
	/* a byte order mark alone is nothing; half of one is text */
	{ "\xef\xbb\xbf", 0, NULL },
	{ "\xef\xbb", 0,
	  "text, with `?"
	  "?'" },
	{ "\xef\xbb\xbfmain\n", 0, "text, with `main'" },
	/* JSON */
	{ "{'a':{'head':{'callFrame':1}}}", 0, "JSON with a" },
	{ "{'head':{'callFrame':{}}}", 0, "a heap profile of V8" },
	{ "{'head':[{'callFrame':{}}]}", 0, "JSON with head" },
	{ "{'nodes':{'callFrame':{}}}", 0, "JSON with nodes" },
	{ "{'nodes':[{'id':1},{'callFrame':{}}]}", 0, "a CPU profile of V8" },
	{ "{'flamebearer':{'names':[]}}", 0, "Pyroscope's JSON" },
	{ "{'linux-perf-json-version':1}", 0, "JSON of `perf data convert'" },
	{ "{'resourceSpans':[]}", 0, SIGNAL },
	{ "{'resourceMetrics':[]}", 0, SIGNAL },
	{ "{'resourceLogs':[]}", 0, SIGNAL },
	{ "{'type': 'attached_probes', 'data': {}}\n", 0,
	  "bpftrace's JSON: without -f json it is read" },
	{ "{'type':'map','traceEvents':[]}", 0, "bpftrace's JSON: without -f json it is read" },
	{ "{'traceEvents':[],'type':'map'}", 0, "a Chrome trace" },
	{ "{'a':1}\n{'traceEvents':1}\n{'flamebearer':1}\n", 0, "a Chrome trace" },
	{ "{'a':1,'b':2,'c':3,'d':4,'e':5}", 0, "JSON with a, b, c, d" },
	{ "{'" LONG "':1,'b':{'x':1},'" LONG "':3,'d':[4]}", 0, "JSON with " LONG ", b, d" },
	{ "[{'a':1,'b':2}]", 0, "JSON" },
	{ "{'a", 0, "JSON" },
	{ "{'a'", 0, "JSON" },
	{ "{'a':", 0, "JSON with a" },
};

START_TEST(what_it_looks_like)
{
	const size_t size = strangers[_i].size;
	char said[512], *bytes = size ? NULL : beginning_of(strangers[_i].bytes);

	snprintf(said, sizeof(said),
		 strangers[_i].said ? "error text_syntax: unknown format: it looks like %s (`score "
				      "--help' says what is read)\nany 0 of 0\n"
				    : "error text_syntax: it is empty\nany 0 of 0\n",
		 strangers[_i].said);
	check_profile_text(strangers[_i].bytes,
			   profile_bytes_text(bytes ? bytes : strangers[_i].bytes,
					      bytes ? strlen(bytes) : size, PROFILE_ANY),
			   said);
	free(bytes);
}
END_TEST

/* What zlib would have unpacked is compressed twice. */
START_TEST(compressed_twice)
{
	char said[8];

	profile_format_guess("\037\213\10", 3, said, sizeof(said));
	ck_assert_str_eq(said, "gzip");
}
END_TEST

/* A byte order mark is one at the file's start only, also where a line begins at the buffer's. */
START_TEST(a_byte_order_mark_in_the_middle)
{
	for (int left = 0; left <= 3; left++) {
		const size_t first = (256 << 10) - left;
		char *input = malloc(first + 64);
		size_t size = first;

		memset(input, 'a', first);
		memcpy(input + first - 3, " 1\n", 3);
		size += sprintf(input + size, "\xef\xbb\xbf"
					      "b 2\nc 3\n");
		char *text = profile_bytes_text(input, size, PROFILE_FOLDED);

		ck_assert_msg(strstr(text, "\nx 2: \xef\xbb\xbf"
					   "b\nx 3: c\n"
					   "folded 3 of 6\n"),
			      "%d: %s", left, strstr(text, "x 2"));
		free(text);
		free(input);
	}
}
END_TEST

/* A format that is asked for is read, whatever the file looks like. */
START_TEST(a_format_that_is_asked_for)
{
	static const char input[] = "@a;b 1\n";

	check_profile_text("folded", profile_bytes_text(input, strlen(input), PROFILE_FOLDED),
			   "x 1: b, @a\nfolded 1 of 1\n");
	check_profile_text("bpftrace", profile_bytes_text(input, strlen(input), PROFILE_BPFTRACE),
			   "bpftrace 0 of 0\n");
	check_profile_text("stacks", profile_bytes_text("[]\n", 3, PROFILE_STACKS),
			   "stacks 0 of 0\n");
	check_profile_text("otlp", profile_bytes_text(" {}", 3, PROFILE_OTLP), "otlp 0 of 0\n");
}
END_TEST

SUITE(profile_format, LOOP(a_file_s_beginning, beginnings), LOOP(what_it_looks_like, strangers),
      TEST(compressed_twice), TEST(a_byte_order_mark_in_the_middle),
      TEST(a_format_that_is_asked_for))

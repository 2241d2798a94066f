/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_otlp_tables.c - OpenTelemetry's profiles whose tables have two of everything
 *
 * Resources, attributes, mappings, functions and stacks, of which one says what the next does not; as JSON, with ' for ",
 * or as messages that are built here.
 */
#include "tests/suite.h"
#include "profile_fixture.h"
#include "profiles/profile/otlp.h"
#include "wire_message.h"

/* Texts 1 to 5 are the attributes' keys, 6 and 7 a type and a unit of values. */
#define TEXTS                                                                                      \
	"'stringTable':['','process.pid','thread.id','thread.name','process.executable.build_id."  \
	"gnu','profile.frame.type','samples','count','/bin/p','/bin/"                              \
	"q','5c9a','6d0b','f','_f','g',"                                                           \
	"'kernel','native','ruby','wall','nanoseconds'],"
#define ATTRIBUTES                                                                                 \
	"'attributeTable':[{},{'keyStrindex':1,'value':{'intValue':'77'}},{'keyStrindex':2,"       \
	"'value':{'intValue':78}},{'keyStrindex':3,'value':{'stringValue':'work er'}},"            \
	"{'keyStrindex':4,'value':{'stringValueStrindex':10}},{'keyStrindex':4,'value':"           \
	"{'stringValue':'6d0b','stringValueStrindex':10}},{'keyStrindex':5,'value':"               \
	"{'stringValueStrindex':15}},{'keyStrindex':5,'value':{'stringValueStrindex':16}},"        \
	"{'keyStrindex':5,'value':{'stringValueStrindex':17}},{'keyStrindex':8,'value':"           \
	"{'intValue':79,'stringValue':'x'}},{'keyStrindex':3,'value':{'stringValueStrindex':9}},"  \
	"{'keyStrindex':1,'value':{'intValue':0}},{'keyStrindex':2,'value':"                       \
	"{'intValue':'2147483648'}}],"
/* Locations 1 and 2 are functions f and g without an address. */
#define SIMPLE                                                                                     \
	"'functionTable':[{},{'nameStrindex':12},{'nameStrindex':14}],'locationTable':[{},"        \
	"{'lines':[{'functionIndex':1}]},{'lines':[{'functionIndex':2}]}],"                        \
	"'stackTable':[{},{'locationIndices':[1]},{'locationIndices':[2,1]}]"
#define OTLP(resources, tables)                                                                    \
	"{'resourceProfiles':[" resources "],'dictionary':{" TEXTS ATTRIBUTES tables "}}"
#define RESOURCE(attributes, profiles)                                                             \
	"{'resource':{'attributes':[" attributes "]},'scopeProfiles':[{'profiles':[" profiles "]}" \
	"]}"
#define PLAIN(profiles)	 "{'scopeProfiles':[{'profiles':[" profiles "]}]}"
#define SAMPLES(samples) "{'samples':[" samples "]}"
#define ONE(stack, more) "{'stackIndex':" stack ",'values':[1]" more "}"
#define TYPE(type, unit) "{'sampleType':{'typeStrindex':" type ",'unitStrindex':" unit "},"
#define MAPPINGS                                                                                   \
	"'mappingTable':[{},{'memoryStart':4096,'fileOffset':256,'filenameStrindex':8,"            \
	"'attributeIndices':[9,4,3]},{'memoryStart':8192,'filenameStrindex':9,"                    \
	"'attributeIndices':[99,5]},{'filenameStrindex':8}],"

/* clang-format off */
static const struct profile_case cases[] = {
	/* who it was */
	{ "a_resource_says_nothing_of_the_next", OTLP(RESOURCE(
	  "{'key':'process.pid','value':{'intValue':'42'}},{'key':'thread.id','value':"
	  "{'intValue':43}},{'key':'thread.name','value':{'stringValue':'a'}}",
	  SAMPLES(ONE("1", ""))) "," PLAIN(SAMPLES(ONE("1", ""))) "," RESOURCE("{'keyStrindex':1,'"
	  "value':{'intValue':" "44}},{'key':'" "service.name','" "value':{'" "stringValue':'x'}}",
	  SAMPLES(ONE("2", ""))) ","
	  RESOURCE("{'key':'thread.name','value':{'stringValueStrindex':9}}",
	  SAMPLES(ONE("1", ""))), SIMPLE),
	  "42/43 'a' x 1: f\nx 1: f\n44/-1 x 1: g, f\n'/bin/q' x 1: f\notlp 4 of 4\n" },
	{ "a_sample_s_attributes_say_nothing_of_the_next",
	  OTLP(RESOURCE("{'key':'process.pid','value':{'intValue':'42'}}",
	  SAMPLES(ONE("1", ",'attributeIndices':[2,3]") "," ONE("2", "") ","
	  ONE("1", ",'attributeIndices':[1,9,10,99]") "," ONE("1", ",'attributeIndices':[11,12]")
	  "," ONE("1", ",'attributeIndices':[10," "3]")) "," SAMPLES(ONE("1", ""))), SIMPLE),
	  "42/78 'work er' x 1: f\n42/-1 x 1: g, f\n77/-1 '/bin/q' x 1: f\n"
	  "x 1: f\n42/-1 'work er' x 1: f\n42/-1 x 1: f\notlp 6 of 6\n" },
	/* where it was */
	{ "two_mappings", OTLP(PLAIN(SAMPLES(ONE("1", ""))), MAPPINGS
	  "'locationTable':[{},{'mappingIndex':1,'address':4112},{'mappingIndex':2,'address':"
	  "8200},{'mappingIndex':1,'address':4095},{'mappingIndex':1,'address':4096},{'"
	  "mappingIndex':3,'address':16},{'mappingIndex':9,'address':17},{'address':18},{'"
	  "mappingIndex':2}],'stackTable':[{},{'locationIndices':[1,2,3,4,5,6,7,8]}]"),
	  "x 1: ? (/bin/p 5c9a) f0x110, ? (/bin/q 6d0b) f0x8, ? (/bin/p 5c9a) r0xfff, ? (/bin/p "
	  "5c9a) f0x100, ? (/bin/p) v0x10, ? r0x11, ? r0x12, ? (/bin/q 6d0b)\n" "otlp 1 of 1\n" },
	{ "types_of_frames", OTLP(PLAIN(SAMPLES(ONE("1", ""))), MAPPINGS
	  "'locationTable':[{},{'mappingIndex':1,'address':4112,'attributeIndices':["
	  "9,6]},{'mappingIndex':1,'address':4112,'attributeIndices':[7]},{'"
	  "mappingIndex':1,'address':4112,'attributeIndices':[8]},{'mappingIndex':1,'"
	  "address':4112,'attributeIndices':[4,3]},{'address':'9223372036854775807'},"
	  "{'address':'9223372036854775808'},{'mappingIndex':1,'address':4112}],'"
	  "stackTable':[{},{'locationIndices':[1,2,3,4,5,6,7]}]"),
	  "x 1: ? (/bin/p 5c9a) f0x110 k, ? (/bin/p 5c9a) f0x110, ?, ? (/bin/p 5c9a) f0x110, ? "
	  "r0x7fffffffffffffff, ? r0x8000000000000000 k, ? (/bin/p 5c9a) f0x110\n" "otlp 1 of 1\n"
	  },
	{ "two_functions_and_lines", OTLP(PLAIN(SAMPLES(ONE("1", "") "," ONE("2", "") ","
	  ONE("3", ""))),
	  "'functionTable':[{},{'nameStrindex':12,'systemNameStrindex':13},{'nameStrindex':14}"
	  ",{'systemNameStrindex':13}],'locationTable':[{},{'address':7,'lines':[{'"
	  "functionIndex':1},{'functionIndex':2},{'functionIndex':3}]},{'address':8,'lines':[{"
	  "'functionIndex':9},{}]},{'address':9}],'stackTable':[{},{'locationIndices':[1,2]},{"
	  "'locationIndices':[3,1]},{'locationIndices':3}]"),
	  "x 1: _f r0x7 i, g r0x7 i, _f r0x7, ? r0x8 i, ? r0x8\n"
	  "x 1: ? r0x9, _f r0x7 i, g r0x7 i, _f r0x7\nx 1: ? r0x9\notlp 3 of 3\n" },
	/* how often */
	{ "what_a_type_counts", OTLP(PLAIN(TYPE("6", "19")
	  "'samples':[{'stackIndex':1,'values':[4,5]}]}," TYPE("18", "7")
	  "'samples':[{'stackIndex':1,'values':[4,6]}]}" "," TYPE("18", "19")
	  "'samples':[{'stackIndex':1,'values'" ":[4,5]}]}," TYPE("7", "6") "'samples':[{"
	  "'stackIndex'" ":1,'values':" "[4,5,6]}]},{" "'samples':[{" "'stackIndex'" ":1,'values':"
	  "[4,8]}]}"), SIMPLE),
	  "samples x 9: f\nwall x 10: f\nwall x 2: f\ncount x 3: f\nx 12: f\notlp 5 of " "36\n" },
	{ "values_or_times",
	  OTLP(PLAIN(SAMPLES("{'stackIndex':1,'timestampsUnixNano':[7,8,9]},{'stackIndex':1,'"
	  "values':[5],'timestampsUnixNano':[7,8]},{'stackIndex':1},{'"
	  "stackIndex':1,'values':[0]},{'stackIndex':1,'values':[2,-1]},{'"
	  "stackIndex':1,'values':['9223372036854775807','9223372036854775807','"
	  "9223372036854775807']},{'stackIndex':2,'values':[6]}") "," TYPE("18", "19")
	  "'samples':[{'stackIndex':1,'timestampsUnixNano':[7,8]},{'"
	  "stackIndex':1,'values':[0,0,0],'timestampsUnixNano':[7,8]}]}"), SIMPLE),
	  "x 3: f\nx 5: f\nx 6: g, f\nwall x 2: f\n"
	  "wall x 3: f\nlost bad_count 3\nlost zero_count 1\n"
	  "sample 3: a sample without a count\nsample 4: a count of 0\n"
	  "sample 5: a sample without a count\nsample 6: a sample without a count\n"
	  "otlp 5 of 19\n" },
	{ "a_sample_behind_one_that_is_lost", OTLP(PLAIN(SAMPLES(ONE("2", "") "," ONE("9", "") ","
	  ONE("0", "") "," ONE("4", "") "," ONE("1", ""))),
	  "'functionTable':[{},{'nameStrindex':12}],'locationTable':[{},{'lines':[{'"
	  "functionIndex':1}]}],'stackTable':[{},{'locationIndices':[1]},{'locationIndices':["
	  "1,1]},{},{'locationIndices':[1,9]}]"), "x 1: f, f\nx 1:\nx 1: f\nlost bad_reference 2\n"
	  "sample 2: a stack that is not there\nsample 4: a location that is not there\n"
	  "otlp 3 of 3\n" },
	/* spellings, and where JSON begins and ends */
	{ "an_older_name_of_samples",
	  " \n{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'sample':[{'stackIndex':0,'"
	  "values':2}]}]}]}],'dictionary':{'stackTable':{}}}", "x 2:\notlp 1 of 2\n" },
	{ "objects_without_a_line_s_end",
	  "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[{'values':2}]}]}]}],'"
	  "dictionary':{'stackTable':[{}]}}{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'"
	  "samples':[{'values':3}]}]}]}],'dictionary':{'stackTable':[{}]}} "
	  "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[{'values':4}]}]}]}]}x",
	  "x 2:\nx 3:\nlost cut_off 1\nlost bad_reference 1\nsample 3: a stack that is not there\n"
	  "sample 3: no JSON from here on: '[' or '{' expected near 'x'\notlp 2 of 5\n" },
	{ "a_name_ends_at_a_nul",
	  "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[{'values':2}]}]}]}],'"
	  "dictionary':{'stringTable':['f\\u0000g'],'functionTable':[{'nameStrindex':0}],'"
	  "locationTable':[{'lines':{}}],'stackTable':[{'locationIndices':0}]}}",
	  "f x 2: f\notlp 1 of 2\n" },
	{ "no_json", "{'resourceProfiles':[}",
	  "error text_syntax: no JSON: unexpected token near '}'\notlp 0 of 0\n" },
};
/* clang-format on */

START_TEST(tables)
{
	check_profile_case(&cases[_i]);
}
END_TEST

/* And a name that is longer than its length's byte. */
#define TEN  "nnnnnnnnnn"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

START_TEST(the_most_frames)
{
	check_most_frames(&(struct most_frames) {
		"{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[{'values':1},{'"
		"stackIndex':1,'values':2}]}]}]}],'dictionary':{'stringTable':['','" LONG
		"'],'functionTable':[{'nameStrindex':1}],'locationTable':[{'lines':{}}],'"
		"stackTable':[{'locationIndices':[",
		"0", ",", "]},{'locationIndices':0}]}}", ", " LONG "\nx 2: " LONG "\notlp 2 of 3\n",
		"x 2: " LONG "\nlost too_deep 1\nsample 1: too many frames\notlp 1 of 2\n" });
}
END_TEST

/* ---- messages ------------------------------------------------------------------------------------ */

/* A profile of such samples, and a dictionary of one text, one location and the stacks 0, which is empty, and 1. */
static struct message message_of(const struct message *sample, int count, const char *locations,
				 size_t size)
{
	struct message profile = { .size = 0 }, scope = { .size = 0 }, resource = { .size = 0 },
		       ret = { .size = 0 }, dictionary = { .size = 0 }, part = { .size = 0 };

	for (int i = 0; i < count; i++)
		put_message(&profile, 2, &sample[i]);
	put_message(&scope, 2, &profile);
	put_message(&resource, 2, &scope);
	put_message(&ret, 1, &resource);
	put_bytes(&dictionary, 5, "", 0);
	put_message(&dictionary, 7, &part);
	put_bytes(&part, 1, locations, size);
	put_message(&dictionary, 7, &part);
	part = NUMBERS(0, 7);
	put_message(&dictionary, 2, &part);
	put_message(&ret, 2, &dictionary);
	return ret;
}

/*
 * Fields of samples: 'b' bytes, a packed 5, 6, or 7 by the field's number; 'n' a number, in field 4 a 9. The sample that tells decides
 * what those before it and behind it have: values in field 2 are 5, in field 4 are 7.
 */
static const struct layout_case {
	const char *name;
	const char *sample[3]; /* fields 1 to 5; '-': none */
	uint64_t counts[3];    /* 0: it has none */
} layouts[] = {
	{ "late_by_values", { "---b-" }, { 7 } },
	{ "late_by_a_link", { "--n--", "-b-n-" }, { 0, 9 } },
	{ "values_by_attributes", { "--b--", "-b-b-" }, { 0, 5 } },
	{ "values_by_a_link", { "---n-", "-b-b-" }, { 0, 5 } },
	{ "values_alone", { "-b---", "-b-b-" }, { 5, 5 } },
	{ "values_and_times_tell_nothing", { "-b--b", "-b---" }, { 5, 5 } },
	{ "nor_do_they_of_late_ones", { "-b--b", "---b-" }, { 1, 7 } },
	{ "the_first_that_tells_decides", { "n----", "-bb--", "---b-" }, { 0, 5, 0 } },
	{ "also_of_those_before", { "-b--b", "---b-", "-bb--" }, { 1, 7, 0 } },
	{ "nothing_tells", { "-b--b", "n---b" }, { 1, 1 } },
};

static struct message sample_of(const char *fields)
{
	static const char times[8] = { 1 };
	struct message ret = { .size = 0 };

	for (int field = 1; field <= 5; field++) {
		const char value = field + 3;

		if (fields[field - 1] == 'n')
			put(&ret, field, field == 4 ? 9 : 0);
		else if (fields[field - 1] == 'b')
			put_bytes(&ret, field, field == 5 ? times : &value, field == 5 ? 8 : 1);
	}
	return ret;
}

START_TEST(a_sample_s_layout)
{
	const struct layout_case *test = &layouts[_i];
	struct message samples[3], message;
	char said[512] = "", *text;
	int count = 0, lost = 0;

	for (; count < 3 && test->sample[count]; count++)
		samples[count] = sample_of(test->sample[count]);
	for (int i = 0; i < count; i++)
		if (test->counts[i])
			sprintf(said + strlen(said), "x %d:\n", (int)test->counts[i]);
		else
			lost++;
	message = message_of(samples, count, "", 0);
	text = profile_bytes_text(message.bytes, message.size, PROFILE_OTLP);
	if (lost)
		sprintf(said + strlen(said), "lost bad_count %d\n", lost);
	ck_assert_msg(!strncmp(text, said, strlen(said)), "%s: %s", test->name, text);
	free(text);
}
END_TEST

/* Stacks whose packed numbers are damaged, behind one that is right. */
START_TEST(a_stack_that_is_malformed)
{
	struct message samples[] = { NUMBERS(0, 0, 0), NUMBERS(1), NUMBERS(0, 0, 0) }, message;

	for (int i = 0; i < 3; i++)
		put_bytes(&samples[i], 4, "\2", 1);
	message = message_of(samples, 3, "\0\x80", 2);
	check_profile_text("malformed",
			   profile_bytes_text(message.bytes, message.size, PROFILE_ANY),
			   "x 2:\nx 2:\nlost bad_frame 1\n"
			   "sample 2: a stack that is malformed\notlp 2 of 4\n");
	message = message_of(samples, 3, "\0\0", 2);
	check_profile_text("well-formed",
			   profile_bytes_text(message.bytes, message.size, PROFILE_ANY),
			   "x 2:\nx 2: ? r0x7, ? r0x7\nx 2:\notlp 3 of 6\n");
}
END_TEST

/* A message, and one behind it, each behind its length; what is missing, or too much, at the end is said. */
START_TEST(where_a_file_ends)
{
	static const struct {
		const char *name;
		int more; /* bytes behind the last message; below 0: of the last one are missing */
		bool lengths;
		const char *said;
	} ends[] = {
		{ "one", 0, false, "otlp 1 of 2\n" },
		{ "one_and_a_byte", 1, false,
		  "lost cut_off 1\nsample 1: the profile ends in a field, or is malformed from "
		  "there on\notlp 1 of 2\n" },
		{ "two", 0, true, "otlp 2 of 4\n" },
		{ "two_and_a_byte", 1, true,
		  "lost cut_off 1\nsample 2: the profile ends in a field, or is malformed from "
		  "there on\notlp 2 of 4\n" },
		{ "two_but_a_byte", -1, true,
		  "lost cut_off 2\nlost bad_reference 1\nsample 1: the file ends in a message\n"
		  "sample 2: a stack that is not there\nsample 2: the profile ends in a field, or "
		  "is malformed from there on\notlp 1 of 2\n" },
	};
	struct message sample = NUMBERS(0, 0, 0), message;

	put_bytes(&sample, 4, "\2", 1);
	message = message_of(&sample, 1, "", 0);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char bytes[4096], wanted[512];
		size_t size = 0;

		for (int times = 0; times <= ends[i].lengths; times++) {
			if (ends[i].lengths) {
				memcpy(bytes + size, (char[]) { 0, 0, 0, message.size }, 4);
				size += 4;
			}
			memcpy(bytes + size, message.bytes, message.size);
			size += message.size;
		}
		memset(bytes + size, 0xff, 8);
		snprintf(wanted, sizeof(wanted), "x 2:\n%s%s",
			 ends[i].lengths && ends[i].more >= 0 ? "x 2:\n" : "", ends[i].said);
		check_profile_text(ends[i].name,
				   profile_bytes_text(bytes, size + ends[i].more, PROFILE_OTLP),
				   wanted);
	}
}
END_TEST

SUITE(profile_otlp_tables, LOOP(tables, cases), TEST(the_most_frames),
      LOOP(a_sample_s_layout, layouts), TEST(a_stack_that_is_malformed), TEST(where_a_file_ends))

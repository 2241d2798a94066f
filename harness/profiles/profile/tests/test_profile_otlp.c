/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_otlp.c - OpenTelemetry's profiles, as opentelemetry-proto's own classes write them
 *
 * The bytes are of the Python package opentelemetry-proto: 1.45.2 (late), 1.42.0 (values), whose
 * samples have their fields in another order, and 1.38.0 (old), which has no table of stacks. All say
 * the same: a stack of two frames, of which one has a function inlined, one of one frame, the empty
 * one, and one that is not there; and a second profile, of nanoseconds.
 */
#include "tests/suite.h"
#include "profile_fixture.h"

static const char late[] =
	"0a8a010a130a110a0b70726f636573732e7069641202182a1273124d0a04080a100b120a080112020304220202"
	"03122408022a200100000000000000020000000000000003000000000000000400000000000000120322010112"
	"05080922010119000009f8b475571812220a04080c100d121a08022204d00fb8172a1001000000000000000200"
	"00000000000012a3020a000a120880808002108080c00218802020052a01010a02200612001212080110a38280"
	"021a0208011a0208022201021206080210cae4091a001a04080710081a0208092a002a1f70726f636573732e65"
	"786563757461626c652e6275696c645f69642e676e752a1270726f66696c652e6672616d652e747970652a0b70"
	"726f636573732e7069642a0b7468726561642e6e616d652a062f62696e2f702a096c6962632e736f2e362a046c"
	"6561662a055f6c6561662a046d61696e2a0773616d706c65732a05636f756e742a076f66665f6370752a0b6e61"
	"6e6f7365636f6e64733200320c080112080a06356339613031320c080212080a066e6174697665320608031202"
	"184d320d080412090a07776f726b2065723a003a040a0201023a030a0102";

static const char values[] =
	"0a8a010a130a110a0b70726f636573732e7069641202182a1273124d0a04080a100b120a0801120202031a0203"
	"04122408022a200100000000000000020000000000000003000000000000000400000000000000120312010112"
	"05080912010119000009f8b475571812220a04080c100d121a08021204d00fb8172a1001000000000000000200"
	"00000000000012a3020a000a120880808002108080c00218802020052a01010a02200612001212080110a38280"
	"021a0208011a0208022201021206080210cae4091a001a04080710081a0208092a002a1f70726f636573732e65"
	"786563757461626c652e6275696c645f69642e676e752a1270726f66696c652e6672616d652e747970652a0b70"
	"726f636573732e7069642a0b7468726561642e6e616d652a062f62696e2f702a096c6962632e736f2e362a046c"
	"6561662a055f6c6561662a046d61696e2a0773616d706c65732a05636f756e742a076f66665f6370752a0b6e61"
	"6e6f7365636f6e64733200320c080112080a06356339613031320c080212080a066e6174697665320608031202"
	"184d320d080412090a07776f726b2065723a003a040a0201023a030a0102";

static const char old[] =
	"0a280a130a110a0b70726f636573732e7069641202182a1211120f0a020806120510021a01021a02010212f101"
	"0a000a120880808002108080c00218802020012a01010a02200212001212080110a38280021a0208011a020802"
	"2a01021206080210cae4091a001a04080310041a0208052a002a062f62696e2f702a096c6962632e736f2e362a"
	"046c6561662a055f6c6561662a046d61696e2a0773616d706c65733200322b0a1f70726f636573732e65786563"
	"757461626c652e6275696c645f69642e676e7512080a06356339613031321e0a1270726f66696c652e6672616d"
	"652e7479706512080a066e617469766532110a0b70726f636573732e7069641202184d32180a0b746872656164"
	"2e6e616d6512090a07776f726b206572";

static const char expected[] = "77/-1 'work er' samples x 5: _leaf (/bin/p 5c9a01) f0x1123 i, main "
			       "(/bin/p 5c9a01) f0x1123, ? (libc.so.6) v0x2724a\n"
			       "42/-1 samples x 4: ? (libc.so.6) v0x2724a\n42/-1 samples x 1:\n"
			       "42/-1 off_cpu x 2: ? (libc.so.6) v0x2724a\nlost bad_reference 1\n"
			       "sample 4: a stack that is not there\notlp 4 of 12\n";

static size_t from_hex(const char *hex, uint8_t *ret)
{
	size_t size = strlen(hex) / 2;

	for (size_t i = 0; i < size; i++) {
		const char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		ret[i] = strtoul(byte, NULL, 16);
	}
	return size;
}

START_TEST(both_orders_of_a_sample_s_fields)
{
	uint8_t bytes[1024];
	size_t size = from_hex(_i ? values : late, bytes);

	check_profile_text("protobuf", profile_bytes_text(bytes, size, PROFILE_ANY), expected);
}
END_TEST

START_TEST(messages_behind_their_lengths)
{
	uint8_t bytes[2048] = { 0 };
	size_t size = from_hex(late, bytes + 4), all = 2 * (4 + size);
	char *text;

	bytes[2] = size >> 8;
	bytes[3] = size;
	memcpy(bytes + 4 + size, bytes, 4 + size);
	text = profile_bytes_text(bytes, all, PROFILE_ANY);
	ck_assert_msg(strstr(text, "sample 9: a stack that is not there\notlp 8 of 24\n"), "%s",
		      text);
	free(text);
	text = profile_bytes_text(bytes, all - 1, PROFILE_ANY);
	ck_assert_msg(strstr(text, "lost cut_off "), "%s", text);
	free(text);
}
END_TEST

START_TEST(before_there_were_stacks)
{
	uint8_t bytes[1024];
	size_t size = from_hex(old, bytes);

	check_profile_text("old", profile_bytes_text(bytes, size, PROFILE_ANY),
			   "error text_syntax: OTLP profiles before opentelemetry-proto 1.9, which "
			   "have no table of stacks, are not read\notlp 0 of 0\n");
}
END_TEST

START_TEST(hostile_messages)
{
	uint8_t bytes[1024];
	size_t size = from_hex(_i ? values : late, bytes);

	check_profile_hostile(bytes, size, PROFILE_OTLP);
}
END_TEST

/* ---- JSON ----------------------------------------------------------------------------------- */

static const char json[] =
	"{'resourceProfiles':[{'resource':{'attributes':[{'key':'process.pid','value':{'intValue':'"
	"42'}}]},'scopeProfiles':[{'profiles':[{'sampleType':{'typeStrindex':1,'unitStrindex':2},'"
	"samples':[{'stackIndex':1,'values':['2',3],'attributeIndices':[1]},{'stackIndex':2,'"
	"timestampsUnixNano':['1','18446744073709551615']},{'stackIndex':3,'values':[1]},{'"
	"stackIndex':1},{'stackIndex':1,'values':[-1]}],'timeUnixNano':'1754000000000000000'}]}]}],"
	"'dictionary':{'stringTable':['','samples','count','/bin/"
	"p','leaf','process.executable.build_id.gnu','5c9a01','thread.name','work "
	"er','profile.frame.type','cpython'],'mappingTable':[{},{'memoryStart':'4194304','"
	"memoryLimit':'5242880','fileOffset':'4096','filenameStrindex':3,'attributeIndices':[2]}],'"
	"locationTable':[{},{'mappingIndex':1,'address':'4194595','lines':[{'functionIndex':1}]},{'"
	"mappingIndex':1,'address':'7','attributeIndices':[3],'lines':[{'functionIndex':1}]}],'"
	"functionTable':[{},{'nameStrindex':4}],'attributeTable':[{},{'keyStrindex':7,'value':{'"
	"stringValue':'work "
	"er'}},{'keyStrindex':5,'value':{'stringValueStrindex':6}},{'keyStrindex':9,'value':{'"
	"stringValue':'cpython'}}],'stackTable':[{},{'locationIndices':[1]},{'locationIndices':[2,"
	"1]},{'locationIndices':[9]}]}}";

static const char json_expected[] =
	"42/-1 'work er' samples x 5: leaf (/bin/p 5c9a01) f0x1123\n"
	"42/-1 samples x 2: leaf, leaf (/bin/p 5c9a01) f0x1123\n"
	"lost bad_count 2\nlost bad_reference 1\n"
	"sample 3: a location that is not there\nsample 4: a sample without a count\n"
	"sample 5: a sample without a count\notlp 2 of 7\n";

START_TEST(json_with_numbers_as_texts)
{
	check_profile_text("JSON", text_of_case(json, PROFILE_ANY), json_expected);
}
END_TEST

/* protobuf's own names are as good: "resource_profiles". */
START_TEST(json_with_underscores)
{
	char snake[2 * sizeof(json)] = "";
	size_t size = 0;

	for (const char *at = json; *at; at++) {
		if (*at >= 'A' && *at <= 'Z')
			snake[size++] = '_';
		snake[size++] = *at >= 'A' && *at <= 'Z' ? *at + 'a' - 'A' : *at;
	}
	check_profile_text("snake", text_of_case(snake, PROFILE_ANY), json_expected);
}
END_TEST

START_TEST(an_object_a_line)
{
	static const char more[] = "{'resourceProfiles':";
	char lines[3 * sizeof(json)], *text;
	int size = snprintf(lines, sizeof(lines), "%s\n%s\n%s", json, json, more);

	text = text_of_case(lines, PROFILE_ANY);
	ck_assert_msg(strstr(text, "lost cut_off 1\n") && strstr(text, "otlp 4 of 14\n"), "%s",
		      text);
	free(text);
	lines[size - strlen(more)] = '\0';
	text = text_of_case(lines, PROFILE_ANY);
	ck_assert_msg(!strstr(text, "cut_off") && strstr(text, "otlp 4 of 14\n"), "%s", text);
	free(text);
}
END_TEST

START_TEST(json_of_the_wrong_types)
{
	static const char *const texts[] = {
		"{'resourceProfiles':7,'dictionary':[]}",
		"{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[1,'x',null,[]]}]}]"
		"}]}",
		"{'resourceProfiles':[],'dictionary':{'stackTable':[{'locationIndices':{}}],'"
		"stringTable':[1,null,{}]}}",
	};

	for (int i = 0; i < COUNT(texts); i++) {
		char *text = text_of_case(texts[i], PROFILE_ANY);

		ck_assert_msg(strstr(text, "otlp 0 of 0\n"), "%s", text);
		free(text);
	}
}
END_TEST

SUITE(profile_otlp, TIMEOUT(300), TIMES(both_orders_of_a_sample_s_fields, 2),
      TEST(messages_behind_their_lengths), TEST(before_there_were_stacks),
      TIMES(hostile_messages, 2), TEST(json_with_numbers_as_texts), TEST(json_with_underscores),
      TEST(an_object_a_line), TEST(json_of_the_wrong_types))

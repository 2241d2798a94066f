/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_text.c - what `prove` says of counts that are made up, letter by letter
 *
 * Each number is another one: a line that has its neighbour's shows.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/prove/prove.h"

/* ' is a double quote. */
static json_t *object_of(const char *text)
{
	FREED char *copy = strdup(text);
	json_t *object;

	for (char *at = copy; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	object = json_loads(copy, 0, NULL);
	ck_assert_msg(object != NULL, "%s", copy);
	return object;
}

#define REFEREE "'referee':{'agreed':6,'disputed':10,'unknown':20,'gaps':7,'gaps_disputed':300"
#define COUNTS                                                                                     \
	"'rows':9,'equal':5,'flagged':{'offset_range':2,'malformed':30},'silent':3,"               \
	"'search_table':{'entries':50,'wrong':8}," REFEREE "},'readelf':{'equal':60,'differ':4}"

static const struct {
	const char *name, *proof, *text;
} images[] = {
	{ "proven", "{'image':'a','status':'proven'," COUNTS ",'seconds':1.5}",
	  "a: proven: 5 of 9 rows equal, 2 offset_range, 30 malformed, 3 silent, 8 wrong in the "
	  "search table; "
	  "libdw 6 "
	  "agreed, 330 not; readelf 60 lines equal, 4 not (1.50 s)\n" },
	{ "by_itself", "{'image':'a\\u001bz','status':'proven','rows':2,'equal':2,'seconds':0}",
	  "a?z: proven: 2 of 2 rows equal, 0 silent (0.00 s)\n" },
	{ "readelf_failed",
	  "{'image':'a','status':'proven'," REFEREE "},'readelf':{'equal':1,'message':'no "
	  "readelf'},'seconds':0}",
	  "a: proven: 0 of 0 rows equal, 0 silent; libdw 6 agreed, 330 not; no readelf "
	  "(0.00 s)\n" },
	{ "unchecked",
	  "{'image':'a','status':'unchecked'," COUNTS ",'executable_bytes':400,'covered_bytes':100,"
	  "'lost_fdes_by_reason':{'unread':7,'outside':8},'seconds':0}",
	  "a: unchecked: not one row could be compared; 25.00 % of its code has CFI; 7 FDEs lost: "
	  "unread; 8 FDEs lost: outside (0.00 s)\n" },
	{ "failed", "{'image':'a','status':'failed','message':'why'," COUNTS ",'seconds':0}",
	  "a: failed: why (0.00 s)\n" },
	{ "no_cfi", "{'image':'a','status':'no_cfi'," COUNTS ",'executable_bytes':400,'seconds':0}",
	  "a: no_cfi; 0.00 % of its code has CFI (0.00 s)\n" },
};

START_TEST(images_are_said)
{
	json_t *proof = object_of(images[_i].proof);
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	prove_text_image(file, proof);
	fclose(file);
	ck_assert_msg(!strcmp(text, images[_i].text), "%s: %s", images[_i].name, text);
	json_decref(proof);
}
END_TEST

static const struct {
	const char *finding, *text;
} findings[] = {
	{ "{'image':'a','check':'table','message':'why'}", "a: table: why\n" },
	{ "{'image':'a','check':'libdw','message':'why','pc':'0x1','pc_end':'0x2','function':'f',"
	  "'row':'cfa=rsp+8','rule':'7:00'}",
	  "a: libdw: 0x1..0x2 (f): why\n    row     cfa=rsp+8\n    rule    7:00\n" },
	{ "{'image':'a','check':'readelf','message':'why','line':12,'ours':'x','theirs':''}",
	  "a: readelf: line 12: why\n    ours    x\n    theirs  \n" },
};

START_TEST(findings_are_said)
{
	json_t *finding = object_of(findings[_i].finding);
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	prove_text_finding(file, finding);
	fclose(file);
	ck_assert_str_eq(text, findings[_i].text);
	json_decref(finding);
}
END_TEST

#define HEAD "\ncheck           equal   flagged     wrong  what\n"
#define TAIL                                                                                       \
	"90 images: 81 proven (2 without CFI), 3 unchecked, 4 not read, 5 failed, 6 with "         \
	"findings; 7.5 s\n"

static const struct {
	const char *name;
	bool referee, readelf;
	const char *counts, *text;
} summaries[] = {
	{ "all", true, true, "{" COUNTS "}",
	  HEAD
	  "table               5        32         3  rows of the CFI, and the compact table's "
	  "rules\n"
	  "search             42         0         8  entries of the search tables in "
	  ".eh_frame_hdr, and the FDEs\n"
	  "libdw               6         0        30  rows of the CFI, here and in libdw\n"
	  "gaps                7         0       300  addresses behind FDEs, where libdw has no "
	  "frame either\n"
	  "readelf            60         0         4  lines, here and from readelf -wF\n"
	  "flagged: 2 rows, 22.222222 %: offset_range\n"
	  "flagged: 30 rows, 333.333333 %: malformed\n" TAIL },
	{ "the_table_alone", false, false,
	  "{'equal':1,'flagged':{'malformed':4},'search_table':{'entries':2,'wrong':3}}",
	  HEAD "table               1         4         0  rows of the CFI, and the compact "
	       "table's rules\n"
	       "search              0         0         3  entries of the search tables in "
	       ".eh_frame_hdr, and the FDEs\n"
	       "flagged: 4 rows, 0.000000 %: malformed\n" TAIL },
	{ "not_compared", false, false,
	  "{'lost_fdes_by_reason':{'unread':1},'outside':2,"
	  "'readelf':{'without_sections':3,'not_run':4,'failed':5},"
	  "'referee':{'not_asked':6,'hidden':7,'terminated':8,'malformed':9}}",
	  HEAD
	  "table               0         0         0  rows of the CFI, and the compact table's "
	  "rules\n"
	  "search              0         0         0  entries of the search tables in "
	  ".eh_frame_hdr, and the FDEs\n"
	  "not compared: 1 FDEs with anything: they could not be read\n"
	  "not compared: 2 rows with the table: in no executable segment (relocatable objects "
	  "have none)\n"
	  "not compared: 3 images with readelf: no section header leads to their CFI\n"
	  "not compared: 4 images with readelf: it can't be run\n"
	  "not compared: 5 images with readelf: it failed\n"
	  "not compared: 6 rows with libdw: of relocatable objects\n"
	  "not compared: 7 rows with libdw: another FDE has the address\n"
	  "not compared: 8 rows with libdw: behind a length of 0, or in another .eh_frame, which "
	  "it does not read\n"
	  "not compared: 9 FDEs' rests with libdw: behind a malformed instruction\n" TAIL },
};

START_TEST(sums_are_said)
{
	const struct prove_options options = { .referee = summaries[_i].referee,
					       .readelf = summaries[_i].readelf };
	const struct prove_totals totals = { .images = 90,
					     .proven = 81,
					     .no_cfi = 2,
					     .unchecked = 3,
					     .unread = 4,
					     .failed = 5,
					     .with_findings = 6,
					     .counts = object_of(summaries[_i].counts),
					     .seconds = 7.5 };
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	prove_text_summary(file, &options, &totals);
	fclose(file);
	ck_assert_msg(!strcmp(text, summaries[_i].text), "%s:%s", summaries[_i].name, text);
	json_decref(totals.counts);
}
END_TEST

SUITE(prove_text, LOOP(images_are_said, images), LOOP(findings_are_said, findings),
      LOOP(sums_are_said, summaries))

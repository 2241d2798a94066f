/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_stacks.c - stacks as NDJSON of ours: two images, stacks and frames, of which one says what the next does not
 *
 * ' stands for ".
 */
#include "tests/suite.h"
#include "profile_fixture.h"

#define IMAGE(members)	       "{'type':'profile_image'," members "}\n"
#define STACK(members, frames) "{'type':'profile_stack'," members "'frames':[" frames "]}\n"

static const struct profile_case cases[] = {
	{ "a_stack_says_nothing_of_the_next",
	  STACK("'count':1,'pid':1,'tid':2,'comm':'a','event':'b',", "{'name':'f'},{'name':'g'}")
		  STACK("'count':2,", "{'name':'h'}") STACK("'tid':3,'count':3,'event':'c',", "")
			  STACK("'pid':4,'count':4,'comm':'d',", "{},{'name':'f'}"),
	  "1/2 'a' b x 1: f, g\nx 2: h\n-1/3 c x 3:\n4/-1 'd' x 4: ?, f\nstacks 4 of 10\n" },
	{ "an_image_says_nothing_of_the_next",
	  IMAGE("'image':1,'path':'/a','build_id':'1a'") IMAGE("'image':3,'path':'/c'")
		  IMAGE("'image':2,'build_id':'2b'") STACK("'count':1,",
							   "{'image':1},{'image':2},{'image':3},{}")
			  IMAGE("'image':1,'path':'/d'") IMAGE("'image':3")
				  STACK("'count':1,", "{'image':1},{'image':2},{'image':3}"),
	  "x 1: ? (/a 1a), ? ( 2b), ? (/c), ?\nx 1: ? (/d), ? ( 2b), ?\nstacks 2 of 2\n" },
	{ "a_frame_says_nothing_of_the_next",
	  IMAGE("'image':1,'path':'/a'") STACK(
		  "'count':1,",
		  "{'image':1,'vaddr':'0x10','address':'0x99','name':'f','inlined':true,'kernel':"
		  "true},{},{'image':1,'address':'0x98'},{'vaddr':'11'},{'inlined':1,'kernel':'"
		  "true'},{'vaddr':'','address':'0x97'},{'vaddr':'0x8000000000000000'}"),
	  "x 1: f (/a) v0x10 i k, ?, ? (/a) r0x98, ? v0x11, ?, ? r0x97, ? v0x8000000000000000 "
	  "k\nstacks 1 of 1\n" },
	{ "a_stack_behind_one_that_is_lost",
	  STACK("'count':1,", "{'name':'f'},{'image':1}") STACK("'count':2,", "{'name':'g'}")
		  STACK("", "{'name':'f'}") "{'type':'profile_stack','count':3,'frames':{}}"
					    "\n" STACK("'count':4,", "7")
						    STACK("'count':5,", "{'name':'h'}"),
	  "x 2: g\nx 5: h\nlost bad_frame 3\nlost bad_count 1\n"
	  "line 1: frame 1 can't be read\nline 3: a stack without a count, or without frames\n"
	  "line 4: a stack without a count, or without frames\nline 5: frame 0 can't be read\n"
	  "stacks 2 of 7\n" },
	{ "what_can_not_be_read_names_no_image",
	  IMAGE("'image':0,'path':'/a'") IMAGE("'image':-1,'path':'/a'")
		  IMAGE("'image':2,'path':'/b'")
			  STACK("'count':1,", "{'image':2},{'image':0},{'image':1}"),
	  "x 1: ? (/b), ?, ?\nlost bad_reference 2\n"
	  "line 1: an image without a number, or above 65536\n"
	  "line 2: an image without a number, or above 65536\nstacks 1 of 1\n" },
	{ "lines_that_are_no_json",
	  STACK("'count':1,", "") "\n   \n{'type':'profile_stack'\n" STACK("'count':2,",
									   "") "{} 7\n",
	  "x 1:\nx 2:\nlost bad_head 3\n"
	  "line 3: no JSON object: '[' or '{' expected near end of file\n"
	  "line 4: no JSON object: '}' expected near end of file\n"
	  "line 6: no JSON object: end of file expected near '7'\nstacks 2 of 3\n" },
};

START_TEST(stacks)
{
	check_profile_case(&cases[_i]);
}
END_TEST

SUITE(profile_stacks, LOOP(stacks, cases))

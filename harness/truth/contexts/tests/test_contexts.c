/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_contexts.c - a program stepped, and the truth file of it: every stack that it has, and no other
 *
 * The programs are a few instructions of assembly at known addresses, so that all nodes are known
 * by hand. Paths hold anywhere: a program is made in a folder of its own.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/tests/json_facts.h"
#include "truth/contexts/contexts.h"
#include "base/cli/exit_status.h"
#include "truth_file/tests/truth_bytes.h"

static char folder[] = "/tmp/test_contexts.XXXXXX", program[64], output[64];

/* ---- the file that is written ----------------------------------------------------------- */

static uint32_t child(struct context_tree *tree, uint32_t parent, uint32_t image, uint64_t address)
{
	const struct truth_frame frame = { image, address };
	struct error error;
	uint32_t ret;

	ck_assert(!context_tree_child(tree, parent, &frame, &ret, &error));
	return ret;
}

/* The same, to count in. */
static struct context_node *child_node(struct context_tree *tree, uint32_t parent, uint32_t image,
				       uint64_t address)
{
	uint32_t number = child(tree, parent, image, address);

	return &tree->node[number];
}

/* The tree of truth_bytes.h, in another order, with nodes that nothing counts. */
static void fill(struct context_tree *tree)
{
	static const struct truth_image images[] = {
		{ TRUTH_IMAGE_FILE, "/bin/p", (const uint8_t *)"abcd", 4, { 0 } },
		{ TRUTH_IMAGE_VDSO, "[vdso]", NULL, 0, { 0 } },
		{ TRUTH_IMAGE_ANONYMOUS, "", NULL, 0, { 0 } },
	};
	struct error error;
	uint32_t number, main_frame, f, handler, g;

	ck_assert(!context_tree_init(tree, &error));
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT(images); i++) {
			ck_assert(!context_tree_image(tree, &images[i], &number, &error));
			ck_assert_uint_eq(number, i);
		}
	child_node(tree, CONTEXT_ROOT_WHOLE, 0, 0x1008)->points = 1;
	main_frame = child(tree, CONTEXT_ROOT_WHOLE, 0, 0x1000);
	child_node(tree, main_frame, 0, 0x2007)->in_kernel = 4;
	child(tree, child(tree, main_frame, 0, 0x2001), 0, 0x9999);
	f = child(tree, main_frame, 0, 0x2005);
	tree->node[f].unproven = 1;
	child_node(tree, f, 2, 0x7f0000000000)->points = 1;
	handler = child(tree, f, 0, 0x3000);
	tree->node[handler].interrupts = true;
	child_node(tree, handler, 1, 0x80)->points = 2;
	child_node(tree, main_frame, 0, 0x2000)->points = 3;
	g = child(tree, CONTEXT_ROOT_OPEN, 0, 0x2007);
	tree->node[g].points = 5;
	child_node(tree, g, 0, 0x10)->unproven = 2;
	ck_assert_uint_eq(child(tree, CONTEXT_ROOT_WHOLE, 0, 0x1000), main_frame);
}

START_TEST(bytes_are_the_document_s)
{
	static const struct truth_field fields[] = { { "program", "/bin/p", 0 },
						     { "partial", "timeout", 0 },
						     { "points", NULL, 255 },
						     { "program", "other", 0 } };
	uint8_t want[TRUTH_BYTES], got[TRUTH_BYTES + 1];
	size_t size = truth_bytes(truth_whole, want), read;
	struct context_tree tree;
	struct error error;
	FILE *file;

	fill(&tree);
	ck_assert_msg(!context_write(&tree, fields, COUNT(fields), output, &error), "%s",
		      error.message);
	context_tree_deinit(&tree);
	file = fopen(output, "re");
	ck_assert_ptr_nonnull(file);
	read = fread(got, 1, sizeof(got), file);
	fclose(file);
	/* The item that readers skip is not written. */
	for (uint8_t *at = want; at < want + size; at++) {
		if (at[0] != 'x' || at[1] != 2)
			continue;
		size -= 4;
		memmove(at, at + 4, want + size - at);
		break;
	}
	size = truth_seal(want, size);
	for (size_t i = 0; i < read; i++)
		ck_assert_msg(got[i] == want[i], "byte %zu is %02x, not %02x", i, got[i], want[i]);
	ck_assert_uint_eq(read, size);
	ck_assert_int_eq(unlink(output), 0);
}
END_TEST

/* However often it grows, each stack has the node that it got. */
START_TEST(a_tree_that_grows_keeps_its_nodes)
{
	static uint32_t number[5000];
	struct context_tree tree;
	struct error error;

	ck_assert(!context_tree_init(&tree, &error));
	for (uint32_t i = 0; i < COUNT(number); i++)
		number[i] = child(&tree, i % 7 ? number[i - 1] : CONTEXT_ROOT_WHOLE, i % 3, i);
	for (uint32_t i = 0; i < COUNT(number); i++)
		ck_assert_uint_eq(
			child(&tree, i % 7 ? number[i - 1] : CONTEXT_ROOT_WHOLE, i % 3, i),
			number[i]);
	ck_assert_uint_eq(tree.node_count, COUNT(number) + 2);
	context_tree_deinit(&tree);
}
END_TEST

START_TEST(no_file_is_left_of_one_that_fails)
{
	struct context_tree tree;
	struct error error;
	char path[96];

	fill(&tree);
	ck_assert(context_write(&tree, NULL, 0, "/tmp/no/such/folder", &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	/* A folder can't be replaced. */
	ck_assert(context_write(&tree, NULL, 0, folder, &error));
	snprintf(path, sizeof(path), "%s.unfinished", folder);
	ck_assert_int_ne(access(path, F_OK), 0);
	context_tree_deinit(&tree);
}
END_TEST

START_TEST(names_of_what_is_not_there)
{
	static const char want[] = "[p] 1\n"
				   "[p];[p] 3\n"
				   "[p];[p];[p];[vdso] 2\n"
				   "[p];[p];[anonymous] 1\n"
				   "[open];[p] 5\n";
	uint8_t bytes[TRUTH_BYTES];
	size_t size = truth_bytes(truth_whole, bytes), missing;
	struct truth_file *truth;
	struct error error;

	ck_assert(!truth_file_create(bytes, size, &truth, &error));
	char *text = PRINTED(file,
			     ck_assert_msg(!contexts_print_folded(file, truth, &missing, &error),
					   "%s", error.message));
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(missing, 1);
	free(text);
	truth_file_close(truth);
}
END_TEST

/* ---- programs --------------------------------------------------------------------------- */

#define START	      ".globl _start\n.cfi_startproc\n.cfi_undefined %rip\n_start:\n"
#define END_START     "mov $60, %eax\nxor %edi, %edi\nsyscall\n.cfi_endproc\n.size _start, . - _start\n"
#define FUNCTION      ".type f, @function\nf:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n.size f, . - f\n"
#define FUNCTION_BARE ".type f, @function\nf: nop\nret\n.size f, . - f\n"

struct want {
	uint64_t address[3]; /* outermost first; 0 ends them */
	uint64_t points, unproven, in_kernel;
};

/* _start up to exit, and inside of it. */
#define START_STACKS                                                                               \
	{ { 0x401000 }, 1, 0, 0 }, { { 0x401005 }, 1, 0, 0 }, { { 0x40100a }, 1, 0, 0 },           \
		{ { 0x40100f }, 1, 0, 0 }, { { 0x401011 }, 1, 0, 0 },                              \
	{                                                                                          \
		{ 0x401013 }, 0, 0, 1                                                              \
	}
/* f, called twice from there. */
#define CALLED_STACKS                                                                              \
	{ { 0x401005, 0x401013 }, 1, 0, 0 }, { { 0x401005, 0x401014 }, 1, 0, 0 },                  \
		{ { 0x40100a, 0x401013 }, 1, 0, 0 },                                               \
	{                                                                                          \
		{ 0x40100a, 0x401014 }, 1, 0, 0                                                    \
	}

#define WANT(...) .want = { __VA_ARGS__ }

static const struct program_case {
	const char *name, *text, *folded;
	uint64_t points, unproven;
	struct want want[16];
} programs[] = {
	{ "every_instruction_of_two_calls", START "call f\ncall f\n" END_START FUNCTION,
	  "_start 5\n_start;f 4\n", 9, 0, WANT(START_STACKS, CALLED_STACKS) },
	{ "code_without_cfi_speaks_for_itself", START "call f\ncall f\n" END_START FUNCTION_BARE,
	  "_start 5\n_start;f 4\n", 9, 0, WANT(START_STACKS, CALLED_STACKS) },
	/* f returns through a word that was pushed, and had no frame: from the push to there nobody
	 * knows the stack. compare calls what has no CFI a table fault, and not unproven. */
	{ "code_without_cfi_that_a_return_refutes",
	  START "push $0x401007\njmp f\n" END_START FUNCTION_BARE, "_start 4\n", 7, 3,
	  WANT({ { 0x401000 }, 1, 0, 0 }, { { 0x401005 }, 0, 1, 0 }, { { 0x401007 }, 1, 0, 0 },
	       { { 0x40100c }, 1, 0, 0 }, { { 0x40100e }, 1, 0, 0 }, { { 0x401010 }, 0, 1, 1 },
	       { { 0x401011 }, 0, 1, 0 }) },
};

static void make_program(const char *text)
{
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib -Wl,-Ttext=0x401000 -Wl,--build-id -o %s -x assembler -",
		 program);
	pipe = popen(command, "we");
	ck_assert_ptr_nonnull(pipe);
	fputs(text, pipe);
	ck_assert_int_eq(pclose(pipe), 0);
}

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(output, sizeof(output), "%s/truth", folder);
}

static void end(void)
{
	unlink(program);
	unlink(output);
	rmdir(folder);
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

static struct truth_file *open_output(void)
{
	struct truth_file *truth;
	struct error error;

	ck_assert_msg(!truth_file_open(output, &truth, &error), "%s", error.message);
	return truth;
}

static void check_stack(const char *name, const struct truth_file *truth, const struct want *want)
{
	struct truth_frame frame[3];
	const struct truth_node *node;
	uint32_t count = 0, at;

	while (count < 3 && want->address[count])
		count++;
	for (uint32_t i = 0; i < count; i++)
		frame[i] = (struct truth_frame) { 0, want->address[count - 1 - i] };
	ck_assert_msg(truth_file_descend(truth, TRUTH_ROOT_WHOLE, frame, count, &at) == count,
		      "%s: 0x%" PRIx64 " is missing", name, frame[0].address);
	node = truth_file_node(truth, at);
	ck_assert_msg(node->points == want->points && node->unproven == want->unproven &&
			      node->in_kernel == want->in_kernel,
		      "%s: 0x%" PRIx64 ": %" PRIu64 " %" PRIu64 " %" PRIu64, name, node->address,
		      node->points, node->unproven, node->in_kernel);
}

START_TEST(a_program_s_stacks)
{
	const struct program_case *c = &programs[_i];
	char *arguments[] = { "stackproof truth", "--output", output, "--", program, NULL };
	char *folded[] = { "stackproof truth", "--folded", output, NULL };
	struct truth_file *truth;
	uint32_t counted = 0;
	char *text;
	int status;

	make_program(c->text);
	text = command_output(command_truth, arguments, &status);
	ck_assert_msg(status == EXIT_OK, "%s: %d %s", c->name, status, text);
	free(text);
	truth = open_output();
	ck_assert_ptr_null(truth_file_gap(truth));
	ck_assert_uint_eq(truth_file_number(truth, "points"), c->points);
	ck_assert_uint_eq(truth_file_number(truth, "unproven"), c->unproven);
	ck_assert_uint_eq(truth_file_number(truth, "proven"), c->points - c->unproven);
	for (int i = 0; c->want[i].address[0]; i++)
		check_stack(c->name, truth, &c->want[i]);
	for (uint32_t i = 0; i < truth_file_node_count(truth); i++) {
		const struct truth_node *node = truth_file_node(truth, i);

		counted += node->points || node->unproven || node->in_kernel;
	}
	for (int i = 0; c->want[i].address[0]; i++)
		counted--;
	ck_assert_msg(!counted, "%s: %u stacks more", c->name, counted);
	truth_file_close(truth);
	text = command_output(command_truth, folded, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_str_eq(text, c->folded);
	free(text);
}
END_TEST

/* ---- what is said of it ----------------------------------------------------------------- */

START_TEST(text_letter_by_letter)
{
	char *arguments[] = { "stackproof truth", "--output", output, "--", program, "one", NULL };
	char *again[] = { "stackproof truth", output, NULL };
	char want[1024], *text, *first;
	struct truth_file *truth;
	struct utsname system;
	int status;

	make_program(programs[0].text);
	first = command_output(command_truth, arguments, &status);
	ck_assert_int_eq(status, EXIT_OK);
	text = command_output(command_truth, again, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_str_eq(first, text);
	truth = open_output();
	ck_assert_int_eq(uname(&system), 0);
	snprintf(want, sizeof(want),
		 "%s: %s one on %s, 9 points of 8 steps, 1 threads, %.1f s\n"
		 "the program exited with status 0\n"
		 "10 different stacks, 0 of them known only so far, up to 2 frames deep\n"
		 "1 system calls\n"
		 "unproven: 0 points; 0 stacks are in doubt only\n"
		 "12 nodes, 1 images\n",
		 output, program, system.release, truth_file_number(truth, "elapsed_ns") / 1e9);
	ck_assert_str_eq(text, want);
	truth_file_close(truth);
	free(first);
	free(text);
}
END_TEST

START_TEST(json_field_by_field)
{
	char *arguments[] = { "stackproof truth", "--json", "--output", output, program, NULL };
	char expected[1024];
	json_t *lines;
	int status;

	make_program(programs[0].text);
	lines = json_lines(command_output(command_truth, arguments, &status));
	snprintf(expected, sizeof(expected),
		 "[{'type':'image','kind':'file','path':'%s'},"
		 "{'type':'truth','ending':'exited with status 0','stacks':10,'open_stacks':0,"
		 "'doubted_stacks':0,'deepest':2,'nodes':12,'images':1,'steps':8,'points':9,"
		 "'proven':9,'unproven':0,'open':0,'every':1,'aslr':0,'system_calls':1,"
		 "'threads':1,'children':0,'untraced':0,'execs':0,'unread':0,'too_deep':0,"
		 "'merged_steps':0,'max_frames':1,'wait_status':0,'checked':9,"
		 "'checked_unit':'points','exit_status':0,'whole':true,'digest':true,'gap':null,"
		 "'argv':['%s']}]",
		 program, program);
	ck_assert_int_eq(json_facts(lines, expected, JSON_FACTS_ALL), 35);
	ck_assert_uint_eq(json_string_length(json_object_get(json_array_get(lines, 0), "build_id")),
			  40);
	json_decref(lines);
}
END_TEST

/* ---- what is not whole ------------------------------------------------------------------ */

#define KILLS_ITSELF                                                                               \
	START "mov $39, %eax\nsyscall\nmov %eax, %edi\nmov $9, %esi\nmov $62, "                    \
	      "%eax\nsyscall\n" END_START

static const struct cut_case {
	const char *name, *text, *option, *value;
	const char *partial, *gap; /* of the file */
	int status;
} cuts[] = {
	{ "limit", START "call f\n" END_START FUNCTION, "--limit", "3", "limit", "limit", EXIT_OK },
	{ "killed", KILLS_ITSELF, NULL, NULL, "killed", "killed", EXIT_ENVIRONMENT },
	{ "every", START "call f\n" END_START FUNCTION, "--every", "2", NULL, "every", EXIT_OK },
	{ "from", START "call f\n" END_START FUNCTION, "--from", "f", NULL, "from", EXIT_OK },
};

START_TEST(never_taken_for_whole)
{
	const struct cut_case *c = &cuts[_i];
	char option[64] = "--aslr=off";
	char *arguments[] = { "stackproof truth", "-o", output, option, program, NULL };
	struct truth_file *truth;
	char *text;
	int status;

	make_program(c->text);
	if (c->option)
		snprintf(option, sizeof(option), "%s=%s", c->option, c->value);
	text = command_output(command_truth, arguments, &status);
	ck_assert_msg(status == c->status, "%s: %d: %s", c->name, status, text);
	ck_assert_msg(!strstr(text, "PARTIAL (") == !c->partial, "%s: %s", c->name, text);
	truth = open_output();
	if (c->partial)
		ck_assert_str_eq(truth_file_partial(truth), c->partial);
	else
		ck_assert_ptr_null(truth_file_partial(truth));
	ck_assert_str_eq(truth_file_gap(truth), c->gap);
	truth_file_close(truth);
	free(text);
}
END_TEST

SUITE(contexts, FIXTURE(begin, end), TEST(bytes_are_the_document_s),
      TEST(a_tree_that_grows_keeps_its_nodes), TEST(no_file_is_left_of_one_that_fails),
      TEST(names_of_what_is_not_there), LOOP(a_program_s_stacks, programs),
      TEST(text_letter_by_letter), TEST(json_field_by_field), LOOP(never_taken_for_whole, cuts))

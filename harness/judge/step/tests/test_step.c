/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step.c - a program in a terminal: what is typed, what is shown, and where it stops
 *
 * The program is a few instructions of assembly, linked to where it lies: one function whose CFI is
 * right, one whose CFI is wrong, one without. What step says of it is compared to the letter, but
 * for addresses of the stack and the thread's number.
 */
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "judge/step/step.h"
#include "truth/tracer/tests/stepped_program.h"

/* ---- what is typed ---------------------------------------------------------------------- */

static const struct command_case {
	const char *name, *line;
	enum step_kind kind;
	uint64_t number;
	const char *message;
} commands[] = {
	{ "a_letter", "n\n", STEP_NEXT, 1, "" },
	{ "a_word", "next\n", STEP_NEXT, 1, "" },
	{ "a_number", "n 12\n", STEP_NEXT, 12, "" },
	{ "blanks", "  back \t 3 \n", STEP_BACK, 3, "" },
	{ "no_newline", "q", STEP_QUIT, 1, "" },
	{ "call", "c", STEP_CALL, 1, "" },
	{ "out", "out", STEP_OUT, 1, "" },
	{ "differ", "d", STEP_DIFFER, 1, "" },
	{ "run", "r", STEP_RUN, 1, "" },
	{ "help", "h", STEP_HELP, 1, "" },
	{ "question_mark", "?", STEP_HELP, 1, "" },
	{ "go", "g 1", STEP_GO, 1, "" },
	{ "largest", "g 18446744073709551615", STEP_GO, UINT64_MAX, "" },
	{ "too_large", "g 18446744073709551616", STEP_NOTHING, 0,
	  "go takes a decimal number from 1 on" },
	{ "go_needs_a_number", "g", STEP_NOTHING, 1, "go takes a decimal number from 1 on" },
	{ "zero", "n 0", STEP_NOTHING, 0, "next takes a decimal number from 1 on" },
	{ "negative", "b -1", STEP_NOTHING, 0, "back takes a decimal number from 1 on" },
	{ "behind_the_number", "n 1x", STEP_NOTHING, 1, "next takes a decimal number from 1 on" },
	{ "two_numbers", "n 1 2", STEP_NOTHING, 1, "next takes one number" },
	{ "call_and_a_number", "c 1", STEP_NOTHING, 1, "call takes no number" },
	{ "part_of_a_word", "ne", STEP_NOTHING, 1, "no command is called \"ne\": h helps" },
	{ "a_word_and_more", "nexts", STEP_NOTHING, 1, "no command is called \"nexts\": h helps" },
	{ "control_characters", "\033[2J", STEP_NOTHING, 1,
	  "no command is called \"?[2J\": h helps" },
	{ "nothing_is_the_one_before", "\n", STEP_CALL, 7, "before" },
	{ "blanks_are_nothing", " \t\n", STEP_CALL, 7, "before" },
};

START_TEST(what_is_typed)
{
	const struct command_case *c = &commands[_i];
	const struct step_command before = { STEP_CALL, 7, "before" };
	struct step_command command;

	step_command_parse(c->line, &before, &command);
	ck_assert_int_eq(command.kind, c->kind);
	if (c->kind != STEP_NOTHING)
		ck_assert_uint_eq(command.number, c->number);
	ck_assert_str_eq(command.message, c->message);
}
END_TEST

START_TEST(help_names_every_command)
{
	char *text = PRINTED(file, step_command_help(file));
	ck_assert_str_eq(text, "  n [N]   the next point, or N points on\n"
			       "  c       to the next call instruction\n"
			       "  o       until this thread has fewer frames\n"
			       "  d       to the next point at which another engine than before is "
			       "not exact, or the "
			       "verdict is another fault\n"
			       "  g N     to point N\n"
			       "  b [N]   the point before, or N points back\n"
			       "  r       to the program's end\n"
			       "  h, ?    this\n"
			       "  q       end the program, and this\n"
			       "  An empty line is the last command again. Behind a point that was "
			       "gone back to, n "
			       "and g show what is\n  known already; c, o and d go on from the "
			       "last one. = the truth's frame, x "
			       "another one, - none, + "
			       "one that the truth has not.\n");
	free(text);
}
END_TEST

/* ---- what is kept ----------------------------------------------------------------------- */

START_TEST(the_last_points_are_kept)
{
	struct step_history *history = calloc(1, sizeof(*history));
	const struct step_page *page;

	ck_assert_ptr_null(step_history_get(history, 0));
	for (uint64_t number = 1; number <= STEP_HISTORY_MAX + 2; number++) {
		char text[32];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
		step_history_add(history, number, strdup(text));
		ck_assert_uint_eq(step_history_get(history, 0)->number, number);
		if (number == 2)
			ck_assert_ptr_null(step_history_get(history, 2));
	}
	page = step_history_get(history, STEP_HISTORY_MAX - 1);
	ck_assert_uint_eq(page->number, 3);
	ck_assert_str_eq(page->text, "3");
	ck_assert_ptr_null(step_history_get(history, STEP_HISTORY_MAX));
	step_history_deinit(history);
	ck_assert_ptr_null(step_history_get(history, 0));
	free(history);
}
END_TEST

/* ---- what is shown ---------------------------------------------------------------------- */

static const char program[] = ".att_syntax\n.globl _start\n"
			      "_start: .cfi_startproc\n"
			      " .cfi_undefined rip\n"
			      " mov $_start, %ebx\n"
			      " call outer\n"
			      " mov $60, %eax\n"
			      " mov $3, %edi\n"
			      " syscall\n"
			      " .cfi_endproc\n"
			      ".type _start, @function\n"
			      ".size _start, . - _start\n"
			      ".globl outer\n"
			      "outer: .cfi_startproc\n"
			      " call wrong\n"
			      " call bare\n"
			      " ret\n"
			      " .cfi_endproc\n"
			      ".type outer, @function\n"
			      ".size outer, . - outer\n"
			      ".globl wrong\n" /* the second row is not there */
			      "wrong: .cfi_startproc\n"
			      " push %rbx\n"
			      " pop %rbx\n"
			      " ret\n"
			      " .cfi_endproc\n"
			      ".type wrong, @function\n"
			      ".size wrong, . - wrong\n"
			      ".globl bare\n"
			      "bare: nop\n"
			      " ret\n"
			      ".type bare, @function\n"
			      ".size bare, . - bare\n";

/* Says "loud"; its status is 16 times the bytes that it can read, and whether its addresses are not random. */
static const char loud[] = ".att_syntax\n.globl _start\n"
			   "_start: .cfi_startproc\n"
			   " .cfi_undefined rip\n"
			   " mov $1, %eax\n"
			   " mov $1, %edi\n"
			   " mov $said, %esi\n"
			   " mov $5, %edx\n"
			   " syscall\n"
			   " xor %eax, %eax\n"
			   " xor %edi, %edi\n"
			   " lea -64(%rsp), %rsi\n"
			   " syscall\n"
			   " mov %eax, %ebx\n"
			   " shl $4, %ebx\n"
			   " mov $135, %eax\n" /* personality */
			   " mov $-1, %rdi\n"
			   " syscall\n"
			   " shr $18, %eax\n"
			   " and $1, %eax\n"
			   " lea (%rax, %rbx), %edi\n"
			   " mov $60, %eax\n"
			   " syscall\n"
			   " .cfi_endproc\n"
			   "said: .ascii \"loud\\n\"\n";

static char path[FOLDER_PATH], loud_path[FOLDER_PATH];

static void build(const char *to, const char *text)
{
	make_of(to, "-nostdlib -static -no-pie -Wl,--build-id=none -Wl,--eh-frame-hdr", text);
}

static void build_program(void)
{
	folder_make();
	build(folder_path(path, "few"), program);
	build(folder_path(loud_path, "loud"), loud);
}

/* Addresses of the stack are S, and the thread is T. */
static char *without_numbers(const char *text)
{
	static const char *const patterns[][2] = { { "0x7f[0-9a-f]*", "S" },
						   { "thread [0-9]*", "thread T" } };
	char *ret = strdup(text);

	for (int i = 0; i < COUNT(patterns); i++) {
		char *from = ret, *to = NULL;
		regmatch_t match;
		regex_t regex;
		size_t size;
		FILE *file = open_memstream(&to, &size);

		ck_assert_int_eq(regcomp(&regex, patterns[i][0], 0), 0);
		while (!regexec(&regex, from, 1, &match, 0)) {
			fprintf(file, "%.*s%s", (int)match.rm_so, from, patterns[i][1]);
			from += match.rm_eo;
		}
		fputs(from, file);
		fclose(file);
		regfree(&regex);
		free(ret);
		ret = to;
	}
	return ret;
}

/* Steps the program by what is typed; prompts are shown. *ret_quit: it was ended at the prompt. */
static char *stepped(const char *typed, const char *const *engines, int engine_count,
		     bool *ret_quit)
{
	char *argv[] = { path, NULL }, *envp[] = { NULL }, *text = NULL, *plain;
	const struct tracer_options tracer = { .argv = argv, .envp = envp };
	struct compare_options options = { .engine_count = engine_count };
	struct step_session *session;
	struct comparison comparison;
	struct comparer *comparer;
	struct error error;
	char ending[128];
	size_t size;
	FILE *in = fmemopen((void *)typed, strlen(typed), "r"), *out = open_memstream(&text, &size);

	for (int i = 0; i < engine_count; i++)
		options.engine[i] = engine_find(engines[i]);
	ck_assert_int_eq(step_session_create(in, out, true, -1, &session, &error), 0);
	step_session_listen(session, &options);
	ck_assert_int_eq(comparer_create(&options, &comparer, &error), 0);
	*ret_quit = !comparer_run_far(comparer, &tracer, &comparison);
	ck_assert(*ret_quit == (step_session_has_quit(session)));
	compare_ending_text(&comparison, ending, sizeof(ending));
	step_session_end(session, ending);
	ck_assert(step_session_has_quit(session));
	fprintf(out, "%llu points, %llu shown\n", (unsigned long long)step_session_points(session),
		(unsigned long long)step_session_shown(session));
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
	step_session_destroy(session);
	fclose(in);
	fclose(out);
	plain = without_numbers(text);
	free(text);
	return plain;
}

/* The lines that don't say more of a point; of one that says where it is its number and the place. */
static char *heads(const char *text)
{
	char *copy = strdup(text), *rest = NULL, place[64];
	const char *behind = "";
	unsigned int point;
	size_t size;
	char *ret;
	FILE *file = open_memstream(&ret, &size);

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		int used = 0;

		line += strncmp(line, "step> ", 6) ? 0 : 6;
		sscanf(line, "point %u, thread T, %63s (few)%n", &point, place, &used);
		if (used && !line[used])
			fprintf(file, "%s%u %s", behind, point, place);
		else if (line[0] != ' ')
			fprintf(file, "%s%s", behind, line);
		behind = " / ";
	}
	fclose(file);
	free(copy);
	return ret;
}

START_TEST(a_point_to_the_letter)
{
	static const char *const engines[] = { "cfi", "table" };
	bool quit;
	char *text = stepped("g 5\nn 3\nq\n", engines, COUNT(engines), &quit);

	ck_assert(quit);
	ck_assert_str_eq(
		text,
		"point 1, thread T, _start+0x0 (few)\n"
		"  instruction  mov ebx, 0x401000\n"
		"  rsp, rbp     S, 0x0\n"
		"  row          cfa=rsp+8 ra=undefined\n"
		"  rule         rule 6 cfa=rsp+8 ra=u\n"
		"  verdict      exact\n"
		"   # truth                                     cfi       table\n"
		"   0 _start+0x0 (few)                          =         =\n"
		"     ends                                      complete  complete\n"
		"step> point 5, thread T, wrong+0x1 (few)\n"
		"  instruction  pop rbx\n"
		"  rsp, rbp     S, 0x0\n"
		"  row          cfa=rsp+8 ra=c-8\n"
		"  rule         rule 7 cfa=rsp+8 ra=c-8\n"
		"  verdict      table_fault (wrong) at frame 0, wrong+0x1 (few); as it looks now\n"
		"   # truth                                     cfi         table\n"
		"   0 wrong+0x1 (few)                           =           =\n"
		"   1 outer+0x5 (few)                           x           x\n"
		"   2 _start+0xa (few)                          -           -\n"
		"     ends                                      no_mapping  no_mapping\n"
		"  cfi has at frame 1 0x401000 _start+0x0 (few)\n"
		"  table has at frame 1 0x401000 _start+0x0 (few)\n"
		"step> point 8, thread T, bare+0x0 (few)\n"
		"  instruction  nop\n"
		"  rsp, rbp     S, 0x0\n"
		"  row          no FDE covers it\n"
		"  rule         no_row\n"
		"  verdict      table_fault (missing) at frame 0, bare+0x0 (few); as it looks now\n"
		"   # truth                                     cfi     table\n"
		"   0 bare+0x0 (few)                            =       =\n"
		"   1 outer+0xa (few)                           -       -\n"
		"   2 _start+0xa (few)                          -       -\n"
		"     ends                                      no_row  no_row\n"
		"step> 8 points, 3 shown\n");
	free(text);
}
END_TEST

static const struct stop_case {
	const char *name, *typed, *shown;
} stops[] = {
	{ "next_is_one_point", "n\nn 2\nq\n",
	  "1 _start+0x0 / 2 _start+0x5 / 4 wrong+0x0 / 4 points, 3 shown" },
	{ "nothing_is_the_one_before", "n 2\n\nq\n",
	  "1 _start+0x0 / 3 outer+0x0 / 5 wrong+0x1 / 5 points, 3 shown" },
	{ "to_a_call", "c\nc\nc\nc\n",
	  "1 _start+0x0 / 2 _start+0x5 / 3 outer+0x0 / 7 outer+0x5 / "
	  "the program exited with status 3; 13 points / 13 points, 4 shown" },
	{ "out_of_a_function", "g 4\no\no\no\nq\n",
	  "1 _start+0x0 / 4 wrong+0x0 / 7 outer+0x5 / 11 _start+0xa / "
	  "the program exited with status 3; 13 points / 13 points, 4 shown" },
	{ "to_a_disagreement", "d\nd\nd\nq\n",
	  "1 _start+0x0 / 5 wrong+0x1 / 8 bare+0x0 / "
	  "the program exited with status 3; 13 points / 13 points, 3 shown" },
	{ "back_and_on_again", "n 4\nb 2\nn\nb 3\nn 9\nq\n",
	  "1 _start+0x0 / 5 wrong+0x1 / 3 outer+0x0 / 4 wrong+0x0 / 1 _start+0x0 / "
	  "10 outer+0xa / 10 points, 6 shown" },
	{ "too_far_back", "n\nb 2\nb\nb\nn 2\nq\n",
	  "1 _start+0x0 / 2 _start+0x5 / no point that far back is kept / 1 _start+0x0 / "
	  "no point that far back is kept / 3 outer+0x0 / 3 points, 4 shown" },
	{ "to_a_point", "g 4\ng 2\ng 2\ng 6\nq\n",
	  "1 _start+0x0 / 4 wrong+0x0 / 2 _start+0x5 / 2 _start+0x5 / 6 wrong+0x2 / "
	  "6 points, 5 shown" },
	{ "what_is_no_command", "x\nn\nn 0\nq\n",
	  "1 _start+0x0 / no command is called \"x\": h helps / 2 _start+0x5 / "
	  "next takes a decimal number from 1 on / 2 points, 2 shown" },
	{ "the_end_of_what_is_typed", "n\n", "1 _start+0x0 / 2 _start+0x5 / 2 points, 2 shown" },
	{ "to_the_end_and_back", "r\nb 2\nn\nn 5\nc\nq\n",
	  "1 _start+0x0 / the program exited with status 3; 13 points / 12 _start+0xf / "
	  "13 _start+0x14 / the program exited with status 3; 13 points / "
	  "the program exited with status 3; 13 points / 13 points, 3 shown" },
	{ "far_beyond_the_end", "g 18446744073709551615\nb\nn 18446744073709551615\nq\n",
	  "1 _start+0x0 / the program exited with status 3; 13 points / 13 _start+0x14 / "
	  "the program exited with status 3; 13 points / 13 points, 2 shown" },
	{ "back_beyond_all", "n\nb 18446744073709551615\nb\nb 18446744073709551615\nq\n",
	  "1 _start+0x0 / 2 _start+0x5 / no point that far back is kept / 1 _start+0x0 / "
	  "no point that far back is kept / 2 points, 3 shown" },
};

START_TEST(where_it_stops)
{
	static const char *const engines[] = { "cfi", "table" };
	const struct stop_case *c = &stops[_i];
	bool quit;
	char *text = stepped(c->typed, engines, COUNT(engines), &quit), *shown = heads(text);

	ck_assert_str_eq(shown, c->shown);
	ck_assert(quit == !strstr(shown, "the program exited"));
	free(shown);
	free(text);
}
END_TEST

/* ---- the command ---------------------------------------------------------------------------- */

#define FEW  "few" /* in cases: the programs */
#define LOUD "loud"

#define ARGUMENTS(...) .arguments = { __VA_ARGS__ }
#define SAYS(...)      .says = { __VA_ARGS__ }

static const struct run_case {
	const char *name, *typed, *arguments[4];
	int status;
	const char *says[3], *never;
} run_cases[] = {
	{ "to_its_end", "r\nq\n", ARGUMENTS("--engine=cfi", FEW), EXIT_OK,
	  SAYS("point 1, ", "the program exited with status 3; 13 points\n", "cfi\n"), "step> " },
	{ "whoever_has_enough_is_no_failure", "n\nq\n", ARGUMENTS("--engine=cfi", FEW), EXIT_OK,
	  SAYS("point 2, ", "", ""), "the program " },
	{ "nor_is_the_end_of_what_is_typed", "", ARGUMENTS("--engine=cfi", FEW), EXIT_OK,
	  SAYS("point 1, ", "", ""), "the program " },
	{ "engines_in_their_order", "q\n", ARGUMENTS("--engine=table,libdw", "--engine=cfi", FEW),
	  EXIT_OK,
	  SAYS("truth                                     table     libdw     cfi\n", "", ""),
	  "bpf" },
	{ "an_engine_that_nobody_knows", "q\n", ARGUMENTS("--engine=other", FEW), EXIT_USAGE,
	  SAYS("--engine: ", "no engine is called 'other'", ""), "point" },
	{ "no_program", "q\n", ARGUMENTS("--engine=cfi"), EXIT_USAGE, SAYS("Usage: ", "", ""),
	  "point" },
	{ "a_program_that_is_not_there", "q\n", ARGUMENTS("--engine=cfi", "/no/such/program"),
	  EXIT_BAD_INPUT, SAYS("/no/such/program: ", "No such file", ""), "point" },
	{ "from_a_symbol_on", "n\nr\nq\n", ARGUMENTS("--engine=cfi", "--from=outer", FEW), EXIT_OK,
	  SAYS("point 1, thread ", ", wrong+0x0 (few)\n", "status 3; 11 points\n"),
	  "_start+0x0 (few)\n  instr" },
	{ "its_output_is_silenced", "r\nq\n", ARGUMENTS("--engine=cfi", LOUD), EXIT_OK,
	  SAYS("the program exited with status 1; ", "", ""), "loud\n" },
	{ "or_let_through", "r\nq\n", ARGUMENTS("--engine=cfi", "--output", LOUD), EXIT_OK,
	  SAYS("\nloud\n", "the program exited with status 1; ", ""), "status 17" },
	{ "addresses_are_random_if_that_is_asked_for", "r\nq\n",
	  ARGUMENTS("--engine=cfi", "--aslr", LOUD), EXIT_OK,
	  SAYS("the program exited with status 0; ", "", ""), "loud\n" },
};

static const char *typed_now;

/* What is typed is in a file, and nothing else can be read. */
static int step_typed(int argc, char **argv)
{
	FILE *file = tmpfile();

	fputs(typed_now, file);
	rewind(file);
	dup2(fileno(file), STDIN_FILENO);
	return command_step(argc, argv);
}

START_TEST(a_command_line)
{
	const struct run_case *c = &run_cases[_i];
	char *arguments[6] = { "step" }, *said;
	int status;

	for (int i = 0; i < COUNT(c->arguments) && c->arguments[i]; i++) {
		const char *argument = c->arguments[i];

		arguments[i + 1] = !strcmp(argument, FEW)    ? path
				   : !strcmp(argument, LOUD) ? loud_path
							     : (char *)argument;
	}
	typed_now = c->typed;
	said = command_output(step_typed, arguments, &status);
	ck_assert_msg(status == c->status, "%s: %d: %s", c->name, status, said);
	for (int i = 0; i < COUNT(c->says); i++)
		ck_assert_msg(strstr(said, c->says[i]), "%s: lacks %s: %s", c->name, c->says[i],
			      said);
	ck_assert_msg(!strstr(said, c->never), "%s: has %s: %s", c->name, c->never, said);
	free(said);
}
END_TEST

static const int ending[] = { SIGTERM, SIGINT, SIGHUP };
static const char *const half_typed[] = { "n\nn", "n\nh", "n\nx" };

/* At the prompt, with a beginning of a command typed, and with nobody who types: an interrupted run. */
START_TEST(a_signal_ends_it_at_the_prompt)
{
	char *argv[] = { "step", "--engine=cfi", "--", path, NULL }, said[4096] = "";
	int in[2], out[2], status;
	size_t used = 0;
	ssize_t size = 1;

	ck_assert(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC));
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		signal(ending[_i], SIG_DFL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		status = command_step(4, argv);
		fflush(NULL);
		_exit(status);
	}
	close(out[1]);
	ck_assert_int_eq(write(in[1], half_typed[_i], 3), 3);
	while (size > 0 && !strstr(said, "point 2")) {
		size = read(out[0], said + used, sizeof(said) - 1 - used);
		used += size > 0 ? (size_t)size : 0;
	}
	kill(pid, ending[_i]);
	while ((size = read(out[0], said + used, sizeof(said) - 1 - used)) > 0)
		used += (size_t)size;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT, "%x: %s",
		      status, said);
	ck_assert_ptr_nonnull(strstr(said, "the run was ended by SIG"));
	ck_assert_ptr_null(strstr(said, "the program "));
	ck_assert_ptr_null(strstr(said, "point 3"));
	ck_assert_ptr_null(strstr(said, "until this thread"));
	ck_assert_ptr_null(strstr(said, "no command"));
	close(in[0]);
	close(in[1]);
	close(out[0]);
}
END_TEST

SUITE(step, GROUP(words), LOOP(what_is_typed, commands), TEST(help_names_every_command),
      TEST(the_last_points_are_kept), GROUP(program), FIXTURE_ONCE(build_program, folder_remove),
      TEST(a_point_to_the_letter), LOOP(where_it_stops, stops), LOOP(a_command_line, run_cases),
      LOOP(a_signal_ends_it_at_the_prompt, ending))

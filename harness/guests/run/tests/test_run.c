/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run.c - the matrix is whole: binaries x kernels results, each cell exactly one
 *
 * The world is replaced by one that answers by the program's name: "good" is exact, "garbage"
 * prints nonsense, "crash" is killed, "kill_guest" takes its guest along. What a guest does is the
 * kernel's name.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/run/run.h"
#include "base/cli/exit_status.h"

#define EXACT                                                                                      \
	"{\"type\":\"score\",\"engine\":\"bpf\",\"points\":5,\"exact\":5,\"digest\":\"d\"}\n"      \
	"{\"type\":\"verdicts\",\"points\":5}\n"

/* What a program makes compare do. */
static const struct behaviour {
	const char *program;
	const char *out;
	int exit_code;
	enum cell_status status;
} behaviours[] = {
	{ "good", EXACT, 0, CELL_PASSED },
	{ "garbage", "\x01\xfeno json at all\n{\n", 0, CELL_ERROR },
	{ "crash", EXACT, 139, CELL_ERROR },
	{ "skip", "{\"type\":\"skip\",\"reason\":\"no_bpf\"}\n", 77, CELL_SKIPPED },
	{ "silent", "", 0, CELL_ERROR },
	{ "late", EXACT, 124, CELL_ERROR },
	{ "fault", "{\"type\":\"verdicts\",\"points\":5,\"walk_fault\":1}\n", 1, CELL_FAILED },
	{ "kill_guest", EXACT, 0, CELL_PASSED },
};
#define BEHAVIOUR_COUNT (sizeof(behaviours) / sizeof(behaviours[0]))

/* The behaviour of a binary: its path's last part up to the first dot. */
static const struct behaviour *behaviour_of(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (size_t i = 0; i < BEHAVIOUR_COUNT; i++) {
		size_t size = strlen(behaviours[i].program);
		if (!strncmp(name, behaviours[i].program, size) &&
		    (name[size] == '.' || name[size] == '2'))
			return &behaviours[i];
	}
	ck_abort_msg("no behaviour for %s", path);
}

/* What compare is told, and the binaries behind it. */
static char *const *binaries_of(char *const *argv)
{
	static const char *const expected[] = { "compare",    "--each", "--from",   "_start",
						"--timeout",  "1",	"--engine", "cfi,bpf",
						"--bind-now", "--" };

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		ck_assert_str_eq(argv[i + 1], expected[i]);
	ck_assert_ptr_nonnull(argv[11]);
	return argv + 11;
}

/* Where a world's compare writes. */
struct writer {
	void (*write)(void *context, enum run_stream stream, const char *text);
	void *context;
};

static void say(const struct writer *writer, enum run_stream stream, const char *format, ...)
{
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	writer->write(writer->context, stream, text);
}

static void say_begin(const struct writer *writer, const char *binary)
{
	for (int stream = 0; stream < RUN_STREAM_COUNT; stream++)
		say(writer, stream, "{\"type\":\"begin\",\"program\":\"%s\"}\n", binary);
}

static void say_end(const struct writer *writer, const char *binary, int status)
{
	/* Said twice: no other cell may be hit. */
	for (int i = 0; i < 2 * RUN_STREAM_COUNT; i++)
		say(writer, i % RUN_STREAM_COUNT,
		    "{\"type\":\"end\",\"program\":\"%s\",\"status\":%d}\n", binary, status);
}

/* A binary's output, its second half only if the compare gets that far. */
static void say_output(const struct writer *writer, const struct behaviour *behaviour, bool whole)
{
	size_t half = strlen(behaviour->out) / 2;

	say(writer, RUN_STDOUT, "%.*s", (int)half, behaviour->out);
	if (!whole)
		return;
	say(writer, RUN_STDOUT, "%s", behaviour->out + half);
	say(writer, RUN_STDERR, "a message\n");
}

static void host_write(void *context, enum run_stream stream, const char *text)
{
	const struct child_options *options = context;

	options->on_output(options->context, stream, text, strlen(text));
}

/* Some behaviours end the compare itself. */
static int fake_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	struct writer writer = { host_write, (void *)options };

	ck_assert_uint_gt(options->timeout_ms, 1000);
	*ret_exit = 0;
	for (char *const *binary = binaries_of(options->argv); *binary; binary++) {
		const struct behaviour *behaviour = behaviour_of(*binary);
		bool dies = behaviour->exit_code > EXIT_ENVIRONMENT;

		say_begin(&writer, *binary);
		say_output(&writer, behaviour, !dies);
		*ret_exit = behaviour->exit_code;
		if (dies)
			break;
		say_end(&writer, *binary, behaviour->exit_code);
	}
	return 0;
}

static int fake_kernel(const char *name, struct kernel *ret, struct error *error)
{
	if (!strcmp(name, "unfetched"))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no network");
	if (!strcmp(name, "unreadable"))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the package is damaged");
	*ret = (struct kernel) { 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	snprintf(ret->version, sizeof(ret->version), "%s.1", name);
	snprintf(ret->image, sizeof(ret->image), "%s", name);
	return 0;
}

static bool can_boot(void)
{
	return true;
}

static bool can_not_boot(void)
{
	return false;
}

/* There is room for all files twice, and time for all binaries of a command; a guest is given time by what it says. */
static void check_limits(const struct guest_options *options)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < options->file_count; i++) {
		struct stat st;

		if (!stat(options->files[i].host_path, &st))
			bytes += (uint64_t)st.st_size;
	}
	ck_assert_uint_ge(bytes >> 20, 1);
	ck_assert_uint_eq(options->memory_mb, 512 + 2 * (bytes >> 20));
	for (size_t i = 0; i < options->command_count; i++) {
		unsigned count = 0;

		for (char *const *binary = binaries_of(options->commands[i].argv); *binary;
		     binary++)
			count++;
		ck_assert_uint_eq(options->commands[i].timeout_ms, count * 1000);
		ck_assert_uint_le(count, 48);
	}
	ck_assert_uint_eq(options->timeout_ms, 1200000);
	ck_assert_uint_eq(options->silence_ms, 300000 + 1000);
	ck_assert_int_eq(options->stop_fd, 0);
	ck_assert(strstr(options->console_path, "/a/b/kernels/") != NULL &&
		  strstr(options->console_path, options->kernel_image) != NULL);
}

/* Every file that a command needs must have been given to the guest. */
static void check_files(const struct guest_options *options)
{
	for (size_t i = 0; i < options->command_count; i++) {
		for (char *const *binary = binaries_of(options->commands[i].argv); *binary;
		     binary++) {
			bool found = false;
			for (size_t j = 0; j < options->file_count; j++)
				found |= !strcmp(options->files[j].guest_path, *binary);
			ck_assert_msg(found, "%s", *binary);
			ck_assert_msg(!strncmp(*binary, "/corpus/", strlen("/corpus/")), "%s",
				      *binary);
		}
	}
	ck_assert_str_eq(options->files[0].host_path, "/proc/self/exe");
	check_limits(options);
	ck_assert_str_eq(options->commands[0].argv[0], options->files[0].guest_path);
}

/* A command of a guest, while it writes. */
struct guest_writer {
	const struct guest_callbacks *callbacks;
	size_t command;
};

static void guest_write(void *context, enum run_stream stream, const char *text)
{
	const struct guest_writer *writer = context;
	const struct guest_callbacks *callbacks = writer->callbacks;

	callbacks->on_output(callbacks->context, writer->command,
			     stream == RUN_STDOUT ? GUEST_STDOUT : GUEST_STDERR, text,
			     strlen(text));
}

/* False: the guest died. In a fragile one, compare does. */
static bool fake_guest_command(const struct guest_command *command, const struct writer *writer,
			       bool forgetful, bool fragile, int *ret_exit)
{
	char *const *first = binaries_of(command->argv);

	for (char *const *binary = first; *binary; binary++) {
		const struct behaviour *behaviour = behaviour_of(*binary);
		bool dies = !strcmp(behaviour->program, "kill_guest");

		if (forgetful && binary != first)
			continue;
		say_begin(writer, *binary);
		say_output(writer, behaviour, !dies);
		if (dies)
			return false;
		*ret_exit = behaviour->exit_code;
		if (fragile && behaviour->exit_code > EXIT_ENVIRONMENT)
			return true;
		say_end(writer, *binary, behaviour->exit_code);
	}
	return true;
}

static int fake_guest(const struct guest_options *options, const struct guest_callbacks *callbacks,
		      struct guest_result *ret, struct error *error)
{
	const char *kernel = options->kernel_image;
	bool forgetful = !strcmp(kernel, "forgetful"), fragile = !strcmp(kernel, "fragile");

	check_files(options);
	*ret = (struct guest_result) { .boot_ms = 1500, .total_ms = 4000, .outcome = GUEST_OK };
	if (!strcmp(kernel, "broken_qemu"))
		return error_set(error, ERROR_SYSTEM, "", 0, "QEMU did not start");
	if (!strcmp(kernel, "no_boot")) {
		ret->boot_ms = 0;
		ret->outcome = GUEST_NO_BOOT;
		strcpy(ret->sentence, "init never reported");
		return 0;
	}
	strcpy(ret->release, "9.9.9-guest");
	for (size_t i = 0; i < options->command_count; i++) {
		struct guest_writer at = { callbacks, i };
		struct writer writer = { guest_write, &at };
		int worst = 0;

		if (!fake_guest_command(&options->commands[i], &writer, forgetful, fragile,
					&worst)) {
			ret->outcome = GUEST_PANIC;
			strcpy(ret->sentence, "Kernel panic - not syncing");
			return 0;
		}
		if (forgetful)
			continue;
		callbacks->on_exit(callbacks->context, i, worst);
		/* Said twice, and about commands that there are not. */
		callbacks->on_exit(callbacks->context, i, 0);
		callbacks->on_output(callbacks->context, options->command_count + i, GUEST_STDOUT,
				     "x", 1);
		callbacks->on_exit(callbacks->context, options->command_count, 0);
		ret->commands_done++;
	}
	return 0;
}

/* A corpus of files without content named PROGRAM.gcc.O2-fp, and one that was not built. */
static void make_corpus(char *folder, const char *programs)
{
	char path[256], list[256], *save = NULL;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	FILE *manifest = fopen(path, "we");
	fputs("# path\tprogram\ttoolchain\tvariant\tlanguage\tneeds\n", manifest);
	snprintf(list, sizeof(list), "%s", programs);
	for (char *at = strtok_r(list, " ", &save); at; at = strtok_r(NULL, " ", &save)) {
		bool missing = at[0] == '!', skipped = at[0] == '-';
		const char *name = at + (missing || skipped);
		if (skipped)
			fprintf(manifest, "skip:no_compiler\t%s\tgcc\tO2-fp\tc\t-\n", name);
		else
			fprintf(manifest, "%s.gcc.O2-fp\t%s\tgcc\tO2-fp\tc\t-\n", name, name);
		snprintf(path, sizeof(path), "%s/%s.gcc.O2-fp", folder, name);
		if (!missing && !skipped) {
			fclose(fopen(path, "we"));
			ck_assert(!truncate(path, 1500000)); /* see check_limits() */
		}
	}
	fclose(manifest);
}

static void remove_tree(const char *folder)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Statuses, one letter per cell, kernel by kernel: Passed Failed Skipped Error. */
static const struct matrix_case {
	const char *name;
	const char *programs; /* '!' is listed and not there, '-' was not built */
	const char *kernels;
	const char *statuses;
	const char *reason; /* in the last cell */
	const char *require;
	int exit_status;
	bool no_qemu;
} matrix_cases[] = {
	{ "all_exact", "good", "host 5.10 7.2", "PPP", "", "", EXIT_OK, false },
	{ "host_takes_each_as_it_is", "good garbage crash skip silent late fault", "host",
	  "PEESEEF", "walk_fault 1", "", EXIT_FINDINGS, false },
	{ "guest_takes_each_as_it_is", "good garbage crash skip silent late fault", "5.10",
	  "PEESEEF", "walk_fault 1", "", EXIT_FINDINGS, false },
	{ "guest_that_dies_keeps_what_it_said", "good kill_guest good2", "5.10", "PEE",
	  "not run: the guest's outcome is panic: Kernel panic", "", EXIT_ENVIRONMENT, false },
	{ "who_ran_when_it_died_is_said", "good kill_guest", "5.10", "PE",
	  "while this ran: the guest's outcome is panic", "", EXIT_ENVIRONMENT, false },
	{ "dead_guest_leaves_other_lanes_alone", "kill_guest good", "5.10 host", "EEPP", "", "",
	  EXIT_ENVIRONMENT, false },
	{ "guest_that_forgets_one", "good good2", "forgetful", "PE",
	  "the guest's outcome is ok: it did not report this", "", EXIT_ENVIRONMENT, false },
	{ "compare_that_dies_in_a_guest_costs_its_batch", "good crash good2", "fragile host",
	  "PEEPEP", "", "", EXIT_FINDINGS, false },
	{ "guest_that_does_not_boot", "good", "no_boot", "E",
	  "not run: the guest's outcome is no_boot: init never reported", "", EXIT_ENVIRONMENT,
	  false },
	{ "qemu_that_does_not_start", "good", "broken_qemu host", "EP", "", "", EXIT_ENVIRONMENT,
	  false },
	{ "no_qemu_is_a_skip", "good", "host 5.10", "PS", "no_vm: ", "", EXIT_OK, true },
	{ "no_qemu_though_required", "good", "host 5.10", "PF",
	  "vm is required here: no_vm: ", "vm", EXIT_FINDINGS, true },
	{ "kernel_that_cannot_be_had_is_a_skip", "good", "unfetched", "S", "no_kernel: no network",
	  "bpf", EXIT_SKIPPED, false },
	{ "kernel_that_is_damaged_is_an_error", "good", "unreadable", "E", "damaged", "",
	  EXIT_ENVIRONMENT, false },
	{ "missing_file_costs_its_binary_only", "!absent good", "host 5.10", "EPEP", "", "",
	  EXIT_ENVIRONMENT, false },
	{ "not_built_is_skipped_everywhere", "-good good2", "host 5.10", "SPSP", "", "", EXIT_OK,
	  false },
	{ "nothing_built", "-good", "host 5.10", "SS", "no_compiler", "", EXIT_SKIPPED, false },
};

static size_t split(char *list, char **ret, size_t max)
{
	char *save = NULL;
	size_t count = 0;

	for (char *at = strtok_r(list, " ", &save); at && count < max;
	     at = strtok_r(NULL, " ", &save))
		ret[count++] = at;
	return count;
}

/* The folder's file says the same as what is in memory: a result per cell, in order. */
static void check_folder(const struct matrix_case *c, const struct results *results,
			 const char *folder)
{
	struct results read DEINIT(results_deinit);
	struct error error = { 0 };

	ck_assert_msg(!results_read(&read, folder, &error), "%s: %s", c->name, error.message);
	ck_assert_msg(!read.bad_lines && !read.missing && read.finished, "%s: file", c->name);
	ck_assert_uint_eq(read.cell_count, results->cell_count);
	for (size_t i = 0; i < read.cell_count; i++) {
		ck_assert_str_eq(read.cell[i].binary, results->cell[i].binary);
		ck_assert_str_eq(read.cell[i].kernel, results->cell[i].kernel);
		ck_assert_int_eq(read.cell[i].status, results->cell[i].status);
	}
	ck_assert_int_eq(results_exit_status(&read), c->exit_status);
}

static void run_case(const struct matrix_case *c, unsigned jobs)
{
	static const char letter[CELL_STATUS_COUNT] = "?PFSE";
	char corpus[] = "/tmp/test_run.XXXXXX", folder[] = "/tmp/test_run.XXXXXX";
	char deeper[64], kernels[256], *kernel[8], statuses[64] = "";
	struct run_backend backend = { fake_compare, fake_kernel, fake_guest,
				       c->no_qemu ? can_not_boot : can_boot, NULL };
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_corpus(corpus, c->programs);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(deeper, sizeof(deeper), "%s/a/b", folder);
	snprintf(kernels, sizeof(kernels), "%s", c->kernels);
	struct run_options options = {
		.corpus = corpus,
		.results = deeper,
		.kernel = kernel,
		.kernel_count = split(kernels, kernel, 8),
		.engines = "cfi,bpf",
		.require = c->require,
		.jobs = jobs,
		.timeout_ms = 1000,
	};
	ck_assert_msg(!run_matrix(&results, &options, &backend, &error), "%s: %s", c->name,
		      error.message);
	for (size_t i = 0; i < results.cell_count; i++)
		statuses[i] = letter[results.cell[i].status];
	ck_assert_msg(!strcmp(statuses, c->statuses), "%s: %s, not %s", c->name, statuses,
		      c->statuses);
	const char *last = results.cell[results.cell_count - 1].reason;
	ck_assert_msg(strstr(last, c->reason), "%s: \"%s\"", c->name, last);
	ck_assert_msg(results_exit_status(&results) == c->exit_status, "%s: exit %d", c->name,
		      results_exit_status(&results));
	check_folder(c, &results, deeper);
	remove_tree(corpus);
	remove_tree(folder);
}

START_TEST(test_matrix)
{
	run_case(&matrix_cases[_i], 1);
}
END_TEST

START_TEST(test_matrix_in_parallel)
{
	run_case(&matrix_cases[_i], 8);
}
END_TEST

static const struct manifest_case {
	const char *name;
	const char *text;
	int status;
	size_t count;
	const char *message;
} manifest_cases[] = {
	{ "empty", "", -1, 0, "lists no binary" },
	{ "comments_only", "# path\n\n", -1, 0, "lists no binary" },
	{ "too_few_columns", "a\tb\tc\td\n", -1, 0, "line 1 has not the columns" },
	{ "no_program", "a\t\tc\td\te\t-\n", -1, 0, "line 1 has not the columns" },
	{ "needs_may_be_absent", "manifest.tsv\tb\tc\td\te\n", 0, 1, "" },
	{ "no_newline_at_the_end", "manifest.tsv\tb\tc\td\te\t-", 0, 1, "" },
	{ "an_expectation_of_two_words", "manifest.tsv\tb\tc\td\te\t-\tstartup table_fault:f\n", 0,
	  1, "" },
	{ "an_expectation_that_is_not_known", "manifest.tsv\tb\tc\td\te\t-\tperfect\n", -1, 0,
	  "expects what is not known" },
	{ "twice_the_same", "a\tb\tc\td\te\t-\n#\na\tb\tc\td\te\t-\n", -1, 1,
	  "line 3 names a a second time" },
	{ "skips_have_names_of_their_own",
	  "skip:no_compiler\ta\tt\tv\tc\t-\nskip:no_compiler\ta\tt\tw\tc\t-\n", 0, 2, "" },
};

START_TEST(test_manifest)
{
	const struct manifest_case *c = &manifest_cases[_i];
	char folder[] = "/tmp/test_run.XXXXXX", path[64];
	struct manifest manifest;
	struct error error = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	FILE *file = fopen(path, "we");
	fputs(c->text, file);
	fclose(file);
	int status = manifest_read(&manifest, folder, &error);
	ck_assert_msg(status == c->status, "%s: %d %s", c->name, status, error.message);
	ck_assert_msg(manifest.count == c->count, "%s: %zu", c->name, manifest.count);
	ck_assert_msg(strstr(error.message, c->message), "%s: %s", c->name, error.message);
	manifest_deinit(&manifest);
	remove_tree(folder);
}
END_TEST

START_TEST(test_manifest_files_and_filter)
{
	char folder[] = "/tmp/test_run.XXXXXX", path[64];
	struct manifest manifest;
	struct error error = { 0 };

	make_corpus(folder, "good fault");
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	FILE *file = fopen(path, "ae");
	fputs("good.gcc.O2-fp.\tx\tclang\tO0-fp\tc\tgood.gcc.O2-fp fault.gcc.O2-fp gone.so\n",
	      file);
	fclose(file);
	ck_assert_int_eq(manifest_read(&manifest, folder, &error), 0);
	ck_assert_uint_eq(manifest.count, 3);
	ck_assert_uint_eq(manifest.binary[2].file_count, 2);
	ck_assert_ptr_nonnull(strstr(manifest.binary[2].file[1], "/fault.gcc.O2-fp"));
	ck_assert_ptr_nonnull(manifest.binary[2].missing);
	ck_assert_ptr_null(manifest.binary[0].missing);
	manifest_filter(&manifest, "g*");
	ck_assert_uint_eq(manifest.count, 3); /* the toolchain of the second matches */
	manifest_filter(&manifest, "cl?ng");
	ck_assert_uint_eq(manifest.count, 1);
	ck_assert_str_eq(manifest.binary[0].program, "x");
	manifest_deinit(&manifest);
	remove_tree(folder);
}
END_TEST

SUITE(run, LOOP(test_matrix, matrix_cases), LOOP(test_matrix_in_parallel, matrix_cases),
      LOOP(test_manifest, manifest_cases), TEST(test_manifest_files_and_filter))

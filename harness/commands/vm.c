/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vm.c - `stackproof vm`: runs any command in a guest with another kernel
 *
 *	stackproof vm -k 5.10,7.2 -- uname -r
 *
 * The command is this machine's own: it is looked for in PATH here and goes into the guest with the
 * libraries that it needs. `stackproof` is this very program, wherever it lies, and every guest has it in
 * its PATH. What the command starts or reads itself must be named (--file): files, or
 * directories with their contents. It runs in the working directory's path, with what was named
 * there at the same place; what it writes below that comes back with --output. With --root the guest has a whole
 * system, in which the command is looked for, and in whose /root it runs. Its output comes
 * back as if it had run here; for several kernels it is kept until the guests before it have been
 * printed, each line of standard output with its kernel (guest_lines.h), while two guests run at a time.
 *
 * The exit status is the command's: the first that is not 0, in the order of the kernels. A guest
 * that died or hung gives 99, a command that this machine does not have 127.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cases/cases.h"
#include "base/child/child.h"
#include "base/child/interrupt.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/cli/command_line.h"
#include "base/cli/progress_bar.h"
#include "commands.h"
#include "guests/vm/guest_copy.h"
#include "guests/vm/guest_lines.h"
#include "guests/vm/guest_output.h"
#include "guests/vm/vm.h"
#include "plain_text.h"
#include "base/cli/json_counts.h"

#define PARALLEL_GUESTS 2
#define OWN_NAME	"stackproof"
#define OWN_LINK	"/usr/local/bin/" OWN_NAME /* in the guest's PATH */
#define EXIT_MISSING	127
#define KERNELS_MAX	64
#define FILES_MAX	4096
#define MEMORY_MB_MAX	(1u << 20)
#define PLUGIN_TEXT_MAX 4096
#define CPUS_MAX	255 /* of QEMU's q35 without x2APIC */
#define HOME_OF_ROOT	"/root"

enum { KEY_CPUS = 1, KEY_ROOT, KEY_COPY_OUT, KEY_GROWS };

struct settings {
	struct cases_options cases;
	char *kernel[KERNELS_MAX]; /* names */
	size_t kernel_count;
	const char *root; /* a folder; NULL: none */
	struct copy_out copies[GUEST_COPIES_MAX];
	size_t copy_count;
	struct guest_file files[FILES_MAX + 3]; /* the command, this program and its link */
	size_t file_count;
	char directory[PATH_MAX]; /* the working directory */
	const char *emulator;	  /* a name; NULL: QEMU in PATH, or one that accepts the plugin */
	char *plugin;		  /* NAME or FILE, with arguments; NULL: none */
	struct emulator qemu;
	char *plugin_option; /* the plugin as of -plugin */
	const char *output;  /* where files that come back go; NULL: none do */
	const char *
		grows; /* a terminal sees the time, and how large this file is; NULL: it does not */
	unsigned timeout_ms;
	unsigned memory_mb;
	unsigned cpus;
	bool console;
	bool json;
	bool dry_run;
	char **command; /* NULL-terminated */
	struct interrupt interrupt;
	bool interruptible; /* ^C goes to the command */
};

/* One kernel's guest, run by a thread of its own. */
struct job {
	const struct settings *settings;
	struct kernel kernel;
	struct guest_command command;
	struct guest_result result;
	struct error error;
	int failed;
	bool failed_files; /* what came back could not be kept */
	int exit_code;
	bool stream;  /* output goes out as it comes */
	FILE *out[3]; /* stdout, stderr, the files that come back */
	char *text[3];
	size_t size[3];
	size_t files; /* that came back */
	struct copies_out copies;
	struct progress_bar bar;
	pthread_t thread;
};

/* ---- the command line ------------------------------------------------------------------- */

static void parse_file(struct argp_state *state, struct settings *settings, char *argument)
{
	char *colon = strchr(argument, ':');

	if (settings->file_count == FILES_MAX)
		argp_error(state, "more than %d files", FILES_MAX);
	if (!*argument || colon == argument || (colon && !colon[1]))
		argp_error(state, "--file takes HOST or HOST:GUEST, not '%s'", argument);
	if (colon)
		*colon = '\0';
	settings->files[settings->file_count++] = (struct guest_file) {
		.host_path = argument,
		.guest_path = colon ? colon + 1 : NULL,
	};
}

static void parse_copy(struct argp_state *state, struct settings *settings, char *argument)
{
	const char *wrong;

	if (settings->copy_count == GUEST_COPIES_MAX)
		argp_error(state, "more than %d of --copy-out", GUEST_COPIES_MAX);
	wrong = copy_out_parse(argument, &settings->copies[settings->copy_count++]);
	if (wrong)
		argp_error(state, "--copy-out %s, not '%s'", wrong, argument);
}

/* "2G", "512M"; a number alone counts megabytes. */
static unsigned parse_memory(struct argp_state *state, char *argument)
{
	size_t length = strlen(argument);
	char unit = length > 1 ? argument[length - 1] : '\0';
	unsigned scale = unit == 'G' || unit == 'g' ? 1024 : 1;

	if (scale > 1 || unit == 'M' || unit == 'm')
		argument[length - 1] = '\0';
	return scale *
	       (unsigned)option_between(state, argument, "--memory", 1, MEMORY_MB_MAX / scale);
}

static void parse_kernels(struct argp_state *state, struct settings *settings, char *argument)
{
	settings->kernel_count = option_words(state, argument, "--kernel", settings->kernel,
					      KERNELS_MAX);
	for (size_t i = 0; i < settings->kernel_count; i++)
		if (!strchr(settings->kernel[i], '/') && !kernel_is_possible(settings->kernel[i]))
			argp_error(state,
				   "\"%s\" is neither a series that any suite holds, nor the path "
				   "of a bzImage",
				   settings->kernel[i]);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'k': parse_kernels(state, settings, argument); return 0;
	case 't': settings->timeout_ms = option_seconds(state, argument, "--timeout"); return 0;
	case 'm': settings->memory_mb = parse_memory(state, argument); return 0;
	case KEY_CPUS:
		settings->cpus = (unsigned)option_between(state, argument, "--cpus", 1, CPUS_MAX);
		return 0;
	case KEY_ROOT: settings->root = option_text(state, argument, "--root"); return 0;
	case KEY_COPY_OUT: parse_copy(state, settings, argument); return 0;
	case 'f': parse_file(state, settings, argument); return 0;
	case 'e': settings->emulator = argument; return 0;
	case 'p':
		if (strlen(argument) > PLUGIN_TEXT_MAX)
			argp_error(state, "--plugin takes %d bytes at most", PLUGIN_TEXT_MAX);
		settings->plugin = argument;
		return 0;
	case 'o': settings->output = argument; return 0;
	case 'c': settings->console = true; return 0;
	case 'j': settings->json = true; return 0;
	case 'n': settings->dry_run = true; return 0;
	case KEY_GROWS: settings->grows = argument; return 0;
	case ARGP_KEY_ARGS: settings->command = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	case ARGP_KEY_SUCCESS:
		if (!settings->kernel_count)
			argp_error(state, "say which kernel: -k 5.10");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* ---- guests ----------------------------------------------------------------------------- */

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	struct job *job = context;
	FILE *file = job->out[stream == GUEST_STDERR];

	progress_bar_clear(&job->bar);
	fwrite(data, 1, size, file);
	if (job->stream)
		fflush(file);
}

static void on_files(void *context, size_t index, const void *data, size_t size)
{
	struct job *job = context;

	fwrite(data, 1, size, job->out[2]);
}

static void on_copy(void *context, size_t index, size_t number, const void *data, size_t size)
{
	struct job *job = context;

	copies_out_take(&job->copies, number, data, size);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
	struct job *job = context;

	job->exit_code = exit_code;
}

/* A guest has some time: what is used and what is left is the bar. */
static void on_time(void *context, uint64_t used_ms, uint64_t total_ms, bool runs)
{
	struct job *job = context;
	const char *grows = job->settings->grows;
	struct stat st;
	char text[PATH_MAX + 64];

	if (!job->bar.total)
		progress_bar_start(&job->bar, total_ms);
	job->bar.total = total_ms;
	job->bar.done = used_ms;
	if (!runs)
		snprintf(text, sizeof(text), "the guest boots");
	else if (*grows && !stat(grows, &st))
		snprintf(text, sizeof(text), "%.1f MB in %s", (double)st.st_size / 1e6, grows);
	else
		snprintf(text, sizeof(text), "the command runs");
	progress_bar_draw(&job->bar, text);
}

static struct guest_options job_options(const struct job *job)
{
	const struct settings *settings = job->settings;

	return (struct guest_options) {
		.kernel_image = job->kernel.image,
		.files = settings->files,
		.file_count = settings->file_count,
		.commands = &job->command,
		.command_count = 1,
		.root = settings->root,
		.memory_mb = settings->memory_mb,
		.cpus = settings->cpus,
		.timeout_ms = settings->timeout_ms,
		.verbose = settings->console,
		.emulator = settings->qemu.directory,
		.plugin = settings->plugin_option,
		.interrupt_fd = settings->interruptible ? settings->interrupt.stop_fd : 0,
	};
}

static void *run_job(void *context)
{
	struct job *job = context;
	struct guest_options options = job_options(job);
	struct guest_callbacks callbacks = {
		.on_output = on_output,
		.on_files = on_files,
		.on_copy = on_copy,
		.on_exit = on_exit_code,
		.on_time = job->settings->grows ? on_time : NULL,
		.context = job,
	};

	job->failed = guest_run(&options, &callbacks, &job->result, &job->error);
	progress_bar_clear(&job->bar);
	return NULL;
}

static int start_job(struct job *job, bool stream)
{
	job->stream = stream;
	job->out[2] = open_memstream(&job->text[2], &job->size[2]);
	if (!job->out[2])
		return -1;
	if (stream) {
		job->out[0] = stdout;
		job->out[1] = stderr;
	} else {
		for (int i = 0; i < 2; i++) {
			job->out[i] = open_memstream(&job->text[i], &job->size[i]);
			if (!job->out[i])
				return -1;
		}
	}
	return pthread_create(&job->thread, NULL, run_job, job) ? -1 : 0;
}

/* ---- results ---------------------------------------------------------------------------- */

static json_t *output_json(const char *text, size_t size)
{
	return json_bytes_sized(text ? text : "", size);
}

static json_t *copied_json(const struct job *job)
{
	json_t *array = json_array();

	for (size_t i = 0; i < job->copies.count; i++) {
		const struct copied_out *one = &job->copies.one[i];

		json_array_append_new(array,
				      JSON_NEW("path", json_bytes(one->wanted->guest), "came",
					       json_boolean(one->size > 0), "files", one->files));
	}
	return array;
}

static json_t *root_json(const struct guest_root *root)
{
	return JSON_NEW("files", root->files, "bytes", root->bytes, "unreadable", root->unreadable,
			"elsewhere", root->elsewhere, "cached", json_boolean(root->cached),
			"image_ms", root->image_ms);
}

static void print_json(struct job *job, int status)
{
	const struct guest_result *result = &job->result;
	json_t *object = JSON_NEW(
		"type", "guest", "kernel", job->kernel.name, "version", job->kernel.version,
		"outcome", guest_outcome_name(result->outcome), "kvm", json_boolean(result->kvm),
		"exit_code", status, "boot_ms", result->boot_ms, "first_output_ms",
		result->first_output_ms, "total_ms", result->total_ms, "release", result->release,
		"splats", result->splats, "sentence", result->sentence, "stdout",
		output_json(job->text[0], job->size[0]), "stderr",
		output_json(job->text[1], job->size[1]), "kernel_name", job->kernel.name,
		"kernel_release", result->release[0] ? result->release : job->kernel.version);

	if (job->settings->output)
		json_object_set_new(object, "files", json_integer((json_int_t)job->files));
	if (job->settings->copy_count)
		json_object_set_new(object, "copied", copied_json(job));
	if (job->settings->root)
		json_object_set_new(object, "root", root_json(&result->root));
	json_line(stdout, object);
}

static void print_plain(const struct job *job, bool header)
{
	const struct guest_result *result = &job->result;

	fflush(stdout);
	if (header)
		fprintf(stderr, "== kernel %s (%s, %s)\n", PLAIN_TEXT(job->kernel.name),
			PLAIN_TEXT(job->kernel.version), result->kvm ? "KVM" : "emulated");
	if (!job->stream) {
		guest_lines_print(stdout, job->kernel.name, job->text[0], job->size[0]);
		fflush(stdout);
		fwrite(job->text[1], 1, job->size[1], stderr);
	}
}

static void print_root(const struct job *job)
{
	const struct guest_root *root = &job->result.root;

	if (root->unreadable)
		fprintf(stderr,
			"stackproof vm: %" PRIu64
			" files or directories of the root are not in the guest, since this user "
			"may not read them: the first is %s\n",
			root->unreadable, PLAIN_TEXT(root->unreadable_first));
	if (root->elsewhere)
		fprintf(stderr,
			"stackproof vm: %" PRIu64
			" file systems that are mounted in the root are not in the guest\n",
			root->elsewhere);
}

/* What people need to know that the command's own output does not say. */
static void print_trouble(const struct job *job)
{
	const struct guest_result *result = &job->result;

	print_root(job);
	if (job->failed) {
		error_print(stderr, job->kernel.name, &job->error);
	} else if (result->outcome != GUEST_OK) {
		fprintf(stderr, "stackproof vm: %s: %s\n", PLAIN_TEXT(job->kernel.name),
			PLAIN_TEXT(result->sentence));
	} else if (result->splats) {
		fprintf(stderr, "stackproof vm: %s: the kernel complained %u times\n",
			PLAIN_TEXT(job->kernel.name), result->splats);
	}
	if (result->console_tail[0] && (result->outcome != GUEST_OK || result->splats)) {
		fprintf(stderr, "-- the console's last lines --\n");
		plain_lines(stderr, result->console_tail);
		if (result->console_tail[strlen(result->console_tail) - 1] != '\n')
			fputc('\n', stderr);
	}
}

/* What was named goes to its places. That something did not come is an error, unless the command failed itself. */
static int unpack_copies(struct job *job)
{
	struct error error;
	int status;

	if (!job->copies.count || job->failed || job->result.outcome != GUEST_OK)
		return 0;
	status = copies_out_unpack(&job->copies, &error);
	if (status)
		error_print(stderr, "stackproof vm", &error);
	return status < 0 || (status && !job->exit_code) ? -1 : 0;
}

/* What came back goes to --output; of several kernels to a folder for each. -1: it is said, and
 * an error of the environment. */
static int unpack_files(struct job *job, bool several)
{
	const char *output = job->settings->output;
	struct error error;
	FREED char *folder = NULL;
	int status;

	if (!output || job->failed || job->result.outcome != GUEST_OK)
		return 0;
	if (mkdir(output, 0777) && errno != EEXIST) {
		error_set_errno(&error, "can't make the folder %s", output);
		error_print(stderr, "stackproof vm", &error);
		return -1;
	}
	if (asprintf(&folder, "%s%s%s", output, several ? "/" : "",
		     several ? job->kernel.version : "") < 0)
		return -1;
	status = guest_output_unpack(job->text[2], job->size[2], folder, NULL, &job->files, &error);
	if (status)
		error_print(stderr, "stackproof vm", &error);
	return status;
}

static int finish_job(struct job *job, bool header)
{
	int status;

	pthread_join(job->thread, NULL);
	for (int i = 0; i < 2 && !job->stream; i++)
		fclose(job->out[i]);
	fclose(job->out[2]);
	if (unpack_files(job, header) | unpack_copies(job))
		job->failed_files = true;
	status = job->failed_files				  ? EXIT_ENVIRONMENT
		 : job->failed || job->result.outcome != GUEST_OK ? EXIT_ENVIRONMENT
								  : job->exit_code;
	if (job->settings->json)
		print_json(job, status);
	else
		print_plain(job, header);
	print_trouble(job);
	for (int i = 0; i < 3; i++)
		free(job->text[i]);
	copies_out_deinit(&job->copies);
	return status;
}

/* A kernel is a case. A guest that did not come to the command's end judged nothing. */
static void add_case(struct settings *settings, const struct job *job)
{
	const struct guest_result *result = &job->result;
	char message[512];
	enum case_status status = CASE_ERROR;

	if (job->failed) {
		snprintf(message, sizeof(message), "%s", job->error.message);
	} else if (result->outcome != GUEST_OK) {
		snprintf(message, sizeof(message), "%s: %s", guest_outcome_name(result->outcome),
			 result->sentence);
	} else if (job->failed_files) {
		snprintf(message, sizeof(message), "what came back could not be kept");
	} else {
		snprintf(message, sizeof(message), "the command ended with status %d",
			 job->exit_code);
		status = !job->exit_code		  ? CASE_PASSED
			 : job->exit_code == EXIT_SKIPPED ? CASE_SKIPPED
							  : CASE_FAILED;
	}
	struct judged_case *judged = cases_add(&settings->cases.cases, settings->command[0],
					       job->kernel.name, status, message);
	judged->seconds = result->total_ms / 1000.0;
	if (status == CASE_ERROR) {
		case_text(&judged->type, "environment");
		case_text(&judged->output, result->console_tail);
	}
}

static int run_jobs(struct job *jobs, size_t count, struct settings *settings)
{
	size_t started = 0;
	int status = EXIT_OK;

	for (size_t i = 0; i < count; i++) {
		int own;

		while (started < count && started < i + PARALLEL_GUESTS &&
		       !(settings->interruptible && interrupt_signal(&settings->interrupt))) {
			if (start_job(&jobs[started++], count == 1 && !settings->json)) {
				fprintf(stderr, "stackproof vm: no thread: %s\n", strerror(errno));
				return EXIT_ENVIRONMENT; /* ends every guest with this process */
			}
		}
		if (i == started)
			break;
		own = finish_job(&jobs[i], count > 1);
		add_case(settings, &jobs[i]);
		status = status ? status : own;
	}
	return status;
}

/* ---- the command ------------------------------------------------------------------------ */

/* Resolves the kernels of -k. Returns how many, or -1. */
static int get_kernels(struct job *jobs, struct settings *settings)
{
	for (size_t i = 0; i < settings->kernel_count; i++) {
		struct error error = { 0 };

		if (kernel_get(settings->kernel[i], &jobs[i].kernel, &error)) {
			error_print(stderr, "stackproof vm", &error);
			return -1;
		}
	}
	return (int)settings->kernel_count;
}

/*
 * Finds the emulator, and the plugin's object that it accepts. A plugin with a slash is a file, which may be of one
 * interface only: then the emulator is the first that accepts ours.
 */
static int get_emulator(struct settings *settings)
{
	const char *arguments = settings->plugin ? strchrnul(settings->plugin, ',') : "";
	bool is_file = settings->plugin &&
		       memchr(settings->plugin, '/', arguments - settings->plugin);
	char path[PATH_MAX], name[64] = "count";
	struct error error = { 0 };
	int api = 0;

	if (settings->plugin && !is_file)
		snprintf(name, sizeof(name), "%.*s", (int)(arguments - settings->plugin),
			 settings->plugin);
	if (settings->emulator && emulator_get(settings->emulator, false, &settings->qemu, &error))
		api = -1;
	else if (settings->plugin && !settings->emulator)
		api = emulator_choose(name, &settings->qemu, path, sizeof(path), &error);
	else if (settings->plugin && !is_file)
		api = emulator_plugin(&settings->qemu, name, path, sizeof(path), &error);
	if (api < 0) {
		error_print(stderr, "stackproof vm", &error);
		return -1;
	}
	if (settings->plugin &&
	    asprintf(&settings->plugin_option, "%s%s", is_file ? settings->plugin : path,
		     is_file ? "" : arguments) < 0)
		return -1;
	return 0;
}

/* Puts the program into the guest's files. -1: it is missing. */
static int add_program(struct settings *settings, const char *own, char *path, size_t size)
{
	char found[PATH_MAX];

	if (*own && !strcmp(settings->command[0], OWN_NAME))
		strcpy(found, own); /* not another version of it that is installed */
	else if (child_find(settings->command[0], found, sizeof(found)))
		return -1;
	/* Not realpath of the whole: a program may go by the name of a symbolic link. */
	if (found[0] == '/') {
		snprintf(path, size, "%s", found);
	} else {
		/* PATH has this folder. */
		bool is_here = !strchr(settings->command[0], '/') && !strncmp(found, "./", 2);
		char here[PATH_MAX];

		if (!getcwd(here, sizeof(here)))
			return -1;
		snprintf(path, size, "%.2000s/%.2000s", here, found + (is_here ? 2 : 0));
	}
	settings->files[settings->file_count++] = (struct guest_file) { .host_path = path };
	settings->command[0] = path;
	return 0;
}

/* This program, in the guest's PATH; last, so that what the user puts there stays. */
static void add_own(struct settings *settings, const char *own)
{
	if (!*own || access(own, R_OK))
		return;
	settings->files[settings->file_count++] = (struct guest_file) { .host_path = own };
	settings->files[settings->file_count++] = (struct guest_file) { .guest_path = OWN_LINK,
									.link = own };
}

/* The command and this program, whose names are to have place in paths. -1: the command is missing. */
static int add_programs(struct settings *settings, char paths[2][PATH_MAX])
{
	struct error ignored;

	if (child_self(paths[1], PATH_MAX, &ignored))
		*paths[1] = '\0';
	if (add_program(settings, paths[1], paths[0], PATH_MAX))
		return -1;
	add_own(settings, paths[1]);
	return 0;
}

/* Whether the root has the command; a file that is taken along may be it. */
static bool root_has_program(const struct settings *settings)
{
	return settings->file_count || !strcmp(settings->command[0], OWN_NAME) ||
	       guest_root_has(settings->root, settings->command[0]);
}

static int run_all(struct settings *settings)
{
	FREED struct job *jobs = calloc(KERNELS_MAX, sizeof(*jobs));
	char programs[2][PATH_MAX];
	struct error error;
	int count, status = EXIT_ENVIRONMENT;

	if (!jobs)
		return EXIT_ENVIRONMENT;
	if (settings->root)
		strcpy(settings->directory, HOME_OF_ROOT);
	else if (!getcwd(settings->directory, sizeof(settings->directory)))
		strcpy(settings->directory,
		       "/"); /* it is gone: relative paths lead nowhere here, too */
	if (settings->root ? !root_has_program(settings) : add_programs(settings, programs)) {
		fprintf(stderr, "stackproof vm: %s: no such program %s\n",
			PLAIN_TEXT(settings->command[0]),
			settings->root ? "in the root" : "on this machine");
		status = EXIT_MISSING;
		goto out;
	}
	count = get_emulator(settings) ? -1 : get_kernels(jobs, settings);
	if (count < 0)
		goto out;
	for (int i = 0; i < count; i++) {
		jobs[i].settings = settings;
		jobs[i].command.argv = settings->command;
		jobs[i].command.directory = settings->directory;
		jobs[i].command.wants_files = settings->output != NULL;
		if (copies_out_begin(&jobs[i].copies, settings->copies, settings->copy_count,
				     count > 1 ? jobs[i].kernel.version : NULL, &error)) {
			error_print(stderr, "stackproof vm", &error);
			goto out;
		}
		jobs[i].command.copies = jobs[i].copies.list;
		jobs[i].command.copy_count = jobs[i].copies.count;
	}
	if (settings->dry_run) {
		for (int i = 0; i < count; i++) {
			struct guest_options options = job_options(&jobs[i]);

			guest_command_line(&options, stdout);
		}
		status = EXIT_OK;
	} else if (settings->plugin && interrupt_init(&settings->interrupt, "stackproof vm",
						      "the command gets SIGINT", &error)) {
		error_print(stderr, "stackproof vm", &error);
	} else {
		settings->interruptible = settings->plugin != NULL;
		status = run_jobs(jobs, (size_t)count, settings);
		if (settings->interruptible)
			interrupt_deinit(&settings->interrupt);
	}
out:
	return status;
}

/* The command's own status goes through, whatever it means; a file that could not be written is the
 * environment's. */
static int vm_finish(struct settings *settings, int status)
{
	enum exit_status own = !status			    ? EXIT_OK
			       : status == EXIT_ENVIRONMENT ? EXIT_ENVIRONMENT
							    : EXIT_FINDINGS;
	enum exit_status finished = cases_finish(&settings->cases, own);

	return finished == own ? status : (int)finished;
}

#define VM_OUTPUTS(settings) FILE_NAMES(CASES_FILES((settings)->cases))

static bool writes_over(const struct settings *settings, const char *input)
{
	bool found = output_files_are_inputs(VM_OUTPUTS(settings), FILE_NAMES(input));

	for (size_t i = 0; i < settings->copy_count && !found; i++)
		found = output_files_are_inputs(FILE_NAMES(settings->copies[i].host),
						FILE_NAMES(input));
	return found;
}

/* The kernels that are files, the program and what is taken along. */
static bool writes_over_inputs(const struct settings *settings)
{
	bool found = output_files_are_program(VM_OUTPUTS(settings), settings->command[0]);

	for (size_t i = 0; i < settings->kernel_count && !found; i++)
		if (strchr(settings->kernel[i], '/'))
			found = writes_over(settings, settings->kernel[i]);
	for (size_t i = 0; i < settings->file_count && !found; i++)
		found = writes_over(settings, settings->files[i].host_path);
	return found;
}

int command_vm(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "kernel", 'k', "KERNEL[,...]", 0, "Series (5.10) or path of a bzImage", 0 },
		{ "timeout", 't', "SECONDS", 0, "The guest's whole time (120)", 0 },
		{ "memory", 'm', "SIZE", 0, "The guest's memory (512M); 2G", 0 },
		{ "cpus", KEY_CPUS, "N", 0, "The guest's CPUs (1)", 0 },
		{ "root", KEY_ROOT, "DIR", 0,
		  "The guest is the system that DIR holds; its files, this run's changes are lost",
		  0 },
		{ "file", 'f', "HOST[:GUEST]", OPTION_AGAIN,
		  "Takes a file along, or a directory with its contents; again for more", 0 },
		{ "output", 'o', "DIR", 0,
		  "What the command makes or changes below its working directory comes back, to "
		  "DIR",
		  0 },
		{ "copy-out", KEY_COPY_OUT, "GUESTPATH[:HOSTPATH]", OPTION_AGAIN,
		  "A file, or a directory with its contents, comes back after the command; again "
		  "for more",
		  0 },
		{ "emulator", 'e', "NAME", 0,
		  "Emulated by this one of `stackproof emulators list`, which is fetched if it is "
		  "missing",
		  0 },
		{ "plugin", 'p', "NAME|FILE[,ARG=VALUE...]", 0,
		  "Emulated under a plugin of QEMU's: count, or a file; by the first emulator that "
		  "takes plugins, unless --emulator names one",
		  0 },
		{ "console", 'c', NULL, 0, "The guest's console to stderr, as it comes", 0 },
		{ "json", 'j', NULL, 0, "One JSON object per kernel", 0 },
		{ "dry-run", 'n', NULL, 0, "Prints how QEMU would be started", 0 },
		{ "grows", KEY_GROWS, "FILE", OPTION_HIDDEN, NULL, 0 },
		{ 0 },
	};
	static const struct argp_child children[] = { { &cases_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.children = children,
		.options = options,
		.parser = parse,
		.args_doc = "-- COMMAND [ARGS]",
		.doc = "Runs a command of this machine in a guest with another kernel, in a "
		       "directory of "
		       "the same path as the working directory. What it needs besides its "
		       "libraries is "
		       "taken along with --file. With --root it is a command of the system in DIR, "
		       "and "
		       "runs in that.",
	};
	struct settings settings = { 0 };

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &settings, &settings.cases);
	if (writes_over_inputs(&settings))
		return EXIT_USAGE;
	cases_begin(&settings.cases, "vm");
	return vm_finish(&settings, run_all(&settings));
}

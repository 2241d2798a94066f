/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesize.c - `stackproof synthesize ELF|ARCHIVE|DEB|DIR...`: the rows that code without CFI should have
 *
 * Functions that no FDE covers are followed without running them, and where it is proven where their
 * frames are, rows are made of that (synthesis/synthesis.h, docs/SYNTHESIS.md). They are written as a
 * section, into a copy of the file, or as directives for assembly.
 *
 * Exit status: gate/gate.h's; where no row was written, that nothing was checked.
 */
#include <argp.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/images/image_objects.h"
#include "analysis/synthesis/synthesis.h"

struct synthesizing {
	struct synthesis_options options;
	bool json;
	unsigned int jobs, timeout_ms;
	char **path;
	int path_count;
	uint64_t images;
	json_t *counts;
	struct image_list list;
	struct gate gate;
};

static const struct argp_option option_list[] = {
	{ "directives", INTO_FLAG(synthesizing, options.directives), NULL, 0,
	  "print each function's rows as .cfi_ directives, for its assembly source", 0 },
	{ "output", 'o', "FILE", 0,
	  "write the rows as a section (.eh_frame; .debug_frame if ELF has an .eh_frame), and "
	  "print "
	  "the "
	  "objcopy command that adds it to a copy of ELF",
	  0 },
	{ "elf", INTO_TEXT(synthesizing, options.elf), "FILE", 0,
	  "write a copy of ELF that has the section, by objcopy", 0 },
	{ "jobs", 'j', "N", 0, "images at once (as many as there are CPUs)", 0 },
	{ "timeout", INTO_SECONDS(synthesizing, timeout_ms), "SECONDS", 0, "for one image (300)",
	  0 },
	{ "json", INTO_FLAG(synthesizing, json), NULL, 0, "one JSON object per image, and a total",
	  0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct synthesizing *all = state->input;

	switch (key) {
	case 'o': all->options.output = option_text(state, argument, "--output"); break;
	case 'j':
		all->jobs = option_between(state, argument, "--jobs", 1, IMAGE_POOL_JOBS_MAX);
		break;
	case ARGP_KEY_ARGS:
		all->path = state->argv + state->next;
		all->path_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no ELF file and no directory"); break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

static void count_image(struct synthesizing *all, const struct image_path *path,
			const json_t *image)
{
	const char *status = json_text(image, "status"), *code = json_text(image, "code");
	struct gate *gate = &all->gate;

	all->images++;
	if (!strcmp(status, "unread"))
		gate_leave_image_named(gate, code, gate_is_named(path, code));
	gate_leave(gate, GATE_LTO, json_object_get(image, "lto") != NULL);
	gate_leave(gate, GATE_UNCHECKED, !strcmp(status, "not_linked"));
	if (!strcmp(status, "failed") && *code)
		gate_leave_failed(gate, code);
	else if (!strcmp(status, "failed")) {
		gate->environment = true;
		gate_leave(gate, GATE_FAILED, 1);
	}
	gate->checked += json_number(image, "proven") + json_number(image, "partial") +
			 json_number(image, "replaced");
	gate_leave(gate, GATE_UNSYNTHESIZED, json_number(image, "none"));
	json_counts_add(all->counts, image);
}

static void print_object(const struct synthesizing *all, const json_t *object)
{
	if (all->json) {
		json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		putchar('\n');
	} else if (json_object_get(object, "status")) {
		synthesis_text_image(all->options.directives ? stderr : stdout, object);
	} else {
		fputs(json_text(object, "text"), stdout); /* names in it are plain */
	}
}

static void take_object(void *context, const struct image_path *path, json_t *object)
{
	struct synthesizing *all = context;

	if (json_object_get(object, "status"))
		count_image(all, path, object);
	print_object(all, object);
}

static void image_work(void *context, const struct image_path *path, FILE *output)
{
	const struct synthesizing *all = context;

	synthesis_file(&all->options, path, output);
}

static void say_progress(void *context, char *text, size_t size)
{
	const struct synthesizing *all = context;

	snprintf(text, size, "%llu of %zu images", (unsigned long long)all->images,
		 all->list.count);
}

static void print_total(const struct synthesizing *all)
{
	json_t *total;

	if (!all->json) {
		if (!gate_is_clean(&all->gate))
			gate_print(&all->gate, all->options.directives ? stderr : stdout);
		return;
	}
	total = JSON_NEW("type", "synthesis_total", "images", all->images);
	json_object_update(total, all->counts);
	gate_json(&all->gate, total);
	json_line(stdout, total);
}

static enum exit_status synthesize(struct synthesizing *all)
{
	const struct image_objects objects = {
		.type = "synthesis",
		.jobs = all->jobs,
		.timeout_ms = all->timeout_ms,
		.work = image_work,
		.take = take_object,
		.say = say_progress,
		.context = all,
	};
	struct error error;

	if ((all->options.output || all->options.elf) && all->list.count > 1) {
		fprintf(stderr, "synthesize: --output and --elf take one ELF file\n");
		return EXIT_USAGE;
	}
	if (image_list_is_written(&all->list, FILE_NAMES(all->options.output, all->options.elf)))
		return EXIT_USAGE;
	if (image_objects_run(&objects, &all->list, &error)) {
		error_print(stderr, "synthesize", &error);
		return EXIT_ENVIRONMENT;
	}
	print_total(all);
	return gate_status(&all->gate);
}

static enum exit_status synthesize_paths(struct synthesizing *all)
{
	enum exit_status status;
	struct error error;

	all->counts = json_object();
	for (int i = 0; i < all->path_count; i++)
		if (image_list_add(&all->list, all->path[i], &error)) {
			error_print(stderr, NULL, &error);
			gate_leave_image(&all->gate, &error, true);
		}
	gate_leave_list(&all->gate, &all->list);
	image_list_finish(&all->list, 1);
	status = synthesize(all);
	image_list_deinit(&all->list);
	json_decref(all->counts);
	return status;
}

int command_synthesize(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF|ARCHIVE|DEB|DIR...",
		"Follows functions without call frame information, and writes the rows that they "
		"should have, where the code proves them.",
		children,
		NULL,
		NULL,
	};
	struct synthesizing all = { .gate = { .unit = "functions" },
				    .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
				    .timeout_ms = 300000 };

	command_parse(&argp, argc, argv, 0, &all, &all.gate);
	return synthesize_paths(&all);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat.c - `stackproof stat ELF|DIR...`: a census of unwind tables
 *
 * A line for each image and one for all together: FDEs, rows, rules, bytes, build time, the share
 * of the code that FDEs cover, what the compact table lost and why, and which expressions there
 * are. Directories stand for every ELF file below them. Each image is read in a process of its own;
 * one at a time, unless told otherwise, since what runs beside a build makes it slower.
 *
 * A file that was named and can't be read, or whose CFI is partly malformed, makes the exit status
 * 3. In directories such files are only counted, by reason (gate/gate.h).
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/images/image_pool.h"
#include "base/cli/options.h"
#include "base/cli/json_counts.h"
#include "base/cli/progress_bar.h"
#include "tables/stat/stat.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "plain_text.h"

#define TIMEOUT_SECONDS 300
#define OTHER_SHOWN	20 /* expressions of no form */
#define PROBLEMS_SHOWN	20 /* of an image */

struct census {
	bool json;
	unsigned int jobs;
	char **path;
	int path_count;
	struct image_list list;
	struct progress_bar bar;
	json_t *total;
	json_int_t images; /* that could be read */
	json_int_t unread;
	uint64_t problems; /* of the image at hand */
	json_int_t failed;
	struct gate gate;
};

static const struct argp_option option_list[] = {
	{ "json", 'j', NULL, 0, "one JSON object per image, and one for all", 0 },
	{ "jobs", 'J', "N", 0, "images at once (1: build times are not disturbed)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct census *census = state->input;
	switch (key) {
	case 'j': census->json = true; break;
	case 'J':
		census->jobs = option_between(state, argument, "--jobs", 1, IMAGE_POOL_JOBS_MAX);
		break;
	case ARGP_KEY_ARGS:
		census->path = state->argv + state->next;
		census->path_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no ELF file and no directory"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static double share(json_int_t part, json_int_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* "    7 rows of SFrame, 55 functions, 4.31 b/row; 210 b of table: version 2" */
static void print_sframe(const json_t *sframe)
{
	const char *version, *separator = "; version";
	json_t *count;

	if (!sframe)
		return;
	printf("%9s %9" JSON_INTEGER_FORMAT " rows of SFrame: %" JSON_INTEGER_FORMAT
	       " functions, %" JSON_INTEGER_FORMAT " bytes (%.2f a row), %" JSON_INTEGER_FORMAT
	       " bytes of table",
	       "", json_count(sframe, "rows"), json_count(sframe, "functions"),
	       json_count(sframe, "bytes"),
	       share(json_count(sframe, "bytes"), json_count(sframe, "rows")),
	       json_count(sframe, "table_bytes"));
	json_object_foreach(json_object_get(sframe, "versions"), version, count)
	{
		printf("%s %s", separator, version);
		if (json_integer_value(count) > 1)
			printf(" (%" JSON_INTEGER_FORMAT " images)", json_integer_value(count));
		separator = ",";
	}
	if (json_count(sframe, "unreadable"))
		printf("; %" JSON_INTEGER_FORMAT " can't be read",
		       json_count(sframe, "unreadable"));
	putchar('\n');
}

static void print_line(const json_t *stat, const char *name)
{
	const char *reason;
	json_t *value;
	printf("%9" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT " %7" JSON_INTEGER_FORMAT
	       " %10" JSON_INTEGER_FORMAT " %6.2f %9.3f %7.2f  %s\n",
	       json_count(stat, "fdes"), json_count(stat, "rows"), json_count(stat, "rules"),
	       json_count(stat, "table_bytes"),
	       share(json_count(stat, "table_bytes"), json_count(stat, "rows")),
	       (double)json_count(stat, "build_ns") / 1e6,
	       100 * share(json_count(stat, "covered_bytes"), json_count(stat, "executable_bytes")),
	       PLAIN_TEXT(name));
	json_object_foreach(json_object_get(stat, "lost"), reason, value)
		printf("%9s %9" JSON_INTEGER_FORMAT " rows lost: %s\n", "",
		       json_integer_value(value), reason);
	json_object_foreach(json_object_get(stat, "lost_fdes_by_reason"), reason, value) printf(
		"%9" JSON_INTEGER_FORMAT " FDEs lost: %s\n", json_integer_value(value), reason);
	print_sframe(json_object_get(stat, "sframe"));
}

static void print_json(const json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
}

/* What is wrong with a file, for people: as many lines of an image as are worth reading. */
static void print_problem(struct census *census, const struct image_path *image,
			  const json_t *object)
{
	const char *section = json_text(object, "section");
	if (json_object_get(object, "more")) {
		census->problems += (uint64_t)json_count(object, "more");
		return;
	}
	if (census->problems++ >= PROBLEMS_SHOWN)
		return;
	fprintf(stderr, "%s: ", PLAIN_TEXT(image->path));
	if (*section)
		fprintf(stderr, "%s+0x%" PRIx64 ": ", PLAIN_TEXT(section),
			(uint64_t)json_count(object, "offset"));
	if (json_object_get(object, "pc"))
		fprintf(stderr, "%s%s%s: ", json_text(object, "pc"),
			json_object_get(object, "pc_end") ? ".." : "", json_text(object, "pc_end"));
	fprintf(stderr, "%s\n", PLAIN_TEXT(json_text(object, "message")));
}

static void end_problems(struct census *census, const struct image_path *image)
{
	if (census->problems > PROBLEMS_SHOWN)
		fprintf(stderr, "%s: and %" PRIu64 " more%s\n", PLAIN_TEXT(image->path),
			census->problems - PROBLEMS_SHOWN,
			census->json ? "" : " (--json has them)");
	census->problems = 0;
}

static void take_object(struct census *census, const struct image_path *image, const json_t *object)
{
	const char *type = json_text(object, "type");
	if (!strcmp(type, "stat")) {
		census->images++;
		json_counts_add(census->total, object);
		uint64_t outside = json_count(json_object_get(object, "lost_fdes_by_reason"),
					      "outside");
		census->gate.checked += json_count(object, "fdes") - outside;
		if (!json_count(object, "fdes") && !json_count(object, "lost_fdes"))
			gate_leave(&census->gate, GATE_NO_CFI, 1);
		gate_add_image(&census->gate, object, image->named);
		if (census->json)
			print_json(object);
		else
			print_line(object, image->path);
		return;
	}
	bool named = image->named;
	if (!strcmp(type, "stat_error")) {
		census->unread++;
		named = gate_is_named(image, json_text(object, "code"));
		gate_leave_image_named(&census->gate, json_text(object, "code"), named);
	}
	/* An FDE of what is not executed is lost, and nothing else is wrong with it. */
	if (strcmp(type, "stat_lost"))
		census->gate.bad_input |= named;
	if (census->json)
		print_json(object);
	fflush(stdout); /* one stream may be both */
	if (image->named || strcmp(type, "stat_error"))
		print_problem(census, image, object);
}

static void image_work(void *context, const struct image_path *image, FILE *output)
{
	stat_image(image, output);
}

static void image_done(void *context, const struct image_path *image,
		       const struct image_outcome *outcome)
{
	struct census *census = context;
	const char *failure = outcome->failure;
	struct image_line line = { NULL };
	json_int_t before = census->images + census->unread;
	char text[64];
	progress_bar_clear(&census->bar);
	while (image_outcome_line(outcome, &line)) {
		JSON_FREED json_t *object = json_loadb(line.text, line.size, 0, NULL);
		if (object)
			take_object(census, image, object);
	}
	free(line.text);
	end_problems(census, image);
	if (!failure && census->images + census->unread == before)
		failure = "said nothing";
	if (outcome->is_cut) {
		fprintf(stderr, "%s: %s\n", PLAIN_TEXT(image->path), failure);
		census->unread++;
		gate_leave_image_named(&census->gate, error_code_name(ERROR_SYSTEM), image->named);
	} else if (failure) {
		fprintf(stderr, "%s: its process %s\n", PLAIN_TEXT(image->path), failure);
		census->failed++;
		census->gate.findings++;
		gate_leave(&census->gate, GATE_FAILED, 1);
	}
	fflush(stdout);
	census->bar.done += image->bytes;
	snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT " of %zu images",
		 census->images + census->unread + census->failed, census->list.count);
	progress_bar_draw(&census->bar, text);
}

static int more_often_first(const void *a, const void *b)
{
	const json_t *left = json_object_iter_value(*(void *const *)a);
	const json_t *right = json_object_iter_value(*(void *const *)b);
	json_int_t x = json_integer_value(left), y = json_integer_value(right);
	return x > y ? -1 : x < y;
}

/* The counts of an object, the largest first, and not more than max of them. */
static void print_counts(const char *title, json_t *counts, size_t max)
{
	size_t count = json_object_size(counts), i = 0;
	FREED void **order = calloc(count + 1, sizeof(*order));
	if (!order || !count)
		return;
	for (void *at = json_object_iter(counts); at; at = json_object_iter_next(counts, at))
		order[i++] = at;
	qsort(order, count, sizeof(*order), more_often_first);
	printf("%s\n", title);
	for (i = 0; i < count && i < max; i++)
		printf("%9" JSON_INTEGER_FORMAT "  %s\n",
		       json_integer_value(json_object_iter_value(order[i])),
		       json_object_iter_key(order[i]));
	if (count > max)
		printf("%9s  and %zu more\n", "", count - max);
}

/* The sums of no image at all are there, too. */
static void complete(json_t *total)
{
	static const char *const counts[] = { "fdes",	      "rows",		"rules",
					      "table_bytes",  "build_ns",	"build_first_ns",
					      "lost_fdes",    "malformed_rows", "executable_bytes",
					      "covered_bytes" };
	static const char *const objects[] = { "lost", "lost_fdes_by_reason", "expressions",
					       "expressions_other" };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!json_object_get(total, counts[i]))
			json_object_set_new(total, counts[i], json_integer(0));
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (!json_object_get(total, objects[i]))
			json_object_set_new(total, objects[i], json_object());
}

static void print_total(const struct census *census)
{
	json_t *total = census->total;
	char name[64];
	if (census->json) {
		json_int_t rows = json_count(total, "rows");
		complete(total);
		JSON_SET(total, "type", "stat_total", "images", census->images, "unread",
			 census->unread, "failed", census->failed, "bytes_per_row",
			 json_real(share(json_count(total, "table_bytes"), rows)));
		gate_json(&census->gate, total);
		print_json(total);
		return;
	}
	snprintf(name, sizeof(name), "%" JSON_INTEGER_FORMAT " images", census->images);
	if (census->list.count > 1)
		print_line(total, name);
	if (census->unread)
		printf("%9" JSON_INTEGER_FORMAT " files not read\n", census->unread);
	if (census->failed)
		printf("%9" JSON_INTEGER_FORMAT " files failed\n", census->failed);
	print_counts("\nexpressions, by what they are for and the form of rule that holds them",
		     json_object_get(total, "expressions"), SIZE_MAX);
	print_counts("\nexpressions of no such form", json_object_get(total, "expressions_other"),
		     OTHER_SHOWN);
	if (json_count(total, "expressions_other_more"))
		printf("%9" JSON_INTEGER_FORMAT "  of too many texts to keep\n",
		       json_count(total, "expressions_other_more"));
}

static enum exit_status take_census(struct census *census)
{
	struct image_pool pool = { census->jobs, 1000 * TIMEOUT_SECONDS, image_work, image_done,
				   census };
	uint64_t bytes = 0;
	struct error error;
	for (int i = 0; i < census->path_count; i++)
		if (image_list_add(&census->list, census->path[i], &error)) {
			error_print(stderr, NULL, &error);
			gate_leave_image(&census->gate, &error, true);
		}
	gate_leave_list(&census->gate, &census->list);
	image_list_finish(&census->list, 1);
	for (size_t i = 0; i < census->list.count; i++)
		bytes += census->list.image[i].bytes;
	if (!census->json)
		printf("%9s %9s %7s %10s %6s %9s %7s  %s\n", "fdes", "rows", "rules", "bytes",
		       "b/row", "build ms", "covered", "image");
	fflush(stdout);
	progress_bar_start(&census->bar, bytes);
	int result = image_pool_run(&pool, &census->list, &error);
	progress_bar_clear(&census->bar);
	if (result) {
		error_print(stderr, "stat", &error);
		return EXIT_ENVIRONMENT;
	}
	/* One file is one object, unless there is more to say of it. */
	if (census->list.count > 1 || !census->json || !gate_is_clean(&census->gate))
		print_total(census);
	if (!census->json) {
		putchar('\n');
		gate_print(&census->gate, stdout);
	}
	return gate_status(&census->gate);
}

int command_stat(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_image_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF|ARCHIVE|DEB|DIR...",
		"Prints the size of the unwind tables of ELF files, what they are made of, and "
		"what they lost.",
		children,
		NULL,
		NULL,
	};
	struct census census = { .jobs = 1, .gate = { .unit = "FDEs" } };
	command_parse(&argp, argc, argv, 0, &census, &census.gate);
	census.total = json_object();
	enum exit_status status = take_census(&census);
	image_list_deinit(&census.list);
	json_decref(census.total);
	return status;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_record.c - golden/verifier.tsv: what each verifier said of each program when it was recorded
 *
 * Whether a program loads depends on the kernel down to its patch level, and on the compiler. So a
 * line of the record is for one kernel, one compiler and one program:
 *
 *	kernel compiler object program method loads instructions stack release
 *
 * "6.12" is the newest kernel of that series in the archive, "6.12.oldest" the oldest one: names
 * that stay while the archive moves on. The release is which one it was, for people; it is not
 * compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "array.h"
#include "freed.h"
#include "load.h"
#include "guests/vm/cache.h"
#include "guests/vm/kernel_index.h"

#define COLUMNS 9

static const char heading[] =
	"# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause\n"
	"#\n"
	"# verifier.tsv - what each kernel's verifier said of each BPF program, by compiler\n"
	"#\n"
	"# Written by `scripts/check-kernels BUILD --update`; docs/KERNELS.md says what the fields "
	"mean:\n"
	"# kernel, compiler, object, program, method, loads (yes, no, no_helper), instructions "
	"processed,\n"
	"# stack (bytes of the program and of each function), release (not compared).\n";

/* ---- order ------------------------------------------------------------------------------ */

static int by_kernel(const struct load_result *a, const struct load_result *b)
{
	/* "6.12" before "6.12.oldest" before "6.16". */
	return debian_version_compare(a->kernel, b->kernel);
}

static int by_key(const void *a, const void *b)
{
	const struct load_result *one = a, *other = b;
	int order = by_kernel(one, other);

	order = order ? order : debian_version_compare(one->compiler, other->compiler);
	order = order ? order : strcmp(one->object, other->object);
	return order ? order : strcmp(one->program, other->program);
}

const struct load_result *load_record_find(const struct load_record *record,
					   const struct load_result *result)
{
	return ARRAY_FIRST(record->line, record->count, line, !by_key(line, result));
}

int load_record_set(struct load_record *record, const struct load_result *result)
{
	struct load_result *line = (struct load_result *)load_record_find(record, result);

	if (!line)
		return ARRAY_ADD(record->line, record->count, *result) ? 0 : -1;
	*line = *result;
	return 0;
}

void load_record_drop_gone(struct load_record *record, const struct load_record *results)
{
	size_t kept = 0;

	for (size_t i = 0; i < record->count; i++) {
		const struct load_result *line = &record->line[i];
		bool measured = false;

		for (size_t j = 0; j < results->count && !measured; j++)
			measured = !by_kernel(line, &results->line[j]) &&
				   !strcmp(line->compiler, results->line[j].compiler);
		if (!measured || load_record_find(results, line))
			record->line[kept++] = *line;
	}
	record->count = kept;
}

void load_record_deinit(struct load_record *record)
{
	free(record->line);
	*record = (struct load_record) { 0 };
}

/* ---- the file --------------------------------------------------------------------------- */

/* A line without its newline. -1: it is malformed. */
static int parse_line(char *line, struct load_result *ret)
{
	char *field[COLUMNS], *end;
	size_t count = 0;

	for (char *at = line; count < COLUMNS; count++) {
		field[count] = strsep(&at, "\t");
		if (!field[count] || strlen(field[count]) >= LOAD_NAME_MAX)
			return -1;
		if (count == COLUMNS - 1 && at)
			return -1;
	}
	*ret = (struct load_result) { .outcome = load_outcome_of(field[5]) };
	strcpy(ret->kernel, field[0]);
	strcpy(ret->compiler, field[1]);
	strcpy(ret->object, field[2]);
	strcpy(ret->program, field[3]);
	strcpy(ret->method, field[4]);
	strcpy(ret->statistics.stack, strcmp(field[7], "-") ? field[7] : "");
	strcpy(ret->release, field[8]);
	errno = 0;
	ret->statistics.instructions = strtoull(field[6], &end, 10);
	return errno || *end || !*field[6] || ret->outcome == LOAD_OUTCOME_COUNT ? -1 : 0;
}

int load_record_read(struct load_record *ret, const char *path, struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(path, error);
	FREED char *line = NULL;
	size_t size = 0, number = 0;
	int status = 0;

	*ret = (struct load_record) { 0 };
	if (!file)
		return errno == ESPIPE ? -1 : error_set_errno(error, "can't be opened");
	while (!status && getline(&line, &size, file) > 0) {
		struct load_result result;

		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (parse_line(line, &result))
			status = error_set(error, ERROR_UNSUPPORTED_ELF, "", 0,
					   "line %zu is not one of a record", number);
		else if (load_record_find(ret, &result))
			status = error_set(error, ERROR_UNSUPPORTED_ELF, "", 0,
					   "line %zu is there twice", number);
		else if (load_record_set(ret, &result))
			status = error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "can't be read");
	if (status)
		load_record_deinit(ret);
	return status;
}

int load_record_write(const struct load_record *record, const char *path, struct error *error)
{
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	fputs(heading, file);
	if (record->count)
		qsort(record->line, record->count, sizeof(*record->line), by_key);
	for (size_t i = 0; i < record->count; i++) {
		const struct load_result *line = &record->line[i];

		fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%s\t%s\n", line->kernel,
			line->compiler, line->object, line->program, line->method,
			load_outcome_name(line->outcome), line->statistics.instructions,
			line->statistics.stack[0] ? line->statistics.stack : "-", line->release);
	}
	if (fclose(file))
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return write_file_atomically(path, text, size, error);
}

/* ---- comparing -------------------------------------------------------------------------- */

const char *load_verdict_name(enum load_verdict verdict)
{
	static const char *const name[LOAD_VERDICT_COUNT] = {
		[LOAD_AS_RECORDED] = "as_recorded",
		[LOAD_NEW] = "new",
		[LOAD_BETTER] = "better",
		[LOAD_NEW_REFUSED] = "new_refused",
		[LOAD_STOPPED] = "stopped_loading",
		[LOAD_GREW] = "grew",
		[LOAD_STACK_GREW] = "stack_grew",
		[LOAD_OTHER_METHOD] = "other_method",
		[LOAD_GONE] = "gone",
	};

	return verdict < LOAD_VERDICT_COUNT ? name[verdict] : "?";
}

bool load_verdict_fails(enum load_verdict verdict)
{
	return verdict >= LOAD_NEW_REFUSED;
}

/* Is now more than then by over LOAD_GROWTH_PERCENT? (At most a million, or a few.) */
static bool grew(uint64_t then, uint64_t now)
{
	return now * 100 > then * (100 + LOAD_GROWTH_PERCENT);
}

enum load_verdict load_compare(const struct load_result *recorded, const struct load_result *now)
{
	const struct load_statistics *then_statistics, *now_statistics = &now->statistics;

	if (!recorded)
		return now->outcome == LOAD_YES ? LOAD_NEW : LOAD_NEW_REFUSED;
	then_statistics = &recorded->statistics;
	if (recorded->outcome != now->outcome) {
		if (now->outcome == LOAD_YES)
			return LOAD_BETTER;
		/* It is refused for something else now; or it did load. */
		return LOAD_STOPPED;
	}
	if (strcmp(recorded->method, now->method))
		return LOAD_OTHER_METHOD;
	/* Where the verifier stopped says nothing of the size. */
	if (now->outcome != LOAD_YES)
		return LOAD_AS_RECORDED;
	if (grew(then_statistics->instructions, now_statistics->instructions))
		return LOAD_GREW;
	if (load_stack_bytes(now_statistics->stack) > load_stack_bytes(then_statistics->stack))
		return LOAD_STACK_GREW;
	return grew(now_statistics->instructions, then_statistics->instructions) ? LOAD_BETTER
										 : LOAD_AS_RECORDED;
}

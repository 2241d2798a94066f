/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ignore.c - the list of findings that don't decide the exit status: ignore.h
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli/input_file.h"
#include "array.h"
#include "base/cli/json_counts.h"
#include "ignore.h"
#include "plain_text.h"

#define FIELDS	      5
#define WAIVER_FIELDS 3

/* The fields of a line, cut in place; several tabs are one. How many, FIELDS + 1 at most. */
static int cut(char *line, char *ret[FIELDS + 1])
{
	char *save = NULL;
	int count = 0;

	for (char *field = strtok_r(line, "\t", &save); field && count <= FIELDS;
	     field = strtok_r(NULL, "\t", &save))
		ret[count++] = field;
	return count;
}

/* A day of the calendar, as ISO 8601 has it. */
static bool is_date(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	char again[11];

	if (!end || *end || strlen(text) != 10)
		return false;
	timegm(&tm); /* makes 2 March of 30 February */
	return strftime(again, sizeof(again), "%Y-%m-%d", &tm) && !strcmp(again, text);
}

/* A waiver's image, function and reason become an entry of any kind that has no end. */
static void complete(char *field[FIELDS + 1])
{
	field[4] = field[2];
	field[3] = "-";
	field[2] = "*";
}

/* line is cut. What is wrong with it, or NULL. */
static const char *read_entry(char *line, const struct ignore_list *list, const char *today,
			      struct ignore_entry *ret)
{
	char *field[FIELDS + 1];
	int count = cut(line, field);

	if (count == WAIVER_FIELDS && list->waivers)
		complete(field);
	else if (count != FIELDS)
		return "not the five fields image, function, kind, until, reason, separated by "
		       "tabs";
	if (strcmp(field[3], "-") && !is_date(field[3]))
		return "until is neither a date (2027-06-30) nor \"-\"";
	if (strcmp(field[3], "-"))
		snprintf(ret->until, sizeof(ret->until), "%s", field[3]);
	ret->expired = ret->until[0] && strcmp(ret->until, today) < 0;
	ret->image = strdup(field[0]);
	ret->function = strdup(field[1]);
	ret->kind = strdup(field[2]);
	ret->reason = strdup(field[4]);
	return ret->image && ret->function && ret->kind && ret->reason ? NULL : "out of memory";
}

static int add_entry(struct ignore_list *list, char *line, unsigned int number, const char *today,
		     struct error *error)
{
	struct ignore_entry *entry = ARRAY_ADD(list->entry, list->count,
					       (struct ignore_entry) { .line = number });
	const char *problem = entry ? read_entry(line, list, today, entry) : "out of memory";

	if (!problem)
		return 0;
	return error_set(error, ERROR_TEXT_SYNTAX, "", number, "%s, line %u: %s", list->path,
			 number, problem);
}

static int read_lines(struct ignore_list *ret, const char *today, struct error *error)
{
	const char *path = ret->path;
	FREED char *line = NULL;
	size_t capacity = 0;
	unsigned int number = 0;
	int status = 0;

	FILE_CLOSED FILE *file = input_file_open(path, error);
	if (!file)
		return -1;
	errno = 0;
	while (!status && getline(&line, &capacity, file) >= 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[strspn(line, " \t")] && line[0] != '#')
			status = add_entry(ret, line, number, today, error);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "can't read %s", path);
	return status;
}

void ignore_list_deinit(struct ignore_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entry[i].image);
		free(list->entry[i].function);
		free(list->entry[i].kind);
		free(list->entry[i].reason);
	}
	free(list->entry);
	*list = (struct ignore_list) { .path = NULL };
}

static int read_today(struct ignore_list *ret, struct error *error)
{
	time_t now = time(NULL);
	char today[11];
	struct tm tm;

	strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &tm));
	return read_lines(ret, today, error);
}

int ignore_list_read(struct ignore_list *ret, const char *path, const char *today,
		     struct error *error)
{
	*ret = (struct ignore_list) { .path = path };
	return read_lines(ret, today, error);
}

int ignore_list_read_now(struct ignore_list *ret, const char *path, struct error *error)
{
	*ret = (struct ignore_list) { .path = path };
	return path ? read_today(ret, error) : 0;
}

int ignore_list_read_waivers(struct ignore_list *ret, const char *path, struct error *error)
{
	*ret = (struct ignore_list) { .path = path, .waivers = true };
	return access(path, F_OK) && errno == ENOENT ? 0 : read_today(ret, error);
}

/* The pattern is of a whole path, or of a file's name. */
static bool is_path(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !fnmatch(pattern, path, 0) || (slash && !fnmatch(pattern, slash + 1, 0));
}

/* "lib/x.a(y.o)" is meant by the archive, too, and by the member. */
static bool is_image(const char *pattern, const char *image)
{
	size_t size = strcspn(image, "("), length = strlen(image);
	FREED char *archive = NULL, *member = NULL;

	if (is_path(pattern, image) || !image[size] || image[length - 1] != ')')
		return is_path(pattern, image);
	archive = strndup(image, size);
	member = strndup(image + size + 1, length - size - 2);
	return (archive && is_path(pattern, archive)) || (member && is_path(pattern, member));
}

static bool matches(const struct ignore_entry *entry, const struct finding_record *finding)
{
	bool is_lints = finding->id && finding->id[0];

	return is_image(entry->image, finding->image) &&
	       !fnmatch(entry->function, finding->function, 0) &&
	       (!fnmatch(entry->kind, is_lints ? finding->id : finding->kind, 0) ||
		!fnmatch(entry->kind, is_lints ? finding->type : finding->verdict, 0));
}

const char *ignore_list_match(struct ignore_list *list, const struct finding_record *finding)
{
	struct ignore_entry *first = NULL;

	for (size_t i = 0; i < list->count; i++) {
		struct ignore_entry *entry = &list->entry[i];

		if (entry->expired || !matches(entry, finding))
			continue;
		entry->met = true;
		first = first ? first : entry;
	}
	if (!first)
		return NULL;
	first->findings++;
	first->points += finding->count;
	return first->reason;
}

static const char *state(const struct ignore_entry *entry)
{
	return entry->expired ? "expired" : entry->met ? "matched" : "unmatched";
}

static void print_expired(FILE *file, const struct ignore_list *list,
			  const struct ignore_entry *entry)
{
	fprintf(file, "%s, line %u: expired on %s, and ignores nothing any more\n",
		PLAIN_TEXT(list->path), entry->line, PLAIN_TEXT(entry->until));
}

void ignore_list_print_expired(FILE *file, const struct ignore_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entry[i].expired)
			print_expired(file, list, &list->entry[i]);
}

void ignore_list_print_text(FILE *file, const struct ignore_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct ignore_entry *entry = &list->entry[i];

		if (entry->expired)
			print_expired(file, list, entry);
		else if (!entry->met)
			fprintf(file, "%s, line %u: matches nothing: %s, %s, %s\n",
				PLAIN_TEXT(list->path), entry->line, PLAIN_TEXT(entry->image),
				PLAIN_TEXT(entry->function), PLAIN_TEXT(entry->kind));
	}
}

static json_t *entry_json(const struct ignore_list *list, const struct ignore_entry *entry)
{
	return JSON_NEW("type", "ignore", "file", list->path, "line", entry->line, "state",
			state(entry), "image", entry->image, "function", entry->function, "kind",
			entry->kind, "reason", entry->reason, "until",
			entry->until[0] ? entry->until : NULL, "findings", entry->findings,
			"points", entry->points);
}

void ignore_list_print_json(FILE *file, const struct ignore_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		json_line(file, entry_json(list, &list->entry[i]));
}

json_t *ignore_list_json(const struct ignore_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, entry_json(list, &list->entry[i]));
	return array;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_same.c - tables that are the same, kept once
 *
 * Compilers of two versions make the same of most small programs. So a table's golden is a file of
 * its own, or that of another with the same text, by a line of GOLDEN/tables/same.tsv:
 *
 *	NAME<TAB>OTHER		gcc-13.3.0/chain.O2-nofp	gcc-12.2.0/chain.O2-nofp
 *
 * Of those with one text the first by name has the file. So whoever reads a change sees each text
 * that changed once, and which tables it is of. A folder of goldens without same.tsv has only
 * files; the first update that meets a text twice makes one.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "golden.h"

#define SAME_BYTES_MAX (16u << 20)

static void same_file(const struct golden_run *run, char ret[4096])
{
	snprintf(ret, 4096, "%s/tables/same.tsv", run->options->golden);
}

static void table_file(const struct golden_run *run, const char *name, char ret[4096])
{
	snprintf(ret, 4096, "%s/tables/%s.txt", run->options->golden, name);
}

/* ---- the index --------------------------------------------------------------------------- */

/* TOOLCHAIN-VERSION/PROGRAM.VARIANT. */
static bool is_name(const char *name)
{
	const char *slash = strchr(name, '/');
	char folder[256];

	if (!slash || (size_t)(slash - name) >= sizeof(folder))
		return false;
	memcpy(folder, name, (size_t)(slash - name));
	folder[slash - name] = '\0';
	return golden_name_is_plain(folder) && golden_name_is_plain(slash + 1);
}

static int parse_line(json_t *same, char *line, struct error *error, const char *path,
		      size_t number)
{
	char *tab = strchr(line, '\t');

	if (tab)
		*tab++ = '\0';
	if (!tab || !is_name(line) || !is_name(tab))
		return error_set(error, ERROR_TEXT_SYNTAX, "", number,
				 "%s: line %zu is not NAME<TAB>OTHER", path, number);
	if (json_object_get(same, line))
		return error_set(error, ERROR_TEXT_SYNTAX, "", number, "%s: line %zu: %s again",
				 path, number, line);
	json_object_set_new(same, line, json_string(tab));
	return 0;
}

static int parse_index(json_t *same, char *text, const char *path, struct error *error)
{
	const char *name;
	json_t *other;
	size_t number = 0;
	char *next;

	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (*line && *line != '#' && parse_line(same, line, error, path, number))
			return -1;
	}
	json_object_foreach(same, name, other)
	{
		if (json_object_get(same, json_string_value(other)))
			return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
					 "%s: %s is that of %s, which has no file of its own", path,
					 name, json_string_value(other));
	}
	return 0;
}

static int read_index(struct golden_run *run, struct error *error)
{
	char path[4096];
	FREED char *text = NULL;
	size_t size;
	int found;

	if (run->same)
		return 0;
	same_file(run, path);
	found = golden_file_read(path, SAME_BYTES_MAX, &text, &size, error);
	if (found < 0)
		return -1;
	run->same = json_object();
	run->has_same = found > 0;
	if (found && parse_index(run->same, text, path, error)) {
		json_decref(run->same);
		run->same = NULL;
		found = -1;
	}
	return found < 0 ? -1 : 0;
}

static const char *other_of(const struct golden_run *run, const char *name)
{
	return json_string_value(json_object_get(run->same, name));
}

int golden_table_read(struct golden_run *run, const char *name, struct golden_table *ret,
		      struct error *error)
{
	const char *other;
	char path[4096];
	int found;

	*ret = (struct golden_table) { 0 };
	if (read_index(run, error))
		return -1;
	other = other_of(run, name);
	if (other) {
		table_file(run, name, path);
		if (!access(path, F_OK))
			return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
					 "%s is there, and same.tsv says that it is that of %s",
					 path, other);
	}
	table_file(run, other ? other : name, path);
	found = golden_table_of_file(path, ret, error);
	if (!found && other)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "same.tsv says that it is that of %s, which is not there", other);
	return found;
}

int golden_same_each(struct golden_run *run, const char *toolchain,
		     void (*fn)(void *context, const char *name), void *context,
		     struct error *error)
{
	size_t length = strlen(toolchain);
	const char *name;
	json_t *other;
	int count = 0;

	if (read_index(run, error))
		return -1;
	json_object_foreach(run->same, name, other)
	{
		if (strncmp(name, toolchain, length) || name[length] != '/')
			continue;
		count++;
		if (fn)
			fn(context, name + length + 1);
	}
	return count;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* A file's text, by its digest: who has it. A text that two files have is twice's. */
static int add_file(struct golden_run *run, const char *name, struct error *error,
		    void (*twice)(struct golden_run *run, const char *name, const char *other))
{
	char path[4096], digest[GOLDEN_SHA256_SIZE];
	FREED char *text = NULL;
	const char *other;
	size_t size;

	table_file(run, name, path);
	if (golden_file_read(path, GOLDEN_TABLE_BYTES_MAX, &text, &size, error) <= 0)
		return 0; /* who reads it says so */
	if (golden_sha256(text, size, digest, error))
		return -1;
	other = json_string_value(json_object_get(run->texts, digest));
	if (other && twice)
		twice(run, name, other);
	else if (!other)
		json_object_set_new(run->texts, digest, json_string(name));
	return 0;
}

static int read_texts(struct golden_run *run, struct error *error,
		      void (*twice)(struct golden_run *run, const char *name, const char *other))
{
	struct golden_names names;
	int status;

	if (run->texts && !twice)
		return 0;
	json_decref(run->texts);
	run->texts = json_object();
	status = golden_names_read(run->options, &names, error);
	for (size_t i = 0; !status && i < names.count; i++)
		status = add_file(run, names.name[i], error, twice);
	golden_names_deinit(&names);
	return status;
}

static void say_twice(struct golden_run *run, const char *name, const char *other)
{
	golden_finish_name(run, "table", name, GOLDEN_FAILED, "copy", other);
}

void golden_same_check(struct golden_run *run)
{
	struct error error = { 0 };
	char path[4096];

	same_file(run, path);
	if (read_index(run, &error) || (run->has_same && read_texts(run, &error, say_twice)))
		golden_finish_name(run, "table", "same.tsv", GOLDEN_FAILED, "unreadable_golden",
				   error.message);
}

/* ---- update ------------------------------------------------------------------------------ */

static void point_to(struct golden_run *run, const char *from, const char *to)
{
	const char *name;
	json_t *other;

	json_object_foreach(run->same, name, other)
	{
		if (!strcmp(json_string_value(other), from))
			json_object_set_new(run->same, name, json_string(to));
	}
}

/* The first by name of those that share name's file, or NULL. */
static const char *heir_of(const struct golden_run *run, const char *name)
{
	const char *candidate, *heir = NULL;
	json_t *other;

	json_object_foreach(run->same, candidate, other)
	{
		if (!strcmp(json_string_value(other), name) &&
		    (!heir || strcmp(candidate, heir) < 0))
			heir = candidate;
	}
	return heir;
}

static void forget_text(struct golden_run *run, const char *name, const char *now)
{
	const char *digest;
	json_t *holder;
	void *next;

	json_object_foreach_safe(run->texts, next, digest, holder)
	{
		if (strcmp(json_string_value(holder), name))
			continue;
		if (now)
			json_object_set_new(run->texts, digest, json_string(now));
		else
			json_object_del(run->texts, digest);
	}
}

/* A file by another name; neither may be in the index. */
static int move_text(struct golden_run *run, const char *from, const char *to, struct error *error)
{
	char old[4096], new[4096];
	FREED char *text = NULL;
	size_t size;

	table_file(run, from, old);
	table_file(run, to, new);
	if (golden_file_read(old, GOLDEN_TABLE_BYTES_MAX, &text, &size, error) <= 0)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is not there", old);
	if (golden_file_write(new, text, size, 0644, error))
		return -1;
	forget_text(run, from, to);
	return unlink(old) ? error_set_errno(error, "cannot remove %s", old) : 0;
}

/* name is to have another text, or none; who shared its file keeps it. */
static int release(struct golden_run *run, const char *name, struct error *error)
{
	const char *heir = heir_of(run, name);
	char copy[512];

	run->same_changed |= heir || other_of(run, name);
	json_object_del(run->same, name);
	if (!heir) {
		forget_text(run, name, NULL);
		return 0;
	}
	snprintf(copy, sizeof(copy), "%s", heir);
	json_object_del(run->same, copy);
	point_to(run, name, copy);
	return move_text(run, name, copy, error);
}

static int adopt(struct golden_run *run, const char *name, const void *data, size_t size,
		 struct error *error)
{
	char digest[GOLDEN_SHA256_SIZE], path[4096], holder[512];
	const char *found;

	if (golden_sha256(data, size, digest, error))
		return -1;
	table_file(run, name, path);
	found = json_string_value(json_object_get(run->texts, digest));
	if (!found) {
		json_object_set_new(run->texts, digest, json_string(name));
		return golden_file_write(path, data, size, 0644, error);
	}
	run->same_changed = true;
	snprintf(holder, sizeof(holder), "%s", found);
	if (strcmp(holder, name) < 0) {
		json_object_set_new(run->same, name, json_string(holder));
		unlink(path); /* which need not be there */
		return 0;
	}
	point_to(run, holder, name);
	json_object_set_new(run->same, holder, json_string(name));
	return move_text(run, holder, name, error);
}

int golden_table_write(struct golden_run *run, const char *name, const void *data, size_t size,
		       struct error *error)
{
	return read_index(run, error) || read_texts(run, error, NULL) ||
			       release(run, name, error) || adopt(run, name, data, size, error)
		       ? -1
		       : 0;
}

int golden_table_remove(struct golden_run *run, const char *name, struct error *error)
{
	char path[4096];
	bool linked;

	if (!is_name(name))
		return 0;
	if (read_index(run, error) || read_texts(run, error, NULL))
		return -1;
	table_file(run, name, path);
	linked = other_of(run, name);
	if (!linked && access(path, F_OK))
		return 0;
	if (release(run, name, error))
		return -1;
	if (!linked && !access(path, F_OK) && unlink(path))
		return error_set_errno(error, "cannot remove %s", path);
	return 1;
}

int golden_same_write(struct golden_run *run, struct error *error)
{
	FREED const char **name = NULL;
	FREED char *text = NULL;
	char path[4096];
	size_t size = 0;
	FILE *file;

	if (!run->same_changed)
		return 0;
	file = open_memstream(&text, &size);
	if (!file)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	name = json_names_sorted(run->same);
	fprintf(file, "# table\tis that of\n");
	for (size_t i = 0; name[i]; i++)
		fprintf(file, "%s\t%s\n", name[i], other_of(run, name[i]));
	same_file(run, path);
	run->same_changed = false;
	return fclose(file) ? error_set(error, ERROR_MEMORY, "", 0, "out of memory")
			    : golden_file_write(path, text, size, 0644, error);
}

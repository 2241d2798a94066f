/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_left.c - goldens whose binary has left the corpus
 *
 * A program that was renamed, or a variant that was dropped, leaves a golden behind that nothing is
 * ever held against: it looks like a promise and is none. Each is a failure, no_binary.
 *
 * Only a corpus of everything can say so (--complete): the default one lacks on purpose what
 * variants.tsv adds. And only of the toolchains that are there: of one that is absent, nothing was
 * built. One may be there for C and absent for C++; what it did not build has a line in the
 * manifest that knows no version, and its goldens stay.
 */
#include <string.h>
#include "golden.h"

/* What the corpus has. */
struct corpus_names {
	json_t *toolchains; /* TOOLCHAIN-VERSION -> true */
	json_t *items;	    /* TOOLCHAIN-VERSION/PROGRAM.VARIANT[.LIBRARY] -> true */
	json_t *absent;	    /* PROGRAM.VARIANT that was not built, or is missing -> true */
};

static void add_item(struct corpus_names *names, const struct golden_options *options,
		     const struct corpus_binary *binary, const char *path)
{
	struct golden_item item;

	golden_item_init(&item, options, binary, path);
	json_object_set_new(names->items, item.name, json_true());
}

static void add_binary(struct corpus_names *names, const struct golden_options *options,
		       const struct corpus_binary *binary)
{
	char name[512];

	if (!binary->skip) {
		json_object_set_new(names->toolchains, binary->toolchain, json_true());
		add_item(names, options, binary, binary->path);
		for (size_t i = 0; i < binary->file_count; i++)
			add_item(names, options, binary, binary->file[i]);
	}
	/* Which libraries it has is not known, either. */
	if (binary->missing || (binary->skip && !strchr(binary->toolchain, '.'))) {
		snprintf(name, sizeof(name), "%s.%s", binary->program, binary->variant);
		json_object_set_new(names->absent, name, json_true());
	}
}

/* PROGRAM.VARIANT, or that and one of its libraries. */
static bool may_be_absent(const struct corpus_names *names, const char *name)
{
	size_t length = strlen(name);
	const char *known;
	json_t *value;

	json_object_foreach(names->absent, known, value)
	{
		size_t size = strlen(known);

		if (size <= length && !strncmp(name, known, size) &&
		    (!name[size] || name[size] == '.'))
			return true;
	}
	return false;
}

static void check_name(struct golden_run *run, const struct corpus_names *names, const char *kind,
		       const char *toolchain, const char *name, const char *path)
{
	char full[600];

	snprintf(full, sizeof(full), "%s/%s", toolchain, name);
	if (!json_object_get(names->items, full) && !may_be_absent(names, name))
		golden_finish_name(run, kind, full, GOLDEN_FAILED, "no_binary", path);
}

struct left_context {
	struct golden_run *run;
	const struct corpus_names *names;
	const char *toolchain;
};

static void check_same(void *context, const char *name)
{
	const struct left_context *left = context;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tables/same.tsv", left->run->options->golden);
	check_name(left->run, left->names, "table", left->toolchain, name, path);
}

static void check_tables(struct golden_run *run, const struct corpus_names *names,
			 const char *toolchain)
{
	struct left_context left = { run, names, toolchain };
	struct golden_names table = { 0 };
	struct error error = { 0 };
	char path[4096];

	if (golden_names_of(run->options, toolchain, &table, &error) ||
	    golden_same_each(run, toolchain, check_same, &left, &error) < 0)
		golden_finish_name(run, "table", toolchain, GOLDEN_FAILED, "unreadable_golden",
				   error.message);
	for (size_t i = 0; i < table.count; i++) {
		snprintf(path, sizeof(path), "%s/tables/%s.txt", run->options->golden,
			 table.name[i]);
		check_name(run, names, "table", toolchain, strchr(table.name[i], '/') + 1, path);
	}
	golden_names_deinit(&table);
}

static void check_verdicts(struct golden_run *run, const struct corpus_names *names,
			   const char *toolchain)
{
	struct error error = { 0 };
	const json_t *binaries = golden_findings_known(run, toolchain, &error);
	const char *name;
	json_t *findings;
	char path[4096];

	if (!binaries) {
		golden_finish_name(run, "verdicts", toolchain, GOLDEN_FAILED, "unreadable_golden",
				   error.message);
		return;
	}
	snprintf(path, sizeof(path), "%s/verdicts/%s.txt", run->options->golden, toolchain);
	json_object_foreach((json_t *)binaries, name, findings)
		check_name(run, names, "verdicts", toolchain, name, path);
}

void golden_left(struct golden_run *run, const struct manifest *manifest)
{
	struct corpus_names names = { json_object(), json_object(), json_object() };
	const char *toolchain;
	json_t *value;

	for (size_t i = 0; i < manifest->count; i++)
		add_binary(&names, run->options, &manifest->binary[i]);
	json_object_foreach(names.toolchains, toolchain, value)
	{
		check_tables(run, &names, toolchain);
		check_verdicts(run, &names, toolchain);
	}
	json_decref(names.toolchains);
	json_decref(names.items);
	json_decref(names.absent);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_unpack.c - GOLDEN/binaries -> a corpus without a compiler
 *
 * The folder it makes is a corpus like a built one: `golden check --hermetic` looks at its tables,
 * `prove` at its rows, and `run --corpus` steps those that the machine can run. An archive is
 * believed only if it holds exactly the files that its provenance names, each of that size and
 * SHA-256; otherwise nothing of it is written and the others are unpacked all the same.
 */
#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "freed.h"
#include "golden.h"

/* What is unpacked so far. */
struct unpacking {
	struct golden_run *run;
	const char *folder;
	FILE *manifest;
	json_t *names; /* object: files that are there */
};

/* ---- is it what it says? ----------------------------------------------------------------- */

/* Every file that a binary needs is in its archive. */
static int check_needs(const struct golden_archive *archive, const struct golden_packed *packed,
		       struct error *error)
{
	char *save = NULL;
	FREED char *needs = strdup(packed->column[GOLDEN_NEEDS]);
	int status = needs ? 0 : error_set(error, ERROR_MEMORY, "", 0, "out of memory");

	if (!status && strcmp(needs, "-"))
		for (char *at = strtok_r(needs, " ,", &save); at && !status;
		     at = strtok_r(NULL, " ,", &save))
			if (!golden_archive_find(archive, at))
				status = error_set(error, ERROR_TEXT_SYNTAX, "", 0,
						   "%s needs %.100s, which is not there",
						   packed->column[GOLDEN_PATH], at);
	return status;
}

static int check_packed(const struct unpacking *unpacking, const char *toolchain,
			const struct golden_archive *archive, const struct golden_packed *packed,
			struct error *error)
{
	const char *name = packed->column[GOLDEN_PATH], *expected = packed->column[GOLDEN_EXPECTED];
	const struct golden_member *member = golden_archive_find(archive, name);
	char sum[GOLDEN_SHA256_SIZE];

	if (!member)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is not in the archive", name);
	if (strcmp(packed->column[GOLDEN_TOOLCHAIN], toolchain))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is another toolchain's, %s",
				 name, packed->column[GOLDEN_TOOLCHAIN]);
	if (json_object_get(unpacking->names, name))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is in two archives", name);
	if (strcmp(expected, "-") && !expectation_valid(expected))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s expects what is not known",
				 name);
	if (golden_sha256(member->data, member->size, sum, error))
		return -1;
	if (member->size != packed->bytes || strcmp(sum, packed->column[GOLDEN_SHA256]))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "%s has %zu bytes, SHA-256 %s; its provenance says another file",
				 name, member->size, sum);
	return check_needs(archive, packed, error);
}

static int check_archive(const struct unpacking *unpacking, const char *toolchain,
			 const struct golden_archive *archive,
			 const struct golden_provenance *provenance, struct error *error)
{
	for (size_t i = 0; i < provenance->count; i++) {
		for (size_t j = 0; j < i; j++)
			if (!strcmp(provenance->packed[i].column[GOLDEN_PATH],
				    provenance->packed[j].column[GOLDEN_PATH]))
				return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
						 "its provenance names %s twice",
						 provenance->packed[i].column[GOLDEN_PATH]);
		if (check_packed(unpacking, toolchain, archive, &provenance->packed[i], error))
			return -1;
	}
	if (!archive->count || archive->count != provenance->count)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "%zu files, its provenance names %zu", archive->count,
				 provenance->count);
	return 0;
}

/* ---- does it run anywhere? --------------------------------------------------------------- */

/* Whether a file asks for a program interpreter: it needs this machine's libraries to run. */
static bool has_interpreter(const struct golden_member *member)
{
	size_t count = 0;
	bool found = false;

	elf_version(EV_CURRENT);

	Elf *elf = elf_memory(member->data, member->size);

	if (elf && !elf_getphdrnum(elf, &count)) {
		for (size_t i = 0; i < count && i < PN_XNUM && !found; i++) {
			GElf_Phdr header;

			found = gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP;
		}
	}
	elf_end(elf);
	return found;
}

/* Whether the file, or the binary that needs it, is left out. */
static bool is_left_out(const struct unpacking *unpacking, const struct golden_archive *archive,
			const struct golden_packed *packed)
{
	if (!unpacking->run->options->standalone)
		return false;
	return !strcmp(packed->column[GOLDEN_PROGRAM], "-") ||
	       strcmp(packed->column[GOLDEN_NEEDS], "-") ||
	       has_interpreter(golden_archive_find(archive, packed->column[GOLDEN_PATH]));
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Its time is 0, so that it is older than what any run says of it. */
static int write_packed(struct unpacking *unpacking, const struct golden_member *member,
			const struct golden_packed *packed, struct error *error)
{
	static const struct timespec times[2];
	char *const *column = packed->column;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", unpacking->folder, member->name);
	if (golden_file_write(path, member->data, member->size, 0755, error))
		return -1;
	if (utimensat(AT_FDCWD, path, times, 0))
		return error_set_errno(error, "cannot set the time of %s", path);
	json_object_set_new(unpacking->names, member->name, json_true());
	for (size_t i = 0; i <= GOLDEN_EXPECTED && strcmp(column[GOLDEN_PROGRAM], "-"); i++)
		fprintf(unpacking->manifest, "%s%c", column[i], i < GOLDEN_EXPECTED ? '\t' : '\n');
	return 0;
}

/* Returns how many files were written, or -1. */
static int write_archive(struct unpacking *unpacking, const struct golden_archive *archive,
			 const struct golden_provenance *provenance, struct error *error)
{
	int files = 0;

	for (size_t i = 0; i < provenance->count; i++) {
		const struct golden_packed *packed = &provenance->packed[i];

		if (is_left_out(unpacking, archive, packed))
			continue;
		if (write_packed(unpacking,
				 golden_archive_find(archive, packed->column[GOLDEN_PATH]), packed,
				 error))
			return -1;
		files++;
	}
	return files;
}

static int read_pack(const char *binaries, const char *toolchain, struct golden_archive *archive,
		     struct golden_provenance *provenance, struct error *error)
{
	char path[4400];
	FREED char *data = NULL;
	size_t size;
	int found;

	snprintf(path, sizeof(path), "%s/%s.tsv", binaries, toolchain);
	if (golden_provenance_read(provenance, path, error))
		return -1;
	snprintf(path, sizeof(path), "%s/%s.tar.xz", binaries, toolchain);
	found = golden_file_read(path, GOLDEN_ARCHIVE_BYTES_MAX, &data, &size, error);
	if (!found)
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is not there", path);

	return found > 0 ? golden_archive_read(data, size, archive, error) : -1;
}

static void unpack(struct unpacking *unpacking, const char *binaries, const char *toolchain)
{
	struct golden_archive archive DEINIT(golden_archive_deinit) = { 0 };
	struct golden_provenance provenance DEINIT(golden_provenance_deinit) = { 0 };
	struct error error = { 0 };
	int files;
	char text[100];

	if (read_pack(binaries, toolchain, &archive, &provenance, &error) ||
	    check_archive(unpacking, toolchain, &archive, &provenance, &error)) {
		golden_finish_name(unpacking->run, "archive", toolchain, GOLDEN_FAILED,
				   "unreadable_archive", error.message);
	} else if ((files = write_archive(unpacking, &archive, &provenance, &error)) < 0) {
		golden_finish_name(unpacking->run, "archive", toolchain, GOLDEN_FAILED,
				   "not_written", error.message);
	} else if (unpacking->run->options->action == GOLDEN_UNPACK) {
		snprintf(text, sizeof(text), "%d of %zu files", files, archive.count);
		golden_finish_name(unpacking->run, "archive", toolchain, GOLDEN_PASSED, "unpacked",
				   text);
	}
}

/* ---- all of them ------------------------------------------------------------------------- */

/* Both endings count: a file whose other half is gone is a failed archive, not none. */
static int is_pack(const struct dirent *entry)
{
	const char *dot = strstr(entry->d_name, ".tar.xz");
	size_t length = strlen(entry->d_name);

	if (entry->d_name[0] == '.')
		return 0;
	return (dot && !dot[7]) || (length > 4 && !strcmp(entry->d_name + length - 4, ".tsv"));
}

static void unpack_all(struct unpacking *unpacking, const char *binaries, struct dirent **entry,
		       int count)
{
	char before[256] = "", toolchain[256];

	for (int i = 0; i < count; i++) {
		size_t length = strlen(entry[i]->d_name);
		bool archive = entry[i]->d_name[length - 1] == 'z';

		snprintf(toolchain, sizeof(toolchain), "%.*s", (int)(length - (archive ? 7 : 4)),
			 entry[i]->d_name);
		if (strcmp(before, toolchain))
			unpack(unpacking, binaries, toolchain);
		snprintf(before, sizeof(before), "%s", toolchain);
	}
}

int golden_unpack(struct golden_run *run, const char *folder, struct error *error)
{
	struct unpacking unpacking = { .run = run, .folder = folder, .names = json_object() };
	struct dirent **entry = NULL;
	char binaries[4096], path[4096], *text = NULL;
	size_t size = 0;
	int status = -1;

	snprintf(binaries, sizeof(binaries), "%s/binaries", run->options->golden);
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);

	int count = scandir(binaries, &entry, is_pack, alphasort);

	unpacking.manifest = open_memstream(&text, &size);
	if (count < 0) {
		error_set_errno(error, "cannot read %s", binaries);
	} else if (!count) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "nothing is packed in %s", binaries);
	} else if (!unpacking.manifest || !unpacking.names) {
		error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	} else {
		fputs("# path\tprogram\ttoolchain\tvariant\tlanguage\tneeds\texpected\n",
		      unpacking.manifest);
		unpack_all(&unpacking, binaries, entry, count);
		status = fflush(unpacking.manifest)
				 ? error_set_errno(error, "cannot make a text")
				 : golden_file_write(path, text, size, 0644, error);
	}
	if (unpacking.manifest)
		fclose(unpacking.manifest);
	for (int i = 0; i < count; i++)
		free(entry[i]);
	free(entry);
	free(text);
	json_decref(unpacking.names);
	return status;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_pack.c - binaries of the corpus -> GOLDEN/binaries
 *
 * A golden of a compiler that few have is checked by few. So some binaries of each such toolchain
 * are kept: GOLDEN/binaries/TOOLCHAIN-VERSION.tar.xz, and beside it where each came from. Debug
 * info is taken off by strip(1), but only if the table's text and all that is loaded are the same
 * afterwards, byte by byte; .debug_frame stays. A binary is packed only if its golden is there and
 * says the same, and a toolchain's binaries are packed all or not at all.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "golden.h"
#include "base/child/subprocess.h"

/* All toolchains together are to stay small enough for a repository. */
#define PACKED_BYTES_MAX (512u << 10)

/* One toolchain's pack. */
struct pack {
	struct golden_run *run;
	const char *toolchain;
	struct golden_archive archive;
	struct golden_provenance provenance;
	json_t *known;	/* what was asked before: dpkg takes seconds */
	size_t bytes;	/* of the files */
	size_t refused; /* binaries */
};

/* ---- stripping --------------------------------------------------------------------------- */

/* Whether both files' tables are the same text. */
static bool same_table(const char *path, const struct golden_table *table)
{
	struct golden_table other;
	struct error error = { 0 };

	if (golden_table_of_image(path, &other, &error))
		return false;

	bool same = other.size == table->size && !memcmp(other.data, table->data, table->size);

	if (other.partial && !table->partial) { /* its debug info said what is its own */
		golden_text_keep(&other.lines, &table->lines);
		same = !golden_text_diff(&table->lines, &other.lines, NULL, NULL);
	}
	golden_table_deinit(&other);
	return same;
}

/* The ELF header also says where sections are: that may differ. */
static bool same_segment(const struct image *a, const struct image *b, size_t index)
{
	const struct image_segment *left = &a->segment[index], *right = &b->segment[index];
	uint64_t skipped = left->file_offset ? 0 : sizeof(Elf64_Ehdr);

	if (left->vaddr != right->vaddr || left->file_bytes != right->file_bytes ||
	    left->memory_bytes != right->memory_bytes || left->file_offset != right->file_offset)
		return false;
	if (left->file_bytes <= skipped)
		return true;

	size_t size = left->file_bytes - skipped;
	const uint8_t *from = image_bytes(a, left->vaddr + skipped, size);
	const uint8_t *to = image_bytes(b, left->vaddr + skipped, size);

	return from && to && !memcmp(from, to, size);
}

/* Whether both files are loaded alike. strip keeps what is in sections, and code need not be. */
static bool same_segments(const char *path, const char *stripped)
{
	struct image *a DEINIT(image_destroy_at) = NULL, *b DEINIT(image_destroy_at) = NULL;
	struct error error = { 0 };
	bool same = !image_create(path, &a, &error) && !image_create(stripped, &b, &error) &&
		    a->segment_count == b->segment_count && a->entry == b->entry;

	for (size_t i = 0; same && i < a->segment_count; i++)
		same = same_segment(a, b, i);
	return same;
}

/* The file without its debug info, if that changes nothing of its table; else the file. */
static int read_stripped(const char *path, const struct golden_table *table, char **ret,
			 size_t *ret_size, struct error *error)
{
	char stripped[] = "/tmp/stackproof-pack.XXXXXX";
	char *argv[] = { (char *)"strip",
			 (char *)"--strip-debug",
			 (char *)"--keep-section=.debug_frame",
			 (char *)"-o",
			 stripped,
			 (char *)path,
			 NULL };
	int fd = mkostemp(stripped, O_CLOEXEC), found = 0;
	struct error ignored = { 0 };
	FREED char *output = NULL;

	if (fd < 0)
		return error_set_errno(error, "cannot make a temporary file");
	close(fd);
	if (!subprocess_run(argv, NULL, &output, &ignored) && same_table(stripped, table) &&
	    same_segments(path, stripped))
		found = golden_file_read(stripped, GOLDEN_MEMBER_BYTES_MAX, ret, ret_size, error);
	unlink(stripped);
	if (!found)
		found = golden_file_read(path, GOLDEN_MEMBER_BYTES_MAX, ret, ret_size, error);
	return found > 0 ? 0 : -1;
}

/* ---- one file ---------------------------------------------------------------------------- */

/* Why the file's golden is no reason to pack it, or NULL. */
static const char *refusal(struct golden_run *run, const struct golden_item *item,
			   const struct golden_table *table)
{
	struct golden_table golden;
	struct error error = { 0 };
	int found = golden_table_read(run, item->name, &golden, &error);

	if (found <= 0)
		return found ? "unreadable_golden" : "no_golden";

	size_t differences = golden_text_diff(&golden.lines, &table->lines, NULL, NULL);

	golden_table_deinit(&golden);
	return differences ? "different" : NULL;
}

/* Whether the file says where it was built: that is nobody's business, and differs elsewhere. */
static bool names_a_folder(const char *data, size_t size, const char *folder)
{
	char text[4096];
	int length = snprintf(text, sizeof(text), "%s/", folder ? folder : "");

	return length > 2 && (size_t)length < sizeof(text) &&
	       memmem(data, size, text, (size_t)length);
}

static int check_folders(const struct golden_member *member, struct error *error)
{
	char here[4096];
	bool bad = names_a_folder(member->data, member->size, getenv("HOME")) ||
		   (getcwd(here, sizeof(here)) && names_a_folder(member->data, member->size, here));

	return bad ? error_set(error, ERROR_UNAVAILABLE, "", 0, "%s names a folder of this machine",
			       member->name)
		   : 0;
}

/* Its line of the .tsv. library: another binary needs it. */
static int add_provenance(struct pack *pack, const struct golden_item *item, bool library,
			  const char *original, const struct golden_member *member,
			  struct error *error)
{
	const struct corpus_binary *binary = item->binary;
	char bytes[32], sum[GOLDEN_SHA256_SIZE], *collected[GOLDEN_COLUMN_COUNT] = { 0 };
	char needs[2048] = "";
	int status = -1;

	for (size_t i = 0; i < binary->file_count && !library; i++) {
		const char *slash = strrchr(binary->file[i], '/');
		size_t at = strlen(needs);

		snprintf(needs + at, sizeof(needs) - at, "%s%s", at ? " " : "", slash + 1);
	}
	snprintf(bytes, sizeof(bytes), "%zu", member->size);
	if (!golden_sha256(member->data, member->size, sum, error) &&
	    !golden_provenance_collect(pack->run->options->corpus, item->file, item->path,
				       pack->known, collected, error)) {
		const char *const column[GOLDEN_COLUMN_COUNT] = {
			[GOLDEN_PATH] = item->file,
			[GOLDEN_PROGRAM] = library ? "-" : binary->program,
			[GOLDEN_TOOLCHAIN] = binary->toolchain,
			[GOLDEN_VARIANT] = binary->variant,
			[GOLDEN_LANGUAGE] = binary->language,
			[GOLDEN_NEEDS] = needs,
			[GOLDEN_EXPECTED] = library ? NULL : binary->expected,
			[GOLDEN_BYTES] = bytes,
			[GOLDEN_SHA256] = sum,
			[GOLDEN_ORIGINAL] = original,
			[GOLDEN_COMPILER] = collected[GOLDEN_COMPILER],
			[GOLDEN_PACKAGE] = collected[GOLDEN_PACKAGE],
			[GOLDEN_COMMIT] = collected[GOLDEN_COMMIT],
			[GOLDEN_COMMAND] = collected[GOLDEN_COMMAND],
		};

		status = golden_provenance_add(&pack->provenance, column, error);
	}
	for (size_t i = 0; i < GOLDEN_COLUMN_COUNT; i++)
		free(collected[i]);
	return status;
}

/* Sums, strips and keeps one file whose table is known. */
static int keep_file(struct pack *pack, const struct golden_item *item, bool library,
		     const struct golden_table *table, struct error *error)
{
	char original[GOLDEN_SHA256_SIZE], *data = NULL;
	FREED char *whole = NULL;
	size_t size;

	if (!golden_name_is_plain(item->file))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is no plain name",
				 item->file);
	if (golden_file_read(item->path, GOLDEN_MEMBER_BYTES_MAX, &whole, &size, error) <= 0 ||
	    golden_sha256(whole, size, original, error) ||
	    read_stripped(item->path, table, &data, &size, error) ||
	    golden_archive_add(&pack->archive, item->file, data, size, error))
		return -1;
	pack->bytes += size;
	if (check_folders(&pack->archive.member[pack->archive.count - 1], error))
		return -1;
	return add_provenance(pack, item, library, original,
			      &pack->archive.member[pack->archive.count - 1], error);
}

static void pack_file(struct pack *pack, const struct corpus_binary *binary, const char *path,
		      bool library)
{
	const char *reason;
	struct error error = { 0 };
	struct golden_table table;
	struct golden_item item;

	golden_item_init(&item, pack->run->options, binary, path);
	if (golden_archive_find(&pack->archive, item.file))
		return; /* two binaries need it */
	if (golden_table_of_image(path, &table, &error)) {
		golden_finish(pack->run, &item, GOLDEN_FAILED, error_code_name(error.code),
			      error.message);
		pack->refused++;
		return;
	}
	reason = refusal(pack->run, &item, &table);
	if (!reason && keep_file(pack, &item, library, &table, &error))
		reason = error_code_name(error.code);
	if (reason) {
		golden_finish(pack->run, &item, GOLDEN_FAILED, reason,
			      error.message[0] ? error.message : item.golden);
		pack->refused++;
	}
	golden_table_deinit(&table);
}

/* ---- a toolchain ------------------------------------------------------------------------- */

static void pack_binary(struct pack *pack, const struct corpus_binary *binary)
{
	struct golden_item item;

	golden_item_init(&item, pack->run->options, binary,
			 binary->path[0] ? binary->path : binary->name);
	if (!golden_chosen(pack->run->options, &item))
		return;
	if (binary->skip || binary->missing) {
		golden_finish(pack->run, &item, binary->skip ? GOLDEN_SKIPPED : GOLDEN_FAILED,
			      binary->skip ? binary->skip : "missing", binary->missing);
		pack->refused += !binary->skip;
		return;
	}
	pack_file(pack, binary, binary->path, false);
	for (size_t i = 0; i < binary->file_count; i++)
		pack_file(pack, binary, binary->file[i], true);
}

/* Writes the archive, then what says so: an archive without provenance is refused later. */
static int write_pack(const struct pack *pack, size_t *ret_size, struct error *error)
{
	const struct golden_options *options = pack->run->options;
	char path[4096], *data = NULL;
	int status = -1;

	if (golden_archive_write(&pack->archive, &data, ret_size, error))
		return -1;
	snprintf(path, sizeof(path), "%s/binaries/%s.tar.xz", options->golden, pack->toolchain);
	if (*ret_size > PACKED_BYTES_MAX) {
		error_set(error, ERROR_UNAVAILABLE, "", 0,
			  "%zu bytes packed, at most %u: choose fewer", *ret_size,
			  PACKED_BYTES_MAX);
	} else if (options->dry_run) {
		status = 0;
	} else if (!golden_file_write(path, data, *ret_size, 0644, error)) {
		snprintf(path, sizeof(path), "%s/binaries/%s.tsv", options->golden,
			 pack->toolchain);
		status = golden_provenance_write(path, &pack->provenance, error);
	}
	free(data);
	return status;
}

static void finish_pack(struct pack *pack)
{
	struct error error = { 0 };
	size_t packed = 0;
	char text[200];

	if (pack->refused) {
		golden_finish_name(pack->run, "archive", pack->toolchain, GOLDEN_FAILED, "refused",
				   "not packed, since a part of it was refused");
	} else if (pack->archive.count && write_pack(pack, &packed, &error)) {
		golden_finish_name(pack->run, "archive", pack->toolchain, GOLDEN_FAILED,
				   "not_written", error.message);
	} else if (pack->archive.count) {
		snprintf(text, sizeof(text), "%zu files, %zu bytes, %zu packed",
			 pack->archive.count, pack->bytes, packed);
		golden_finish_name(pack->run, "archive", pack->toolchain, GOLDEN_PASSED,
				   pack->run->options->dry_run ? "would_pack" : "packed", text);
	}
	golden_archive_deinit(&pack->archive);
	golden_provenance_deinit(&pack->provenance);
	json_decref(pack->known);
}

void golden_pack(struct golden_run *run, const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++) {
		struct pack pack = { .run = run,
				     .toolchain = manifest->binary[i].toolchain,
				     .known = json_object() };
		size_t before = 0;

		while (strcmp(manifest->binary[before].toolchain, pack.toolchain))
			before++;
		if (before < i) { /* not this toolchain's first */
			json_decref(pack.known);
			continue;
		}
		for (size_t j = i; j < manifest->count; j++)
			if (!strcmp(manifest->binary[j].toolchain, pack.toolchain))
				pack_binary(&pack, &manifest->binary[j]);
		finish_pack(&pack);
	}
}

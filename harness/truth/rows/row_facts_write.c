/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_facts_write.c - facts as lines of text
 *
 *	stackproof rows 1
 *	every 1						or: first N
 *	partial						only if the guest did not come to its end
 *	I BUILD-ID PATH					an image of the facts behind; no build-id: its digest
 *	F ADDRESS KIND SP BP PROVEN UNPROVEN [SP BP]...	ADDRESS in hexadecimal; "*" is any; then other readings; rising
 *	A HAS UNKNOWN [REGISTERS]			of the fact before: words that have its return address, too, and
 *							those of which that is not known, in hexadecimal
 *	R SAME HELD HELD HELD HELD HELD HELD		of the fact before, in hexadecimal
 *	E FACTS						the last line
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "freed.h"
#include "row_facts.h"

static void put_offset(FILE *file, int64_t offset)
{
	if (offset == ROW_FACT_ANY)
		fputs(" *", file);
	else
		fprintf(file, " %" PRId64, offset);
}

/* A path to the line's end: what would end the line is written as \xHH. */
static void put_path(FILE *file, const char *path)
{
	for (const uint8_t *byte = (const uint8_t *)path; *byte; byte++) {
		if (*byte < ' ' || *byte == '\\' || *byte == 0x7f)
			fprintf(file, "\\x%02x", *byte);
		else
			fputc(*byte, file);
	}
	fputc('\n', file);
}

static void put_image(FILE *file, const struct truth_image *image)
{
	char digest[CODE_DIGEST_TEXT];

	fputs("I ", file);
	for (size_t i = 0; i < image->build_id_size; i++)
		fprintf(file, "%02x", image->build_id[i]);
	if (!image->build_id_size)
		fputs(image->digest.code ? code_digest_print(&image->digest, digest) : "-", file);
	fputc(' ', file);
	put_path(file, image->path);
}

static void put_return(FILE *file, const struct row_fact_return *returns)
{
	if (!returns->known)
		return;
	fprintf(file, "A %" PRIx64 " %" PRIx64, returns->has,
		~(returns->has | returns->lacks | ROW_RETURN_SLOT));
	if (returns->registers_known)
		fprintf(file, " %x", returns->registers);
	fputc('\n', file);
}

static void put_fact(FILE *file, const struct row_fact *fact)
{
	fprintf(file, "F %" PRIx64 " %s", fact->pc, row_fact_kind_name(fact->kind));
	put_offset(file, fact->sp);
	put_offset(file, fact->bp);
	fprintf(file, " %" PRIu64 " %" PRIu64, fact->proven, fact->unproven);
	for (size_t i = 0; i < fact->others; i++) {
		put_offset(file, fact->other[i].sp);
		put_offset(file, fact->other[i].bp);
	}
	fputc('\n', file);
	put_return(file, &fact->returns);
	if (!fact->registers.known)
		return;
	fprintf(file, "R %x", fact->registers.same);
	for (size_t i = 0; i < CALLEE_SAVED_COUNT; i++)
		fprintf(file, " %" PRIx64, fact->registers.held[i]);
	fputc('\n', file);
}

static void put_facts(FILE *file, const struct row_facts *facts)
{
	fputs(ROW_FACTS_MAGIC "\n", file);
	if (facts->first)
		fprintf(file, "first %" PRIu64 "\n", facts->first);
	else
		fputs("every 1\n", file);
	if (facts->partial)
		fputs("partial\n", file);
	for (uint32_t i = 0; i < facts->facts; i++) {
		const struct row_fact *fact = &facts->fact[i];

		if (!i || fact->image != fact[-1].image)
			put_image(file, &facts->image[fact->image]);
		put_fact(file, fact);
	}
	fprintf(file, "E %" PRIu32 "\n", facts->facts);
}

int row_facts_write(const struct row_facts *facts, const char *path, struct error *error)
{
	FREED char *unfinished = NULL;
	FILE *file;
	int status = 0;

	if (asprintf(&unfinished, "%s.unfinished", path) < 0) {
		unfinished = NULL;
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a path");
	}
	file = fopen(unfinished, "we");
	if (!file)
		return error_set_errno(error, "%s", unfinished);
	put_facts(file, facts);
	if (ferror(file) || fflush(file))
		status = error_set_errno(error, "%s", unfinished);
	fclose(file);
	if (!status && rename(unfinished, path))
		status = error_set_errno(error, "%s", path);
	if (status)
		remove(unfinished);
	return status;
}

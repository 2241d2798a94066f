/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * make_seeds.c - cuts seeds for the fuzz targets out of real images
 *
 *	make_seeds DIRECTORY ELF...
 *
 * writes DIRECTORY/program/NAME.OFFSET, call frame instructions as fuzz_program.c takes them, and
 * DIRECTORY/expression/NAME.OFFSET. An FDE is taken if one of its rows is of a kind not met before
 * (which registers are saved how), an expression if its operations are. So a few small files stand
 * for a million rows. scripts/fuzz-seeds calls this.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi_instruction.h"
#include "cfi/cfi.h"
#include "cfi/expression.h"

#define SEED_BYTES_MAX 240
#define KINDS_MAX      4096

struct maker {
	const char *directory;
	const char *name; /* of the image, without its folder */
	const struct cfi *cfi;
	const struct cfi_fde *fde;
	uint64_t kind[KINDS_MAX]; /* hashes of what was met */
	size_t kind_count;
	bool is_new;
};

static uint64_t hash(uint64_t seed, uint64_t value)
{
	seed = (seed ^ value) * 0x9e3779b97f4a7c15ull;
	return seed ^ seed >> 29;
}

static bool meet(struct maker *maker, uint64_t kind)
{
	for (size_t i = 0; i < maker->kind_count; i++)
		if (maker->kind[i] == kind)
			return false;
	if (maker->kind_count == KINDS_MAX)
		return false;
	maker->kind[maker->kind_count++] = kind;
	return true;
}

static void write_seed(const struct maker *maker, const char *target, uint64_t offset,
		       const uint8_t head[2], const uint8_t *bytes, size_t size,
		       const uint8_t *more, size_t more_size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s.%llx", maker->directory, target, maker->name,
		 (unsigned long long)offset);
	FILE *file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "make_seeds: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	fwrite(head, 1, 2, file);
	fwrite(bytes, 1, size, file);
	fwrite(more, 1, more_size, file);
	fclose(file);
}

/* Operations without operands' values: the text without its digits. */
static uint64_t expression_kind(const struct row_rule *rule)
{
	char *text = NULL;
	size_t size = 0;
	uint64_t kind = rule->kind;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	expression_print(file, rule->expression, rule->expression_bytes);
	fclose(file);
	for (const char *at = text; *at; at++)
		if (*at < '0' || *at > '9')
			kind = hash(kind, *at);
	free(text);
	return kind;
}

static uint64_t rule_kind(struct maker *maker, const struct row_rule *rule)
{
	if (rule->kind != RULE_EXPRESSION && rule->kind != RULE_VAL_EXPRESSION &&
	    rule->kind != RULE_CFA_EXPRESSION)
		return rule->kind;
	uint64_t kind = expression_kind(rule);
	uint8_t head[2] = { 1, rule->kind != RULE_CFA_EXPRESSION };
	if (rule->expression_bytes <= SEED_BYTES_MAX && meet(maker, hash(1, kind)))
		write_seed(maker, "expression", rule->expression - maker->cfi->section->data, head,
			   rule->expression, rule->expression_bytes, NULL, 0);
	return kind;
}

static int on_row(void *context, const struct row *row)
{
	struct maker *maker = context;
	uint64_t kind = hash(hash(2, rule_kind(maker, &row->cfa)), !!row->args_size);

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		kind = hash(kind, rule_kind(maker, &row->reg[reg]));
	maker->is_new |= meet(maker, kind);
	return 0;
}

static size_t without_padding(const uint8_t *instructions, size_t size)
{
	while (size && instructions[size - 1] == CFA_NOP)
		size--;
	return size;
}

static void make_program(struct maker *maker)
{
	/* fuzz_program.c writes it itself */
	static const uint8_t usual[] = { CFA_DEF_CFA, REGISTER_RSP, 8, CFA_OFFSET | REGISTER_RIP,
					 1 };
	const struct cfi_cie *cie = &maker->cfi->cie[maker->fde->cie];
	const uint8_t *bytes = cie->instructions;
	size_t size = without_padding(bytes, cie->instruction_bytes);
	size_t more = without_padding(maker->fde->instructions, maker->fde->instruction_bytes);

	if (size >= sizeof(usual) && !memcmp(bytes, usual, sizeof(usual))) {
		bytes += sizeof(usual);
		size -= sizeof(usual);
	}
	if (size + more > SEED_BYTES_MAX)
		return;
	uint8_t head[2] = { (cie->data_alignment == -8 ? 0 : 4) | (cie->signal_frame ? 0x10 : 0) |
				    (cie->fde_encoding ? 0x20 : 0),
			    size };
	write_seed(maker, "program", maker->fde->offset, head, bytes, size,
		   maker->fde->instructions, more);
}

static void make_image(struct maker *maker, const char *path)
{
	struct image *image;
	struct error error;
	struct cfi *cfi;

	if (image_create(path, &image, &error)) {
		error_print(stderr, path, &error);
		exit(1);
	}
	if (cfi_create(image, &cfi, &error)) {
		error_print(stderr, path, &error);
		exit(1);
	}
	maker->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	maker->cfi = cfi;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		maker->fde = &cfi->fde[i];
		maker->is_new = false;
		cfi_rows(cfi, maker->fde, on_row, maker, &error);
		if (maker->is_new)
			make_program(maker);
	}
	cfi_destroy(cfi);
	image_destroy(image);
}

int main(int argc, char **argv)
{
	struct maker *maker = calloc(1, sizeof(*maker));

	if (argc < 3 || !maker) {
		fprintf(stderr, "usage: make_seeds DIRECTORY ELF...\n");
		return 2;
	}
	maker->directory = argv[1];
	for (int i = 2; i < argc; i++)
		make_image(maker, argv[i]);
	free(maker);
	return 0;
}

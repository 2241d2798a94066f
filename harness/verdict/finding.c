// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * finding.c - verdicts with their evidence, counted by place
 *
 * A fault at one instruction shows at every point that has it on its stack, often thousands. They
 * are one finding: verdict, kind and image address at fault, with the evidence of the first point.
 */
#include <stdlib.h>
#include <string.h>
#include "verdict.h"

static struct finding *findings_find(struct findings *findings, const struct judgement *judgement,
				     const char *image, uint64_t vaddr)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->finding[i];

		if (finding->first.verdict == judgement->verdict &&
		    finding->first.kind == judgement->kind && finding->vaddr == vaddr &&
		    strcmp(finding->image, image) == 0)
			return finding;
	}
	return NULL;
}

static void describe_row(const struct mapping *mapping, uint64_t vaddr, char *text, size_t size)
{
	struct error error;
	struct row row;
	FILE *file;
	int found;

	found = cfi_row_find(mapping->entry->cfi, vaddr, &row, &error);
	if (found < 0) {
		snprintf(text, size, "%s+0x%llx: %s", error.section,
			 (unsigned long long)error.offset, error.message);
		return;
	}
	if (!found) {
		snprintf(text, size, "no FDE covers it");
		return;
	}
	file = fmemopen(text, size, "w");
	if (!file)
		return;
	row_print(file, &row);
	fclose(file);
}

static void describe(struct finding *finding, const struct judgement *judgement,
		     const struct point *point, const struct mapping *mapping,
		     struct decoder *decoder)
{
	const struct image_symbol *symbol = NULL;

	finding->first = *judgement;
	address_space_describe(point->space, judgement->pc, finding->place, sizeof(finding->place));
	decoder_disassemble(decoder, judgement->pc, point->memory, finding->instruction,
			    sizeof(finding->instruction));
	if (!mapping || !mapping->entry)
		return;
	symbol = image_symbol_find(mapping->entry->image, finding->vaddr);
	if (symbol)
		snprintf(finding->function, sizeof(finding->function), "%s", symbol->name);
	describe_row(mapping, finding->vaddr, finding->declared, sizeof(finding->declared));
}

void findings_add(struct findings *findings, const struct judgement *judgement,
		  const struct point *point, struct decoder *decoder)
{
	const struct mapping *mapping = address_space_find(point->space, judgement->pc);
	const char *image = mapping ? mapping->path : "";
	uint64_t vaddr = judgement->pc - (mapping ? mapping->bias : 0);
	struct finding *finding = findings_find(findings, judgement, image, vaddr);

	if (finding) {
		finding->count++;
		return;
	}
	if (findings->count == FINDINGS_MAX) {
		findings->not_kept++;
		return;
	}
	if (findings->count == findings->capacity) {
		size_t capacity = findings->capacity ? findings->capacity * 2 : 8;
		struct finding *grown = realloc(findings->finding, capacity * sizeof(*grown));

		if (!grown) {
			findings->not_kept++;
			return;
		}
		findings->finding = grown;
		findings->capacity = capacity;
	}
	finding = &findings->finding[findings->count++];
	memset(finding, 0, sizeof(*finding));
	finding->count = 1;
	finding->vaddr = vaddr;
	snprintf(finding->image, sizeof(finding->image), "%s", image);
	describe(finding, judgement, point, mapping, decoder);
}

void findings_deinit(struct findings *findings)
{
	free(findings->finding);
	*findings = (struct findings){ .count = 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat_census.c - what an image's CFI is made of
 *
 * Expressions decide whether a compact table can hold a row, and which forms are worth a place in
 * it only a census of real images can tell. Each is counted once where an instruction sets it, not
 * once for every row in which it is in force.
 *
 * Covered bytes are those of executable sections that some FDE covers: what is left (the PLT of an
 * old linker, hand-written assembly, padding between functions) is where every unwinder stops.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands/stat/stat.h"

static void add(json_t *counts, const char *key, json_int_t number)
{
	json_int_t before = json_integer_value(json_object_get(counts, key));

	json_object_set_new(counts, key, json_integer(before + number));
}

/* ---- expressions -------------------------------------------------------------------------- */

/* Texts of expressions of no form: their number and length are the file's to choose. What comes
 * beyond that is
 * counted without its text. */
#define OTHER_BYTES_MAX (1u << 20)

struct expressions {
	json_t *forms;
	json_t *other;
	size_t other_bytes;    /* of all texts that are kept */
	json_int_t other_more; /* expressions whose text is not */
	const uint8_t
		*last[REGISTER_COUNT + 1]; /* in force in the row before; the CFA's comes last */
};

static void count_expression(struct expressions *expressions, const char *role,
			     const struct row_rule *rule)
{
	static const char *const forms[] = {
		[EXPRESSION_OTHER] = "other",	  [EXPRESSION_REGISTER] = "register",
		[EXPRESSION_DEREF] = "deref",	  [EXPRESSION_PLT] = "plt",
		[EXPRESSION_ALIGNED] = "aligned",
	};
	struct expression_shape shape;
	char key[32], *text = NULL;
	size_t size;
	FILE *file;

	if (rule->kind == RULE_CFA_EXPRESSION)
		expression_recognise(rule->expression, rule->expression_bytes, &shape);
	else
		expression_recognise_saved(rule->expression, rule->expression_bytes, &shape);
	snprintf(key, sizeof(key), "%s_%s", role,
		 shape.form < sizeof(forms) / sizeof(forms[0]) ? forms[shape.form] : "other");
	add(expressions->forms, key, 1);
	if (shape.form != EXPRESSION_OTHER)
		return;
	file = open_memstream(&text, &size);
	if (!file)
		return;
	fprintf(file, "%s: ", role);
	expression_print(file, rule->expression, rule->expression_bytes);
	fclose(file);
	bool known = json_object_get(expressions->other, text);
	if (!known && expressions->other_bytes + size > OTHER_BYTES_MAX) {
		expressions->other_more++;
	} else {
		expressions->other_bytes += known ? 0 : size;
		add(expressions->other, text, 1);
	}
	free(text);
}

static void count_rule(struct expressions *expressions, unsigned int column,
		       const struct row_rule *rule)
{
	const uint8_t *last = expressions->last[column];

	expressions->last[column] = NULL;
	if (rule->kind != RULE_EXPRESSION && rule->kind != RULE_VAL_EXPRESSION &&
	    rule->kind != RULE_CFA_EXPRESSION)
		return;
	expressions->last[column] = rule->expression;
	if (rule->expression == last)
		return;
	count_expression(expressions,
			 rule->kind == RULE_CFA_EXPRESSION ? "cfa"
			 : rule->kind == RULE_EXPRESSION   ? "at"
							   : "val",
			 rule);
}

static int count_row(void *context, const struct row *row)
{
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		count_rule(context, reg, &row->reg[reg]);
	count_rule(context, REGISTER_COUNT, &row->cfa);
	return 0;
}

void stat_expressions(const struct cfi *cfi, json_t *object)
{
	struct expressions expressions = { .forms = json_object(), .other = json_object() };

	for (size_t i = 0; cfi && i < cfi->fde_count; i++) {
		struct error ignored; /* the rows before count; the FDE is reported elsewhere */

		memset(expressions.last, 0, sizeof(expressions.last));
		cfi_rows(cfi, &cfi->fde[i], count_row, &expressions, &ignored);
	}
	json_object_set_new(object, "expressions", expressions.forms);
	json_object_set_new(object, "expressions_other", expressions.other);
	if (expressions.other_more)
		json_object_set_new(object, "expressions_other_more",
				    json_integer(expressions.other_more));
}

/* ---- covered bytes ------------------------------------------------------------------------ */

struct range {
	uint64_t start;
	uint64_t end;
};

struct ranges {
	struct range *range;
	size_t count;
};

static void add_range(struct ranges *ranges, uint64_t start, uint64_t bytes)
{
	struct range *grown;

	if (!bytes || start + bytes < start)
		return;
	grown = realloc(ranges->range, (ranges->count + 1) * sizeof(*grown));
	if (!grown)
		return;
	ranges->range = grown;
	ranges->range[ranges->count++] = (struct range) { start, start + bytes };
}

static void add_sections(struct ranges *ranges, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_flags & SHF_ALLOC && header.sh_type != SHT_NOBITS)
			add_range(ranges, header.sh_addr, header.sh_size);
	}
	elf_end(elf);
	close(fd);
}

static int by_start(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Bytes of the sorted code ranges that FDEs, sorted by address, cover: each byte once. */
static uint64_t covered(const struct cfi *cfi, const struct ranges *code)
{
	uint64_t done = 0, bytes = 0;
	size_t at = 0;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t start = fde->pc_begin > done ? fde->pc_begin : done;
		uint64_t end = fde->pc_begin + fde->pc_range;

		while (at < code->count && code->range[at].end <= start)
			at++;
		for (size_t r = at; r < code->count && code->range[r].start < end; r++) {
			uint64_t from = start > code->range[r].start ? start : code->range[r].start;
			uint64_t to = end < code->range[r].end ? end : code->range[r].end;

			bytes += from < to ? to - from : 0;
		}
		done = end > done ? end : done;
	}
	return bytes;
}

/* Every section of a relocatable object begins at 0: there are no addresses to compare. */
static uint64_t covered_of_object(const struct cfi *cfi, uint64_t executable)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < cfi->fde_count; i++)
		bytes += cfi->fde[i].pc_range;
	return bytes < executable ? bytes : executable;
}

/* Sorted ranges that overlap become one: each byte counts once, and is looked at once. */
static void join_ranges(struct ranges *ranges)
{
	size_t kept = 0;

	if (!ranges->count)
		return;
	qsort(ranges->range, ranges->count, sizeof(*ranges->range), by_start);
	for (size_t i = 1; i < ranges->count; i++) {
		struct range *last = &ranges->range[kept];

		if (ranges->range[i].start > last->end)
			ranges->range[++kept] = ranges->range[i];
		else if (ranges->range[i].end > last->end)
			last->end = ranges->range[i].end;
	}
	ranges->count = kept + 1;
}

void stat_coverage(const struct image *image, const char *file, const struct cfi *cfi,
		   json_t *object)
{
	struct ranges code = { NULL, 0 };
	uint64_t executable = 0, bytes = 0;

	add_sections(&code, file);
	for (size_t i = 0; !code.count && i < image->segment_count; i++)
		if (image->segment[i].executable)
			add_range(&code, image->segment[i].vaddr, image->segment[i].file_bytes);
	if (image->type != ET_REL) /* there each section begins at 0 */
		join_ranges(&code);
	for (size_t i = 0; i < code.count; i++)
		executable += code.range[i].end - code.range[i].start;
	if (cfi)
		bytes = image->type == ET_REL ? covered_of_object(cfi, executable)
					      : covered(cfi, &code);
	free(code.range);
	json_object_set_new(object, "executable_bytes", json_integer((json_int_t)executable));
	json_object_set_new(object, "covered_bytes", json_integer((json_int_t)bytes));
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * check_cfi.c - what the reader promises of entries, rows, errors and text (cfi.h)
 *
 * Each FDE is executed strictly, as an unwinder does, and raw, as a dump tool does. Where the
 * strict reading ends well, both must give the same rows; where it does not, the rows before the
 * error are still inside the FDE and there is one error for the FDE in cfi_check().
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/cfi_section.h"
#include "image/elf_image.h"
#include "fuzz.h"
#include "table/saved_table.h"

/* One FDE's rows, as they come. */
struct rows {
	const struct cfi *cfi;
	const struct cfi_fde *fde;
	struct row *row;
	size_t count;
	size_t stop_after; /* 0: never */
};

static int keep_row(struct rows *rows, const struct row *row)
{
	if (!ARRAY_ADD(rows->row, rows->count, *row))
		abort();
	return rows->count == rows->stop_after ? 4711 : 0;
}

static const struct image_section *section_of(const struct cfi *cfi, const struct cfi_fde *fde)
{
	return cfi->cie[fde->cie].section;
}

static void check_rule(const struct image_section *section, const struct row_rule *rule)
{
	fuzz_require(rule->kind <= RULE_CFA_EXPRESSION, "kind %d", rule->kind);
	if (rule->kind != RULE_EXPRESSION && rule->kind != RULE_VAL_EXPRESSION &&
	    rule->kind != RULE_CFA_EXPRESSION)
		return;
	fuzz_require(rule->expression >= section->data &&
			     rule->expression <= section->data + section->size &&
			     rule->expression_bytes <=
				     (size_t)(section->data + section->size - rule->expression),
		     "an expression leaves the section");
}

static int on_row(void *context, const struct row *row)
{
	struct rows *rows = context;
	const struct cfi_fde *fde = rows->fde;
	const struct image_section *section = section_of(rows->cfi, fde);
	uint64_t begin = rows->count ? rows->row[rows->count - 1].pc_end : fde->pc_begin;

	fuzz_require(row->pc < row->pc_end, "an empty row");
	fuzz_require(row->pc == begin, "a row at 0x%llx, after 0x%llx", (unsigned long long)row->pc,
		     (unsigned long long)begin);
	fuzz_require(row->pc_end <= fde->pc_begin + fde->pc_range, "a row behind its FDE");
	fuzz_require(row->signal_frame == rows->cfi->cie[fde->cie].signal_frame,
		     "signal_frame is not the CIE's");
	check_rule(section, &row->cfa);
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		check_rule(section, &row->reg[reg]);
	return keep_row(rows, row);
}

/* Empty rows have no meaning for an unwinder: what is left is held against the strict ones. */
static int on_raw_row(void *context, const struct cfi_raw_row *raw)
{
	struct rows *rows = context;

	fuzz_require(!raw->high_count || raw->high_count == CFI_REGISTER_MAX + 1 - REGISTER_COUNT,
		     "%u registers above", raw->high_count);
	fuzz_require(!raw->high_count == !raw->high, "registers above without their rules");
	for (uint32_t i = 0; i < raw->high_count; i++)
		check_rule(section_of(rows->cfi, rows->fde), &raw->high[i]);
	return raw->row->pc < raw->row->pc_end ? keep_row(rows, raw->row) : 0;
}

static void check_same_rows(const struct rows *strict, const struct rows *raw)
{
	fuzz_require(raw->count == strict->count, "%zu raw rows, %zu strict ones", raw->count,
		     strict->count);
	for (size_t i = 0; i < raw->count; i++)
		fuzz_require(raw->row[i].pc == strict->row[i].pc &&
				     raw->row[i].pc_end == strict->row[i].pc_end &&
				     row_equal(&raw->row[i], &strict->row[i]),
			     "raw row %zu of %zu differs", i, raw->count);
}

/* The FDE's rows by address are its rows, where the address is its own. */
static void check_find(const struct rows *rows)
{
	size_t step = rows->count / 8 + 1;

	for (size_t i = 0; i < rows->count; i += step) {
		const struct row *row = &rows->row[i];
		struct error error;
		struct row found;

		if (cfi_fde_find(rows->cfi, row->pc) != rows->fde)
			continue;
		fuzz_require(cfi_row_find(rows->cfi, row->pc, &found, &error) == 1,
			     "no row where one is");
		fuzz_require(found.pc == row->pc && found.pc_end == row->pc_end &&
				     row_equal(&found, row),
			     "another row at 0x%llx", (unsigned long long)row->pc);
	}
}

/* Returns whether its instructions are malformed. */
static bool check_fde(const struct cfi *cfi, const struct cfi_fde *fde)
{
	const struct image_section *section = section_of(cfi, fde);
	struct rows strict = { .cfi = cfi, .fde = fde };
	struct rows raw = strict, again = strict;
	bool mentioned[CFI_REGISTER_MAX + 1] = { false };
	struct error error = { 0 }, raw_error = { 0 };

	fuzz_require(fde->offset < section->size, "an FDE outside of the section");
	fuzz_require(fde->pc_begin + fde->pc_range >= fde->pc_begin, "its range wraps");
	fuzz_require(fde->instructions >= section->data &&
			     fde->instructions + fde->instruction_bytes <=
				     section->data + section->size,
		     "its instructions leave the section");
	int status = cfi_rows(cfi, fde, on_row, &strict, &error);
	int raw_status = cfi_raw_rows(cfi, &cfi->cie[fde->cie], fde, on_raw_row, &raw, &raw_error);
	fuzz_require(status == 0 || status == -1, "status %d", status);
	if (status) {
		fuzz_check_error(&error, section, 0);
	} else {
		fuzz_require(!fde->pc_range || strict.count, "an FDE without rows");
		fuzz_require(!strict.count || strict.row[strict.count - 1].pc_end ==
						      fde->pc_begin + fde->pc_range,
			     "the last row ends before the FDE");
		fuzz_require(!raw_status, "strict rows, but raw: %s", raw_error.message);
		/* An FDE of nothing but DW_CFA_nop gives none; a dump leaves a return address in
		 * another column where it is. */
		if (raw.count && cfi->cie[fde->cie].return_register == REGISTER_RIP)
			check_same_rows(&strict, &raw);
	}
	fuzz_require(!raw_status || status, "raw rows are bad, strict ones are not");
	int highest = cfi_registers(cfi, &cfi->cie[fde->cie], fde, mentioned);
	fuzz_require(highest >= -1 && highest <= CFI_REGISTER_MAX &&
			     (highest < 0 || mentioned[highest]),
		     "the highest register is %d", highest);
	check_find(&strict);
	if (strict.count) {
		again.stop_after = (strict.count + 1) / 2;
		fuzz_require(cfi_rows(cfi, fde, on_row, &again, &error) == 4711 &&
				     again.count == again.stop_after,
			     "a callback that stops is not obeyed");
	}
	free(strict.row);
	free(raw.row);
	free(again.row);
	return status != 0;
}

static void check_order(const struct cfi *cfi)
{
	uint64_t end = 0;
	bool overlapping = false;

	fuzz_require(cfi->by_pc_count <= cfi->fde_count, "more FDEs by PC than there are");
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		fuzz_require(fde->pc_range, "an FDE of no bytes is looked up");
		fuzz_require(!i || cfi->fde[cfi->by_pc[i - 1]].pc_begin <= fde->pc_begin,
			     "FDE %zu by PC is not sorted", i);
		overlapping |= fde->pc_begin < end;
		if (fde->pc_begin + fde->pc_range > end)
			end = fde->pc_begin + fde->pc_range;
		const struct cfi_fde *found = cfi_fde_find(cfi, fde->pc_begin);
		fuzz_require(found && found->pc_begin == fde->pc_begin,
			     "an FDE isn't found at its own start");
	}
	fuzz_require(cfi->overlapping == overlapping, "overlapping is %d", cfi->overlapping);
}

/* The text is written without an error, says each FDE once, and can be read. */
static void check_text(const struct cfi *cfi)
{
	char *text = NULL;
	size_t length = 0, functions = 0;
	struct error error;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		abort();
	fuzz_require(!table_text_write(file, cfi, &error), "%s", error.message);
	if (fclose(file))
		abort();
	fuzz_require(!strncmp(text, "stackproof table text ", 22), "no first line");
	fuzz_require(strlen(text) == length && text[length - 1] == '\n', "no text");
	for (const char *line = text; (line = strstr(line, "\nfunction ")); line++)
		functions++;
	fuzz_require(functions == cfi->fde_count, "%zu functions for %zu FDEs", functions,
		     cfi->fde_count);
	fuzz_check_text(text, length, true);
	free(text);
}

/* What diff compares: the same functions, with their addresses. */
static void check_saved(const struct cfi *cfi)
{
	struct table_text *text = NULL;
	struct error error;

	fuzz_require(!table_text_create(cfi, &text, &error), "%s", error.message);
	fuzz_require(text->function_count == cfi->fde_count, "%zu functions for %zu FDEs",
		     text->function_count, cfi->fde_count);
	for (size_t i = 0; i < text->function_count; i++) {
		const struct table_text_function *function = &text->function[i];

		fuzz_require(function->has_pc, "%s has no address", function->name);
		fuzz_require(i >= cfi->by_pc_count ||
				     (function->pc == cfi->fde[cfi->by_pc[i]].pc_begin &&
				      function->length == cfi->fde[cfi->by_pc[i]].pc_range),
			     "%s is not where FDE %zu by PC is", function->name, i);
	}
	table_text_destroy(text);
}

static int count_raw_row(void *context, const struct cfi_raw_row *row)
{
	++*(uint64_t *)context;
	return 0;
}

/* Beside .eh_frame, .debug_frame may have lost entries, too. */
static const struct image_section *section_named(const struct cfi *cfi, const char *name)
{
	const struct image_section *section = image_cfi_section(cfi->image, name);

	return section ? section : cfi->section;
}

/* What .debug_frame adds shares no address with what .eh_frame has. */
static void check_added(const struct cfi *cfi)
{
	size_t own = cfi_own_fdes(cfi), others = own + cfi->other_fde_count;

	fuzz_require(others >= own && others <= cfi->fde_count, "more FDEs added than there are");
	for (size_t i = 0; i < cfi->fde_count; i++)
		fuzz_require((section_of(cfi, &cfi->fde[i]) == cfi->section) == (i < own),
			     "FDE %zu of %zu, %zu of them its own, is of the other section", i,
			     cfi->fde_count, own);
	for (size_t i = others; i < cfi->fde_count && i < others + 64; i++) {
		const struct cfi_fde *added = &cfi->fde[i];

		for (const struct cfi_fde *fde = cfi->fde; fde < cfi->fde + others; fde++)
			fuzz_require(!cfi_fde_covers(cfi->image, fde) ||
					     fde->pc_begin >= added->pc_begin + added->pc_range ||
					     added->pc_begin >= fde->pc_begin + fde->pc_range,
				     "FDE %zu was added and shares code with FDE %zu", i,
				     (size_t)(fde - cfi->fde));
	}
}

void fuzz_check_cfi(const struct cfi *cfi)
{
	const struct image_file *file = cfi->image->priv;
	size_t malformed = 0;
	uint64_t raw_rows = 0;
	struct error_list errors = { 0 }, header = { 0 };
	struct error ignored;

	for (size_t i = 0; i < cfi->diagnostics.count; i++)
		fuzz_check_error(&cfi->diagnostics.error[i],
				 section_named(cfi, cfi->diagnostics.error[i].section), file->size);
	for (size_t i = 0; i < cfi->cie_count; i++)
		cfi_raw_rows(cfi, &cfi->cie[i], NULL, count_raw_row, &(uint64_t) { 0 }, &ignored);
	for (size_t i = 0; i < cfi->fde_count; i++) {
		fuzz_require(cfi->fde[i].cie < cfi->cie_count, "no CIE");
		malformed += check_fde(cfi, &cfi->fde[i]);
		cfi_raw_rows(cfi, &cfi->cie[cfi->fde[i].cie], &cfi->fde[i], count_raw_row,
			     &raw_rows, &ignored);
	}
	fuzz_require(cfi_row_count(cfi) == raw_rows, "another number of raw rows");
	check_order(cfi);
	check_added(cfi);
	eh_frame_hdr_check(cfi, &header);
	for (size_t i = 0; i < header.count; i++) {
		const struct error *error = &header.error[i];
		const struct image_section *of = image_cfi_section(cfi->image, error->section);

		fuzz_check_error(error, of ? of : &cfi->image->eh_frame_hdr, 0);
	}
	cfi_check(cfi, &errors);
	size_t expected = cfi->diagnostics.count + cfi->diagnostics.dropped + header.count +
			  header.dropped + malformed;
	fuzz_require(errors.count + errors.dropped == expected,
		     "%zu errors, but %zu diagnostics, %zu of the header and %zu malformed FDEs",
		     errors.count + errors.dropped,
		     cfi->diagnostics.count + cfi->diagnostics.dropped,
		     header.count + header.dropped, malformed);
	error_list_deinit(&header);
	error_list_deinit(&errors);
	check_text(cfi);
	check_saved(cfi);
}

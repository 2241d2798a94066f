/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_proof.c - SFrame's rows against the CFI's, PC by PC
 *
 * Rules are compared by what they come to and not by how they are spelled: both rows are made rules of the compact
 * table, without the registers that SFrame has no words for. The CFA of a PLT, which the CFI has as an expression over
 * the PC, is worked out at each PC.
 */
#include <elf.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "cfi/cfi_section.h"
#include "cfi/expression.h"
#include "image/elf_image.h"
#include "sframe_proof.h"
#include "table/unwind_table.h"

const char *sframe_absence_name(enum sframe_absence absence)
{
	static const char *const names[SFRAME_ABSENCE_COUNT] = {
		[SFRAME_CFA_EXPRESSION] = "cfa_expression",
		[SFRAME_CFA_REGISTER] = "cfa_register",
		[SFRAME_RA_RULE] = "ra_rule",
		[SFRAME_FP_RULE] = "fp_rule",
		[SFRAME_MADE_BY_LINKER] = "made_by_linker",
		[SFRAME_UNTOLD] = "untold",
		[SFRAME_UNREADABLE] = "unreadable",
	};

	return names[absence];
}

void sframe_proof_row_print(FILE *file, const struct row *row)
{
	fputs("cfa=", file);
	row_rule_print(file, &row->cfa);
	fputs(" ra=", file);
	row_rule_print(file, &row->reg[REGISTER_RIP]);
	if (row->reg[REGISTER_RBP].kind != RULE_UNSPECIFIED) {
		fputs(" rbp=", file);
		row_rule_print(file, &row->reg[REGISTER_RBP]);
	}
}

/* ---- one row against another -------------------------------------------------------------- */

/* The CFA at pc, where an expression depends on that. */
static struct row_rule cfa_at(const struct row_rule *cfa, uint64_t pc)
{
	struct expression_shape shape;
	struct row_rule ret = *cfa;

	if (cfa->kind != RULE_CFA_EXPRESSION)
		return ret;
	expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	if (shape.form == EXPRESSION_PLT)
		ret = (struct row_rule) { .kind = RULE_CFA_REGISTER,
					  .reg = shape.reg,
					  .offset = shape.a +
						    ((int64_t)(pc & 15) >= shape.b ? 8 : 0) };
	return ret;
}

/* The same where the CFA doesn't change: from pc to before the result. */
static uint64_t cfa_until(const struct row_rule *cfa, uint64_t pc)
{
	struct expression_shape shape;

	if (cfa->kind != RULE_CFA_EXPRESSION)
		return UINT64_MAX;
	expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	if (shape.form != EXPRESSION_PLT)
		return UINT64_MAX;
	if (shape.b > 0 && shape.b < 16 && (int64_t)(pc & 15) < shape.b)
		return (pc & ~15ull) + (uint64_t)shape.b;
	return (pc & ~15ull) + 16;
}

/* A row that has only this of row, and else what every row has. */
static struct row only(const struct row *row, unsigned int what, uint64_t pc)
{
	struct row ret = { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP, .offset = 8 } };

	ret.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	if (what == SFRAME_DIFFERS_CFA)
		ret.cfa = cfa_at(&row->cfa, pc);
	else if (what == SFRAME_DIFFERS_RA)
		ret.reg[REGISTER_RIP] = row->reg[REGISTER_RIP];
	else
		ret.reg[REGISTER_RBP] = row->reg[REGISTER_RBP];
	return ret;
}

static bool differ(const struct row *cfi, const struct row *sframe, unsigned int what, uint64_t pc)
{
	struct row left = only(cfi, what, pc), right = only(sframe, what, pc);
	struct table_rule_full a, b;

	if (row_equal(&left, &right))
		return false;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	return table_rule_from_row(&left, &a) || table_rule_from_row(&right, &b) ||
	       memcmp(&a, &b, sizeof(a)) != 0;
}

unsigned int sframe_row_differs(const struct row *cfi, const struct row *sframe, uint64_t pc)
{
	bool ends = cfi->reg[REGISTER_RIP].kind == RULE_UNDEFINED;
	unsigned int ret = 0;

	if (ends != (sframe->reg[REGISTER_RIP].kind == RULE_UNDEFINED))
		return SFRAME_DIFFERS_RA;
	if (ends) /* nobody asks for more */
		return 0;
	for (unsigned int what = SFRAME_DIFFERS_CFA; what <= SFRAME_DIFFERS_FP; what <<= 1)
		if (differ(cfi, sframe, what, pc))
			ret |= what;
	return ret;
}

/* ---- why there is none -------------------------------------------------------------------- */

struct reason {
	uint8_t version;
	enum sframe_absence found; /* SFRAME_UNTOLD: none so far */
};

static enum sframe_absence cfa_absence(const struct row_rule *cfa, uint8_t version)
{
	struct expression_shape shape;

	if (cfa->kind == RULE_CFA_REGISTER)
		return version < 3 && cfa->reg != REGISTER_RSP && cfa->reg != REGISTER_RBP
			       ? SFRAME_CFA_REGISTER
			       : SFRAME_UNTOLD;
	if (cfa->kind != RULE_CFA_EXPRESSION)
		return SFRAME_CFA_EXPRESSION;
	expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	return version >= 3 && !shape.scale && !shape.b &&
			       (shape.form == EXPRESSION_DEREF || shape.form == EXPRESSION_REGISTER)
		       ? SFRAME_UNTOLD
		       : SFRAME_CFA_EXPRESSION;
}

/* Whether version 3 has a rule for it: at or by the CFA or a register. */
static bool is_flexible(const struct row_rule *rule)
{
	struct expression_shape shape;

	if (rule->kind == RULE_REGISTER)
		return true;
	if (rule->kind != RULE_EXPRESSION && rule->kind != RULE_VAL_EXPRESSION)
		return false;
	expression_recognise_saved(rule->expression, rule->expression_bytes, &shape);
	return shape.form == EXPRESSION_REGISTER && !shape.scale;
}

static int look_for_reason(void *context, const struct row *row)
{
	struct reason *reason = context;
	const struct row_rule *ra = &row->reg[REGISTER_RIP], *fp = &row->reg[REGISTER_RBP];
	bool flexible = reason->version >= 3;

	reason->found = cfa_absence(&row->cfa, reason->version);
	if (reason->found != SFRAME_UNTOLD)
		return 1;
	if (!(ra->kind == RULE_OFFSET && (ra->offset == -8 || flexible)) &&
	    !(ra->kind == RULE_UNDEFINED && reason->version > 1) && !(flexible && is_flexible(ra)))
		reason->found = SFRAME_RA_RULE;
	else if (fp->kind != RULE_UNSPECIFIED && fp->kind != RULE_SAME_VALUE &&
		 fp->kind != RULE_OFFSET && !(flexible && is_flexible(fp)))
		reason->found = SFRAME_FP_RULE;
	return reason->found != SFRAME_UNTOLD;
}

static bool is_plt(const struct image *image, const struct cfi *cfi, uint64_t pc)
{
	struct code_name name;

	if (image->type == ET_REL)
		return false;
	code_name_find(image, cfi, pc, &name);
	return !strncmp(name.section, ".plt", 4);
}

/* ---- all rows ----------------------------------------------------------------------------- */

struct proving {
	const struct cfi *cfi;
	const struct sframe *sframe;
	const struct cfi_fde *fde;
	uint16_t code_section; /* of the FDE, in an object file */
	sframe_finding_fn fn;
	void *context;
	struct sframe_proof *proof;
};

/* Functions of an object file that share an address are in different sections. */
static const struct sframe_function *function_in_object(const struct proving *proving, uint64_t pc)
{
	const struct sframe *sframe = proving->sframe;

	return ARRAY_FIRST(sframe->function, sframe->function_count, one,
			   pc >= one->pc_begin && pc - one->pc_begin < one->pc_range &&
				   sframe_code_section(sframe, one) == proving->code_section);
}

static int find_row(const struct proving *proving, uint64_t pc, struct sframe_canonical *ret)
{
	const struct sframe_function *function;
	struct error ignored;

	if (proving->cfi->image->type != ET_REL)
		return sframe_canonical_find(proving->sframe, pc, ret, &ignored);
	function = function_in_object(proving, pc);
	if (function)
		return sframe_canonical_in(proving->sframe, function, pc, ret, &ignored);
	ret->row = (struct row) { .pc = pc, .pc_end = pc + 1 };
	return 0;
}

static enum sframe_absence why_absent(const struct cfi *cfi, const struct sframe *sframe,
				      const struct cfi_fde *fde, uint64_t pc)
{
	struct reason reason = { sframe->header[0].version, SFRAME_UNTOLD };
	struct error ignored;

	if (is_plt(cfi->image, cfi, pc))
		return SFRAME_MADE_BY_LINKER;
	cfi_rows(cfi, fde, look_for_reason, &reason, &ignored);
	return reason.found;
}

enum sframe_absence sframe_why_absent(const struct cfi *cfi, const struct sframe *sframe,
				      uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, pc);

	if (sframe_function_find(sframe, pc))
		return SFRAME_UNREADABLE;
	return fde ? why_absent(cfi, sframe, fde, pc) : SFRAME_UNTOLD;
}

/* One row of the CFI. Of several differences the first counts; what is wrong goes before what is absent. */
static int prove_row(void *context, const struct row *row)
{
	struct proving *proving = context;
	struct sframe_finding absent = { .cfi = NULL }, wrong = { .cfi = NULL };
	struct sframe_canonical found;
	bool signal_untold = false;

	if (proving->cfi->image->type != ET_REL && proving->cfi->overlapping &&
	    cfi_fde_find(proving->cfi, row->pc) != proving->fde) {
		proving->proof->hidden++;
		return 0;
	}
	for (uint64_t pc = row->pc, end; pc < row->pc_end && !wrong.cfi; pc = end) {
		int status = find_row(proving, pc, &found);

		end = found.row.pc_end < row->pc_end ? found.row.pc_end : row->pc_end;
		if (cfa_until(&row->cfa, pc) < end)
			end = cfa_until(&row->cfa, pc);
		if (status > 0) {
			unsigned int differs = sframe_row_differs(row, &found.row, pc);

			signal_untold |= row->signal_frame && !found.row.signal_frame;
			if (differs) {
				wrong = (struct sframe_finding) { proving->fde, row, &found.row,
								  pc,		end, differs,
								  SFRAME_UNTOLD };
				break; /* found stays as it is */
			}
		} else if (!absent.cfi) {
			absent = (struct sframe_finding) { proving->fde,     row, NULL, pc, end, 0,
							   SFRAME_UNREADABLE };
			if (!status)
				absent.reason = why_absent(proving->cfi, proving->sframe,
							   proving->fde, pc);
		}
	}
	proving->proof->rows++;
	if (wrong.cfi) {
		proving->proof->wrong++;
		proving->proof->wrong_by[wrong.differs]++;
		proving->fn(proving->context, &wrong);
	} else if (absent.cfi) {
		proving->proof->absent[absent.reason]++;
		proving->fn(proving->context, &absent);
	} else {
		proving->proof->equal++;
		proving->proof->signal_untold += signal_untold;
	}
	return 0;
}

/* One row of SFrame: is there an FDE at all? */
static int look_for_fde(void *context, const struct row *row)
{
	struct proving *proving = context;
	struct sframe_finding finding = { .sframe = row, .pc = row->pc, .pc_end = row->pc_end };

	proving->proof->sframe_rows++;
	if (proving->cfi->image->type == ET_REL || cfi_fde_find(proving->cfi, row->pc))
		return 0;
	proving->proof->extra++;
	if (image_is_code(proving->cfi->image, row->pc))
		return 0;
	proving->proof->no_code++;
	proving->fn(proving->context, &finding);
	return 0;
}

void sframe_prove(const struct cfi *cfi, const struct sframe *sframe, sframe_finding_fn fn,
		  void *context, struct sframe_proof *ret)
{
	struct proving proving = {
		.cfi = cfi, .sframe = sframe, .fn = fn, .context = context, .proof = ret
	};
	struct error ignored; /* of a malformed FDE: prove tells */

	*ret = (struct sframe_proof) { 0 };
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		proving.fde = &cfi->fde[cfi->by_pc[i]];
		if (cfi->image->type == ET_REL)
			proving.code_section = cfi_fde_code_section(cfi, proving.fde);
		cfi_rows(cfi, proving.fde, prove_row, &proving, &ignored);
	}
	for (size_t i = 0; i < sframe->function_count; i++)
		sframe_canonical_rows(sframe, &sframe->function[i], look_for_fde, &proving,
				      &ignored);
}

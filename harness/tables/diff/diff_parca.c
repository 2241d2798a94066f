/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_parca.c - what the tables of Parca Agent's own unwinder say, and no more
 *
 * Its eh-frame tool and its test data print a table in three ways (parca-dev/parca-agent up to
 * 2024-08,
 * cmd/eh-frame and pkg/stack/unwind: PrintTable, CompactUnwindTableRow.ToString):
 *
 *	=> Function start: 14140, Function end: 1418d
 *		Loc: 14149 CFA: $rsp=16  \tRBP: c-16		the rows
 *		pc: 14149 cfa_type: 2  rbp_type: 1  cfa_offset: 16   rbp_offset: -16	--compact
 *	pc: 1418d cfa_type: 4  ...				what BPF gets: merged, without functions
 *
 * Compact rows have the CFA from rbp (1) or rsp (2), as one of two PLT expressions (3; the offset
 * is the number) or as something else (0), or end a function (4). rbp is where it was (0), saved at
 * an offset (1), in a register (2), at an expression (3), or not asked for because the return
 * address is undefined (4). The return address is else at CFA-8, always. The plain rows don't say
 * the return address on this machine.
 */
#include <inttypes.h>
#include <string.h>
#include "diff.h"
#include "cfi/expression.h"

enum { CFA_OTHER, CFA_RBP, CFA_RSP, CFA_EXPRESSION, CFA_END };
enum { RBP_UNCHANGED, RBP_OFFSET, RBP_REGISTER, RBP_EXPRESSION, RBP_UNDEFINED_RETURN };

/* ---- canonical rows in these words ------------------------------------------------------- */

/* Number 1 and 2 of its expressions: rsp + 8 + (((rip & 15) >= b) << 3), with b 11 or 10. */
static const char *plt_words(int64_t number)
{
	return number == 1 ? "cfa=plt(11)" : number == 2 ? "cfa=plt(10)" : "cfa=exp";
}

static void print_cfa(FILE *file, const struct row_rule *cfa)
{
	struct expression_shape shape;
	int number = 0;
	if (cfa->kind != RULE_CFA_EXPRESSION) {
		fputs("cfa=", file);
		row_rule_print(file, cfa);
		return;
	}
	expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	if (shape.form == EXPRESSION_PLT && shape.reg == REGISTER_RSP && shape.a == 8)
		number = shape.b == 11 ? 1 : shape.b == 10 ? 2 : 0;
	fputs(plt_words(number), file);
}

/* It has no word for "still there" but the one for "no rule". */
static void print_rbp(FILE *file, const struct row_rule *rbp)
{
	switch (rbp->kind) {
	case RULE_UNSPECIFIED:
	case RULE_UNDEFINED:
	case RULE_SAME_VALUE: break;
	case RULE_REGISTER: fputs(" rbp=register", file); break;
	case RULE_EXPRESSION: fputs(" rbp=exp", file); break;
	default: diff_print_rule(file, "rbp", rbp);
	}
}

static void print_compact(FILE *file, const struct row *row)
{
	const struct row_rule *ra = &row->reg[REGISTER_RIP];
	print_cfa(file, &row->cfa);
	diff_print_rule(file, "ra", ra);
	if (ra->kind != RULE_UNDEFINED)
		print_rbp(file, &row->reg[REGISTER_RBP]);
}

static void print_rows(FILE *file, const struct row *row)
{
	print_cfa(file, &row->cfa);
	print_rbp(file, &row->reg[REGISTER_RBP]);
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool detect_any(const char *line, const char *row)
{
	static const char function[] = "=> Function start: ";
	if (!strncmp(line, function, sizeof(function) - 1)) {
		line += strcspn(line, "\n"); /* the first row tells */
		line += *line == '\n';
	}
	return !strncmp(line + strspn(line, "\t"), row, strlen(row));
}

/* What the tool prints in place of a table, or behind its first functions (cmd/eh-frame/main.go).
 * */
static bool is_failure(const char *line)
{
	static const char failed[] = "failed with: ";
	return !strncmp(line, failed, sizeof(failed) - 1);
}

static bool detect_compact(const char *line)
{
	return detect_any(line, "pc: ") || is_failure(line);
}

static bool detect_rows(const char *line)
{
	return detect_any(line, "Loc: ");
}

struct parser {
	struct diff_table *table;
	struct error *error;
	uint64_t line;
	uint64_t pc; /* of the last row */
	bool any;    /* since the function's line */
};

static int fail(const struct parser *parser, const char *what)
{
	return diff_syntax(parser->error, parser->line, what);
}

static int add(struct parser *parser, uint64_t pc, const char *words)
{
	struct diff_table *table = parser->table;
	if (!table->function_count) {
		struct diff_function all = { .has_pc = true, .length = UINT64_MAX };
		table->flat = true;
		if (diff_table_add_function(table, NULL, &all, parser->error))
			return -1;
	}
	const struct diff_function *function = &table->function[table->function_count - 1];
	if (parser->any && pc < parser->pc)
		return fail(parser, "rows are not in order");
	parser->pc = pc;
	parser->any = true;
	if (pc - function->pc >= function->length)
		return 0;
	return diff_table_add_row(table, pc - function->pc, words, parser->error);
}

static int parse_function(struct parser *parser, const char *line)
{
	uint64_t start;
	uint64_t end;
	int length = -1;
	if (sscanf(line, "=> Function start: %" SCNx64 ", Function end: %" SCNx64 "%n", &start,
		   &end, &length) != 2 ||
	    length < 0 || line[length] || end < start)
		return fail(parser, "not a function");
	if (parser->table->flat)
		return fail(parser, "a function after rows that have none");
	struct diff_function function = { .has_pc = true, .pc = start, .length = end - start };
	parser->any = false;
	return diff_table_add_function(parser->table, NULL, &function, parser->error);
}

static int parse_compact(struct parser *parser, const char *line)
{
	uint64_t pc;
	int cfa_type, rbp_type, cfa_offset, rbp_offset, length = -1;
	if (sscanf(line,
		   "pc: %" SCNx64 " cfa_type: %d rbp_type: %d cfa_offset: %d rbp_offset: %d %n",
		   &pc, &cfa_type, &rbp_type, &cfa_offset, &rbp_offset, &length) != 5 ||
	    length < 0)
		return fail(parser, "not a row");
	if (line[length])
		return fail(parser, strncmp(line + length, "lr_offset", 9)
					    ? "more than a row has"
					    : "a table of another machine");
	char cfa[32];
	switch (cfa_type) {
	case CFA_OTHER: snprintf(cfa, sizeof(cfa), "cfa=other%+d", cfa_offset); break;
	case CFA_RBP: snprintf(cfa, sizeof(cfa), "cfa=rbp%+d", cfa_offset); break;
	case CFA_RSP: snprintf(cfa, sizeof(cfa), "cfa=rsp%+d", cfa_offset); break;
	case CFA_EXPRESSION: snprintf(cfa, sizeof(cfa), "%s", plt_words(cfa_offset)); break;
	case CFA_END: return add(parser, pc, "no row");
	default: return fail(parser, "an unknown cfa_type");
	}
	char words[96];
	switch (rbp_type) {
	case RBP_UNCHANGED: snprintf(words, sizeof(words), "%s ra=c-8", cfa); break;
	case RBP_OFFSET:
		snprintf(words, sizeof(words), "%s ra=c-8 rbp=c%+d", cfa, rbp_offset);
		break;
	case RBP_REGISTER: snprintf(words, sizeof(words), "%s ra=c-8 rbp=register", cfa); break;
	case RBP_EXPRESSION: snprintf(words, sizeof(words), "%s ra=c-8 rbp=exp", cfa); break;
	case RBP_UNDEFINED_RETURN: snprintf(words, sizeof(words), "%s ra=undefined", cfa); break;
	default: return fail(parser, "an unknown rbp_type");
	}
	return add(parser, pc, words);
}

/* "RBP: u", "RBP: c-16 ", "RBP: $rbx", "RBP: exp" -> words; false: none of these. */
static bool rbp_words(const char *text, char ret[32])
{
	int offset;
	int length = -1;
	*ret = '\0';
	if (!strcmp(text, "u"))
		return true;
	if (*text == '$' && text[1])
		return snprintf(ret, 32, " rbp=register") > 0;
	if (!strcmp(text, "exp"))
		return snprintf(ret, 32, " rbp=exp") > 0;
	if (sscanf(text, "c%d %n", &offset, &length) != 1 || length < 0 || text[length])
		return false;
	return snprintf(ret, 32, " rbp=c%+d", offset) > 0;
}

static int parse_plain(struct parser *parser, char *line)
{
	uint64_t pc;
	int offset;
	int at = -1;
	char name[8];
	char cfa[32];
	char rbp[32];
	char words[64];
	char *saved = strstr(line, "\tRBP: ");
	if (!saved)
		return fail(parser, "not a row");
	*saved = '\0';
	saved += strlen("\tRBP: ");
	if (strchr(saved, '\t'))
		return fail(parser, "a table of another machine");
	if (sscanf(line, "Loc: %" SCNx64 " CFA: $%7[a-z0-9]=%d %n", &pc, name, &offset, &at) == 3 &&
	    at >= 0 && !line[at])
		snprintf(cfa, sizeof(cfa), "cfa=%s%+d", name, offset);
	else if (sscanf(line, "Loc: %" SCNx64 " CFA: exp (plt %d) %n", &pc, &offset, &at) == 2 &&
		 at >= 0 && !line[at])
		snprintf(cfa, sizeof(cfa), "%s", plt_words(offset));
	else if (sscanf(line, "Loc: %" SCNx64 " CFA: exp %n", &pc, &at) == 1 && at >= 0 &&
		 !line[at])
		snprintf(cfa, sizeof(cfa), "cfa=exp");
	else
		return fail(parser, "not a row");
	if (!rbp_words(saved, rbp))
		return fail(parser, "not a rule for rbp");
	snprintf(words, sizeof(words), "%s%s", cfa, rbp);
	return add(parser, pc, words);
}

static int read_lines(char *text, struct diff_table *ret, bool compact, struct error *error)
{
	struct parser parser = { .table = ret, .error = error };
	for (char *line; (line = strsep(&text, "\n"));) {
		int result = 0;
		parser.line++;
		if (is_failure(line))
			result = fail(&parser, "the tool failed: there is no whole table");
		else if (!strncmp(line, "=>", 2))
			result = parse_function(&parser, line);
		else if (compact && *line)
			result = parse_compact(&parser, line + strspn(line, "\t"));
		else if (*line)
			result = parse_plain(&parser, line + strspn(line, "\t"));
		if (result)
			return result;
	}
	return 0;
}

static int read_compact(char *text, struct diff_table *ret, struct error *error)
{
	return read_lines(text, ret, true, error);
}

static int read_rows(char *text, struct diff_table *ret, struct error *error)
{
	return read_lines(text, ret, false, error);
}

const struct diff_dialect diff_dialect_parca = {
	.name = "parca",
	.compared =
		"CFA, rbp, and whether the return address is undefined; of expressions the two PLT "
		"forms",
	.registers = 1u << REGISTER_RBP | 1u << REGISTER_RIP,
	.print = print_compact,
	.detect = detect_compact,
	.read = read_compact,
};

const struct diff_dialect diff_dialect_parca_rows = {
	.name = "parca-rows",
	.compared = "CFA and rbp; of expressions the two PLT forms",
	.registers = 1u << REGISTER_RBP,
	.print = print_rows,
	.detect = detect_rows,
	.read = read_rows,
};

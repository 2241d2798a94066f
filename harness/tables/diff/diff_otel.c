/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_otel.c - what the OpenTelemetry eBPF profiler's stack deltas say, and no more
 *
 * Its tool prints one line for each address from which other rules hold (open-telemetry/
 * opentelemetry-ebpf-profiler, tools/stackdeltas, option -target; 2024-11 to 2026-08). Offsets are
 * hexadecimal without 0x:
 *
 *	# addr           cfa             fp               flags
 *	0000000000001020 sp+8            invalid          keep
 *	0000000000001024 fp+10           cfa-10
 *	0000000000001040 *(sp+28)+8      cfa-10
 *	0000000000001060 invalid         invalid          end
 *
 * A command stands for all rules: "invalid" (it can't say it), "stop" (the outermost frame), "plt",
 * "signal", "framepointer". fp is rbp: saved at an offset from the CFA, at one from itself, or
 * ("invalid", "?") where it was. A slot that lies below rsp, as in an epilogue, is never given. The
 * return address is at CFA-8, else the rules are "invalid". Other registers have numbers of its
 * own, which change with its version: which one isn't compared. Between functions gaps of up to 15
 * bytes take the rules before them, so what lies between functions isn't compared.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "cfi/expression.h"

/* ---- a canonical row in these words ------------------------------------------------------ */

/* False: the words are a command and there is nothing more to say. */
static bool print_cfa(FILE *file, const struct row_rule *cfa)
{
	struct expression_shape shape = { .form = EXPRESSION_OTHER };
	if (cfa->kind == RULE_CFA_REGISTER) {
		bool known = cfa->reg == REGISTER_RSP || cfa->reg == REGISTER_RBP;
		fprintf(file, "cfa=%s%+" PRId64, known ? register_name(cfa->reg) : "register",
			cfa->offset);
		return true;
	}
	expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	if (shape.form == EXPRESSION_PLT) {
		fputs("plt", file);
		return false;
	}
	if (shape.form != EXPRESSION_DEREF || shape.scale) {
		fputs("cfa=exp", file);
		return true;
	}
	bool known = shape.reg == REGISTER_RSP || shape.reg == REGISTER_RBP;
	fprintf(file, "cfa=*(%s%+" PRId64 ")", known ? register_name(shape.reg) : "register",
		shape.a);
	if (shape.b)
		fprintf(file, "%+" PRId64, shape.b);
	return true;
}

/* An epilogue has popped rbp, and its CFI often still names the slot, which is then below rsp. */
static bool is_below_stack(const struct row *row)
{
	const struct row_rule *rbp = &row->reg[REGISTER_RBP];
	return row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
	       rbp->kind == RULE_OFFSET && (rbp->offset >= 0 || rbp->offset < -row->cfa.offset);
}

static void print_words(FILE *file, const struct row *row)
{
	const struct row_rule *ra = &row->reg[REGISTER_RIP];
	const struct row_rule *rbp = &row->reg[REGISTER_RBP];
	struct expression_shape shape;
	if (row->signal_frame) {
		fputs("signal", file);
		return;
	}
	if (ra->kind == RULE_UNDEFINED || ra->kind == RULE_UNSPECIFIED ||
	    row->cfa.kind == RULE_UNSPECIFIED) {
		fputs("stop", file);
		return;
	}
	if (!print_cfa(file, &row->cfa))
		return;
	if (ra->kind != RULE_OFFSET || ra->offset != -8)
		diff_print_rule(file, "ra", ra);
	if (rbp->kind == RULE_UNSPECIFIED || rbp->kind == RULE_SAME_VALUE ||
	    rbp->kind == RULE_UNDEFINED || is_below_stack(row))
		return;
	if (rbp->kind == RULE_EXPRESSION) {
		expression_recognise(rbp->expression, rbp->expression_bytes, &shape);
		if (shape.form == EXPRESSION_REGISTER && !shape.scale &&
		    shape.reg == REGISTER_RBP) {
			fprintf(file, " rbp=*(rbp%+" PRId64 ")", shape.a);
			return;
		}
	}
	diff_print_rule(file, "rbp", rbp);
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool detect(const char *line)
{
	static const char head[] = "# addr ";
	return !strncmp(line, head, sizeof(head) - 1);
}

struct parser {
	struct diff_table *table;
	struct error *error;
	uint64_t line;
	bool head; /* the line that names the columns was there */
	bool any;
	uint64_t address; /* of the last row */
};

static int fail(const struct parser *parser, const char *what)
{
	return diff_syntax(parser->error, parser->line, what);
}

/* "+10", "-8": hexadecimal with a sign. 0 if it isn't. */
static size_t take_hex(const char *text, int64_t *ret)
{
	size_t digits = *text ? strspn(text + 1, "0123456789abcdef") : 0;
	if ((*text != '+' && *text != '-') || !digits || digits > 8)
		return 0;
	*ret = strtoll(text, NULL, 16);
	return digits + 1;
}

/* "sp", "fp", "r9", "cfa" -> our name; 0 if it is none. */
static size_t take_base(const char *text, const char **ret)
{
	size_t length = strcspn(text, "+-");
	static const struct {
		const char *theirs;
		const char *ours;
	} bases[] = { { "sp", "rsp" }, { "fp", "rbp" }, { "cfa", "c" } };
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (length == strlen(bases[i].theirs) && !strncmp(text, bases[i].theirs, length)) {
			*ret = bases[i].ours;
			return length;
		}
	*ret = "register";
	return *text == 'r' && length > 1 && strspn(text + 1, "0123456789") == length - 1 ? length
											  : 0;
}

/* "sp+8", "*(fp-8)+10" -> "rsp+8", "*(rbp-8)+16". */
static bool translate(const char *text, bool *ret_from_cfa, bool *ret_deref, char ret[64])
{
	const char *base;
	int64_t offset;
	int64_t after = 0;
	*ret_deref = !strncmp(text, "*(", 2);
	text += *ret_deref ? 2 : 0;
	size_t length = take_base(text, &base);
	if (!length)
		return false;
	text += length;
	*ret_from_cfa = !strcmp(base, "c");
	length = take_hex(text, &offset);
	if (!length)
		return false;
	text += length;
	if (!*ret_deref) {
		snprintf(ret, 64, "%s%+" PRId64, base, offset);
		return !*text;
	}
	if (*text++ != ')')
		return false;
	if (*text && take_hex(text, &after) != strlen(text))
		return false;
	int size = snprintf(ret, 64, "*(%s%+" PRId64 ")", base, offset);
	if (after)
		snprintf(ret + size, 64 - (size_t)size, "%+" PRId64, after);
	return true;
}

static bool is_command(const char *text)
{
	static const char *const commands[] = { "invalid", "stop",	   "plt",
						"signal",  "framepointer", "?" };
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(text, commands[i]))
			return true;
	/* One that the tool itself has no name for. */
	return !strncmp(text, "0x", 2) && text[2] &&
	       !text[2 + strspn(text + 2, "0123456789abcdef")];
}

static bool is_flag(const char *text)
{
	return !strcmp(text, "keep") || !strcmp(text, "end") || !strcmp(text, "gap") ||
	       !strcmp(text, "merged");
}

/* The words of one line; false: its CFA or its rbp is none. */
static bool words_of(const char *cfa, const char *fp, char ret[160])
{
	char where[64];
	bool from_cfa;
	bool deref;
	if (is_command(cfa)) {
		snprintf(ret, 160, "%s", cfa);
		return !fp || is_command(fp);
	}
	if (!translate(cfa, &from_cfa, &deref, where) || from_cfa)
		return false;
	int size = snprintf(ret, 160, "cfa=%s", where);
	if (!fp || !strcmp(fp, "invalid") || !strcmp(fp, "?"))
		return true;
	if (!translate(fp, &from_cfa, &deref, where) || deref)
		return false;
	snprintf(ret + size, 160 - (size_t)size, from_cfa ? " rbp=%s" : " rbp=*(%s)", where);
	return true;
}

static int parse_row(struct parser *parser, char *line)
{
	char words[160];
	char *rest;
	char *end;
	char *word = strtok_r(line, " ", &rest);
	char *cfa = strtok_r(NULL, " ", &rest);
	char *fp = strtok_r(NULL, " ", &rest);
	if (!parser->head)
		return fail(parser, "a row before the line that names the columns");
	uint64_t address = word ? strtoull(word, &end, 16) : 0;
	if (!word || strlen(word) != 16 || *end || !cfa)
		return fail(parser, "not a row");
	char *flag = fp && is_flag(fp) ? fp : strtok_r(NULL, " ", &rest);
	if (flag == fp)
		fp = NULL;
	for (; flag; flag = strtok_r(NULL, " ", &rest))
		if (!is_flag(flag))
			return fail(parser, "an unknown flag");
	if (!words_of(cfa, fp, words))
		return fail(parser, "rules that are not known");
	if (parser->any && address < parser->address)
		return fail(parser, "rows are not in order");
	parser->any = true;
	parser->address = address;
	return diff_table_add_row(parser->table, address, words, parser->error);
}

/* "# /bin/ls: failed to ..." is what the tool says instead of a table; other comments count. */
static int parse_comment(struct parser *parser, const char *line)
{
	if (detect(line)) {
		if (parser->head)
			return fail(parser, "a second table");
		parser->head = true;
	}
	return strstr(line, ": failed to ") ? fail(parser, "the tool failed: there is no table")
					    : 0;
}

static int read_dump(char *text, struct diff_table *ret, struct error *error)
{
	struct parser parser = { .table = ret, .error = error };
	struct diff_function all = { .has_pc = true, .length = UINT64_MAX };
	ret->flat = true;
	if (diff_table_add_function(ret, NULL, &all, error))
		return -1;
	for (char *line; (line = strsep(&text, "\n"));) {
		parser.line++;
		if (*line == '#' ? parse_comment(&parser, line) : *line && parse_row(&parser, line))
			return -1;
	}
	return parser.head ? 0 : fail(&parser, "not a dump of stack deltas");
}

const struct diff_dialect diff_dialect_otel = {
	.name = "otel",
	.compared =
		"CFA, rbp above the stack pointer, PLT, signal frames and outermost frames; other "
		"registers by their offset only",
	.registers = 1u << REGISTER_RBP | 1u << REGISTER_RIP,
	.print = print_words,
	.detect = detect,
	.read = read_dump,
};

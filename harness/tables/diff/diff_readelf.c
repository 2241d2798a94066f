/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_readelf.c - what `readelf -wF` says, and no more
 *
 * The lines are those that table_readelf.c writes (binutils 2.40); what each can't say:
 *
 *	0000000000031750 exp      u     c-16  c-8	which expression; undefined, or no rule at all
 *
 * Of registers above rip (xmm6) a row has a hash, so only whether there is a rule is compared.
 *
 * An FDE whose instructions are nothing but DW_CFA_nop has no rows: it has its CIE's. Rows are
 * printed at every advance, so some are empty, some repeat the one before, and some lie behind the
 * FDE's end. Of a dump's sections what an image's table is made of is taken: .eh_frame, wherever it
 * stands, and of .debug_frame the FDEs whose code none of .eh_frame has any of, unless readelf
 * found it in a separate debug file: stackproof looks there only for an image without .eh_frame. A
 * dump doesn't say whether it is an object's, so an FDE at 0 is taken for that of a function that
 * the linker discarded.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "diff.h"

/* ---- a canonical row in these words ------------------------------------------------------ */

static void print_opaque(FILE *file, const char *name, const struct row_rule *rule)
{
	if (rule->kind == RULE_EXPRESSION)
		fprintf(file, " %s=exp", name);
	else if (rule->kind == RULE_VAL_EXPRESSION)
		fprintf(file, " %s=val_exp", name);
	else
		diff_print_rule(file, name, rule);
}

static bool is_unknown(const struct row_rule *rule)
{
	return rule->kind == RULE_UNSPECIFIED || rule->kind == RULE_UNDEFINED;
}

static void print_words(FILE *file, const struct row *row)
{
	fputs("cfa=", file);
	if (row->cfa.kind == RULE_CFA_EXPRESSION)
		fputs("exp", file);
	else
		row_rule_print(file, &row->cfa);
	if (is_unknown(&row->reg[REGISTER_RIP]))
		fputs(" ra=u", file);
	else
		print_opaque(file, "ra", &row->reg[REGISTER_RIP]);
	for (unsigned int reg = 0; reg < REGISTER_RIP; reg++)
		if (!is_unknown(&row->reg[reg]))
			print_opaque(file, register_name(reg), &row->reg[reg]);
	if (row->high)
		fputs(" high", file);
}

enum section { SECTION_OTHER, SECTION_EH_FRAME, SECTION_DEBUG_FRAME };

static enum section section_of(const char *line)
{
	static const struct {
		const char *heading;
		enum section section;
	} known[] = {
		{ "Contents of the .eh_frame section", SECTION_EH_FRAME },
		{ "Contents of the .debug_frame section", SECTION_DEBUG_FRAME },
		{ "Contents of the .zdebug_frame section", SECTION_DEBUG_FRAME },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(line, known[i].heading, strlen(known[i].heading)))
			return known[i].section;
	return SECTION_OTHER;
}

static bool detect(const char *line)
{
	return section_of(line) != SECTION_OTHER;
}

/* ---- lines ------------------------------------------------------------------------------- */

#define COLUMNS_MAX 300 /* more than registers have numbers */

/* A CIE's own row, for FDEs that have none. */
struct cie {
	uint64_t offset;
	bool signal;
	bool has_row;
	struct row row;
};

struct range {
	uint64_t pc, end;
};

struct parser {
	struct diff_table *table;
	struct error *error;
	uint64_t line;
	enum section wanted; /* the section that is read this time */
	bool skip;	     /* this one isn't it */
	bool has_eh_frame;
	struct cie *cie;
	size_t cie_count;
	struct range *before; /* what .eh_frame has; .end: the highest so far */
	size_t before_count;
	enum { ENTRY_NONE, ENTRY_CIE, ENTRY_FDE, ENTRY_LEFT_OUT } entry;
	const struct cie *fde_cie; /* NULL: not met before */
	int column[COLUMNS_MAX];   /* DWARF register numbers; -1: above REGISTER_RIP */
	size_t column_count;
};

/* "c-8", "rsp+16": the number behind the name. */
static bool parse_offset(const char *text, int64_t *ret)
{
	char *end;
	*ret = strtoll(text, &end, 10);
	return (*text == '+' || *text == '-') && !*end;
}

/* "rsp", or "r17" for one without a name. */
static bool parse_register(const char *name, uint32_t *ret)
{
	int known = register_number(name);
	char *end;
	if (known >= 0) {
		*ret = (uint32_t)known;
		return true;
	}
	if (name[0] != 'r' || name[1] < '0' || name[1] > '9')
		return false;
	*ret = (uint32_t)strtoul(name + 1, &end, 10);
	return !*end;
}

static bool parse_cfa(char *text, struct row_rule *ret)
{
	char *sign = text + strcspn(text, "+-");
	*ret = (struct row_rule) { .kind = RULE_CFA_EXPRESSION };
	if (!strcmp(text, "exp"))
		return true;
	ret->kind = RULE_CFA_REGISTER;
	if (!parse_offset(sign, &ret->offset))
		return false;
	*sign = '\0';
	return parse_register(text, &ret->reg);
}

static bool parse_rule(const char *text, struct row_rule *ret)
{
	static const struct {
		const char *word;
		enum rule_kind kind;
	} words[] = {
		{ "u", RULE_UNSPECIFIED },
		{ "s", RULE_SAME_VALUE },
		{ "exp", RULE_EXPRESSION },
		{ "vexp", RULE_VAL_EXPRESSION },
	};
	*ret = (struct row_rule) { 0 };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, text)) {
			ret->kind = words[i].kind;
			return true;
		}
	if (*text == 'c' || *text == 'v') {
		ret->kind = *text == 'c' ? RULE_OFFSET : RULE_VAL_OFFSET;
		return parse_offset(text + 1, &ret->offset);
	}
	ret->kind = RULE_REGISTER;
	return parse_register(text, &ret->reg);
}

/* The next word of a row; "(rbx)" after "r3" says the same again and is passed over. */
static char *next_cell(char **rest)
{
	char *word;
	do
		word = strtok_r(NULL, " ", rest);
	while (word && *word == '(');
	return word;
}

static int parse_header(struct parser *parser, char *line)
{
	char *rest;
	char *word = strtok_r(line, " ", &rest);
	word = word ? strtok_r(NULL, " ", &rest) : NULL;
	if (!word || strcmp(word, "CFA") || parser->entry == ENTRY_NONE)
		return diff_syntax(parser->error, parser->line, "columns outside of an entry");
	parser->column_count = 0;
	while ((word = strtok_r(NULL, " ", &rest))) {
		if (parser->column_count == COLUMNS_MAX)
			return diff_syntax(parser->error, parser->line, "too many columns");
		parser->column[parser->column_count++] = !strcmp(word, "ra")
								 ? REGISTER_RIP
								 : register_number(word);
	}
	return 0;
}

static int parse_row(struct parser *parser, char *line)
{
	struct row row = { 0 };
	char *end;
	char *rest;
	uint64_t pc = strtoull(line, &end, 16);
	char *cell = strtok_r(end, " ", &rest);
	if (parser->entry == ENTRY_NONE || !cell || !parse_cfa(cell, &row.cfa))
		return diff_syntax(parser->error, parser->line, "not a row");
	for (size_t i = 0; i < parser->column_count; i++) {
		struct row_rule rule;
		cell = next_cell(&rest);
		if (!cell || !parse_rule(cell, &rule))
			return diff_syntax(parser->error, parser->line, "not a rule");
		if (parser->column[i] >= 0)
			row.reg[parser->column[i]] = rule;
		else
			row.high |= !is_unknown(&rule);
	}
	if (next_cell(&rest))
		return diff_syntax(parser->error, parser->line, "more rules than columns");
	if (parser->entry == ENTRY_CIE) {
		parser->cie[parser->cie_count - 1].row = row;
		parser->cie[parser->cie_count - 1].has_row = true;
		return 0;
	}
	if (parser->entry == ENTRY_LEFT_OUT)
		return 0;
	struct diff_table *table = parser->table;
	struct diff_function *function = &table->function[table->function_count - 1];
	if (pc - function->pc >= function->length)
		return 0;
	if (function->row_count && table->row[table->row_count - 1].offset > pc - function->pc)
		return diff_syntax(parser->error, parser->line, "rows are not in order");
	return diff_table_add_canonical(table, pc - function->pc, &row, parser->error);
}

/* What the FDE before it left out: its CIE's row, if it had none of its own. */
static int finish_fde(struct parser *parser)
{
	struct diff_table *table = parser->table;
	if (parser->entry != ENTRY_FDE)
		return 0;
	const struct diff_function *function = &table->function[table->function_count - 1];
	if (function->row_count || !function->length || !parser->fde_cie ||
	    !parser->fde_cie->has_row)
		return 0;
	return diff_table_add_canonical(table, 0, &parser->fde_cie->row, parser->error);
}

/* "00000030 0000000000000014 00000000 CIE "zRS" cf=1 df=-8 ra=16". Offsets rise in a section. */
static int parse_cie(struct parser *parser, const char *line, const char *augmentation)
{
	const char *end = strrchr(augmentation, '"');
	const char *is_signal = strchr(augmentation + 1, 'S');
	if (!ARRAY_GROW(parser->cie, parser->cie_count))
		return diff_no_memory(parser->error);
	uint64_t offset = strtoull(line, NULL, 16);
	if (parser->cie_count && parser->cie[parser->cie_count - 1].offset >= offset)
		return diff_syntax(parser->error, parser->line, "entries are not in order");
	parser->cie[parser->cie_count++] = (struct cie) {
		.offset = offset,
		.signal = is_signal && is_signal < end,
	};
	parser->entry = ENTRY_CIE;
	return 0;
}

static int compare_cie(const void *key, const void *member)
{
	uint64_t offset = *(const uint64_t *)key;
	const struct cie *cie = member;
	return offset < cie->offset ? -1 : offset > cie->offset;
}

ARRAY_ORDER(compare_range, struct range, pc)

/* The code that .eh_frame has, in order. */
static int note_code(struct parser *parser)
{
	const struct diff_table *table = parser->table;
	parser->before = calloc(table->function_count + 1, sizeof(*parser->before));
	if (!parser->before)
		return error_set(parser->error, ERROR_MEMORY, NULL, 0, "no memory for a dump");
	for (size_t i = 0; i < table->function_count; i++)
		if (table->function[i].pc && table->function[i].length)
			parser->before[parser->before_count++] = (struct range) {
				table->function[i].pc,
				table->function[i].pc + table->function[i].length
			};
	qsort(parser->before, parser->before_count, sizeof(*parser->before), compare_range);
	for (size_t i = 1; i < parser->before_count; i++)
		if (parser->before[i].end < parser->before[i - 1].end)
			parser->before[i].end = parser->before[i - 1].end;
	return 0;
}

/* An FDE of .debug_frame beside .eh_frame: it covers nothing, or something that .eh_frame has. */
static bool adds_nothing(const struct parser *parser, uint64_t start, uint64_t end)
{
	size_t low = ARRAY_BEFORE(parser->before_count, i, parser->before[i].pc < end);
	return !start || start == end || (low && parser->before[low - 1].end > start);
}

static int parse_fde(struct parser *parser, const char *fields)
{
	uint64_t cie;
	uint64_t start;
	uint64_t end;
	int length;
	if (sscanf(fields, "FDE cie=%" SCNx64 " pc=%" SCNx64 "..%" SCNx64 "%n", &cie, &start, &end,
		   &length) != 3 ||
	    fields[length] || end < start)
		return diff_syntax(parser->error, parser->line, "not an FDE");
	parser->fde_cie = ARRAY_FIND(parser->cie, parser->cie_count, &cie, compare_cie);
	struct diff_function function = {
		.has_pc = true,
		.pc = start,
		.length = end - start,
		.signal = parser->fde_cie && parser->fde_cie->signal,
	};
	if (parser->wanted == SECTION_DEBUG_FRAME && parser->has_eh_frame &&
	    adds_nothing(parser, start, end)) {
		parser->entry = ENTRY_LEFT_OUT;
		return 0;
	}
	parser->entry = ENTRY_FDE;
	return diff_table_add_function(parser->table, NULL, &function, parser->error);
}

/* A line that begins with a number: an entry, a terminator or a row. */
static int parse_number(struct parser *parser, char *line)
{
	char *after = line + strcspn(line, " ");
	size_t digits = strspn(line, "0123456789abcdef");
	char *kind;
	if (digits != (size_t)(after - line) || digits < 8 || digits > 16)
		return diff_syntax(parser->error, parser->line, "neither an entry nor a row");
	if ((kind = strstr(line, " ZERO terminator")) || (kind = strstr(line, " CIE \"")) ||
	    (kind = strstr(line, " FDE "))) {
		if (finish_fde(parser))
			return -1;
		parser->column_count = 0;
		parser->entry = ENTRY_NONE;
		if (kind[1] == 'C')
			return parse_cie(parser, line, kind + 5);
		return kind[1] == 'F' ? parse_fde(parser, kind + 1) : 0;
	}
	return parse_row(parser, line);
}

static int parse_section(struct parser *parser, const char *line)
{
	enum section section = section_of(line);
	if (finish_fde(parser))
		return -1;
	parser->entry = ENTRY_NONE;
	parser->cie_count = 0;
	parser->has_eh_frame |= section == SECTION_EH_FRAME;
	parser->skip = section != parser->wanted ||
		       (section == SECTION_DEBUG_FRAME && parser->has_eh_frame &&
			strstr(line, "(loaded from "));
	return 0;
}

static int parse_line(struct parser *parser, char *line)
{
	static const char *const notes[] = { "readelf:", "File:", "Section '", "section '" };
	if (!strncmp(line, "Contents of the ", 16))
		return parse_section(parser, line);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (!strncmp(line, notes[i], strlen(notes[i])))
			return 0;
	if (parser->skip || !line[strspn(line, " ")])
		return 0;
	if (!strncmp(line, "   LOC ", 7))
		return parse_header(parser, line);
	return parse_number(parser, line);
}

/* Reads the lines of one kind of section. Those that were read before have zero bytes in them. */
static int read_sections(struct parser *parser, char *text, size_t size, enum section wanted)
{
	const char *text_end = text + size;
	int result = 0;
	parser->wanted = wanted;
	parser->line = 0;
	for (char *line = text, *next; !result && line; line = next) {
		char *end = memchr(line, '\n', (size_t)(text_end - line));
		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		parser->line++;
		result = parse_line(parser, line);
		if (end)
			*end = '\n';
	}
	return result ? result : finish_fde(parser);
}

static int read_dump(char *text, struct diff_table *ret, struct error *error)
{
	struct parser parser = { .table = ret, .error = error };
	size_t size = strlen(text);
	int result = read_sections(&parser, text, size, SECTION_EH_FRAME);
	if (!result)
		result = note_code(&parser);
	if (!result)
		result = read_sections(&parser, text, size, SECTION_DEBUG_FRAME);
	free(parser.before);
	free(parser.cie);
	return result;
}

const struct diff_dialect diff_dialect_readelf = {
	.name = "readelf",
	.compared = "CFA, return address and registers; of expressions and registers "
		    "above rip only that there is one, and undefined is no rule",
	.says_signal = true,
	.registers = (1u << REGISTER_COUNT) - 1,
	.print = print_words,
	.detect = detect,
	.read = read_dump,
};

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_grade.c - a name against a symbol, item by item
 *
 * An item is a word, an operator, a character, or all of a bracket, which agrees with a bracket whose items agree. The
 * name's items must be among the symbol's, in order: each is looked for behind the one before, which finds them if they
 * are there at all.
 */
#include <ctype.h>
#include <string.h>
#include "array.h"
#include "score_grade.h"
#include "score_spelling.h"

struct span {
	const char *at, *end;
};

/* The next item of a span; size 0: it has no more. */
static struct span take(struct span *from)
{
	struct span ret = { from->at, from->at };

	while (ret.at < from->end && *ret.at == ' ')
		ret.at++;
	ret.end = ret.at + (ret.at < from->end ? spelling_item(ret.at) : 0);
	if (ret.at < from->end && (ret.end == ret.at || ret.end > from->end))
		ret.end = ret.at + 1; /* a bracket that is not closed here */
	from->at = ret.end;
	return ret;
}

static bool is_bracket(struct span item)
{
	return item.end - item.at > 1 && strchr("(<[{", *item.at);
}

static bool is_same(struct span item, const char *text)
{
	return (size_t)(item.end - item.at) == strlen(text) &&
	       !memcmp(item.at, text, item.end - item.at);
}

/* "[846817f741e54dfd]::" of a crate, "::h0123456789abcdef" behind all. */
static bool is_hash(struct span item, const char *end)
{
	size_t digits = 0, size = item.end - item.at;

	while (digits + 1 < size && isxdigit((unsigned char)item.at[1 + digits]))
		digits++;
	return *item.at == '[' ? digits && digits + 2 == size && !strncmp(item.end, "::", 2)
			       : *item.at == 'h' && digits == 16 && size == 17 && item.end == end;
}

/* How many "{lambda(int, long)#1}" has; none of them is ever left out. */
static size_t lambda_parameters(struct span item)
{
	static const char begin[] = "{lambda(";
	struct span in = { item.at + strlen(begin), item.end };
	size_t ret = 0;

	if (strncmp(item.at, begin, strlen(begin)) != 0)
		return 0;
	for (struct span at = take(&in); at.at < at.end && *at.at != ')'; at = take(&in))
		ret += !ret || *at.at == ',';
	return ret;
}

static bool is_part(struct span name, struct span symbol, bool is_lenient);

static bool agrees(struct span name, struct span symbol, bool is_lenient)
{
	size_t size = name.end - name.at, other = symbol.end - symbol.at, digits, others;

	if (is_bracket(name) && is_bracket(symbol) && *name.at == *symbol.at &&
	    lambda_parameters(name) == lambda_parameters(symbol))
		return is_part((struct span) { name.at + 1, name.end - 1 },
			       (struct span) { symbol.at + 1, symbol.end - 1 }, is_lenient);
	if (size == other && !memcmp(name.at, symbol.at, size))
		return true;
	if (!isdigit((unsigned char)*name.at) || !isdigit((unsigned char)*symbol.at))
		return false;
	digits = spelling_number(name.at, size);
	others = spelling_number(symbol.at, other);
	return digits == others && !memcmp(name.at, symbol.at, digits) &&
	       (digits == size || is_lenient);
}

/* All of the name's items are in the symbol, in order. is_lenient: but for what decides. */
static bool is_part(struct span name, struct span symbol, bool is_lenient)
{
	for (struct span item = take(&name); item.at < item.end; item = take(&name)) {
		struct span there;

		if (is_bracket(item) && item.end - item.at == 5 && !memcmp(item.at + 1, "...", 3))
			continue; /* Go's "F[...]" */
		if (is_lenient && (is_hash(item, name.end) || spelling_cast(item.at)))
			continue;
		do {
			there = take(&symbol);
			if (there.at == there.end)
				return false;
		} while (!agrees(item, there, is_lenient));
	}
	return true;
}

/* "unsigned long const*" has words only that everybody spells alike. */
static bool is_plain_type(struct span type)
{
	static const char *const words[] = { "void", "bool",  "char",	  "short",  "int",
					     "long", "float", "unsigned", "signed", "double",
					     "*",    "&",     "const" };
	size_t items = 0;

	for (struct span item = take(&type); item.at < item.end; item = take(&type), items++) {
		size_t i = 0;

		while (i < sizeof(words) / sizeof(words[0]) && !is_same(item, words[i]))
			i++;
		if (i == sizeof(words) / sizeof(words[0]))
			return false;
	}
	return items > 0;
}

static enum name_grade grade_text(const struct name_form *name, const struct name_form *symbol)
{
	char loose[NAME_KEY_MAX];
	const struct span all = { name->text, name->text + strlen(name->text) },
			  own = { name->text + name->name_at, all.end },
			  type = { name->text, own.at },
			  symbol_type = { symbol->text, symbol->text + symbol->name_at };
	struct span texts[] = { { symbol->text, symbol->text + strlen(symbol->text) }, { 0 } };
	bool type_decides = is_plain_type(type) && is_plain_type(symbol_type);

	strcpy(loose, symbol->text);
	spelling_loosen(loose);
	texts[1] = (struct span) { loose, loose + strlen(loose) };
	for (size_t i = 0; i < 2; i++)
		if (is_part(all, texts[i], false))
			return NAME_MEANT;
	for (size_t i = 0; i < 2; i++)
		if (is_part(type_decides ? own : all, texts[i], true))
			return NAME_OTHER;
	return NAME_DOUBTFUL;
}

struct grading {
	const struct name_form *form; /* of the name */
	bool is_other;
	enum name_grade best;
};

static int grade_symbol(void *context, const struct name_form *symbol)
{
	struct grading *grading = context;
	const struct name_form *name = grading->form;
	enum name_grade grade;

	if (!strcmp(name->tail, symbol->tail) && !strcmp(name->text, symbol->text))
		grade = NAME_WHOLE;
	else
		grade = grade_text(name, symbol);
	if (grade == NAME_MEANT && strncmp(symbol->tail, name->tail, strlen(name->tail)) != 0)
		grade = strstr(symbol->tail, name->tail) ? NAME_DOUBTFUL : NAME_OTHER;
	grading->is_other |= grade == NAME_OTHER;
	if (grade > grading->best)
		grading->best = grade;
	return 0;
}

/* Folded stacks have no ';' in a name. */
bool name_is_text(const char *name, const char *symbol)
{
	for (; *name && *symbol; name++, symbol++)
		if ((*name == ';' ? ':' : *name) != (*symbol == ';' ? ':' : *symbol))
			return false;
	return *name == *symbol;
}

enum name_grade name_grade(const struct name_asked *name, const char *symbol)
{
	struct grading grading = { 0 };

	if (name_is_text(name->name, symbol))
		return NAME_WHOLE;
	for (unsigned int i = 0; i < name->forms; i++) {
		grading.form = &name->form[i];
		name_forms(symbol, grade_symbol, &grading);
	}
	/* One of the symbol's forms may lack what another one has; that one decides. */
	return grading.best == NAME_DOUBTFUL && grading.is_other ? NAME_OTHER : grading.best;
}

bool name_has_details(const struct name_asked *name)
{
	const char *text = name->form[0].text;
	struct span all = { text, text + strlen(text) };

	for (struct span item = take(&all); item.at < item.end; item = take(&all))
		if (strchr("(<[{", *item.at) || is_hash(item, all.end))
			return true;
	return false;
}

/* The last form says most. */
static int keep_last(void *context, const struct name_form *form)
{
	*(struct name_form *)context = *form;
	return 0;
}

bool name_is_clone(const char *symbol, const char *other)
{
	struct name_form form[2];

	name_forms(symbol, keep_last, &form[0]);
	name_forms(other, keep_last, &form[1]);
	return !strcmp(form[0].text, form[1].text);
}

/* ---- without demangling --------------------------------------------------------------------- */

static int keep_form(void *context, const struct name_form *form)
{
	struct name_asked *asked = context;

	asked->form[asked->forms++] = *form;
	return 0;
}

/* What mangled names have other letters for. */
static bool is_coded(const char *word, size_t size)
{
	static const char *const coded[] = { "unsigned",  "signed",    "short",	      "double",
					     "float",	  "const",     "volatile",    "string",
					     "allocator", "anonymous", "unnamed",     "namespace",
					     "operator",  "lambda",    "virtual",     "covariant",
					     "thunk",	  "vtable",    "decltype",    "typeid",
					     "sizeof",	  "noexcept",  "restrict",    "delete",
					     "typename",  "usize",     "isize",	      "closure",
					     "extern",	  "unsafe",    "construction" };
	static const char *const begin[] = { "basic_", "char", "nullptr", "wchar", "decimal" };

	return ARRAY_ANY(ARRAY_COUNT(coded), i,
			 strlen(coded[i]) == size && !memcmp(coded[i], word, size)) ||
	       ARRAY_ANY(ARRAY_COUNT(begin), i, !strncmp(begin[i], word, strlen(begin[i])));
}

void name_ask(const char *name, struct name_asked *ret)
{
	enum { SHORTEST = 5 };
	struct span text;
	char *word = ret->words;

	ret->name = name;
	ret->forms = 0;
	name_forms(name, keep_form, ret);
	text.at = ret->form[0].text;
	while (*text.at) {
		for (text.end = text.at; isalnum((unsigned char)*text.end) || *text.end == '_';)
			text.end++;
		/* A crate's hash is a number in the symbol. */
		if (text.end - text.at >= SHORTEST && isalpha((unsigned char)*text.at) &&
		    (text.at == ret->form[0].text || text.at[-1] != '[') &&
		    !is_coded(text.at, text.end - text.at)) {
			memcpy(word, text.at, text.end - text.at);
			word += text.end - text.at;
			*word++ = '\0';
		}
		text.at = text.end + (text.end == text.at);
	}
	*word = '\0';
}

bool name_has_words(const struct name_asked *name, const char *symbol)
{
	if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0)
		return true;
	for (const char *word = name->words; *word; word += strlen(word) + 1)
		if (!strstr(symbol, word))
			return false;
	return true;
}

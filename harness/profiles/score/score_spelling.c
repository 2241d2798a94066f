/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_spelling.c - what demanglers spell differently, made one
 *
 * Three passes. The first goes along the text and writes its words anew: integer types, literals,
 * lambdas, (anonymous namespace). The second finds the return type, which is all before the last
 * blank outside of brackets that comes before the name. The third leaves out brackets.
 *
 * Text that is not balanced stays as it is: a shorter name is another function's.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "score_spelling.h"

#define NONE	   SIZE_MAX
#define DEPTH_MAX  64 /* brackets within another */
#define ANONYMOUS  "{anon}"
#define LAMBDA_MAX 16 /* of LLVM's, one in the parameters of another */

/* ---- brackets ------------------------------------------------------------------------------- */

static void cut(char *text, size_t at, size_t size)
{
	memmove(text + at, text + at + size, strlen(text + at + size) + 1);
}

static bool is_word(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$' ||
	       (unsigned char)character >= 0x80;
}

static bool opens(char character)
{
	return character == '(' || character == '[' || character == '{' || character == '<';
}

/* Mostly the first character tells. */
static inline bool begins(const char *text, const char *with)
{
	return *text == *with && !strncmp(text, with, strlen(with));
}

/* Bytes of "operator" and its symbol, "operator<<"; of a conversion those of the word alone. 0: no
 * such thing is there. */
static size_t operator_size(const char *text, size_t at)
{
	static const char word[] = "operator", symbols[] = "+-*/%^&|~!=<>,";
	static const char *const brackets[] = { "()", "[]", "\"\"" };
	static const char *const longer[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&",
		"||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|="
	};
	size_t size = strlen(word);

	if (text[at] != 'o' || !begins(text + at, word) || is_word(text[at + size]) ||
	    (at && is_word(text[at - 1])))
		return 0;
	for (size_t i = 0; i < sizeof(brackets) / sizeof(brackets[0]); i++)
		if (begins(text + at + size, brackets[i]))
			return size + 2;
	for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
		if (begins(text + at + size, longer[i]))
			return size + strlen(longer[i]);
	return size + (text[at + size] && strchr(symbols, text[at + size]));
}

/* Where the bracket at at is closed; NONE. */
static size_t closed(const char *text, size_t at, unsigned int depth)
{
	char open = text[at], close = open == '('   ? ')'
				      : open == '[' ? ']'
				      : open == '{' ? '}'
						    : '>';

	if (depth == DEPTH_MAX)
		return NONE;
	for (size_t i = at + 1, skip; text[i]; i++) {
		if ((skip = operator_size(text, i))) {
			i += skip - 1;
		} else if (text[i] == close) {
			if (close != '>' || text[i - 1] != '-')
				return i;
		} else if (opens(text[i]) && (text[i] != '<' || open == '<')) {
			i = closed(text, i, depth + 1);
			if (i == NONE)
				return NONE;
		}
	}
	return NONE;
}

/* What stands between blanks and brackets: the next place outside of all brackets behind at. NONE:
 * a bracket is never closed. */
static size_t next_outside(const char *text, size_t at)
{
	size_t skip = operator_size(text, at);

	if (skip)
		return at + skip;
	if (!opens(text[at]))
		return at + 1;
	at = closed(text, at, 0);
	return at == NONE ? NONE : at + 1;
}

/* ---- words ---------------------------------------------------------------------------------- */

struct writing {
	bool whole; /* leave nothing out */
	const char *in;
	size_t at;
	char *out;
	size_t size;
	struct {
		size_t end;	      /* of its parameters */
		unsigned long number; /* 0: it has none */
	} lambda[LAMBDA_MAX];
	unsigned int lambdas;
};

static void put(struct writing *writing, const char *text, size_t size)
{
	if (size > NAME_KEY_MAX - 1 - writing->size)
		size = NAME_KEY_MAX - 1 - writing->size;
	memcpy(writing->out + writing->size, text, size);
	writing->size += size;
}

static void put_text(struct writing *writing, const char *text)
{
	put(writing, text, strlen(text));
}

static size_t word_size(const char *text)
{
	size_t size = 0;

	while (is_word(text[size]))
		size++;
	return size;
}

/* "long unsigned int" and "unsigned long" -> "unsigned long". False: no such word is there. */
static bool put_integer_type(struct writing *writing)
{
	static const char *const words[] = { "unsigned", "signed", "long",    "short",
					     "int",	 "char",   "__int128" };
	enum { UNSIGNED, SIGNED, LONG, SHORT, INT, CHAR, INT128, WORDS };
	unsigned int count[WORDS] = { 0 };
	size_t at = writing->at, end = at;

	for (;;) {
		size_t size = word_size(writing->in + at), i = 0;

		while (i < WORDS &&
		       (strlen(words[i]) != size || memcmp(words[i], writing->in + at, size)))
			i++;
		if (i == WORDS)
			break;
		count[i]++;
		end = at + size;
		at = end + (writing->in[end] == ' ');
	}
	if (end == writing->at)
		return false;
	put_text(writing, count[UNSIGNED] ? "unsigned " : "");
	put_text(writing, count[CHAR] && count[SIGNED] ? "signed " : "");
	put_text(writing, count[CHAR]	    ? "char"
			  : count[INT128]   ? "__int128"
			  : count[SHORT]    ? "short"
			  : count[LONG] > 1 ? "long long"
			  : count[LONG]	    ? "long"
					    : "int");
	writing->at = end;
	return true;
}

/* "5ul", "5UL", "5usize" -> "5" */
size_t spelling_number(const char *text, size_t size)
{
	static const char *const types[] = { "i8", "i16", "i32", "i64", "i128", "isize",
					     "u8", "u16", "u32", "u64", "u128", "usize" };
	size_t digits = 0;

	while (digits < size && isdigit((unsigned char)text[digits]))
		digits++;
	if (strspn(text + digits, "uUlL") >= size - digits)
		return digits;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == size - digits &&
		    !memcmp(types[i], text + digits, size - digits))
			return digits;
	return size;
}

static void put_number(struct writing *writing, const char *word, size_t size)
{
	if (!writing->whole) {
		put(writing, word, spelling_number(word, size));
		return;
	}
	for (size_t i = 0; i < size; i++) /* clang's "5UL" in the DWARF */
		put(writing, (char[]) { tolower((unsigned char)word[i]) }, 1);
}

static void put_word(struct writing *writing)
{
	static const char *const kinds[] = { "struct ", "class ", "enum ", "union " };
	const char *word = writing->in + writing->at;
	size_t size = word_size(word);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(word, kinds[i])) {
			writing->at += strlen(kinds[i]);
			return;
		}
	if (put_integer_type(writing))
		return;
	writing->at += size;
	if (isdigit((unsigned char)*word) &&
	    !(writing->size && writing->out[writing->size - 1] == '#'))
		put_number(writing, word, size);
	else
		put(writing, word, size);
	if (size == 4 && !memcmp(word, "auto", 4) && word[4] == ':' &&
	    isdigit((unsigned char)word[5]))
		writing->at += 1 + strspn(word + 5, "0123456789");
}

/* 'lambda0'(long), 'unnamed', 'A'. False: none of these. */
static bool put_quoted(struct writing *writing)
{
	static const char lambda[] = "'lambda", unnamed[] = "'unnamed";
	const char *text = writing->in + writing->at;
	bool is_lambda = begins(text, lambda);
	size_t size = is_lambda ? strlen(lambda) : strlen(unnamed), paren, end;
	unsigned long number = 1;
	char name[40], *behind;

	if (text[1] && text[1] != '\\' && text[2] == '\'') {
		snprintf(name, sizeof(name), "%s%d", /* "(unsigned char)'B'" has a type */
			 writing->size && writing->out[writing->size - 1] == ')' ? "" : "(char)",
			 text[1]);
		put_text(writing, name);
		writing->at += 3;
		return true;
	}
	if (!is_lambda && !begins(text, unnamed))
		return false;
	behind = (char *)text + size;
	if (isdigit((unsigned char)*behind))
		number = strtoul(behind, &behind, 10) + 2;
	if (*behind != '\'')
		return false;
	paren = behind + 1 - writing->in;
	if (!is_lambda) {
		snprintf(name, sizeof(name), "{unnamed type#%lu}", number);
		put_text(writing, name);
		writing->at = paren;
		return true;
	}
	if (writing->in[paren] == '<') { /* of its own template parameters */
		end = closed(writing->in, paren, 0);
		paren = end == NONE ? paren : end + 1;
	}
	end = writing->in[paren] == '(' ? closed(writing->in, paren, 0) : NONE;
	if (end == NONE || writing->lambdas == LAMBDA_MAX)
		return false;
	writing->lambda[writing->lambdas].end = end;
	writing->lambda[writing->lambdas++].number = number;
	put_text(writing, "{lambda(");
	writing->at = paren + 1;
	return true;
}

/* GCC's DWARF has "main()::<lambda(long)>", without a number. False: no such thing is there. */
static bool put_dwarf_lambda(struct writing *writing)
{
	static const char lambda[] = "::<lambda(";
	size_t skip = writing->in[writing->at] == ':' ? 0 : 2,
	       paren = writing->at + strlen(lambda + skip) - 1, end;

	if (!begins(writing->in + writing->at, lambda + skip) || writing->lambdas == LAMBDA_MAX)
		return false;
	end = closed(writing->in, paren, 0);
	if (end == NONE || writing->in[end + 1] != '>')
		return false;
	writing->lambda[writing->lambdas].end = end;
	writing->lambda[writing->lambdas++].number = 0;
	put_text(writing, &"::{lambda("[skip]);
	writing->at = paren + 1;
	return true;
}

/* The hash of a crate, "core[846817f741e54dfd]::": its size, or 0. */
static size_t crate_hash_size(const struct writing *writing)
{
	const char *text = writing->in + writing->at;
	size_t size = 1 + strspn(text + (*text == '['), "0123456789abcdef");

	return *text == '[' && size > 1 && size <= 17 && begins(text + size, "]::") &&
			       writing->size && is_word(writing->out[writing->size - 1])
		       ? size + 1
		       : 0;
}

size_t spelling_cast(const char *text)
{
	static const char *const types[] = { "(short)", "(unsigned short)", "(short unsigned int)",
					     "(signed char)", "(unsigned char)" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (begins(text, types[i])) {
			size_t size = strlen(types[i]);

			return isdigit((unsigned char)text[size + (text[size] == '-')]) ? size : 0;
		}
	return 0;
}

/* What has another word for the same, or none. */
static bool put_other(struct writing *writing)
{
	static const struct {
		const char *from, *to;
	} others[] = {
		{ "(anonymous namespace)", ANONYMOUS },
		{ "{anonymous}", ANONYMOUS },
		{ "<anonymous>", ANONYMOUS },
		{ "(anonymous)", ANONYMOUS },
		{ "`anonymous namespace'", ANONYMOUS },
		{ "decltype(nullptr)", "std::nullptr_t" },
		{ "decltype (nullptr)", "std::nullptr_t" },
		{ "(void)", "()" },
		{ "::<", "<" },
		{ "thread-local wrapper routine for ", "TLS wrapper function for " },
		{ "thread-local initialization routine for ", "TLS init function for " },
		{ ";", ":" }, /* in folded stacks */
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (begins(writing->in + writing->at, others[i].from)) {
			put_text(writing, others[i].to);
			writing->at += strlen(others[i].from);
			return true;
		}
	return false;
}

static void write_words(const char *in, bool whole, char *out)
{
	struct writing writing = { .whole = whole, .in = in, .out = out };
	char end[40];

	while (in[writing.at]) {
		unsigned int top = writing.lambdas;
		size_t skip;

		if (top && writing.at == writing.lambda[top - 1].end) {
			unsigned long number = writing.lambda[top - 1].number;

			snprintf(end, sizeof(end), number ? ")#%lu}" : ")}", number);
			put_text(&writing, end);
			writing.lambdas--;
			writing.at += number ? 1 : 2;
		} else if (put_dwarf_lambda(&writing) || put_other(&writing)) {
			continue;
		} else if (is_word(in[writing.at])) {
			put_word(&writing);
		} else if (!whole && ((skip = crate_hash_size(&writing)) ||
				      (skip = spelling_cast(in + writing.at)))) {
			writing.at += skip;
		} else if (in[writing.at] != '\'' || !put_quoted(&writing)) {
			if (!isspace((unsigned char)in[writing.at]))
				put(&writing, in + writing.at, 1);
			else if (writing.size && out[writing.size - 1] != ' ')
				put_text(&writing, " ");
			writing.at++;
		}
	}
	while (writing.size && out[writing.size - 1] == ' ')
		writing.size--;
	out[writing.size] = '\0';
}

/* ---- const in front of its type ------------------------------------------------------------- */

/* Where the name of a type ends that begins at at. */
static size_t type_end(const char *text, size_t at)
{
	static const char *const first[] = { "unsigned ", "signed ", "long " };

	for (size_t i = 0; i < 3; i++)
		if (begins(text + at, first[i]))
			return type_end(text, at + strlen(first[i]));
	while (is_word(text[at]) || begins(text + at, "::") || text[at] == '<' ||
	       begins(text + at, ANONYMOUS)) {
		if (text[at] == '<' || text[at] == '{') {
			size_t end = closed(text, at, 0);

			if (end == NONE)
				return at;
			at = end + 1;
		} else {
			at += text[at] == ':' ? 2 : 1;
		}
	}
	return at;
}

/* "const char *" -> "char const *" */
static void turn_const(char *text)
{
	static const char word[] = "const ";
	size_t size = strlen(word);

	for (size_t i = 0; text[i]; i++) {
		char before = i && text[i - 1] == ' ' && i > 1 ? text[i - 2]
			      : i			       ? text[i - 1]
							       : '(';
		size_t end;

		if (text[i] != 'c' || !strchr("(,<", before) || !begins(text + i, word))
			continue;
		end = type_end(text, i + size);
		if (end == i + size)
			continue;
		memmove(text + i, text + i + size, end - (i + size));
		memcpy(text + end - size, " const", size);
	}
}

/* ---- addresses that are arguments ----------------------------------------------------------- */

/* "<(& ib)>", "<&(ib)>" -> "<&ib>" */
static void turn_address(char *text)
{
	for (size_t i = 0; text[i]; i++) {
		size_t at = i + 1 + (text[i + 1] == ' '), open = at + (text[at] == '&'), end,
		       behind;

		if (!strchr("<,", text[i]) || text[open] != '(' ||
		    (open == at && text[open + 1] != '&'))
			continue;
		end = closed(text, open, 0);
		if (end == NONE)
			return;
		behind = end + 1 + (text[end + 1] == ' ');
		if (text[behind] != ',' && text[behind] != '>')
			continue;
		cut(text, end, 1);
		cut(text, open, 1);
		while (open == at && text[open + 1] == ' ')
			cut(text, open + 1, 1);
	}
}

/* ---- the return type ------------------------------------------------------------------------ */

static const char *const prefixes[] = { "non-virtual thunk to ",
					"virtual thunk to ",
					"covariant return thunk to ",
					"guard variable for ",
					"TLS wrapper function for ",
					"TLS init function for ",
					"transaction clone for ",
					"vtable for ",
					"invocation function for block in " };

/* Behind what is said of a function that is made for another. */
static size_t prefix_size(const char *text)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (begins(text, prefixes[i]))
			return strlen(prefixes[i]);
	return 0;
}

/* Where the last parameters begin; NONE: there are none. */
static size_t parameters_at(const char *text)
{
	size_t at = prefix_size(text), last = NONE;

	while (at != NONE && text[at]) {
		if (text[at] == '(')
			last = at;
		else if (begins(text + at, "::"))
			last = NONE;
		at = next_outside(text, at);
	}
	return at == NONE ? NONE : last;
}

/* "void (*f(int))(char)", a function that gives a pointer to one -> "f(int)" */
static void take_inner(char *text)
{
	size_t open = NONE, at = 0, end;

	while (at != NONE && text[at]) {
		if (text[at] == '(' && (text[at + 1] == '*' || text[at + 1] == '&') && open == NONE)
			open = at;
		at = next_outside(text, at);
	}
	end = open == NONE ? NONE : closed(text, open, 0);
	if (end == NONE || text[end + 1] != '(' || !strchr(text + open + 2, '(') ||
	    strchr(text + open + 2, '(') > text + end)
		return;
	text[end] = '\0';
	memmove(text, text + open + 2, strlen(text + open + 2) + 1);
}

/* "f(int) const::g()": bytes of " const", which is said of a function that another one is in. 0: it is
 * none such. */
static size_t qualifiers_size(const char *text, size_t at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &" };
	size_t end = at;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(text + end, words[i]))
			end += strlen(words[i]);
	return begins(text + end, "::") ? end - at : 0;
}

static void drop_return(char *text)
{
	size_t prefix = prefix_size(text), at = prefix, name = prefix, end;

	take_inner(text);
	end = parameters_at(text);
	while (at != NONE && text[at] && at != end) {
		if (operator_size(text, at))
			break;
		size_t size = text[at] == ' ' ? qualifiers_size(text, at) : 0;

		if (text[at] == ' ' && !size)
			name = at + 1;
		at = size ? at + size : next_outside(text, at);
	}
	/* "operator unsigned long", and what has a blank behind its name alone */
	if (name > prefix && text[name])
		memmove(text + prefix, text + name, strlen(text + name) + 1);
}

void spelling_read(const char *name, char ret[NAME_KEY_MAX])
{
	write_words(name, false, ret);
	turn_const(ret);
	turn_address(ret);
	drop_return(ret);
}

/* Leaves blanks only between words. */
static void squeeze_whole(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (*at != ' ' || (to > text && is_word(to[-1]) && is_word(at[1])))
			*to++ = *at;
	*to = '\0';
}

size_t spelling_read_whole(const char *name, char ret[NAME_KEY_MAX])
{
	char rest[NAME_KEY_MAX];
	size_t size, rest_size;

	write_words(name, true, ret);
	turn_const(ret);
	turn_address(ret);
	strcpy(rest, ret);
	drop_return(rest);
	squeeze_whole(ret);
	squeeze_whole(rest);
	size = strlen(ret);
	rest_size = strlen(rest);
	return rest_size < size && !strcmp(ret + size - rest_size, rest) ? size - rest_size : 0;
}

size_t spelling_item(const char *text)
{
	size_t size = word_size(text), end;

	if (operator_size(text, 0))
		return operator_size(text, 0);
	if (size || !*text)
		return size;
	end = next_outside(text, 0);
	return end == NONE ? 0 : end;
}

/* ---- details -------------------------------------------------------------------------------- */

/* Template arguments that are there by default, of what is in the standard library. */
static bool is_default(const char *text)
{
	static const char *const defaults[] = { "std::allocator<",	"std::char_traits<",
						"std::default_delete<", "std::less<",
						"std::hash<",		"std::equal_to<" };

	return ARRAY_ANY(ARRAY_COUNT(defaults), i, begins(text, defaults[i]));
}

static void replace(char *text, size_t at, const char *from, const char *to)
{
	size_t size = strlen(to);

	cut(text, at, strlen(from) - size);
	memcpy(text + at, to, size);
}

static const char *const shorts[][2] = { { "std::basic_string<char>", "std::string" },
					 { "std::basic_ostream<char>", "std::ostream" },
					 { "std::basic_istream<char>", "std::istream" },
					 { "std::basic_iostream<char>", "std::iostream" } };
#define SHORTS (sizeof(shorts) / sizeof(shorts[0]))

bool spelling_is_short(const char *read)
{
	for (size_t i = 0; i < SHORTS; i++)
		for (const char *at = read; (at = strstr(at, shorts[i][1])); at++)
			if (!is_word(at[strlen(shorts[i][1])]) && (at == read || !is_word(at[-1])))
				return true;
	return false;
}

void spelling_loosen(char *text)
{
	static const char *const scopes[] = { "__cxx11::", "__1::", "_V2::", "__ndk1::" };

	for (size_t i = 0; text[i]; i++) {
		size_t end = NONE;

		for (size_t j = 0; j < sizeof(scopes) / sizeof(scopes[0]); j++)
			if (text[i] == '_' && (!i || !is_word(text[i - 1])) &&
			    begins(text + i, scopes[j]))
				cut(text, i, strlen(scopes[j]));
		if (begins(text + i, "[abi:"))
			end = closed(text, i, 0);
		if (end == NONE)
			continue;
		cut(text, i, end + 1 - i);
		i--; /* another may be behind it */
	}
	for (size_t i = 0; text[i]; i++) {
		size_t open = i + 1 + (text[i] == ',' && text[i + 1] == ' '), end;

		if (text[i] != ',' || !is_default(text + open))
			continue;
		end = closed(text, strchr(text + open, '<') - text, 0);
		if (end == NONE)
			return;
		cut(text, i, end + 1 - i);
		i--;
	}
	for (size_t i = 0; text[i]; i++) {
		if (text[i] == ' ' && text[i + 1] == '>') {
			cut(text, i, 1);
			i -= i > 0;
		}
	}
	for (size_t i = 0; text[i]; i++)
		for (size_t j = 0; text[i] == 's' && j < SHORTS; j++)
			if (begins(text + i, shorts[j][0]))
				replace(text, i, shorts[j][0], shorts[j][1]);
}

static void cut_outer(char *text)
{
	size_t at = prefix_size(text);

	while (text[at]) {
		size_t end = next_outside(text, at);

		if (end == NONE)
			return;
		if (text[at] != '(') {
			at = end;
			continue;
		}
		cut(text, at, end - at);
		cut(text, at, qualifiers_size(text, at));
		while (text[at] == '&' || text[at] == ' ')
			cut(text, at, begins(text + at, " const") ? strlen(" const") : 1);
	}
}

/* Template arguments stand behind a name, and Go's type arguments. Rust's "<T as U>::f" does not. */
static bool is_argument(const char *text, size_t at)
{
	char before = at ? text[at - 1] == ' ' && at > 1 ? text[at - 2] : text[at - 1] : 0;

	return (text[at] == '<' || text[at] == '[') &&
	       (is_word(before) ||
		(before && strchr("]>+-*/%^&|~!=<,)", before) && strstr(text, "operator")));
}

static void cut_plain(char *text)
{
	size_t at = prefix_size(text);

	while (text[at]) {
		size_t skip = operator_size(text, at), end;

		if (begins(text + at, ANONYMOUS "::")) {
			cut(text, at, strlen(ANONYMOUS "::"));
		} else if (skip) {
			at += skip;
		} else if (text[at] == '(' || is_argument(text, at)) {
			end = closed(text, at, 0);
			if (end == NONE)
				return;
			cut(text, at, end + 1 - at);
			cut(text, at, qualifiers_size(text, at));
		} else {
			at++;
		}
	}
}

static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ')
			*to++ = *text;
	*to = '\0';
}

void spelling_write(const char *read, enum spelling spelling, char ret[NAME_KEY_MAX])
{
	size_t at;

	strcpy(ret, read);
	if (spelling != SPELLING_FULL && spelling != SPELLING_CUT)
		spelling_loosen(ret);
	at = parameters_at(ret);
	switch (spelling) {
	case SPELLING_BARE: ret[at == NONE ? strlen(ret) : at] = '\0'; break;
	case SPELLING_OUTER: cut_outer(ret); break;
	case SPELLING_PLAIN:
		ret[at == NONE ? strlen(ret) : at] = '\0';
		cut_plain(ret);
		break;
	case SPELLING_CUT: ret[strcspn(ret, "(")] = '\0'; break;
	default: break;
	}
	squeeze(ret);
}

/* ---- Rust ----------------------------------------------------------------------------------- */

/* "$LT$" -> '<'; its size, or 0. */
static size_t escape_size(const char *text, char *ret)
{
	static const struct {
		const char *text;
		char is;
	} escapes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
			{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' } };
	char *end;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (begins(text, escapes[i].text)) {
			*ret = escapes[i].is;
			return strlen(escapes[i].text);
		}
	if (!begins(text, "$u") || !isxdigit((unsigned char)text[2]))
		return 0;
	*ret = strtoul(text + 2, &end, 16);
	return *end == '$' ? end + 1 - text : 0;
}

bool spelling_undo_rust(char name[NAME_KEY_MAX])
{
	char *to = name, is;
	size_t size;

	if (!strstr(name, "$LT$") && !strstr(name, "$u"))
		return false;
	for (const char *at = name; *at;) {
		if (*at == '_' && at[1] == '$' && (at == name || at[-1] == ':'))
			at++;
		if (*at == '$' && (size = escape_size(at, &is))) {
			*to++ = is;
			at += size;
		} else if (begins(at, "..")) {
			*to++ = ':';
			*to++ = ':';
			at += 2;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return true;
}

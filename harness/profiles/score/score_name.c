/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_name.c - one function's names: keys
 *
 * libiberty demangles: C++ (Itanium ABI), both manglings of Rust, and D, as perf and binutils do.
 * What is not mangled is made one by language: Go's type arguments, OCaml's modules, Fortran's.
 */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "score_name.h"
#include "score_spelling.h"

#define RUST_HASH_SIZE 19 /* "::h" and 16 digits */

/* What compilers put behind the name of a function that they have cut up or copied. */
static const char *const clones[] = { "cold",	     "part",	 "constprop", "isra",
				      "lto_priv",    "llvm",	 "warm",      "localalias",
				      "unlikely",    "resolver", "__uniq",    "__part",
				      "specialized", "hot",	 "abi0",      "abiinternal" };
#define PLT "@plt"

static bool is_clone(const char *at, size_t size)
{
	return ARRAY_ANY(ARRAY_COUNT(clones), i,
			 strlen(clones[i]) == size && !memcmp(at, clones[i], size));
}

static bool is_number(const char *at, size_t size)
{
	return !ARRAY_ANY(size, i, !isdigit((unsigned char)at[i])) && size > 0;
}

/* "f.part.0.cold" -> "f", a suffix a call. */
static bool cut_clone(char *key)
{
	char *last = strrchr(key, '.'), *before;

	if (!last || last == key)
		return false;
	if (is_number(last + 1, strlen(last + 1))) {
		before = memrchr(key, '.', last - key);
		if (!before || before == key || !is_clone(before + 1, last - before - 1))
			return false;
		last = before;
	} else if (!is_clone(last + 1, strlen(last + 1))) {
		return false;
	}
	*last = '\0';
	return true;
}

static void cut_text(char *text, size_t at, size_t size)
{
	memmove(text + at, text + at + size, strlen(text + at + size) + 1);
}

/* "memcpy@@GLIBC_2.14" -> "memcpy", "memcpy@@GLIBC_2.14@plt" -> "memcpy@plt" */
static void cut_version(char *key)
{
	static const char word[] =
		"0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t size, signs;

	for (char *at = strchr(key + (*key != '\0'), '@'); at; at = strchr(at + signs, '@')) {
		signs = strspn(at, "@");
		size = strspn(at + signs, word);
		/* "fde@0x1230" is our own name of what has none. */
		if (signs > 2 || !size || !strncmp(at, "@0x", 3) ||
		    (at[signs + size] && strcmp(at + signs + size, PLT) != 0) || !strcmp(at, PLT))
			continue;
		cut_text(at, 0, signs + size);
		return;
	}
}

static bool take_plt(char *key)
{
	size_t size = strlen(key);

	if (size <= strlen(PLT) || strcmp(key + size - strlen(PLT), PLT) != 0)
		return false;
	key[size - strlen(PLT)] = '\0';
	return true;
}

static void cut_rust_hash(char *key)
{
	size_t size = strlen(key);
	char *at = key + size - RUST_HASH_SIZE;

	if (size <= RUST_HASH_SIZE || memcmp(at, "::h", 3))
		return;
	for (char *digit = at + 3; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return;
	*at = '\0';
}

/* Go's assembler has other characters for dots and slashes in a package's path. */
static void undo_go(char *key)
{
	static const struct {
		const char *from;
		char to;
	} escapes[] = { { "%2e", '.' }, { "\u00b7", '.' }, { "\u2215", '/' } };

	for (size_t j = 0; j < sizeof(escapes) / sizeof(escapes[0]); j++)
		for (char *at = key; (at = strstr(at, escapes[j].from)); at++) {
			*at = escapes[j].to;
			cut_text(at, 1, strlen(escapes[j].from) - 1);
		}
}

/* "f() [clone .cold] [clone .x]", "f (.cold)": what is behind the name, ".x" of it in clone. */
static void take_clones(char *text, char *clone, size_t size)
{
	static const char *const opens[] = { " [clone ", " (." };
	char *at = strstr(text, opens[0]), name[64];

	*clone = '\0';
	if (!at && (at = strrchr(text, ' ')) && strncmp(at, opens[1], strlen(opens[1])) != 0)
		at = NULL;
	if (!at)
		return;
	for (char *dot = strchr(at, '.'); dot; dot = strchr(dot, '.')) {
		size_t length = strcspn(dot, ")]");

		snprintf(name, sizeof(name), "f%.*s", (int)length, dot);
		while (cut_clone(name))
			;
		snprintf(clone + strlen(clone), size - strlen(clone), "%s", name + 1);
		dot += length;
	}
	*at = '\0';
}

void name_key(const char *name, char ret[NAME_KEY_MAX])
{
	char clone[64];
	size_t size = 0;
	bool is_stub;

	snprintf(ret, NAME_KEY_MAX, "%s", name);
	take_clones(ret, clone, sizeof(clone));
	for (char *at = ret; *at; at++)
		if (!isspace((unsigned char)*at))
			ret[size++] = *at == ';' ? ':' : *at;
	ret[size] = '\0';
	undo_go(ret);
	cut_version(ret);
	is_stub = take_plt(ret);
	while (cut_clone(ret))
		;
	cut_rust_hash(ret);
	strncat(ret, clone, NAME_KEY_MAX - 1 - strlen(ret));
	if (is_stub)
		strncat(ret, PLT, NAME_KEY_MAX - 1 - strlen(ret));
}

char *name_demangle(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;
	char plain[NAME_KEY_MAX];
	char *ret;

	if (name[0] == '_' && name[1] == 'D' && isdigit((unsigned char)name[2]))
		return cplus_demangle(name, options | DMGL_DLANG);
	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return NULL;
	ret = cplus_demangle(name, options | DMGL_AUTO);
	if (ret || strlen(name) >= sizeof(plain))
		return ret;
	/* Suffixes that it does not know, and versions. */
	name_key(name, plain);
	take_plt(plain);
	return cplus_demangle(plain, options | DMGL_AUTO);
}

/* ---- keys ----------------------------------------------------------------------------------- */

struct telling {
	name_key_fn *fn;
	void *context;
	bool is_stub;
	char last[NAME_KEY_MAX]; /* that was told */
};

static int tell(struct telling *telling, char key[NAME_KEY_MAX], enum spelling spelling)
{
	if (telling->is_stub)
		strncat(key, PLT, NAME_KEY_MAX - 1 - strlen(key));
	if (!*key || !strcmp(key, telling->last))
		return 0;
	strcpy(telling->last, key);
	return telling->fn(telling->context, key, spelling);
}

/* A demangled name's, in each detail. is_symbol: of a name in a profile, one that means several
 * types does not say which. */
static int tell_spellings(struct telling *telling, char text[NAME_KEY_MAX], bool is_symbol)
{
	char read[NAME_KEY_MAX], key[NAME_KEY_MAX], clone[64];
	int status = 0;

	take_clones(text, clone, sizeof(clone));
	if (spelling_undo_rust(text))
		cut_rust_hash(text);
	spelling_read(text, read);
	if (*clone) {
		spelling_write(read, SPELLING_FULL, key);
		strncat(key, clone, NAME_KEY_MAX - 1 - strlen(key));
		status = tell(telling, key, SPELLING_FULL);
	}
	for (enum spelling i = SPELLING_FULL; i < SPELLING_COUNT && !status; i++) {
		if (!is_symbol &&
		    (i == SPELLING_CUT || (i == SPELLING_FULL && spelling_is_short(read))))
			continue;
		spelling_write(read, i, key);
		status = tell(telling, key, i);
	}
	return status;
}

/* "main.F[go.shape.int]" -> "main.F", as Go's own profiles have it: "main.F[...]" */
static bool cut_go(const char *key, char ret[NAME_KEY_MAX])
{
	size_t depth = 0, size = 0;
	bool found = false;

	for (const char *at = key; *at; at++) {
		if (*at == '[' && (depth || (at > key && isalnum((unsigned char)at[-1]))))
			depth++;
		if (!depth)
			ret[size++] = *at;
		found |= depth > 0;
		if (*at == ']' && depth)
			depth--;
	}
	ret[size] = '\0';
	return found && !depth && strchr(ret, '.');
}

/* "camlStdlib__List__map_234" and "Stdlib.List.map_234" -> "Stdlib.List.map_234" */
static bool undo_ocaml(const char *key, char ret[NAME_KEY_MAX])
{
	const char *at = !strncmp(key, "caml", 4) ? key + 4 : key;
	size_t size = 0;

	if (!isupper((unsigned char)*at) || !(strstr(at, "__") || strchr(at, '.')) ||
	    strpbrk(at, ":<([/"))
		return false;
	while (*at) {
		bool is_dot = at[0] == '_' && at[1] == '_' && at[2];

		ret[size++] = is_dot ? '.' : *at;
		at += is_dot ? 2 : 1;
	}
	ret[size] = '\0';
	return true;
}

/* Names of other languages, in less and less detail. */
static int tell_plain(struct telling *telling, const char *name)
{
	char key[NAME_KEY_MAX], *module;
	int status = 0;

	if (cut_go(name, key))
		status = tell(telling, key, SPELLING_PLAIN);
	if (!status && undo_ocaml(name, key)) {
		size_t end;

		status = tell(telling, key, SPELLING_FULL);
		end = strlen(key);
		while (end && isdigit((unsigned char)key[end - 1]))
			end--;
		if (!status && key[end] && end > 1 && key[end - 1] == '_') {
			key[end - 1] = '\0';
			status = tell(telling, key, SPELLING_PLAIN);
		}
	}
	if (!status && !strncmp(name, "__", 2) && (module = strstr(name, "_MOD_"))) { /* Fortran */
		snprintf(key, sizeof(key), "%.*s::%s", (int)(module - name - 2), name + 2,
			 module + strlen("_MOD_"));
		status = tell(telling, key, SPELLING_FULL);
	}
	return status;
}

static int tell_all(const char *name, bool is_symbol, name_key_fn *fn, void *context)
{
	struct telling telling = { .fn = fn, .context = context };
	char key[NAME_KEY_MAX], text[NAME_KEY_MAX];
	char *plain;
	int status;

	name_key(name, key);
	telling.is_stub = take_plt(key);
	snprintf(text, sizeof(text), "%s", key);
	status = tell(&telling, key, SPELLING_FULL);
	plain = status ? NULL : name_demangle(text);
	if (plain) {
		snprintf(text, sizeof(text), "%s", plain);
		status = tell_spellings(&telling, text, is_symbol);
	} else if (!status) {
		status = tell_plain(&telling, text);
		/* Go's "runtime.(*T).f" has no parameters. */
		if (!status && !strstr(name, ".(") && (!is_symbol || strpbrk(name, "<: "))) {
			snprintf(text, sizeof(text), "%s", name);
			cut_version(text);
			take_plt(text);
			cut_rust_hash(text);
			status = tell_spellings(&telling, text, is_symbol);
		}
	}
	free(plain);
	return status;
}

int name_keys(const char *name, name_key_fn *fn, void *context)
{
	return tell_all(name, true, fn, context);
}

/* Also "f f.c:12". */
bool name_cut_note(char *name)
{
	size_t size = strlen(name), digits = size;
	char *at = strrchr(name, ' ');

	/* "f (int)" has parameters. */
	if (at && at > name && at[1] == '(' && at + 2 + strcspn(at + 2, "()") == name + size - 1 &&
	    (!strcmp(at, " (inlined)") || (strpbrk(at, "./") && !strstr(at, "...")))) {
		*at = '\0';
		return true;
	}
	while (digits && isxdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == size)
		return false;
	if (digits > 3 && !memcmp(name + digits - 3, "+0x", 3)) {
		name[digits - 3] = '\0';
		return true;
	}
	if (digits < 2 || (name[digits - 1] != ':' && name[digits - 1] != '+') ||
	    name[digits - 2] == ':')
		return false;
	name[digits - 1] = '\0';
	at = strrchr(name, ' ');
	if (at && at > name && strchr(at, '.'))
		*at = '\0';
	if (strlen(name) > 3 && !strcmp(name + strlen(name) - 3, " at"))
		name[strlen(name) - 3] = '\0';
	return true;
}

int name_spellings(const char *name, name_key_fn *fn, void *context)
{
	char text[NAME_KEY_MAX], key[NAME_KEY_MAX];
	int status = 0;

	snprintf(text, sizeof(text), "%s", name);
	if (name_cut_note(text)) {
		name_key(name, key);
		status = fn(context, key, SPELLING_FULL);
		if (!status)
			status = tell_all(text, false, fn, context);
	}
	return status ? status : tell_all(name, false, fn, context);
}

/* ---- whole forms ---------------------------------------------------------------------------- */

static void add_tail(struct name_form *form, const char *text, size_t size)
{
	size_t room = sizeof(form->tail) - 1 - strlen(form->tail);

	strncat(form->tail, text, size < room ? size : room);
}

/* Cuts off, in place, what the tail gets: "f [clone .part.0] [clone .cold]", "f (.part.0.cold)", "f.part.0.cold" ->
 * ".part.0.cold"; "f@V1" -> "@V1". "@plt" is no part of it: stubs have keys of their own. */
static void cut_tail(char text[NAME_KEY_MAX], struct name_form *form)
{
	char all[NAME_KEY_MAX];
	char *at = strstr(text, " [clone .");

	if (!at && (at = strrchr(text, ' ')) && strncmp(at, " (.", 3) != 0)
		at = NULL;
	for (const char *dot = at ? strchr(at, '.') : NULL; dot; dot = strchr(dot, '.')) {
		size_t length = strcspn(dot, ")]");

		add_tail(form, dot, length);
		dot += length;
	}
	if (at)
		*at = '\0';
	take_plt(text);
	strcpy(all, text);
	cut_version(text);
	while (cut_clone(text))
		;
	add_tail(form, all + strlen(text), SIZE_MAX);
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_D", 2);
}

int name_forms(const char *name, name_form_fn *fn, void *context)
{
	static const int options[] = { 0, DMGL_VERBOSE }; /* without Rust's hashes, and with them */
	char text[NAME_KEY_MAX], plain[NAME_KEY_MAX];
	struct name_form form = { 0 };
	bool is_found = false;
	int status = 0;

	snprintf(text, sizeof(text), "%s", name);
	cut_tail(text, &form);
	for (size_t i = 0; i < 2 && !status && is_mangled(text); i++) {
		bool is_d = !strncmp(text, "_D", 2);
		char *demangled = cplus_demangle(text, DMGL_PARAMS | DMGL_ANSI | options[i] |
							       (is_d ? DMGL_DLANG : DMGL_AUTO));
		struct name_form full = { 0 };

		if (!demangled)
			break;
		is_found = true;
		snprintf(plain, sizeof(plain), "%s", demangled);
		free(demangled);
		cut_tail(plain, &full);
		add_tail(&full, form.tail, SIZE_MAX);
		full.name_at = spelling_read_whole(plain, full.text);
		status = fn(context, &full);
	}
	if (is_found)
		return status;
	spelling_undo_rust(text);
	form.name_at = spelling_read_whole(text, form.text);
	return fn(context, &form);
}

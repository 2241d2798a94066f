/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_provenance.c - where a packed binary came from: TOOLCHAIN-VERSION.tsv
 *
 * One line for each file of the archive beside it, in the archive's order: the columns of a
 * corpus's manifest, then size and SHA-256 of the file, SHA-256 as it was built (before its debug
 * info was taken off), and who made it: what the compiler wrote into the file's .comment, which
 * names its version and mostly its package, the Debian package that has the compiler now, the
 * corpus's commit, and the command. Whatever is read from it is checked against the files.
 */
#include <gelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "golden.h"
#include "base/child/subprocess.h"

#define PROVENANCE_BYTES_MAX (4u << 20)
#define COMMENT_MAX	     400
#define LEFT_OUT	     "..."

static const char heading[] =
	"# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause\n"
	"# Written by `stackproof golden pack`: the files of the archive of this name. "
	"docs/GOLDENS.md\n"
	"# path\tprogram\ttoolchain\tvariant\tlanguage\tneeds\texpected\tbytes\tsha256\toriginal\t"
	"compiler\tpackage\tcommit\tcommand\n";

/* ---- the file ---------------------------------------------------------------------------- */

static void packed_deinit(struct golden_packed *packed)
{
	for (size_t i = 0; i < GOLDEN_COLUMN_COUNT; i++)
		free(packed->column[i]);
}

void golden_provenance_deinit(struct golden_provenance *provenance)
{
	for (size_t i = 0; i < provenance->count; i++)
		packed_deinit(&provenance->packed[i]);
	free(provenance->packed);
	*provenance = (struct golden_provenance) { 0 };
}

int golden_provenance_add(struct golden_provenance *provenance,
			  const char *const column[GOLDEN_COLUMN_COUNT], struct error *error)
{
	struct golden_packed packed = { 0 };
	bool bad = !ARRAY_GROW(provenance->packed, provenance->count);

	for (size_t i = 0; i < GOLDEN_COLUMN_COUNT; i++) {
		packed.column[i] = strdup(column[i] && *column[i] ? column[i] : "-");
		bad |= !packed.column[i];
		for (char *at = packed.column[i]; at && *at; at++)
			if ((unsigned char)*at < ' ')
				*at = ' ';
	}
	if (bad) {
		packed_deinit(&packed);
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	packed.bytes = strtoul(packed.column[GOLDEN_BYTES], NULL, 10);
	provenance->packed[provenance->count++] = packed;
	return 0;
}

int golden_provenance_write(const char *path, const struct golden_provenance *provenance,
			    struct error *error)
{
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return error_set_errno(error, "cannot make a text");
	fputs(heading, file);
	for (size_t i = 0; i < provenance->count; i++)
		for (size_t j = 0; j < GOLDEN_COLUMN_COUNT; j++)
			fprintf(file, "%s%c", provenance->packed[i].column[j],
				j + 1 < GOLDEN_COLUMN_COUNT ? '\t' : '\n');
	return fclose(file) ? error_set_errno(error, "cannot make a text")
			    : golden_file_write(path, text, size, 0644, error);
}

/* False: it is not what pack writes. */
static bool line_is_valid(char *const column[GOLDEN_COLUMN_COUNT])
{
	size_t sum = strlen(column[GOLDEN_SHA256]), bytes = strlen(column[GOLDEN_BYTES]);

	return golden_name_is_plain(column[GOLDEN_PATH]) &&
	       golden_name_is_plain(column[GOLDEN_TOOLCHAIN]) && *column[GOLDEN_PROGRAM] &&
	       sum == GOLDEN_SHA256_SIZE - 1 &&
	       strspn(column[GOLDEN_SHA256], "0123456789abcdef") == sum && bytes && bytes < 10 &&
	       strspn(column[GOLDEN_BYTES], "0123456789") == bytes;
}

static int read_line(struct golden_provenance *ret, char *line, const char *path, size_t number,
		     struct error *error)
{
	char *column[GOLDEN_COLUMN_COUNT] = { 0 };
	size_t count = 0;

	for (char *at = line; at && count < GOLDEN_COLUMN_COUNT; count++)
		column[count] = strsep(&at, "\t");
	if (count < GOLDEN_COLUMN_COUNT || !line_is_valid(column))
		return error_set(error, ERROR_TEXT_SYNTAX, "", number,
				 "%s: line %zu is not a packed file's", path, number);
	return golden_provenance_add(ret, (const char *const *)column, error);
}

int golden_provenance_read(struct golden_provenance *ret, const char *path, struct error *error)
{
	FREED char *text = NULL;
	size_t size = 0, number = 0;
	int found = golden_file_read(path, PROVENANCE_BYTES_MAX, &text, &size, error);
	int status = found > 0 ? 0 : -1;

	*ret = (struct golden_provenance) { 0 };
	if (!found)
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s is not there", path);
	for (char *line, *rest = text; !status && (line = strsep(&rest, "\n"));) {
		number++;
		if (*line && *line != '#')
			status = read_line(ret, line, path, number, error);
	}
	if (status)
		golden_provenance_deinit(ret);
	return status;
}

/* ---- what the build left ----------------------------------------------------------------- */

/* Every producer that .comment names, once each, separated by "; ". */
static char *read_comment(const char *path)
{
	char *text = strdup("");
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf_Scn *section = NULL;
	size_t names;

	elf_version(EV_CURRENT);

	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;

	while (elf && !elf_getshdrstrndx(elf, &names) && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		Elf_Data *data = name && !strcmp(name, ".comment") ? elf_rawdata(section, NULL)
								   : NULL;

		for (size_t at = 0; text && data && at < data->d_size;) {
			const char *one = (const char *)data->d_buf + at;
			size_t length = strnlen(one, data->d_size - at);
			char *longer = NULL;

			at += length + 1;
			if (!length)
				continue;
			if (strlen(text) + length > COMMENT_MAX) {
				length = strlen(LEFT_OUT);
				one = LEFT_OUT; /* once: it is a text like the others */
			}
			if (asprintf(&longer, "%s%s%.*s", text, *text ? "; " : "", (int)length,
				     one) < 0)
				continue;
			if (strstr(text, longer + strlen(text) + (*text ? 2 : 0))) {
				free(longer);
				continue;
			}
			free(text);
			text = longer;
		}
	}
	elf_end(elf);
	return text;
}

/* The first line of what a program says if it ends well, or NULL; the caller's to free. */
static char *first_line(char *const *argv)
{
	struct error error = { 0 };
	char *output = NULL;

	if (subprocess_run(argv, NULL, &output, &error) || !output || !*output) {
		free(output);
		return NULL;
	}
	output[strcspn(output, "\n")] = '\0';
	return output;
}

/* What a script says, asked once for each key. NULL: nothing; the caller's to free. */
static char *ask_once(json_t *known, const char *key, const char *script, const char *argument)
{
	char *argv[] = { (char *)"sh", (char *)"-c",	 (char *)script,
			 (char *)"sh", (char *)argument, NULL };
	json_t *answer = json_object_get(known, key);

	if (!answer) {
		FREED char *line = first_line(argv);

		json_object_set_new(known, key, json_string(line ? line : ""));
		answer = json_object_get(known, key);
	}
	return answer ? strdup(json_string_value(answer)) : NULL;
}

/* Sets $compiler, the first word of $1 that is a path, and, if it is in a root of scripts/roots,
 * $root, its name, and $prefix, which runs what follows in there. */
#define FIND_COMPILER                                                                              \
	"prefix= root=; set -f; set -- $1\n"                                                       \
	"while [ $# -gt 0 ]; do\n"                                                                 \
	"	case $1 in\n"                                                                            \
	"	*/in-root)\n"                                                                            \
	"		prefix=$1; shift\n"                                                                     \
	"		while [ \"$1\" = --bind ]; do prefix=\"$prefix $1 $2\"; shift 2; done\n"                \
	"		root=$1 prefix=\"$prefix $1\" ;;\n"                                                     \
	"	/*) break ;;\n"                                                                          \
	"	esac\n"                                                                                  \
	"	shift\n"                                                                                 \
	"done\n"                                                                                   \
	"[ $# -gt 0 ] || exit 1\n"                                                                 \
	"compiler=$1\n"

/* Debian's package of the compiler. One that no package has (rustup's, Go's own) is not known. A
 * root's packages are asked from here: its compilers see no more of it than they need. */
static char *find_package(json_t *known, const char *command)
{
	static const char compiler_script[] = FIND_COMPILER "echo \"$prefix $compiler\"";
	static const char script[] = FIND_COMPILER
		"roots=${STACKPROOF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stackproof}/roots\n"
		"set --; [ -z \"$root\" ] || set -- \"--admindir=$roots/$root/var/lib/dpkg\"\n"
		"p=$($prefix readlink -f \"$compiler\") &&\n"
		"n=$(dpkg-query \"$@\" -S \"$p\" 2>/dev/null | head -n 1) && [ \"$n\" ] &&\n"
		"dpkg-query \"$@\" -W -f '${Package} ${Version}\\n' \"${n%%:*}\"";
	FREED char *key = ask_once(known, command, compiler_script, command);

	return key && *key ? ask_once(known, key, script, command) : NULL;
}

/* The tree's commit; with "-dirty" if programs or rules differ from it. */
static char *find_commit(json_t *known)
{
	static const char script[] =
		"c=$(git rev-parse --short=12 HEAD 2>/dev/null) || exit 1\n"
		"git diff --quiet HEAD -- testprogs scripts/corpus-rules || c=$c-dirty\n"
		"echo \"$c\"";

	return ask_once(known, "commit", script, "");
}

/* Cuts out length bytes at at, and puts with there, which is no longer. */
static void replace(char *at, size_t length, const char *with)
{
	size_t size = strlen(with);

	memcpy(at, with, size);
	memmove(at + size, at + length, strlen(at + length) + 1);
}

/* Leaves out of a command which folders this machine has: what in-root is to show of it besides the
 * tree, and where home is. */
static void forget_folders(char *command)
{
	static const char bind[] = "--bind ";
	const char *home = getenv("HOME");
	size_t length = home ? strlen(home) : 0;

	for (char *at = command; (at = strstr(at, bind));) {
		size_t word = strlen(bind) + strcspn(at + strlen(bind), " ");

		replace(at, word + (at[word] == ' '), "");
	}
	for (char *at = command; length > 1 && (at = strstr(at, home)); at++)
		if (at[length] == '/')
			replace(at, length, "~");
}

int golden_provenance_collect(const char *corpus, const char *file, const char *path, json_t *known,
			      char *ret[GOLDEN_COLUMN_COUNT], struct error *error)
{
	char rule[4096], *command = NULL;
	size_t size;

	snprintf(rule, sizeof(rule), "%s/rules/%s", corpus, file);
	if (golden_file_read(rule, PROVENANCE_BYTES_MAX, &command, &size, error) < 0)
		return -1;
	if (command)
		command[strcspn(command, "\n")] = '\0';
	ret[GOLDEN_COMMAND] = command;
	ret[GOLDEN_PACKAGE] = command ? find_package(known, command) : NULL;
	if (command)
		forget_folders(command);
	ret[GOLDEN_COMPILER] = read_comment(path);
	ret[GOLDEN_COMMIT] = find_commit(known);
	return 0;
}

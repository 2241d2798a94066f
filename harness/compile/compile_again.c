/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_again.c - assembly once more, with line numbers
 *
 * Whoever writes assembly wants the line of what is wrong, and mostly assembles it without debug info. The
 * same source with -g has the same code. So it is assembled again, into a file of its own and silently, once something was
 * found. What would be written beside the object (-MD, -save-temps) is left out.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "child/child.h"
#include "compile/compile_line.h"

/* Options that write or name other files. *ret_two: their argument is the next word. */
static bool writes_beside(const char *text, bool *ret_two)
{
	static const char *const two[] = { "-o", "-MF", "-MT", "-MQ", "-MJ", "--output" };
	static const char *const beginnings[] = {
		"-o",	  "-M",	     "-save-temps", "-Wp,-M", "-gsplit-dwarf",
		"-Wa,-a", "-Wa,-MD", "--output="
	};

	*ret_two = IS_ONE_OF(text, two);
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return *ret_two;
}

/* With room for three words more and the end. NULL: no memory, or a word stands for a file of words. */
static const char **copied(char *const *argv, size_t *ret_count)
{
	size_t count = 0;
	const char **copy;

	while (argv[count])
		count++;
	copy = calloc(count + 4, sizeof(*copy));
	*ret_count = 0;
	for (size_t i = 0; copy && i < count; i++) {
		bool two;

		if (argv[i][0] == '@') {
			free(copy);
			return NULL;
		}
		if (!writes_beside(argv[i], &two))
			copy[(*ret_count)++] = argv[i];
		else if (two)
			i++;
	}
	return copy;
}

static bool run(const char *const *argv)
{
	const struct child_command command = { .argv = argv };
	struct error error;
	pid_t pid = child_start(&command, NULL, &error);
	int status = pid < 0 ? -1 : child_end(pid, false);

	return status == 0;
}

char *compile_with_lines(char *const *argv)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL;
	size_t count;
	const char **copy = copied(argv, &count);
	int fd = -1;

	if (copy &&
	    asprintf(&path, "%s/stackproof-XXXXXX.o", folder && *folder ? folder : "/tmp") < 0)
		path = NULL;
	if (path)
		fd = mkstemps(path, 2);
	if (fd >= 0) {
		close(fd);
		copy[count++] = "-g";
		copy[count++] = "-o";
		copy[count++] = path;
		if (run(copy)) {
			free(copy);
			return path;
		}
		unlink(path);
	}
	free(copy);
	free(path);
	return NULL;
}

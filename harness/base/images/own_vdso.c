/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_vdso.c - the vDSO of this process, found in its list of mappings
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "own_vdso.h"
#include "walk/mapped_file.h"

struct image *own_vdso_open(struct error *error)
{
	FILE_CLOSED FILE *maps = fopen("/proc/self/maps", "re");
	struct image *image = NULL;
	struct maps_line parsed;
	FREED char *line = NULL;
	size_t room = 0;

	while (maps && !image && getline(&line, &room, maps) > 0)
		if (maps_line_parse(line, &parsed) && !strcmp(parsed.path, "[vdso]"))
			image = mapped_vdso_open(getpid(), &parsed, error);
	return image;
}

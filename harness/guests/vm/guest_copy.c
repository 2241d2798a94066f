/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_copy.c - files and directories of a guest that come back by name: GUESTPATH[:HOSTPATH]
 *
 * HOSTPATH is what the file or directory becomes; with a slash at its end, the folder that it comes to. The host
 * chooses the name in the archive, and takes no other one: what the guest says can't reach the files beside it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "freed.h"
#include "guest_copy.h"
#include "guest_output.h"

/* Of "/a/b/": "b", one byte long; of "/": none. */
static const char *last_component(const char *path, size_t *ret_length)
{
	const char *end = path + strlen(path), *start;

	while (end > path && end[-1] == '/')
		end--;
	for (start = end; start > path && start[-1] != '/'; start--)
		;
	*ret_length = (size_t)(end - start);
	return start;
}

static bool is_name(const char *name, size_t length)
{
	return length && length <= NAME_MAX && !(length == 1 && *name == '.') &&
	       !(length == 2 && !memcmp(name, "..", 2));
}

const char *copy_out_parse(char *argument, struct copy_out *ret)
{
	char *colon = strchr(argument, ':');
	const char *name;
	size_t length;

	if (*argument != '/' || (colon && !colon[1]))
		return "takes GUESTPATH or GUESTPATH:HOSTPATH, GUESTPATH absolute";
	if (colon)
		*colon = '\0';
	*ret = (struct copy_out) { argument, colon ? colon + 1 : NULL };
	name = last_component(argument, &length);
	if (!is_name(name, length) && (!colon || ret->host[strlen(ret->host) - 1] == '/'))
		return "needs a HOSTPATH that names what comes back";
	return NULL;
}

/* Splits what the copy becomes into a folder and a name. */
static int choose_place(struct copied_out *one, const char *below, struct error *error)
{
	const char *host = one->wanted->host, *name;
	FREED char *real = NULL;
	size_t length, slash;

	if (!host || host[strlen(host) - 1] == '/') {
		name = last_component(one->wanted->guest, &length);
		one->folder = strdup(host ? host : ".");
		one->name = strndup(name, length);
	} else {
		real = realpath(host, NULL); /* a link stays one */
		host = real ? real : host;
		name = last_component(host, &length);
		if (!is_name(name, length))
			return error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "%.150s: a guest's files can't become that", host);
		slash = (size_t)(name - host);
		one->folder = slash ? strndup(host, slash) : strdup(".");
		one->name = strndup(name, length);
	}
	if (below && one->folder && one->name) {
		char *folder = NULL;

		if (asprintf(&folder, "%s/%s", one->folder, one->name) < 0)
			folder = NULL;
		free(one->folder);
		free(one->name);
		one->folder = folder;
		one->name = strdup(below);
	}
	if (!one->folder || !one->name)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return 0;
}

int copies_out_begin(struct copies_out *copies, const struct copy_out *wanted, size_t count,
		     const char *below, struct error *error)
{
	*copies = (struct copies_out) { .one = calloc(count + 1, sizeof(*copies->one)),
					.list = calloc(count + 1, sizeof(*copies->list)) };
	if (!copies->one || !copies->list)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	for (; copies->count < count; copies->count++) {
		struct copied_out *one = &copies->one[copies->count];

		one->wanted = &wanted[copies->count];
		if (choose_place(one, below, error)) {
			copies->count++;
			return -1;
		}
		one->stream = open_memstream(&one->archive, &one->size);
		if (!one->stream)
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		copies->list[copies->count] = (struct guest_copy) { one->wanted->guest, one->name };
	}
	return 0;
}

void copies_out_take(struct copies_out *copies, size_t number, const void *data, size_t size)
{
	if (number < copies->count)
		fwrite(data, 1, size, copies->one[number].stream);
}

int copies_out_unpack(struct copies_out *copies, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < copies->count; i++) {
		struct copied_out *one = &copies->one[i];

		if (fflush(one->stream))
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		if (one->size) {
			if (guest_output_unpack(one->archive, one->size, one->folder, one->name,
						&one->files, error))
				return -1;
		} else if (!status) {
			error_set(error, ERROR_UNAVAILABLE, "", 0,
				  "%.150s did not come back from the guest", one->wanted->guest);
			status = 1;
		}
	}
	return status;
}

void copies_out_deinit(struct copies_out *copies)
{
	for (size_t i = 0; i < copies->count; i++) {
		if (copies->one[i].stream)
			fclose(copies->one[i].stream);
		free(copies->one[i].archive);
		free(copies->one[i].folder);
		free(copies->one[i].name);
	}
	free(copies->one);
	free(copies->list);
	*copies = (struct copies_out) { 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_link.c - the separate debug file of an ELF file
 *
 * Distributions split debug information off. The stripped file names it in .gnu_debuglink (a file
 * name, and the CRC-32 of that file), or its build-id does. The places searched, and their order,
 * are those of binutils 2.40, because readelf's output depends on what it finds.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "freed.h"
#include "hex_text.h"
#include "array.h"
#include "debug_link.h"
#include "plain_text.h"

/*
 * A copy of .gnu_debuglink: name, padding to 4 bytes, CRC (little-endian). NULL: none. It is read in the bytes
 * of the image: what has its name here may be another file, once it was replaced or lies in a container.
 */
static char *read_link(const struct image *image, uint32_t *ret_crc)
{
	size_t size, strings;
	const uint8_t *bytes = image_file_bytes(image, &size);
	Elf_Scn *section = NULL;
	char *name = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = bytes ? elf_memory((char *)bytes, size) : NULL;
	if (!elf || elf_getshdrstrndx(elf, &strings))
		goto out;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			continue;
		const char *section_name = elf_strptr(elf, strings, header.sh_name);
		if (!section_name || strcmp(section_name, ".gnu_debuglink"))
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || data->d_size < 8 || !memchr(data->d_buf, 0, data->d_size - 4))
			break;
		size_t crc_at = (strlen(data->d_buf) + 4) & ~(size_t)3;
		if (crc_at + sizeof(*ret_crc) > data->d_size)
			break;
		memcpy(ret_crc, (const char *)data->d_buf + crc_at, sizeof(*ret_crc));
		name = strdup(data->d_buf);
		break;
	}
out:
	elf_end(elf);
	return name;
}

/* False: also, with *ret_other, of a file that is there and has another checksum. own: what the image itself
 * is, which may lie where its debug file is looked for. */
static bool crc_matches(const char *path, uint32_t crc, const struct stat *own, bool *ret_other)
{
	struct stat status;
	bool matches = false;

	*ret_other = false;
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size > 0) {
		void *data = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) {
			matches = crc32_z(0, data, status.st_size) == crc;
			*ret_other = !matches &&
				     (status.st_dev != own->st_dev || status.st_ino != own->st_ino);
			munmap(data, status.st_size);
		}
	}
	return matches;
}

/* Of several the first. */
static void refuse(char **refused, const char *path, const char *why)
{
	if (refused && !*refused && asprintf(refused, "%s: %s", path, why) < 0)
		*refused = NULL;
}

/* real: the file's directory without links, with its slash. binutils looks where it runs first. */
static char *find_by_link(const struct image *image, const char *real, const char *name,
			  uint32_t crc, char **refused)
{
	const struct {
		const char *first;
		const char *second;
		const char *third;
	} places[] = {
		{ "", "", "" },
		{ "", ".debug/", "" },
		{ real, "", "" },
		{ real, ".debug/", "" },
		{ "/usr/lib/debug", "/", "" },
		{ "/usr/lib/debug/", real, "/" },
		{ "/usr/lib/debug/usr/", "", "" },
		{ "/lib/debug/", "", "" },
	};
	struct stat own = { 0 };
	bool other;

	if (stat(image->path, &own))
		own = (struct stat) { 0 };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path;
		if (asprintf(&path, "%s%s%s%s", places[i].first, places[i].second, places[i].third,
			     name) < 0)
			return NULL;
		if (crc_matches(path, crc, &own, &other))
			return path;
		if (other)
			refuse(refused, path, "its CRC-32 is not that of .gnu_debuglink");
		free(path);
	}
	return NULL;
}

static char *find_by_build_id(const struct image *image)
{
	static const char *const places[] = {
		".build-id/",
		".debug/.build-id/",
		"/usr/lib/debug/.build-id/",
		"/usr/lib/debug/usr/.build-id/",
		"/usr/lib64/debug/.build-id/",
	};
	char hex[2 * BUILD_ID_MAX + 1];
	if (image->build_id_size < 2)
		return NULL;
	hex_text(hex, image->build_id, image->build_id_size);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path;
		if (asprintf(&path, "%s%.2s/%s.debug", places[i], hex, hex + 2) < 0)
			return NULL;
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* *refused: one that is there and is another's, with the reason; untouched: there is none. NULL: not asked for. */
static char *find(const struct image *image, char **refused)
{
	uint32_t crc = 0;
	char *found = NULL;
	FREED char *name = read_link(image, &crc);
	if (name) {
		char real[PATH_MAX];
		if (realpath(image->path, real) && strrchr(real, '/'))
			strrchr(real, '/')[1] = '\0';
		else
			real[0] = '\0';
		found = find_by_link(image, real, name, crc, refused);
	}
	return found ? found : find_by_build_id(image);
}

char *debug_link_find(const struct image *image)
{
	return find(image, NULL);
}

/* A file of that name that was made of another build describes other code. */
static bool same_build(const struct image *a, const struct image *b)
{
	return a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* .debug_frame, or names that strip has taken away. */
static bool knows_more(const struct image *debug)
{
	size_t symbols = 0;

	return debug->debug_frame.data || (image_symbols(debug, &symbols) && symbols);
}

/* Said before, of an image by its file. */
static bool is_told(const char *file)
{
	static char **told;
	static size_t count;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(told[i], file))
			return true;
	if (ARRAY_GROW(told, count) && (told[count] = strdup(file)))
		count++;
	return false;
}

/* What is missing is known to be there, and whoever reads what a command found can't see that. A process's
 * image is known by its file. */
static void tell_refused(const struct image *image)
{
	char real[PATH_MAX];
	bool is_real = realpath(image->path, real);

	if (!is_told(is_real ? real : image->path))
		fprintf(stderr, "%s: its debug file is not read: %s\n",
			PLAIN_TEXT(is_real && !strncmp(image->path, "/proc/", 6) ? real
										 : image->path),
			PLAIN_TEXT(image->debug_refused));
}

/* True: the file at path is adopted, or has nothing to adopt. */
static bool adopt_file(struct image *image, const char *path, char **refused)
{
	struct image *debug;
	struct error error;

	if (image_create(path, &debug, &error)) {
		refuse(refused, path, error.message);
		return false;
	}
	if (!same_build(image, debug)) {
		refuse(refused, path, "it has another build-id");
		image_destroy(debug);
		return false;
	}
	if (knows_more(debug))
		image_adopt_debug(image, debug);
	else
		image_destroy(debug);
	return true;
}

void debug_link_adopt(struct image *image)
{
	FREED char *path = NULL;
	char *refused = NULL;

	if (image->debug_frame.data)
		return;
	path = find(image, &refused);
	if (path && adopt_file(image, path, &refused)) {
		free(refused); /* another one is read */
		refused = NULL;
	}
	free(image->debug_refused);
	image->debug_refused = refused;
	if (refused)
		tell_refused(image);
}

static int adopt(void *context, struct image *image, struct error *error)
{
	debug_link_adopt(image);
	return 0;
}

struct image_store *debug_link_store(void)
{
	struct image_store *store = image_store_create();

	if (store)
		image_store_prepare(store, adopt, NULL);
	return store;
}

/* As libdw finds it: a name that does not begin at the root, in the file's real folder. */
static char *alternative_path(const char *path, const char *name)
{
	char real[PATH_MAX], *ret, *slash;

	if (*name == '/')
		return strdup(name);
	if (!realpath(path, real) || !(slash = strrchr(real, '/')))
		return NULL;
	slash[1] = '\0';
	return asprintf(&ret, "%s%s", real, name) < 0 ? NULL : ret;
}

bool debug_link_waits(Dwarf *dwarf, const char *path)
{
	const char *name;
	const void *build_id;
	struct stat status;
	FREED char *alternative = NULL;

	if (!dwarf || dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) <= 0)
		return false;
	alternative = alternative_path(path, name);
	return alternative && !stat(alternative, &status) && !S_ISREG(status.st_mode);
}

int debug_link_open(const char *path, const char *section, struct image **ret, struct error *error)
{
	if (image_create(path, ret, error))
		return -1;
	if (!section || !strcmp(section, ".debug_frame"))
		debug_link_adopt(*ret);
	return 0;
}

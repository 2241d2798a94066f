/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_memory.c - what a session takes of the kernel's memory
 *
 * A session with room for 300 processes is given 400 images: programs and libraries of this
 * machine, every executable segment mapped into this process, so that it reads them as it reads a
 * process's. Each of the 300 gets 40 of these mappings in turn, more than most processes have. What
 * the kernel charges for each BPF map is in /proc/self/fdinfo (memlock; Linux 5.10 counts it too).
 * The arrays are as large as their capacity from the beginning, so this is what the session takes,
 * used or not. They have the defaults' size, or what the images need: a machine with several LLVMs
 * among its 400 needs more.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"
#include "session.h"

#define PROCESSES  300
#define IMAGES	   400
#define MAPPINGS   40 /* of each process */
#define BUDGET_MIB 64.0
#define FIRST_PID  10000000 /* above any real one (PID_MAX_LIMIT is 4 Mi) */

static const char *const folders[] = { "/usr/bin", "/usr/lib/x86_64-linux-gnu" };

/* ---- images ----------------------------------------------------------------------------- */

/* Maps the file's executable segments; true: it has some. They stay until the process ends. */
static bool map_image(const char *path)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t page = sysconf(_SC_PAGESIZE);
	bool mapped = false;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (fd < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_machine == EM_X86_64 &&
	    header.e_phentsize == sizeof(segment))
		for (int i = 0; i < header.e_phnum; i++) {
			off_t at = header.e_phoff + i * sizeof(segment);

			if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment) ||
			    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
				continue;
			mapped |= mmap(NULL, segment.p_filesz + segment.p_offset % page,
				       PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				       segment.p_offset - segment.p_offset % page) != MAP_FAILED;
		}
	return mapped;
}

/* Up to count of a folder's images, evenly from all its files. */
static void map_folder(const char *folder, unsigned int count)
{
	FREED struct dirent **entry = NULL;
	int entries = scandir(folder, &entry, NULL, alphasort);
	unsigned int mapped = 0;
	char path[4200];

	for (int stride = 8; stride; stride--) /* every eighth; then what was passed over */
		for (int i = stride - 1; i < entries && mapped < count; i += 8) {
			snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
			if (entry[i]->d_type == DT_REG)
				mapped += map_image(path);
		}
	for (int i = 0; i < entries; i++)
		free(entry[i]);
}

/* ---- the kernel's account --------------------------------------------------------------- */

/* Bytes that the kernel charges for the BPF maps that this process holds. */
static uint64_t map_bytes(void)
{
	DIR_CLOSED DIR *folder = opendir("/proc/self/fdinfo");
	struct dirent *entry;
	uint64_t sum = 0;

	while (folder && (entry = readdir(folder))) {
		char path[300], line[256];
		bool is_map = false;
		uint64_t bytes = 0;
		FILE_CLOSED FILE *file = NULL;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
		while (file && fgets(line, sizeof(line), file)) {
			is_map |= !strncmp(line, "map_type:", 9);
			sscanf(line, "memlock: %" SCNu64, &bytes);
		}
		sum += is_map ? bytes : 0;
	}
	return sum;
}

/* ---- the figure ------------------------------------------------------------------------- */

static uint64_t table_sum(const struct image_store *store, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += table_bytes(image_store_get(store, i)->table);
	return sum;
}

/* 0: the default is enough. Or else a multiple of it, with a quarter of what is needed to spare. */
static uint32_t capacity(uint32_t standard, uint64_t needed)
{
	uint64_t ret = standard;

	needed += needed / 4;
	while (ret < needed)
		ret *= 2;
	return ret == standard ? 0 : ret;
}

static struct bpf_session_options session_for(const struct image_store *store, size_t count)
{
	uint64_t pages = 0, entries = 0, shapes = 0, rules = 0, places = 0;

	for (size_t i = 0; i < count; i++) {
		const struct table *table = image_store_get(store, i)->table;

		pages += table->page_count;
		entries += table->entry_count;
		shapes += table->shape_count;
		rules += table->rule_count;
		places += table->place_count;
	}
	return (struct bpf_session_options) {
		.process_capacity = PROCESSES,
		.page_capacity = capacity(BPF_SESSION_PAGES, pages),
		.entry_capacity = capacity(BPF_SESSION_ENTRIES, entries),
		.shape_capacity = capacity(BPF_SESSION_SHAPES, shapes),
		.rule_capacity = capacity(BPF_SESSION_RULES, rules),
		.place_capacity = capacity(BPF_SESSION_PLACES, places),
	};
}

static int session_bytes(const struct bpf_session_options *options, struct bpf_session **ret,
			 uint64_t *ret_bytes, struct error *error)
{
	uint64_t before = map_bytes();

	if (bpf_session_open(options, ret, error))
		return -1;
	*ret_bytes = map_bytes() - before;
	return 0;
}

static int fill(struct bpf_session *session, const struct address_space *space, struct error *error)
{
	size_t parts = space->mapping_count / MAPPINGS;

	for (size_t i = 0; i < PROCESSES; i++) {
		struct address_space part = *space;

		part.pid = FIRST_PID + i;
		part.mapping += i % parts * MAPPINGS;
		part.mapping_count = i % parts == parts - 1
					     ? space->mapping_count - i % parts * MAPPINGS
					     : MAPPINGS;
		if (bpf_session_set_process(session, &part, error))
			return -1;
	}
	return 0;
}

int bench_kernel_memory(const struct bench_options *options, struct bench_figure *ret,
			struct error *error)
{
	struct bpf_session *session = NULL, *smaller = NULL;
	struct image_store *store = image_store_create();
	struct bpf_session_options room, less_room;
	struct address_space space = { 0 };
	uint64_t bytes, less;
	int status = -1;
	size_t images;

	for (size_t i = 0; i < 2; i++)
		map_folder(folders[i], IMAGES / 2);
	if (!store) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
		goto out;
	}
	if (address_space_read(&space, store, getpid(), error))
		goto out;
	images = image_store_count(store);
	if (images < IMAGES) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "only %zu images are installed", images);
		goto out;
	}
	room = session_for(store, images);
	less_room = room;
	less_room.process_capacity = PROCESSES / 2;
	if (session_bytes(&room, &session, &bytes, error) || fill(session, &space, error) ||
	    session_bytes(&less_room, &smaller, &less, error))
		goto out;
	ret->value = bytes / 1048576.0;
	ret->unit = "MiB";
	ret->reference = "64 MiB";
	ret->reference_value = BUDGET_MIB;
	ret->ratio = ret->value / BUDGET_MIB;
	snprintf(ret->note, sizeof(ret->note),
		 "room for %d processes, each with %d mappings of %zu images. Of it %.0f bytes for "
		 "each "
		 "process and %zu for each of its mappings, and in the arrays %.0f bytes of tables "
		 "for "
		 "each image (%.1f MiB)",
		 PROCESSES, MAPPINGS, images, (bytes - less) / (PROCESSES / 2.0),
		 2 * sizeof(struct walk_mapping), (double)table_sum(store, images) / images,
		 table_sum(store, images) / 1048576.0);
	status = 0;
out:
	bpf_session_close(smaller);
	bpf_session_close(session);
	address_space_deinit(&space);
	image_store_destroy(store);
	return status;
}

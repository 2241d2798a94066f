/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_init_root.c - the system on the guest's disk becomes the root
 *
 * As switch_root(8) does it: the initramfs can't be unmounted or pivoted away (Documentation/filesystems/
 * ramfs-rootfs-initramfs.rst), so the disk's file system is moved over it. Two things of the initramfs go along: files
 * that were named for the guest are copied, and the folder with stackproof itself is mounted on /run, where the system
 * has nothing of its own yet.
 *
 * No module is loaded: Debian's kernels have NVMe and ext4 built in.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guest_init.h"

#define DISK		"/dev/nvme0n1"
#define DISK_WAIT_MS	30000
#define DISK_ASK_MS	10
#define OWN_LINK	"/usr/local/bin/stackproof" /* in FRAME_GUEST_PATH */
#define HOST_NAME	"stackproof"
#define HOST_NAME_BYTES 64

struct reason {
	char *text;
	size_t size;
};

static int fails(const struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fails(const struct reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, reason->size, format, arguments);
	va_end(arguments);
	return -1;
}

bool root_is_wanted(void)
{
	return !access(FRAME_ROOT_PATH, F_OK);
}

/* The driver looks for disks beside the kernel's start. */
static bool disk_appears(void)
{
	for (int waited = 0; waited < DISK_WAIT_MS; waited += DISK_ASK_MS) {
		if (!access(DISK, F_OK))
			return true;
		usleep(DISK_ASK_MS * 1000);
	}
	return false;
}

static int mount_disk(const struct reason *reason)
{
	if (!disk_appears())
		return fails(reason,
			     "the kernel found no disk " DISK " in %d s (CONFIG_BLK_DEV_NVME)",
			     DISK_WAIT_MS / 1000);
	/* Inode tables that nobody used are not there: nobody is to write them. */
	if (mount(DISK, FRAME_ROOT_PATH, "ext4", 0, "noinit_itable"))
		return fails(reason, "the disk can't be mounted: %s%s", strerror(errno),
			     errno == ENODEV ? " (CONFIG_EXT4_FS)" : "");
	return 0;
}

/* /run of the system, with this program in it. */
static int mount_run(const struct reason *reason)
{
	mkdir(FRAME_ROOT_PATH "/run", 0755);
	if (mount("tmpfs", FRAME_ROOT_PATH "/run", "tmpfs", 0, "mode=755"))
		return fails(reason, "/run: %s", strerror(errno));
	mkdir(FRAME_ROOT_PATH "/run/lock", 01777);
	mkdir(FRAME_ROOT_PATH FRAME_OWN_PATH, 0755);
	if (!access(FRAME_OWN_PATH, F_OK) &&
	    mount(FRAME_OWN_PATH, FRAME_ROOT_PATH FRAME_OWN_PATH, NULL, MS_BIND, NULL))
		return fails(reason, FRAME_OWN_PATH ": %s", strerror(errno));
	return 0;
}

static int copy_content(int from, int to, off_t size)
{
	while (size > 0) {
		ssize_t n = sendfile(to, from, NULL, (size_t)size);

		if (n <= 0)
			return -1;
		size -= n;
	}
	return 0;
}

static int copy_file(int directory, const char *name, const struct stat *st, const char *path)
{
	int from = openat(directory, name, O_RDONLY | O_CLOEXEC), to, status;

	unlink(path); /* a link is not followed, a running program not written to */
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	status = from < 0 || to < 0 || copy_content(from, to, st->st_size) ||
				 fchmod(to, st->st_mode & 07777)
			 ? -1
			 : 0;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return status;
}

static int copy_link(int directory, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(directory, name, target, sizeof(target) - 1);

	if (length < 0)
		return -1;
	target[length] = '\0';
	unlink(path);
	return symlink(target, path);
}

/* Copies what is in a directory into the one at path, of length bytes, which is PATH_MAX large. Takes the descriptor. */
static int copy_below(int directory, char *path, size_t length, const struct reason *reason)
{
	DIR *dir = fdopendir(directory);
	struct dirent *entry;
	int status = 0;

	while (dir && !status && (entry = readdir(dir))) {
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
		if (fstatat(directory, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			status = -1;
		else if (S_ISLNK(st.st_mode))
			status = copy_link(directory, entry->d_name, path);
		else if (S_ISREG(st.st_mode))
			status = copy_file(directory, entry->d_name, &st, path);
		else if (mkdir(path, 0755) && errno != EEXIST)
			status = -1;
		if (status)
			fails(reason, "can't write %s: %s", path, strerror(errno));
		else if (S_ISDIR(st.st_mode))
			status = copy_below(openat(directory, entry->d_name, O_RDONLY | O_CLOEXEC),
					    path, length + 1 + strlen(entry->d_name), reason);
		path[length] = '\0';
	}
	if (dir)
		closedir(dir);
	return status;
}

/* As the system itself would at its start, which it never had. */
static void name_host(void)
{
	static const char hosts[] = "127.0.0.1 localhost\n::1 localhost\n";
	char name[HOST_NAME_BYTES + 1] = HOST_NAME;
	int fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t n = read(fd, name, sizeof(name) - 1);

		name[n > 0 ? n : 0] = '\0';
		close(fd);
	}
	name[strcspn(name, " \t\r\n")] = '\0';
	sethostname(*name ? name : HOST_NAME, strlen(*name ? name : HOST_NAME));
	fd = open("/etc/hosts", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	/* Without it there is no localhost, which is a lack of the system that its programs will name. */
	if (write(fd, hosts, strlen(hosts)) < 0)
		unlink("/etc/hosts");
	close(fd);
}

static void link_program(void)
{
	if (access(FRAME_OWN_PATH "/stackproof", F_OK))
		return;
	mkdir("/usr", 0755);
	mkdir("/usr/local", 0755);
	mkdir("/usr/local/bin", 0755);
	symlink(FRAME_OWN_PATH "/stackproof", OWN_LINK); /* one that is there stays */
}

int root_enter(char *ret_reason, size_t size)
{
	const struct reason reason = { ret_reason, size };
	int files = open(FRAME_FILES_PATH, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[PATH_MAX] = "";

	if (mount_disk(&reason) || mount_run(&reason))
		return -1;
	if (chdir(FRAME_ROOT_PATH) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") ||
	    chdir("/"))
		return fails(&reason, "the disk can't be made the root: %s", strerror(errno));
	if (files >= 0 && copy_below(files, path, 0, &reason))
		return -1;
	link_program();
	name_host();
	return 0;
}

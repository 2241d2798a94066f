/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernel_archive.h - an archive of kernel packages, and what stands in for apt-get before it
 *
 * apt-get is the first of that name in PATH, and its archive is a folder. The packages are made here, as
 * deb(5) has them, with an image that is a header only.
 */
#ifndef STACKPROOF_TESTS_KERNEL_ARCHIVE_H
#define STACKPROOF_TESTS_KERNEL_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guests/vm/vm.h"
#include "base/cli/tests/own_files.h"

#define KEYRING		   "/usr/share/keyrings/debian-archive-keyring"
#define URI(mirror, suite) "'" mirror "/dists/" suite "/InRelease' " suite "_InRelease 0 \n"
#define MAIN_MIRROR	   URI("http://m/debian", "trixie")
#define SHA		   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define STANZA(name, version)                                                                      \
	"Package: " name "\nVersion: " version "\nSize: 34245316\nSHA256: " SHA "\n\n"

/* uris: what --print-uris says. MIRROR_SUITE with _ for /: an index. VERSION.deb: a package. all/: those of an installation.
 * updates, downloads: what was asked for. */
static const char apt_get[] =
	"#!/bin/sh\n"
	"cd_deb=$PWD; verb=; wanted=; private=0\n"
	"fail() { echo 'W: a warning'; echo \"E: $*\"; echo 'E: more'; exit 1; }\n"
	"for word; do\n"
	"	path=${word#*=}\n"
	"	case $word in\n"
	"	-oDir::*=* | -c=*)\n"
	"		[ \"${path#\"$STACKPROOF_CACHE\"/apt/}\" != \"$path\" ] || fail \"public "
	"$word\"\n"
	"		private=$((private + 1));;\n"
	"	esac\n"
	"	case $word in\n"
	"	-oDir::State::lists=*) lists=$path; [ -d \"$path/partial\" ] || fail lists;;\n"
	"	-oDir::State::status=*) [ -e \"$path\" ] || fail status;;\n"
	"	-oDir::Cache=*) cache=$path; [ -d \"$path/archives/partial\" ] || fail cache;;\n"
	"	-oDir::Etc::sourcelist=*) sources=$path;;\n"
	"	-oDir::Etc::sourceparts=*) [ ! -e \"$path\" ] || fail sourceparts;;\n"
	"	-c=*) grep -q '#clear APT::Update::Post-Invoke;' \"$path\" || fail hooks;;\n"
	"	update | download | install) verb=$word;;\n"
	"	--print-uris) verb=uris;;\n"
	"	[a-z]*=*) wanted=$word;;\n"
	"	esac\n"
	"done\ncd \"$TEST_ARCHIVE\" || exit 9\n"
	"[ $verb$private = uris4 ] || [ $private = 9 ] || fail \"$verb: $private are private\"\n"
	"case $verb in\n"
	"uris)\n"
	"	cat uris; [ ! -e broken ] || fail broken sources;;\n"
	"update)\n"
	"	read -r deb signed arch target mirror suite main <\"$sources\"\n"
	"	[ \"$deb $arch $target $main\" = 'deb arch=amd64 target=Packages] main' ] || fail "
	"line\n"
	"	[ -e \"${signed#*=}\" ] || fail keyring\n"
	"	echo \"$mirror $suite\" >>updates\n"
	"	name=$(echo \"${mirror#http://}_$suite\" | tr / _)\n"
	"	[ -e \"$name\" ] || fail \"no $mirror\"\n"
	"	[ ! -e unindexed ] || exit 0\n"
	"	cp \"$name\" \"$lists/${name}_Packages\";;\n"
	"download)\n"
	"	echo \"$wanted\" >>downloads\n"
	"	[ -e \"${wanted#*=}.deb\" ] || fail \"no $wanted\"\n"
	"	[ ! -e nothing ] || exit 0\n"
	"	cp \"${wanted#*=}.deb\" \"$cd_deb/\";;\n"
	"install)\n"
	"	echo \"$*\" | sed 's/.*apt.conf //' >>downloads\n"
	"	cp all/*.deb \"$cache/archives\" || fail nothing to install;;\n"
	"esac\n";

static char *path_before;

/* Of the archive. */
static inline void write_text(const char *name, const char *text)
{
	folder_put(name, text, strlen(text), 0644);
}

/* The file's text; "" if there is none. */
static inline const char *read_archive(const char *name)
{
	return file_text(in_folder(name));
}

static inline void set_up(void)
{
	folder_make();
	program_write(in_folder("apt-get"), apt_get);
	path_before = strdup(getenv("PATH"));
	folder_in_path();
	setenv("TEST_ARCHIVE", folder, 1);
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
}

static inline void tear_down(void)
{
	setenv("PATH", path_before, 1);
	free(path_before);
	folder_remove();
}

/* ---- packages ----------------------------------------------------------------------------- */

/* Of a package: what lies in its data.tar. */
struct content {
	const char *path;
	const char *version; /* of the image that the file is; NULL: no image */
	mode_t type;	     /* 0: a file */
	const char *text;    /* of a file; NULL: zeros, or the image */
};

static inline size_t make_tar(const struct content *content, size_t count, char *ret, size_t size)
{
	struct archive *archive = archive_write_new();
	size_t used;

	archive_write_set_format_ustar(archive);
	archive_write_add_filter_xz(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(archive_write_open_memory(archive, ret, size, &used), ARCHIVE_OK);
	for (size_t i = 0; i < count && content[i].path; i++) {
		struct archive_entry *entry = archive_entry_new();
		mode_t type = content[i].type ? content[i].type : S_IFREG;
		char image[2048] = { 0 };

		archive_entry_set_pathname(entry, content[i].path);
		archive_entry_set_mode(entry, type | 0755);
		archive_entry_set_size(entry, type == S_IFREG ? sizeof(image) : 0);
		if (type == S_IFLNK)
			archive_entry_set_symlink(entry, "elsewhere");
		ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
		if (content[i].version) {
			memcpy(image + 0x202, "HdrS", 4);
			image[0x20f] = 0x3; /* 0x300, plus 0x200 */
			snprintf(image + 0x500, 128, "%s (someone) #1", content[i].version);
		}
		if (content[i].text)
			strcpy(image, content[i].text);
		if (type == S_IFREG)
			archive_write_data(archive, image, sizeof(image));
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

/* The archive around it; data: its member's name. */
static inline size_t make_deb(const char *data, const char *tar, size_t tar_size, char *ret,
			      size_t size)
{
	const struct {
		const char *name, *data;
		size_t size;
	} members[] = { { "debian-binary", "2.0\n", 4 },
			{ "control.tar.xz", "none", 4 },
			{ data, tar, tar_size } };
	struct archive *archive = archive_write_new();
	size_t used;

	archive_write_set_format_ar_svr4(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(archive_write_open_memory(archive, ret, size, &used), ARCHIVE_OK);
	for (int i = 0; i < COUNT(members); i++) {
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, members[i].name);
		archive_entry_set_mode(entry, S_IFREG | 0644);
		archive_entry_set_size(entry, (la_int64_t)members[i].size);
		ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
		archive_write_data(archive, members[i].data, members[i].size);
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

/* VERSION.deb of the archive; cut: so many bytes of its data.tar are missing. */
static inline void write_deb(const char *version, const char *data, const struct content *content,
			     size_t count, size_t cut)
{
	static char tar[65536], deb[65536];
	char name[80];
	size_t size = make_tar(content, count, tar, sizeof(tar));

	ck_assert_uint_lt(cut, size);
	size = make_deb(data, tar, size - cut, deb, sizeof(deb));
	snprintf(name, sizeof(name), "%s.deb", version);
	folder_put(name, deb, size, 0644);
}

static inline void write_kernel(const char *version, const char *release)
{
	char path[96];
	const struct content content = { path, release, 0, NULL };

	snprintf(path, sizeof(path), "./boot/vmlinuz-%s", release);
	write_deb(version, "data.tar.xz", &content, 1, 0);
}

#endif

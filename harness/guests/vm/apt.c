/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * apt.c - a Debian suite through apt, in a directory of its own
 *
 * Kernels come from suites that the machine itself must not use, so apt-get gets a private
 * directory for everything that it reads and writes (apt.conf(5), Dir) and one line of sources.
 * What stays is the rest of the machine's configuration: proxies, credentials, time-outs (Acquire,
 * auth.conf), and the mirror, which is read from the sources that the machine has (`apt-get update
 * --print-uris`), because a machine behind a wall has nothing else. Where only the main archive is
 * configured, the security archive is looked for beside it, at the sibling path debian-security.
 *
 * apt checks everything: InRelease against Debian's archive keyring, the index against InRelease,
 * the package against the index. So a wrong guess at a mirror fails; it can't do harm.
 *
 * Hooks of the machine (APT::Update::Post-Invoke) are left out: they tend to clean the machine's
 * own cache.
 */
#include <assert.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "apt.h"
#include "cache.h"
#include "base/child/subprocess.h"

#define MIRRORS_MAX   8
#define MIRROR_MAX    512
#define INDEX_MAX     (256u << 20)
#define ARGUMENTS_MAX 40
#define ARGUMENT_MAX  (PATH_MAX + 64)

static const char no_hooks[] = "#clear APT::Update::Pre-Invoke;\n"
			       "#clear APT::Update::Post-Invoke;\n"
			       "#clear APT::Update::Post-Invoke-Success;\n";

/* ---- running apt-get -------------------------------------------------------------------- */

struct apt_command {
	char *argv[ARGUMENTS_MAX];
	int argc;
};

static void add(struct apt_command *command, const char *option, const char *value)
{
	char text[ARGUMENT_MAX];

	assert(command->argc < ARGUMENTS_MAX - 2);
	snprintf(text, sizeof(text), "%s%s", option, value ? value : "");
	command->argv[command->argc++] = strdup(text);
	command->argv[command->argc] = NULL;
}

/* An option whose value is a path below directory. */
static void add_private(struct apt_command *command, const char *option, const char *directory,
			const char *name)
{
	char text[ARGUMENT_MAX];

	snprintf(text, sizeof(text), "%s/%s", directory, name);
	add(command, option, text);
}

/* apt-get with everything that it writes below directory. */
static void command_init(struct apt_command *command, const char *directory)
{
	static const char *const settings[] = {
		"-oAPT::Sandbox::User=root", /* _apt can't reach a private directory */
		"-oAcquire::GzipIndexes=false", "-oAcquire::Languages=none",
		"-oAcquire::Retries=3",		"-oAcquire::http::Timeout=30",
		"-oAcquire::https::Timeout=30",
	};

	*command = (struct apt_command) { 0 };
	add(command, "apt-get", NULL);
	add(command, "-q", NULL);
	add(command, "-y", NULL);
	add_private(command, "-oDir::State=", directory, "state");
	add_private(command, "-oDir::State::lists=", directory, "lists");
	add_private(command, "-oDir::State::status=", directory, "status");
	add_private(command, "-oDir::Cache=", directory, "cache");
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		add(command, settings[i], NULL);
}

/* The same with the private sources, and without hooks. */
static void command_init_private(struct apt_command *command, const char *directory)
{
	command_init(command, directory);
	add_private(command, "-oDir::Etc::sourcelist=", directory, "sources.list");
	add_private(command, "-oDir::Etc::sourceparts=", directory, "no-sources");
	add_private(command, "-oDir::Etc::preferences=", directory, "no-preferences");
	add_private(command, "-oDir::Etc::preferencesparts=", directory, "no-preferences.d");
	add_private(command, "-c=", directory, "apt.conf");
}

/* Runs and frees the command. Returns apt's exit status, or -1. */
static int command_run(struct apt_command *command, const char *directory, char **ret_output,
		       struct error *error)
{
	int status = -1;

	for (int i = 0; i < command->argc; i++) {
		if (!command->argv[i]) {
			error_set(error, ERROR_MEMORY, "", 0, "out of memory");
			goto out;
		}
	}
	status = subprocess_run(command->argv, directory, ret_output, error);
out:
	for (int i = 0; i < command->argc; i++)
		free(command->argv[i]);
	return status;
}

/* ---- the mirror ------------------------------------------------------------------------- */

struct mirrors {
	char uri[MIRRORS_MAX][MIRROR_MAX];
	size_t count;
	size_t left_out; /* too many, or too long a name */
};

static void mirrors_add(struct mirrors *mirrors, const char *uri, size_t length)
{
	while (length && uri[length - 1] == '/')
		length--;
	if (!length)
		return;
	for (size_t i = 0; i < mirrors->count; i++) {
		if (strlen(mirrors->uri[i]) == length && !memcmp(mirrors->uri[i], uri, length))
			return;
	}
	if (length >= MIRROR_MAX || mirrors->count == MIRRORS_MAX) {
		mirrors->left_out++;
		return;
	}
	snprintf(mirrors->uri[mirrors->count++], MIRROR_MAX, "%.*s", (int)length, uri);
}

/* Is it one of Debian's suites (or a third party's that borrowed the name)? */
static bool is_debian_suite(const char *suite, size_t length)
{
	static const char *const name[] = {
		"bullseye", "bookworm",	 "trixie",	 "forky",   "duke",	"sid",
		"stable",   "oldstable", "oldoldstable", "testing", "unstable", "experimental",
	};
	size_t base = 0;

	while (base < length && suite[base] != '-' && suite[base] != '/')
		base++;
	return ARRAY_ANY(ARRAY_COUNT(name), i,
			 strlen(name[i]) == base && !memcmp(name[i], suite, base));
}

/* One line of --print-uris: 'MIRROR/dists/SUITE/InRelease' FILE SIZE. */
static void read_uri(const char *line, size_t length, struct mirrors *main,
		     struct mirrors *security)
{
	const char *end = line + length, *dists, *suite, *suite_end;

	if (length < 2 || *line != '\'')
		return;
	line++;
	dists = memmem(line, (size_t)(end - line), "/dists/", 7);
	suite = dists ? dists + 7 : end;
	suite_end = memmem(suite, (size_t)(end - suite), "/InRelease'", 11);
	if (!dists || !suite_end || !is_debian_suite(suite, (size_t)(suite_end - suite)))
		return;
	if (memmem(suite, (size_t)(suite_end - suite), "-security", 9) ||
	    memmem(suite, (size_t)(suite_end - suite), "/updates", 8))
		mirrors_add(security, line, (size_t)(dists - line));
	else
		mirrors_add(main, line, (size_t)(dists - line));
}

/* ".../debian" -> ".../debian-security", for machines that have no line for it. */
static void derive_security(const struct mirrors *main, struct mirrors *security)
{
	char uri[MIRROR_MAX + 16];

	for (size_t i = 0; i < main->count; i++) {
		size_t length = strlen(main->uri[i]);

		if (length < 7 || strcmp(main->uri[i] + length - 7, "/debian"))
			continue;
		snprintf(uri, sizeof(uri), "%s-security", main->uri[i]);
		mirrors_add(security, uri, strlen(uri));
	}
}

/* The mirrors of the machine's own configuration for archive, likeliest first. */
static int find_mirrors(const char *directory, enum kernel_archive archive, struct mirrors *ret,
			struct error *error)
{
	struct mirrors found[2] = { 0 };
	struct apt_command command;
	char *output = NULL, last[160];
	int status;

	command_init(&command, directory);
	add(&command, "update", NULL);
	add(&command, "--print-uris", NULL);
	status = command_run(&command, NULL, &output, error);
	for (const char *line = output; line && *line;) {
		size_t length = strcspn(line, "\n");

		read_uri(line, length, &found[ARCHIVE_MAIN], &found[ARCHIVE_SECURITY]);
		line += length + (line[length] == '\n');
	}
	derive_security(&found[ARCHIVE_MAIN], &found[ARCHIVE_SECURITY]);
	*ret = found[archive];
	if (status >= 0 && !ret->count) {
		subprocess_reason(output, last, sizeof(last));
		error_set(error, ERROR_UNAVAILABLE, "", 0,
			  "apt's sources on this machine name no mirror of Debian%s%s%s",
			  archive == ARCHIVE_SECURITY ? "'s security archive" : "",
			  status ? ": " : "", status ? last : "");
	}
	free(output);
	return ret->count ? 0 : -1;
}

static const char *find_keyring(void)
{
	static const char *const path[] = { "/usr/share/keyrings/debian-archive-keyring.gpg",
					    "/usr/share/keyrings/debian-archive-keyring.pgp" };

	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++) {
		if (!access(path[i], R_OK))
			return path[i];
	}
	return NULL;
}

/* ---- the suite -------------------------------------------------------------------------- */

static int write_private(const char *directory, const char *name, const char *text,
			 struct error *error)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/%s", directory, name);
	return write_file_atomically(path, text, strlen(text), error);
}

static int prepare_directory(struct apt_suite *suite, const char *name, struct error *error)
{
	static const char *const below[] = { "state", "lists/partial", "cache/archives/partial",
					     "download" };
	char path[PATH_MAX], relative[128];

	snprintf(relative, sizeof(relative), "apt/%s", name);
	if (cache_path(relative, suite->directory, sizeof(suite->directory), error))
		return -1;
	if (make_directories(suite->directory, error))
		return -1;
	snprintf(path, sizeof(path), "%.4000s/in-use", suite->directory);
	suite->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (suite->lock_fd < 0 || flock(suite->lock_fd, LOCK_EX))
		return error_set_errno(error, "can't lock %.150s", path);
	/* Not before: whoever had the lock may have dropped them. */
	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++) {
		snprintf(path, sizeof(path), "%.4000s/%s", suite->directory, below[i]);
		if (make_directories(path, error))
			return -1;
	}
	if (write_private(suite->directory, "status", "", error))
		return -1;
	return write_private(suite->directory, "apt.conf", no_hooks, error);
}

/* Reads the suite's Packages file: that of its base comes behind it, "trixie_" behind "trixie-". */
static int read_index(struct apt_suite *suite, struct error *error)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	struct stat st;
	int fd = -1, ret = -1;

	snprintf(pattern, sizeof(pattern), "%.4000s/lists/*_Packages", suite->directory);
	if (glob(pattern, 0, NULL, &found) || found.gl_pathc < 1) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "apt brought no index into %.150s",
			  suite->directory);
		goto out;
	}
	fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_size > INDEX_MAX) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "the index has %lld bytes, more than %u",
			  (long long)st.st_size, INDEX_MAX);
		goto out;
	}
	if (fd < 0 || fstat(fd, &st) || !(suite->index = malloc((size_t)st.st_size + 1))) {
		error_set_errno(error, "can't read %.150s", found.gl_pathv[0]);
		goto out;
	}
	while (suite->index_size < (size_t)st.st_size) {
		ssize_t n = read(fd, suite->index + suite->index_size,
				 (size_t)st.st_size - suite->index_size);

		if (n <= 0)
			break;
		suite->index_size += (size_t)n;
	}
	if (suite->index_size < (size_t)st.st_size) {
		error_set(error, ERROR_UNAVAILABLE, "", suite->index_size, "%.150s ends too early",
			  found.gl_pathv[0]);
		goto out;
	}
	suite->index[suite->index_size] = '\0';
	ret = 0;
out:
	if (fd >= 0)
		close(fd);
	globfree(&found);
	return ret;
}

/* Fetches the index from one mirror. */
static int update_from(struct apt_suite *suite, const struct kernel_suite *wanted,
		       const char *mirror, struct error *error)
{
	const char *keyring = find_keyring(), *names[] = { wanted->name, wanted->base };
	char lines[2 * (MIRROR_MAX + 256)] = "", last[200], *output = NULL;
	struct apt_command command;
	int status;

	if (!keyring)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "Debian's archive keyring is missing (package "
				 "debian-archive-keyring), so packages can't be verified");
	for (size_t i = 0; i < 2 && names[i]; i++)
		snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines),
			 "deb [signed-by=%s arch=amd64 target=Packages] %s %s main\n", keyring,
			 mirror, names[i]);
	if (write_private(suite->directory, "sources.list", lines, error))
		return -1;
	command_init_private(&command, suite->directory);
	add(&command, "-oAPT::Update::Error-Mode=any", NULL);
	add(&command, "update", NULL);
	status = command_run(&command, NULL, &output, error);
	if (status > 0) {
		subprocess_reason(output, last, sizeof(last));
		error_set(error, ERROR_UNAVAILABLE, "", 0, "apt-get update, %s: %s", wanted->name,
			  last);
	}
	free(output);
	snprintf(suite->mirror, sizeof(suite->mirror), "%s", mirror);
	return status ? -1 : read_index(suite, error);
}

int apt_suite_open(struct apt_suite *ret, const struct kernel_suite *suite, struct error *error)
{
	struct mirrors mirrors;
	char folder[96];
	int result = -1;

	*ret = (struct apt_suite) { .lock_fd = -1 };
	/* A folder of its own: apt drops indexes that the sources do not name. */
	snprintf(folder, sizeof(folder), "%s%s%s", suite->name, suite->base ? "+" : "",
		 suite->base ? suite->base : "");
	if (prepare_directory(ret, folder, error) ||
	    find_mirrors(ret->directory, suite->archive, &mirrors, error))
		goto out;
	for (size_t i = 0; i < mirrors.count && result; i++)
		result = update_from(ret, suite, mirrors.uri[i], error);
	if (result && mirrors.left_out) {
		struct error last = *error;

		error_set(error, last.code, last.section, last.offset,
			  "%.160s; %zu more mirrors were not asked", last.message,
			  mirrors.left_out);
		error->system_errno = last.system_errno;
	}
out:
	if (result)
		apt_suite_close(ret);
	return result;
}

void apt_suite_close(struct apt_suite *suite)
{
	free(suite->index);
	suite->index = NULL;
	if (suite->lock_fd >= 0)
		close(suite->lock_fd);
	suite->lock_fd = -1;
}

int apt_suite_download(struct apt_suite *suite, const struct kernel_package *package, char *ret,
		       size_t size, struct error *error)
{
	char wanted[256], pattern[PATH_MAX], directory[PATH_MAX], last[200], *output = NULL;
	struct apt_command command;
	glob_t found = { 0 };
	int status;

	snprintf(directory, sizeof(directory), "%.4000s/download", suite->directory);
	remove_tree(directory);
	if (make_directories(directory, error))
		return -1;
	snprintf(wanted, sizeof(wanted), "%s=%s", package->name, package->version);
	command_init_private(&command, suite->directory);
	add(&command, "download", NULL);
	add(&command, wanted, NULL);
	status = command_run(&command, directory, &output, error);
	if (status > 0) {
		subprocess_reason(output, last, sizeof(last));
		error_set(error, ERROR_UNAVAILABLE, "", 0, "apt-get download %s: %s", package->name,
			  last);
	}
	free(output);
	if (status)
		return -1;
	snprintf(pattern, sizeof(pattern), "%.4000s/*.deb", directory);
	if (glob(pattern, 0, NULL, &found) || found.gl_pathc != 1) {
		globfree(&found);
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "apt-get brought no %.150s",
				 package->name);
	}
	snprintf(ret, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return 0;
}

int apt_suite_download_all(struct apt_suite *suite, const char *suite_name, const char *package,
			   char *ret, size_t size, struct error *error)
{
	struct apt_command command;
	char last[200], *output = NULL;
	int status;

	command_init_private(&command, suite->directory);
	add(&command, "--no-install-recommends", NULL);
	add(&command, "--download-only", NULL);
	add(&command, "--target-release=", suite_name);
	add(&command, "install", NULL);
	add(&command, package, NULL);
	status = command_run(&command, NULL, &output, error);
	if (status > 0) {
		subprocess_reason(output, last, sizeof(last));
		error_set(error, ERROR_UNAVAILABLE, "", 0, "apt-get install %s: %s", package, last);
	}
	free(output);
	snprintf(ret, size, "%.4000s/cache/archives", suite->directory);
	return status ? -1 : 0;
}

void apt_suite_drop(const struct apt_suite *suite)
{
	static const char *const large[] = { "cache", "lists" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) {
		snprintf(path, sizeof(path), "%.4000s/%s", suite->directory, large[i]);
		remove_tree(path);
	}
}

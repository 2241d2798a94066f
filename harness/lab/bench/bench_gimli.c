/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_gimli.c - building a table, against gimli going over the same rows and keeping none
 *
 * gimli is the Rust library that many profilers build their tables on; what it takes to iterate is
 * the least that any of them can take. A small program (../bench_gimli) does that and prints its
 * own time. It needs cargo and the crate, so it is built when the figure is asked for, in the build
 * folder; where that can't be done the figure is a skip with the reason. A gimli that reads other
 * rows than we do would be measured doing other work: that is an error. Rows are compared by their
 * number and a digest of what they say.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"

#define BUILD_TIMEOUT_MS 120000
#define RUN_TIMEOUT_MS	 60000
#define OUTPUT_MAX	 4096
#define DIGEST_DIGITS	 16

/* The oldest rustc 1.x that takes the gimli of bench_gimli/Cargo.toml and of old/Cargo.toml. */
#define RUSTC_MINOR_CURRENT 88
#define RUSTC_MINOR_OLD	    60

const char *bench_gimli_folder(const char *rustc_version)
{
	unsigned int major, minor;

	if (sscanf(rustc_version, "rustc %u.%u", &major, &minor) != 2)
		return NULL;
	if (major > 1)
		return ".";
	if (!major || minor < RUSTC_MINOR_OLD)
		return NULL;
	return minor >= RUSTC_MINOR_CURRENT ? "." : "old";
}

bool bench_gimli_parse(const char *line, struct bench_gimli_result *ret)
{
	json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	json_int_t rows, best_ns, median_ns;
	const char *version, *digest;
	bool valid;

	valid = !json_unpack(object, "{s:s, s:I, s:s, s:I, s:I}", "version", &version, "rows",
			     &rows, "digest", &digest, "best_ns", &best_ns, "median_ns",
			     &median_ns) &&
		strlen(version) < sizeof(ret->version) && rows > 0 && best_ns > 0 &&
		median_ns >= best_ns && strlen(digest) == DIGEST_DIGITS &&
		strspn(digest, "0123456789abcdef") == DIGEST_DIGITS;
	if (valid) {
		strcpy(ret->version, version);
		ret->rows = rows;
		ret->digest = strtoull(digest, NULL, 16);
		ret->best_ms = best_ns / 1e6;
		ret->median_ms = median_ns / 1e6;
	}
	json_decref(object);
	return valid;
}

/* Whatever keeps cargo from building is a skip: no network, another registry, another compiler. */
static int build_program(const char *folder, char program[4096], struct error *error)
{
	static const char *const rustc[] = { "rustc", "--version", NULL };
	char manifest[4096], target[4096], output[OUTPUT_MAX];
	const char *argv[] = { "cargo",		  "build",  "--release",    "--quiet",
			       "--manifest-path", manifest, "--target-dir", target,
			       "--offline",	  NULL };

	if (bench_child(rustc, false, RUN_TIMEOUT_MS, output, sizeof(output), error))
		return -1;
	const char *manifest_folder = bench_gimli_folder(output);
	if (!manifest_folder)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "gimli needs rustc 1.%d, not %.40s", RUSTC_MINOR_OLD, output);
	if (snprintf(manifest, sizeof(manifest), "%s/%s/Cargo.toml", folder, manifest_folder) >=
		    (int)sizeof(manifest) ||
	    snprintf(target, sizeof(target), "%s/target", folder) >= (int)sizeof(target) ||
	    snprintf(program, 4096, "%s/release/bench_gimli", target) >= 4096 ||
	    access(manifest, R_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.180s is not there", manifest);
	if (!bench_child(argv, true, BUILD_TIMEOUT_MS, output, sizeof(output), error))
		return 0;
	argv[sizeof(argv) / sizeof(argv[0]) - 2] = NULL; /* the crate may have to be fetched */
	if (bench_child(argv, true, BUILD_TIMEOUT_MS, output, sizeof(output), error)) {
		error->code = ERROR_UNAVAILABLE;
		return -1;
	}
	return 0;
}

static int run_program(const char *program, const char *path, struct bench_gimli_result *ret,
		       struct error *error)
{
	char runs[16], output[OUTPUT_MAX];
	const char *const argv[] = { program, path, runs, NULL };

	snprintf(runs, sizeof(runs), "%d", BENCH_INNER_RUNS);
	if (bench_child(argv, false, RUN_TIMEOUT_MS, output, sizeof(output), error))
		return -1;
	if (!bench_gimli_parse(output, ret))
		return error_set(error, ERROR_PROTOCOL, "", 0, "bench_gimli said '%.100s'", output);
	return 0;
}

/* ---- what gimli must say, too ----------------------------------------------------------- */

struct reading {
	uint64_t rows;
	uint64_t digest;
	uint64_t pc; /* where a CIE's row is to be; 0: where it says */
};

/* The same as in bench_gimli/src/main.rs. */
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t hash = a * 0x9e3779b97f4a7c15 ^ b;

	hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccd ^ c;
	hash = (hash ^ hash >> 29) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 32;
}

/* The kind as main.rs numbers it; 0: it passes the register over. */
static uint64_t rule_digest(unsigned int reg, const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_SAME_VALUE: return mix(reg, 1, 0);
	case RULE_OFFSET: return mix(reg, 2, rule->offset);
	case RULE_VAL_OFFSET: return mix(reg, 3, rule->offset);
	case RULE_REGISTER: return mix(reg, 4, rule->reg);
	case RULE_EXPRESSION: return mix(reg, 5, 0);
	case RULE_VAL_EXPRESSION: return mix(reg, 6, 0);
	default: return 0;
	}
}

static int digest_row(void *context, const struct cfi_raw_row *raw)
{
	const struct row *row = raw->row;
	struct reading *reading = context;
	uint64_t pc = reading->pc ? reading->pc : row->pc;
	uint64_t sum = row->cfa.kind == RULE_CFA_REGISTER ? mix(pc, row->cfa.reg, row->cfa.offset)
							  : mix(pc, UINT64_MAX, 0);

	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		sum += rule_digest(reg, &row->reg[reg]);
	reading->digest += mix(sum, 0, 0);
	reading->rows++;
	return 0;
}

/* Rows as gimli has them: an FDE without instructions has one, its CIE's. */
static int read_rows(const struct image *image, struct reading *ret, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;

	*ret = (struct reading) { 0 };
	if (cfi_create_section(image, ".eh_frame", &cfi, error))
		return -1;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[i];
		uint64_t before = ret->rows;

		if (cfi_raw_rows(cfi, &cfi->cie[fde->cie], fde, digest_row, ret, error))
			return -1;
		ret->pc = fde->pc_begin;
		if (ret->rows == before &&
		    cfi_raw_rows(cfi, &cfi->cie[fde->cie], NULL, digest_row, ret, error))
			return -1;
		ret->pc = 0;
	}
	return 0;
}

int bench_table_build_gimli(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	double ours[BENCH_RUNS_MAX], theirs[BENCH_RUNS_MAX];
	char path[4096], program[4096];
	struct bench_gimli_result result;
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct reading reading;

	if (build_program(options->gimli, program, error) ||
	    bench_image_find(ret->subject, path, error) || image_create(path, &image, error) ||
	    read_rows(image, &reading, error))
		return -1;
	for (unsigned int i = 0; i < options->runs; i++) {
		if (bench_build_ms(image, &ours[i], error) ||
		    run_program(program, path, &result, error))
			return -1;
		theirs[i] = result.median_ms;
		if (result.rows == reading.rows && result.digest == reading.digest)
			continue;
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "gimli has %llu rows, we %llu; digests %016llx, %016llx",
				 (unsigned long long)result.rows, (unsigned long long)reading.rows,
				 (unsigned long long)result.digest,
				 (unsigned long long)reading.digest);
	}
	ret->value = bench_median(ours, options->runs);
	ret->unit = "ms";
	ret->reference = "gimli, no row kept";
	ret->reference_value = bench_median(theirs, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note),
		 "%.500s: %llu rows, the same by both; gimli %s iterates, we build the finished "
		 "table",
		 path, (unsigned long long)reading.rows, result.version);
	return 0;
}

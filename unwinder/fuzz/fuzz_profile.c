/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_profile.c - bytes as a profile (harness/profiles/profile/profile.h), by each of its readers
 *
 * Whatever the bytes are, each reader comes to its end; what it hands on has frames and texts that
 * are there, counts whose sum can be told, and no more frames than a stack may have; each sample
 * that it loses has its line in the errors; and read again it is the same. perf.data is left out:
 * perf reads it, and its text is what is read here.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "profiles/profile/profile.h"

struct seen {
	uint64_t samples, weight;
	uint64_t digest; /* of all that was handed on */
};

static void check_text(const struct profile *profile, uint32_t number)
{
	fuzz_require(number <= profile->texts.count, "text %u of %u", number, profile->texts.count);
	fuzz_require(!number || *profile_text(profile, number), "an empty text has a number");
}

static void check_frame(const struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame;

	fuzz_require(number && number <= profile->frames, "frame %u of %u", number,
		     profile->frames);
	frame = profile_frame(profile, number);
	check_text(profile, frame->image);
	check_text(profile, frame->build_id);
	check_text(profile, frame->name);
	fuzz_require(frame->kind <= PROFILE_RELATIVE, "an address of kind %u", frame->kind);
	fuzz_require(!(frame->flags & ~(PROFILE_INLINED | PROFILE_KERNEL | PROFILE_REPEATED)),
		     "flags 0x%x", frame->flags);
}

static int on_sample(void *context, const struct profile *profile,
		     const struct profile_sample *sample, struct error *error)
{
	struct seen *seen = context;

	fuzz_require(sample->count, "a sample of count 0");
	fuzz_require(sample->frame_count <= PROFILE_FRAMES_MAX, "%u frames", sample->frame_count);
	fuzz_require(sample->pid >= -1 && sample->tid >= -1, "process %d, thread %d", sample->pid,
		     sample->tid);
	check_text(profile, sample->comm);
	check_text(profile, sample->event);
	seen->samples++;
	seen->weight += sample->count;
	seen->digest = fuzz_mix(seen->digest ^ sample->count ^ sample->place << 32);
	for (uint32_t i = 0; i < sample->frame_count; i++) {
		check_frame(profile, sample->frame[i]);
		seen->digest = fuzz_mix(seen->digest + sample->frame[i]);
	}
	return 0;
}

static struct seen read_once(int file, enum profile_format format)
{
	struct seen seen = { 0 };
	struct profile profile;
	struct error error;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	profile_init(&profile);
	status = profile_read(&profile, path, format, on_sample, &seen, &error);
	if (status)
		fuzz_require((error.code == ERROR_TEXT_SYNTAX || error.code == ERROR_TABLE_LIMIT) &&
				     *error.message,
			     "%s: %s", error_code_name(error.code), error.message);
	fuzz_require(profile.samples == seen.samples && profile.weight == seen.weight,
		     "%" PRIu64 " samples of %" PRIu64 ", not %" PRIu64 " of %" PRIu64,
		     profile.samples, profile.weight, seen.samples, seen.weight);
	fuzz_require(profile.weight <= PROFILE_COUNT_MAX, "the sum of the counts");
	fuzz_require(profile_lost(&profile) == profile.errors.count + profile.errors.dropped,
		     "%" PRIu64 " lost, and %zu errors", profile_lost(&profile),
		     profile.errors.count);
	seen.digest = fuzz_mix(seen.digest + profile_lost(&profile) * 2 + !status);
	profile_deinit(&profile);
	return seen;
}

int fuzz_profile(const uint8_t *data, size_t size)
{
	static const enum profile_format formats[] = { PROFILE_ANY,	   PROFILE_PERF_SCRIPT,
						       PROFILE_FOLDED,	   PROFILE_PPROF,
						       PROFILE_STACKS,	   PROFILE_BPFTRACE,
						       PROFILE_SPEEDSCOPE, PROFILE_FIREFOX,
						       PROFILE_OTLP };
	int file = memfd_create("profile", MFD_CLOEXEC);

	fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct seen first, again;

		if (formats[i] == PROFILE_ANY && profile_format_of(data, size) == PROFILE_PERF_DATA)
			continue;
		first = read_once(file, formats[i]);
		again = read_once(file, formats[i]);
		fuzz_require(first.digest == again.digest, "another profile when it is read again");
	}
	close(file);
	return 0;
}

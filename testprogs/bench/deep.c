/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * deep.c - a deep stack that stays there: what `bench` times walks over
 *
 *	deep chain DEPTH [MAPPINGS [LOOKS]]	10, or a multiple of 100
 *	deep recursion DEPTH [MAPPINGS]
 *
 * level_0 calls level_1 ... calls level_99, which begins again or spins until it is killed. With LOOKS
 * it looks so often at the clock instead: where the clock has jumped, somebody else had the CPU.
 * What was lost that way goes to standard output: its nanoseconds, all nanoseconds, the number of
 * jumps. Every level has its own code, frame size and saved registers, so no walker's cache is flattered as by a
 * recursion. PART selects 20 levels, so that five shared libraries hold them; without it one image
 * has them all. MAPPINGS: how often a page of this program's code is mapped once more, since a real
 * process has many mappings to be searched.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The levels know no more of it than `at`. */
struct deep {
	int at[5];
	int again;
	int (*first)(int *at);
	long looks;
};

#define LEVEL(n, next)                                                                             \
	int level_##next(int *at);                                                                 \
	__attribute__((noinline)) int level_##n(int *at)                                           \
	{                                                                                          \
		volatile int frame[1 + n % 7 * 4];                                                 \
		int kept = at[n % 3], kept_too = at[n % 5], below;                                 \
                                                                                                   \
		frame[0] = kept + n;                                                               \
		below = level_##next(at);                                                          \
		if (n % 2)                                                                         \
			below += kept_too;                                                         \
		return below + kept + frame[0];                                                    \
	}

#if !defined(PART) || PART == 0
LEVEL(0, 1)
LEVEL(1, 2)
LEVEL(2, 3)
LEVEL(3, 4)
LEVEL(4, 5)
LEVEL(5, 6)
LEVEL(6, 7)
LEVEL(7, 8)
LEVEL(8, 9)
LEVEL(9, 10)
LEVEL(10, 11)
LEVEL(11, 12)
LEVEL(12, 13)
LEVEL(13, 14)
LEVEL(14, 15)
LEVEL(15, 16)
LEVEL(16, 17)
LEVEL(17, 18)
LEVEL(18, 19)
LEVEL(19, 20)
#endif
#if !defined(PART) || PART == 1
LEVEL(20, 21)
LEVEL(21, 22)
LEVEL(22, 23)
LEVEL(23, 24)
LEVEL(24, 25)
LEVEL(25, 26)
LEVEL(26, 27)
LEVEL(27, 28)
LEVEL(28, 29)
LEVEL(29, 30)
LEVEL(30, 31)
LEVEL(31, 32)
LEVEL(32, 33)
LEVEL(33, 34)
LEVEL(34, 35)
LEVEL(35, 36)
LEVEL(36, 37)
LEVEL(37, 38)
LEVEL(38, 39)
LEVEL(39, 40)
#endif
#if !defined(PART) || PART == 2
LEVEL(40, 41)
LEVEL(41, 42)
LEVEL(42, 43)
LEVEL(43, 44)
LEVEL(44, 45)
LEVEL(45, 46)
LEVEL(46, 47)
LEVEL(47, 48)
LEVEL(48, 49)
LEVEL(49, 50)
LEVEL(50, 51)
LEVEL(51, 52)
LEVEL(52, 53)
LEVEL(53, 54)
LEVEL(54, 55)
LEVEL(55, 56)
LEVEL(56, 57)
LEVEL(57, 58)
LEVEL(58, 59)
LEVEL(59, 60)
#endif
#if !defined(PART) || PART == 3
LEVEL(60, 61)
LEVEL(61, 62)
LEVEL(62, 63)
LEVEL(63, 64)
LEVEL(64, 65)
LEVEL(65, 66)
LEVEL(66, 67)
LEVEL(67, 68)
LEVEL(68, 69)
LEVEL(69, 70)
LEVEL(70, 71)
LEVEL(71, 72)
LEVEL(72, 73)
LEVEL(73, 74)
LEVEL(74, 75)
LEVEL(75, 76)
LEVEL(76, 77)
LEVEL(77, 78)
LEVEL(78, 79)
LEVEL(79, 80)
#endif
#if !defined(PART) || PART == 4
LEVEL(80, 81)
LEVEL(81, 82)
LEVEL(82, 83)
LEVEL(83, 84)
LEVEL(84, 85)
LEVEL(85, 86)
LEVEL(86, 87)
LEVEL(87, 88)
LEVEL(88, 89)
LEVEL(89, 90)
LEVEL(90, 91)
LEVEL(91, 92)
LEVEL(92, 93)
LEVEL(93, 94)
LEVEL(94, 95)
LEVEL(95, 96)
LEVEL(96, 97)
LEVEL(97, 98)
LEVEL(98, 99)

#define JUMP_LEAST 1000	   /* ns; a look takes 20 to 60 */
#define JUMP_MOST  1000000 /* more is another program's turn, or another machine's */

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int look(long looks)
{
	long begin = now_ns(), before = begin, lost = 0, jumps = 0;

	for (; looks > 0; looks--) {
		long now = now_ns(), jump = now - before;

		if (jump >= JUMP_LEAST && jump < JUMP_MOST) {
			lost += jump;
			jumps++;
		}
		before = now;
	}
	return printf("%ld %ld %ld\n", lost, before - begin, jumps) < 0;
}

__attribute__((noinline)) int level_99(int *at)
{
	struct deep *deep = (struct deep *)at;
	volatile int *spin = at;

	if (deep->again-- > 0)
		return deep->first(at) + spin[1];
	if (deep->looks)
		exit(look(deep->looks) || fflush(stdout));
	while (spin[0] == 1)
		spin[1] ^= 1;
	return spin[1];
}
#endif

#if !defined(PART) || PART == 5
int level_0(int *at);
int level_90(int *at);

__attribute__((noinline)) static int recurse(int *at, int depth)
{
	volatile int *spin = at;

	if (depth > 1)
		return recurse(at, depth - 1) + spin[1];
	while (spin[0] == 1)
		spin[1]++;
	return spin[1];
}

/* Each alike, so that the kernel can't join them. */
static int add_mappings(int count)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (; count > 0; count--)
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096) == MAP_FAILED)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct deep deep = { .at = { 1, 2, 3, 4, 5 }, .first = level_0 };

	deep.looks = argc > 4 ? atol(argv[4]) : 0;
	int depth = argc > 2 ? atoi(argv[2]) : 100;

	if (add_mappings(argc > 3 ? atoi(argv[3]) : 0))
		return 1;
	if (argc > 1 && strcmp(argv[1], "recursion") == 0)
		return recurse(deep.at, depth) == 0;
	if (depth == 10)
		return level_90(deep.at) == 0;
	deep.again = depth / 100 - 1;
	return level_0(deep.at) == 0;
}
#endif

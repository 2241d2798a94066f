# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""words.py - how often each word of a file is in it: dictionaries, a generator, an exception, sort by a key"""
import sys


def words(path, lines):
    with open(path) as file:
        for number, line in enumerate(file):
            if number == lines:
                return
            for word in line.split():
                yield word.strip(".,;:()\"").lower()


count = {}
for word in words(sys.argv[1], 20):
    try:
        count[word] += 1
    except KeyError:
        count[word] = 1
for word in sorted(count, key=lambda w: (-count[w], w))[:10]:
    print(word, count[word])

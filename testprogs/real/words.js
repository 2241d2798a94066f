// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
// words.js - how often each word of a file is in it: by V8's interpreter, its built-ins and its regular expressions
const text = require('fs').readFileSync(process.argv[2], 'utf8').slice(0, 800);
const count = new Map();
for (const word of text.toLowerCase().match(/[a-z'-]+/g))
	count.set(word, (count.get(word) || 0) + 1);
console.log([...count].sort((a, b) => b[1] - a[1]).slice(0, 10));

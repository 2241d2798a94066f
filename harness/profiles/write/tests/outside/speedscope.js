// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * speedscope.js - what speedscope's importer makes of a file
 *
 *	node speedscope.js PACKAGE FILE
 *
 * PACKAGE is the unpacked npm package, which has no more than the page's one script. Its importer is there before anything of the page
 * is; so the script is run up to there. A line for each profile: its unit, the sum of its weights, the sum of what its frames have as their
 * own, its name. The two sums are speedscope's, by different ways.
 */
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');

const release = path.join(process.argv[2], 'dist/release');
const script = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name));
const text = fs.readFileSync(path.join(release, script), 'utf8');
// "...,importProfilesFromArrayBuffer:()=>$y,..." are the importer's names; "(Sf(),kf)" makes it and is it.
const imported = /(\w+)=\{\};[\w$]+\(\1,\{importFromFileSystemDirectoryEntry:/.exec(text);
const begin = imported && new RegExp(`;var [\\w$]+=Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\(([\\w$]+)\\(\\),${imported[1]}\\)\\);`).exec(text);
if (!begin) {
	console.error(`${script}: the importer is not where it was`);
	process.exit(1);
}
Object.assign(global, { window: global, location: { hash: '', protocol: '' }, localStorage: {}, matchMedia: () => ({ matches: false }) });
vm.runInThisContext(`${text.slice(0, begin.index)};${begin[1]}();global.importer=${imported[1]};})()`);

const bytes = fs.readFileSync(process.argv[3]);
const content = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
global.importer.importProfilesFromArrayBuffer(path.basename(process.argv[3]), content).then(group => {
	if (!group)
		throw new Error('not read');
	for (const profile of group.profiles) {
		let own = 0;
		profile.forEachFrame(frame => { own += frame.getSelfWeight(); });
		console.log(profile.getWeightUnit(), profile.getTotalWeight(), own, JSON.stringify(profile.getName()));
	}
}).catch(error => {
	console.error(error.message);
	process.exit(1);
});

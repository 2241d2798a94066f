// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// flame.js - a flame graph that is zoomed, searched and read by keyboard, and a table of functions
//
// The root is on top. What is drawn comes from #flame-data (flame_html.c): names as [text, kind]; groups as [name, set];
// nodes, each before its children, as name, depth, value; rows, as name, group, self, total. Name 0 is what is left out.
// Elements are made only for rows that are on the screen, and only for frames that are a pixel wide.
"use strict";
(() => {
	const byId = id => document.getElementById(id);
	const data = JSON.parse(byId("flame-data").textContent);
	const tree = byId("flame-tree"), box = byId("flame-box"), line = byId("flame-line");
	const groupList = byId("flame-group"), search = byId("flame-search"), found = byId("flame-found");
	const filter = byId("flame-filter"), body = document.querySelector("#flame-functions tbody");
	const kinds = ["user", "kernel", "inlined", "marker", "group", "others"];
	const words = ["", "kernel", "inlined", "marker", data.one, "narrow frames as one"];
	const ROW = 20, MORE_ROWS = 10, LISTED = 200, ROOT = -1;

	// ---- the tree ---------------------------------------------------------------------------

	const count = data.nodes.length / 3;
	const name = i => data.nodes[3 * i], depth = i => data.nodes[3 * i + 1], value = i => data.nodes[3 * i + 2];
	const parent = new Int32Array(count), end = new Int32Array(count), own = new Float64Array(count);
	const open = [];
	const close = (to, at) => {
		while (open.length > to)
			end[open.pop()] = at;
	};
	for (let i = 0; i < count; i++) {
		close(depth(i) - 1, i);
		parent[i] = open.length ? open[open.length - 1] : ROOT;
		own[i] = value(i);
		if (parent[i] !== ROOT)
			own[parent[i]] -= value(i);
		open.push(i);
	}
	close(0, count);

	// Of depth 1 the name is a group's number.
	const nameOf = i => depth(i) === 1 && name(i) ? data.groups[name(i)][0] : name(i);
	const textOf = i => {
		const set = depth(i) === 1 && name(i) ? data.groups[name(i)][1] : 0;
		return data.names[nameOf(i)][0] + (set ? ", " + data.names[set][0] : "");
	};
	const kindOf = i => data.names[nameOf(i)][1];

	let chosen, whole, zoom = ROOT, current = ROOT, query = "", matches = [];

	const share = (part, of) => (of ? 100 * part / of : 0).toFixed(2) + " %";
	const number = n => n.toLocaleString("en").replace(/,/g, "\u202f");
	const valueOf = i => i === ROOT ? whole : value(i);
	const rootsChosen = () => {
		const roots = [];
		for (let i = 0; i < count; i = end[i])
			if (chosen(name(i)))
				roots.push(i);
		return roots;
	};

	function describe(i) {
		if (i === ROOT)
			return "all: " + number(whole) + " " + data.unit;
		const word = words[kindOf(i)], caller = valueOf(parent[i]);
		return textOf(i) + (word ? " (" + word + ")" : "") + ": " + number(value(i)) + " " + data.unit + ", " +
			share(value(i), whole) + " of all, " + share(value(i), caller) + " of what is above" +
			(kindOf(i) < 3 ? "; itself " + number(own[i]) + ", " + share(own[i], whole) : "");
	}

	// ---- where frames are -------------------------------------------------------------------

	let rows = [], drawn = new Map(), width = 0;

	// rows[r]: frames as {i, x, w}, in parts of the width; what is above the zoomed one is as wide as it.
	function lay() {
		const least = 1 / Math.max(box.clientWidth, 1), scale = valueOf(zoom), next = [];
		const put = (row, i, x, w, above) => (rows[row] = rows[row] || []).push({ i, x, w, above });
		rows = [];
		put(0, ROOT, 0, 1, zoom !== ROOT);
		for (let i = zoom === ROOT ? ROOT : parent[zoom]; i !== ROOT; i = parent[i])
			put(depth(i), i, 0, 1, true);
		for (const root of zoom === ROOT ? rootsChosen() : [zoom])
			for (let i = root; i < end[root];) {
				const d = depth(i), w = scale ? value(i) / scale : 0, x = next[d] || 0;
				next[d] = x + w;
				next[d + 1] = x;
				if (w >= least)
					put(d, i, x, w, false);
				i = w >= least ? i + 1 : end[i];
			}
		width = box.clientWidth;
		tree.replaceChildren();
		drawn = new Map();
		tree.style.height = rows.length * ROW + "px";
		draw(false);
	}

	function element(frame, row) {
		const item = document.createElement("div"), i = frame.i, text = i === ROOT ? "all" : textOf(i);
		const kind = i === ROOT ? 4 : kindOf(i);
		item.className = "flame-" + kinds[kind] + (frame.above ? " flame-above" : "") + (isFound(i) ? " flame-found" : "") +
			(frame.w * width < 10 ? " flame-narrow" : "");
		item.setAttribute("role", "treeitem");
		item.setAttribute("aria-level", row + 1);
		item.setAttribute("aria-label", describe(i));
		item.title = describe(i);
		item.tabIndex = i === current ? 0 : -1;
		item.dataset.i = i;
		item.textContent = frame.w * width > 18 ? text : "";
		item.style.top = row * ROW + "px";
		item.style.left = 100 * frame.x + "%";
		item.style.width = 100 * frame.w + "%";
		if (kind === 0 || kind === 2) {
			let hash = 0;
			for (const c of text)
				hash = (hash * 31 + c.codePointAt(0)) % 8191;
			item.style.setProperty("--hue", 20 + hash % 45);
		}
		return item;
	}

	// Rows on the screen, and some more; all: each, for the printer.
	function draw(all) {
		const first = all ? 0 : Math.floor(box.scrollTop / ROW) - MORE_ROWS;
		const last = all ? rows.length : (box.scrollTop + box.clientHeight || innerHeight) / ROW + MORE_ROWS;
		for (const [row, items] of drawn)
			if (row < first || row > last) {
				items.forEach(item => item.remove());
				drawn.delete(row);
			}
		rows.forEach((frames, row) => {
			if (row < first || row > last || drawn.has(row))
				return;
			const items = frames.map(frame => element(frame, row));
			tree.append(...items);
			drawn.set(row, items);
		});
	}

	const isVisible = i => rows.some(frames => frames.some(frame => frame.i === i));
	const rowOf = i => i === ROOT ? 0 : depth(i);

	// Makes a frame the current one; focus: the keyboard goes there.
	function setCurrent(i, focus) {
		const item = at => tree.querySelector("[data-i='" + at + "']");
		const before = item(current);
		if (before)
			before.tabIndex = -1;
		current = i;
		line.textContent = describe(i);
		if (focus) {
			const top = rowOf(i) * ROW;
			if (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight)
				box.scrollTop = Math.max(top - box.clientHeight / 2, 0);
			draw(false);
		}
		const now = item(i);
		if (!now)
			return;
		now.tabIndex = 0;
		if (focus)
			now.focus({ preventScroll: true });
	}

	function zoomTo(i, focus) {
		zoom = i;
		current = i;
		lay();
		setCurrent(i, focus);
		sayFound();
	}

	// ---- search -----------------------------------------------------------------------------

	const isFound = i => query !== "" && i !== ROOT && matches[nameOf(i)];

	// What is found, no value twice: of frames below each other the outer one counts.
	function sayFound() {
		let sum = 0, frames = 0;
		const roots = query === "" ? [] : zoom === ROOT ? rootsChosen() : [zoom];
		for (const root of roots) {
			let counted = root;
			for (let i = root; i < end[root]; i++) {
				if (!isFound(i))
					continue;
				frames++;
				if (i >= counted) {
					sum += value(i);
					counted = end[i];
				}
			}
		}
		found.textContent = query === "" ? "" : share(sum, valueOf(zoom)) + " found, in " + number(frames) + " frames";
	}

	function find(text) {
		query = text.toLowerCase();
		matches = data.names.map(([of]) => of.toLowerCase().includes(query));
		for (const items of drawn.values())
			items.forEach(item => item.classList.toggle("flame-found", isFound(Number(item.dataset.i))));
		sayFound();
	}

	function nextFound(step) {
		const frames = rows.flat().filter(frame => isFound(frame.i));
		const at = frames.findIndex(frame => frame.i === current);
		if (frames.length)
			setCurrent(frames[(at < 0 ? step > 0 ? 0 : frames.length - 1 : at + step + frames.length) % frames.length].i, true);
	}

	// ---- keys and clicks --------------------------------------------------------------------

	function beside(i, step) {
		const frames = rows[rowOf(i)] || [], at = frames.findIndex(frame => frame.i === i) + step;
		return frames[at] ? frames[at].i : i;
	}

	function below(i) {
		const frame = (rows[rowOf(i) + 1] || []).find(one => parent[one.i] === i);
		return frame ? frame.i : i;
	}

	const keys = {
		ArrowDown: () => setCurrent(below(current), true),
		ArrowUp: () => setCurrent(current === ROOT ? ROOT : parent[current], true),
		ArrowLeft: () => setCurrent(beside(current, -1), true),
		ArrowRight: () => setCurrent(beside(current, 1), true),
		Home: () => setCurrent(ROOT, true),
		Enter: () => zoomTo(current, true),
		" ": () => zoomTo(current, true),
		Escape: () => zoomTo(ROOT, true),
		Backspace: () => zoomTo(zoom === ROOT ? ROOT : parent[zoom], true),
		n: () => nextFound(1),
		N: () => nextFound(-1),
		"/": () => search.focus(),
	};
	const frameAt = event => {
		const item = event.target.closest("[data-i]");
		return item ? Number(item.dataset.i) : null;
	};

	tree.addEventListener("keydown", event => {
		if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	});
	tree.addEventListener("click", event => {
		if (frameAt(event) !== null)
			zoomTo(frameAt(event), true);
	});
	tree.addEventListener("mouseover", event => {
		if (frameAt(event) !== null)
			line.textContent = describe(frameAt(event));
	});
	tree.addEventListener("mouseleave", () => { line.textContent = describe(current); });
	search.addEventListener("input", () => find(search.value));
	search.addEventListener("keydown", event => {
		if (event.key === "Enter")
			nextFound(1);
	});
	byId("flame-reset").addEventListener("click", () => zoomTo(ROOT, false));
	box.addEventListener("scroll", () => draw(false));
	window.addEventListener("beforeprint", () => draw(true));
	new ResizeObserver(() => {
		if (box.clientWidth !== width)
			lay();
	}).observe(box);

	// ---- functions --------------------------------------------------------------------------

	const headings = [...document.querySelectorAll("#flame-functions th")];
	const orders = [r => r.self, r => r.self, r => r.total, r => r.total];
	let functions = [], order = 0;

	function sumFunctions() {
		const rowsByName = new Map();
		for (let i = 0; i < data.rows.length; i += 4) {
			const [of, group, self, total] = data.rows.slice(i, i + 4);
			if (!chosen(group))
				continue;
			const row = rowsByName.get(of) || { of, self: 0, total: 0 };
			row.self += self;
			row.total += total;
			rowsByName.set(of, row);
		}
		functions = [...rowsByName.values()];
	}

	function cell(row, text, kind) {
		const at = row.insertCell();
		at.textContent = text;
		if (kind)
			at.className = kind;
		return at;
	}

	function listFunctions() {
		const wanted = filter.value.toLowerCase(), key = orders[order];
		const listed = functions.filter(row => data.names[row.of][0].toLowerCase().includes(wanted))
			.sort((a, b) => key(b) - key(a) || b.self - a.self || b.total - a.total || a.of - b.of);
		body.replaceChildren();
		for (const row of listed.slice(0, LISTED)) {
			const tr = body.insertRow(), [text, kind] = data.names[row.of], button = document.createElement("button");
			cell(tr, number(row.self), "n");
			cell(tr, share(row.self, whole), "n");
			cell(tr, number(row.total), "n");
			cell(tr, share(row.total, whole), "n");
			cell(tr, words[kind], kind === 3 ? "bad" : "soft");
			button.type = "button";
			button.textContent = text;
			button.title = "search for it in the flame graph";
			button.addEventListener("click", () => {
				search.value = text;
				find(text);
				nextFound(1);
				box.scrollIntoView({ block: "center" });
			});
			cell(tr, "", "code").append(button);
		}
		byId("flame-listed").textContent = listed.length > LISTED ?
			LISTED + " of " + number(listed.length) + " are shown: the filter finds the others" :
			number(listed.length) + " functions";
		headings.forEach((th, i) => {
			if (orders[i])
				th.setAttribute("aria-sort", i === order ? "descending" : "none");
		});
	}

	headings.forEach((th, i) => {
		if (!orders[i])
			return;
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = th.textContent;
		button.title = "sort by it";
		button.addEventListener("click", () => {
			order = i;
			listFunctions();
		});
		th.replaceChildren(button);
	});
	filter.addEventListener("input", listFunctions);

	// ---- whose -----------------------------------------------------------------------------

	function addChoice(text, of) {
		const option = document.createElement("option");
		option.textContent = text;
		option.value = of;
		groupList.append(option);
	}

	function listGroups() {
		const sets = [...new Set(data.groups.slice(1).map(group => group[1]).filter(set => set))];
		addChoice("all", "");
		for (const set of sets)
			addChoice(data.names[set][0], "set " + set);
		for (let i = 0; i < count; i = end[i])
			if (name(i))
				addChoice(textOf(i) + ": " + number(value(i)), "group " + name(i));
	}

	function choose(of) {
		const [what, which] = of.split(" ");
		chosen = what === "set" ? group => group && data.groups[group][1] === Number(which) :
			what === "group" ? group => group === Number(which) : () => true;
		whole = rootsChosen().reduce((sum, i) => sum + value(i), 0);
		sumFunctions();
		listFunctions();
		zoomTo(ROOT, false);
	}

	groupList.addEventListener("change", () => choose(groupList.value));
	listGroups();
	document.querySelectorAll(".flame-live").forEach(part => { part.hidden = false; });
	choose("");
})();

// SPDX-License-Identifier: GPL-2.0-or-later
// work.js SECONDS: counts words, sorts, and makes JSON of it.
"use strict";

const until = Date.now() + 1000 * Number(process.argv[2]);
let seed = 1;

function draw(n) {
	seed = (seed * 1103515245 + 12345) % 2147483648;
	return seed % n;
}

function textOf(words) {
	let text = "";

	for (let i = 0; i < 4000; i++)
		text += words[draw(words.length)] + (i % 11 ? " " : ", ");
	return text;
}

function countWords(text, counts) {
	for (const word of text.toLowerCase().match(/[a-z]+/g))
		counts.set(word, (counts.get(word) || 0) + 1);
}

function depth(tree) {
	return tree ? 1 + Math.max(depth(tree.left), depth(tree.right)) : 0;
}

function insert(tree, key) {
	if (!tree)
		return { key, left: null, right: null };
	if (key < tree.key)
		tree.left = insert(tree.left, key);
	else if (key > tree.key)
		tree.right = insert(tree.right, key);
	return tree;
}

const words = Array.from({ length: 500 },
	() => Array.from({ length: 2 + draw(7) }, () => "aeiounrstl"[draw(10)]).join(""));
const counts = new Map();
let rounds = 0, deepest = 0;

while (Date.now() < until) {
	let tree = null;

	countWords(textOf(words), counts);
	JSON.parse(JSON.stringify([...counts].sort((a, b) => b[1] - a[1])));
	for (let i = 0; i < 2000; i++)
		tree = insert(tree, draw(100000));
	deepest = Math.max(deepest, depth(tree));
	rounds++;
}
console.log(`node: ${rounds} rounds, ${counts.size} words, a tree of ${deepest}`);

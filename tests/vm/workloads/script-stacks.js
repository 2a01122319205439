// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comes to one function in many ways, and each time lets the runtime itself say the stack before it
// works there: script-stacks.js DUMP LOOPS.  With 0 loops it goes on for a line instead, for which
// another thread waits, so that this one is in the script all the time.
"use strict";
const fs = require("fs");
const { dump, lines, loops, stack } = require("./script-said.js");

function leaf(way) {
	const turn = Atomics.load(lines, 0);

	fs.writeSync(dump, `=== ${way}\n${stack()}---\n`);
	if (loops === 0) {
		while (Atomics.load(lines, 0) === turn);
	}
	let sum = 0;

	for (let i = 0; i < 200000 * loops; i++) {
		sum += i % 7;
	}
	return sum;
}

function descend(n) {
	return n === 0 ? leaf("recursion") : descend(n - 1);
}

class Base {
	constructor() {
		leaf("constructor of a base class");
	}

	method() {
		return leaf("inherited method");
	}
}

class Thing extends Base {
	#secret() {
		return leaf("private method");
	}

	constructor() {
		super();
		leaf("constructor");
	}

	static of() {
		return leaf("static method");
	}

	get size() {
		return leaf("getter");
	}

	set size(value) {
		leaf("setter");
	}

	open() {
		return this.#secret();
	}

	toString() {
		leaf("toString");
		return "thing";
	}

	valueOf() {
		leaf("valueOf");
		return 1;
	}

	method() {
		return super.method();
	}

	*[Symbol.iterator]() {
		yield leaf("iterator");
	}

	[Symbol.for("x")]() {
		return leaf("method with a symbol");
	}
}

function* numbers() {
	yield leaf("generator");
}

function tag() {
	return leaf("tagged template");
}

const arrow = () => leaf("arrow function");
const handler = {
	get: () => leaf("proxy"),
	apply: () => leaf("proxy of a function"),
};
const named = function other() {
	return leaf("named expression");
};
const many = function () {
	const of = { in: { here: () => leaf("function without a name of its own") } };

	return of.in.here();
};

function closure() {
	let n = 1;

	return () => leaf("closure") + n;
}

function ünïcode() {
	return leaf("Latin-1");
}

function имя() {
	return leaf("UTF-16");
}

function locals() {
	const f = [];

	for (let i = 0; i < 3; i++) {
		let a = i, b = i + 1, c = i + 2;

		f.push(() => a + b + c);
	}
	return leaf("function with variables of others") + f.length;
}

descend(0);
descend(40);
const thing = new Thing();

thing.method();
Thing.of();
thing.size;
thing.size = 1;
thing.open();
String(thing);
+thing;
[...thing];
thing[Symbol.for("x")]();
[...numbers()];
tag`a${1}`;
arrow();
new Proxy({}, handler).x;
new Proxy(function () {}, handler)();
named();
many();
closure()();
ünïcode();
имя();
locals();
[1].map(() => leaf("map"));
[1].forEach(function each() {
	leaf("forEach");
});
[2, 1].sort((a, b) => (leaf("sort"), a - b));
[1, 2].reduce((a, b) => leaf("reduce"));
[1].find(() => leaf("find"));
Array.from([1], () => leaf("Array.from"));
"a".replace(/a/, () => (leaf("replace"), "b"));
JSON.stringify({ toJSON: () => (leaf("toJSON"), 1) });
JSON.parse("[1]", function revive(key, value) {
	if (key === "0") {
		leaf("reviver");
	}
	return value;
});
Reflect.apply(() => leaf("Reflect.apply"), null, []);
Reflect.construct(function Made() {
	leaf("Reflect.construct");
}, []);
arrow.call(null);
arrow.apply(null, []);
arrow.bind(null)();
new Map([[1, 2]]).forEach(() => leaf("Map.forEach"));
eval("leaf('eval')");
new Function("leaf", "return leaf('new Function')")(leaf);
require("vm").runInThisContext("(f) => f('vm')", { filename: "of-vm.js" })(leaf);
const events = new (require("events"))();

events.on("x", () => leaf("event"));
events.emit("x");
({ get deep() { return leaf("getter of a literal"); } }).deep;
try {
	(() => {
		try {
			throw new Error("x");
		} finally {
			leaf("finally");
		}
	})();
} catch (error) {
	leaf("catch");
}

async function awaits() {
	await null;
	leaf("after await");
	await new Promise((resolve) => setTimeout(resolve, 1));
	leaf("after a timer");
}

async function* produces() {
	yield 1;
	leaf("async generator");
	yield 2;
}

const main = async () => {
	leaf("async function");
	await awaits();
	for await (const one of produces());
	await Promise.resolve().then(() => leaf("then"));
	await new Promise((resolve) => setImmediate(() => {
		leaf("setImmediate");
		resolve();
	}));
	await new Promise((resolve) => process.nextTick(() => {
		leaf("nextTick");
		resolve();
	}));
	await new Promise((resolve) => queueMicrotask(() => {
		leaf("queueMicrotask");
		resolve();
	}));
	await new Promise((resolve) => fs.stat("/", () => {
		leaf("callback of a file");
		resolve();
	}));
	/* The other thread still waits for a line, and an exit would wait for it. */
	process.kill(process.pid, "SIGTERM");
};

main();

// SPDX-License-Identifier: GPL-2.0-or-later
//
// As script-stacks.js, but that the compiler puts functions into their callers on the way, and does
// so before the first stack is said: script-inlined.js DUMP LOOPS.
"use strict";
const fs = require("fs");
const { dump, lines, loops, stack } = require("./script-said.js");

require("v8").setFlagsFromString("--allow-natives-syntax");
const prepare = new Function("f", "%PrepareFunctionForOptimization(f)");
const optimize = new Function("f", "%OptimizeFunctionOnNextCall(f)");
const isOptimized = new Function("f", "return (%GetOptimizationStatus(f) & 16) !== 0");
const never = new Function("f", "%NeverOptimizeFunction(f)");

/* Of numbers, since what an array of others has may be compiled into the code. */
const says = new Int32Array(1);
let way;

function leaf(n) {
	if (says[0] === 0) {
		return n;
	}
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

never(leaf);

function one(n) {
	return leaf(n) + 1;
}

function two(n) {
	return one(n) + 2;
}

function three(n) {
	return two(n) * one(n);
}

class Base {
	constructor(n) {
		this.n = one(n);
	}

	method(n) {
		return two(n) + this.n;
	}

	get value() {
		return leaf(this.n);
	}
}

class Thing extends Base {
	#secret(n) {
		return one(n);
	}

	open(n) {
		return this.#secret(n) + 1;
	}

	method(n) {
		return super.method(n) + 1;
	}

	set value(n) {
		this.n = two(n);
	}

	get value() {
		return super.value;
	}

	static of(n) {
		return leaf(n);
	}
}

const arrow = (n) => one(n) + 1;
const rest = (...numbers) => leaf(numbers[0]) + numbers.length;
const usual = (n, m = one(n)) => m;
const other = (n) => two(n) + 1;
const either = [arrow, other];
const bound = one.bind(null, 1);
const thing = new Thing(1);
const tag = (parts, n) => one(n);

function counter() {
	let n = 0;

	return () => n += leaf(1);
}

const count = counter();
/* Each is compiled with what it calls.  Those of V8's own functions that are compiled into others, too, have no frame. */
const ways = {
	"one function": (n) => one(n),
	"two functions": (n) => two(n),
	"three functions": (n) => three(n),
	"a function that comes twice": (n) => one(n) + two(n) + one(n),
	"the second of two": (n) => says[0] ? two(n) : one(n),
	"an arrow function": (n) => arrow(n),
	"a method": (n) => thing.method(n),
	"a private method": (n) => thing.open(n),
	"a static method": (n) => Thing.of(n),
	"a getter": () => thing.value,
	"a setter": (n) => {
		thing.value = n;
	},
	"a constructor": (n) => new Base(n).n,
	"a closure": () => count(),
	"a rest parameter": (n) => rest(n, 2, 3),
	"too many arguments": (n) => one(n, 1, 2, 3),
	"too few": () => one(),
	"a default": (n) => usual(n),
	"one of two functions": (n) => either[n & 1](n),
	"call()": (n) => one.call(null, n),
	"apply()": (n) => one.apply(null, [n]),
	"a bound function": () => bound(),
	"Reflect.apply()": (n) => Reflect.apply(two, null, [n]),
	"spread arguments": (n) => one(...[n]),
	"a tagged template": (n) => tag`a${n}`,
	"try": (n) => {
		try {
			return two(n);
		} catch (error) {
			return 0;
		}
	},
	"finally": (n) => {
		try {
			n++;
		} finally {
			n = one(n);
		}
		return n;
	},
	"a loop": (n) => {
		let sum = 0;

		for (let i = 0; i < 3; i++) {
			sum += two(i + n);
		}
		return sum;
	},
	"a function in another": (n) => {
		const within = (m) => leaf(m + n);

		return within(n);
	},
	"a call with an object": (n) => {
		const { m } = { m: n };

		return two(m);
	},
	"a switch": (n) => {
		switch (n % 3) {
		case 0:
			return one(n);
		case 1:
			return two(n);
		default:
			return three(n);
		}
	},
	"both sides of a condition": (n) => (one(n) > 3 ? two(n) : arrow(n)),
	"optional chaining": (n) => thing?.method?.(n),
	"forEach(), compiled into its caller": (n) => [n].forEach((m) => one(m)),
	"map(), compiled into its caller": (n) => [n].map((m) => one(m)),
	"reduce(), compiled into its caller": (n) => [n, n].reduce((a, b) => one(a)),
	"find(), compiled into its caller": (n) => [n].find((m) => one(m)),
};

const run = {};

for (const [name, f] of Object.entries(ways)) {
	if (loops > 0 && name.endsWith("compiled into its caller")) {
		continue;
	}
	/* It is the innermost one that has a frame of its own. */
	run[name] = new Function("f", "return (n) => f(n)")(f);
	never(run[name]);
	for (const each of [f, one, two, three, arrow, rest, usual, other, tag, count]) {
		prepare(each);
	}
	for (let i = 0; i < 50; i++) {
		run[name](i);
	}
	optimize(f);
	run[name](1);
	run[name](2);
	way = `${name}${isOptimized(f) ? "" : ", interpreted"}`;
	says[0] = 1;
	run[name](3);
	says[0] = 0;
}
/* The other thread still waits for a line, and an exit would wait for it. */
process.kill(process.pid, "SIGTERM");

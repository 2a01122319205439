// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls and returns all the time, in many ways, until it is ended.
"use strict";

function fibonacci(n) {
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function* numbers(n) {
	for (let i = 0; i < n; i++) {
		yield i;
	}
	if (n) {
		yield* numbers(n - 1);
	}
}

class Thing {
	constructor(n) {
		this.n = n;
	}

	get half() {
		return this.n / 2;
	}

	valueOf() {
		return this.n;
	}
}

function throwing(n) {
	if (n === 0) {
		throw new Error("thrown");
	}
	return throwing(n - 1);
}

function work() {
	let sum = fibonacci(6);

	for (const n of numbers(4)) {
		sum += n;
	}
	const things = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => new Thing((n * 7) % 5));

	things.sort((a, b) => a - b).forEach((thing) => {
		sum += thing.half;
	});
	try {
		throwing(5);
	} catch {
		sum++;
	}
	return fibonacci.apply(null, [sum % 5]);
}

for (;;) {
	work();
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.js ROUNDS.
// To be run with --max-inlined-bytecode-size=0: what is compiled into its caller has no frame.
"use strict";
const { Worker, isMainThread, workerData } = require("worker_threads");

const rounds = isMainThread ? Number(process.argv[2]) : workerData.rounds;
let sum = 0;

function spin_a(n) {
	for (let i = 0; i < n * 20000; i++) {
		sum = (sum + i) % 1000003;
	}
	return "";
}

function spin_b(n) {
	for (let i = 0; i < n * 20000; i++) {
		sum = (sum + i) % 1000003;
	}
	return "";
}

function spin_c(n) {
	for (let i = 0; i < n * 20000; i++) {
		sum = (sum + i) % 1000003;
	}
	return "";
}

function section_plain() {
	for (let i = 0; i < rounds; i++) {
		spin_a(5);
		spin_b(3);
		spin_c(2);
	}
}

function descend(n, work, of) {
	return n === 0 ? work(of) : descend(n - 1, work, of);
}

function section_recursion() {
	for (let i = 0; i < rounds; i++) {
		descend(20, spin_a, 5);
		descend(20, spin_b, 3);
		descend(5, spin_c, 2);
	}
}

function* forever() {
	for (;;) {
		yield spin_a(5);
		yield spin_b(3);
		yield spin_c(2);
	}
}

function section_generators() {
	const each = forever();

	for (let i = 0; i < 3 * rounds; i++) {
		each.next();
	}
}

function section_callbacks() {
	for (let i = 0; i < rounds; i++) {
		[1].map(() => spin_a(5));
		"x".replace(/x/, () => spin_b(3));
		new Map([[1, 2]]).forEach(() => spin_c(2));
	}
}

async function section_async() {
	for (let i = 0; i < rounds; i++) {
		await null;
		spin_a(5);
		await null;
		spin_b(3);
		await null;
		spin_c(2);
	}
}

function thread_one() {
	for (let i = 0; i < rounds; i++) {
		spin_a(5);
	}
}

function thread_two() {
	for (let i = 0; i < rounds; i++) {
		spin_b(3);
		spin_c(2);
	}
}

/* Until they are compiled, they take longer. */
for (let i = 0; i < 20; i++) {
	spin_a(1);
	spin_b(1);
	spin_c(1);
}
if (isMainThread) {
	section_plain();
	section_recursion();
	section_generators();
	section_callbacks();
	section_async().then(() => {
		for (const name of ["one", "two"]) {
			new Worker(__filename, { workerData: { rounds, name } });
		}
	});
} else if (workerData.name === "one") {
	thread_one();
} else {
	thread_two();
}

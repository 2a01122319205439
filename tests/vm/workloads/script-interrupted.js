// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that the compiler puts into their callers and that call nothing, so that it is their own
// code that is interrupted: script-interrupted.js MILLISECONDS.  Parts of the time are 50, 30 and 20.
"use strict";

/* Maglev, a compiler of newer versions, keeps no record of what it puts into callers. */
if (parseInt(process.versions.v8) >= 12) {
	require("v8").setFlagsFromString("--no-maglev");
}

let sum = 0;

function spin_a(n) {
	for (let i = 0; i < n * 2000; i++) {
		sum = (sum + i) % 1000003;
	}
	return sum;
}

function spin_b(n) {
	for (let i = 0; i < n * 2000; i++) {
		sum = (sum + i) % 1000003;
	}
	return sum;
}

function inner_c(n) {
	for (let i = 0; i < n * 2000; i++) {
		sum = (sum + i) % 1000003;
	}
	return sum;
}

/* In one another. */
function spin_c(n) {
	return inner_c(n) + 1;
}

function section_work() {
	return spin_a(5) + spin_b(3) + spin_c(2);
}

/* Until they are compiled. */
for (let i = 0; i < 2000; i++) {
	section_work();
}
console.log("ready");

const end = Date.now() + Number(process.argv[2]);

function again() {
	for (let i = 0; i < 50; i++) {
		section_work();
	}
	if (Date.now() < end) {
		setImmediate(again);
	}
}

again();

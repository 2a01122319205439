// SPDX-License-Identifier: GPL-2.0-or-later
//
// What script-stacks.js and script-inlined.js share: where they dump, how often they loop, and the
// stack as the runtime says it.  With 0 loops a thread of this file counts the lines that come.
"use strict";
const fs = require("fs");
const { Worker, isMainThread, workerData } = require("worker_threads");

if (!isMainThread) {
	const line = Buffer.alloc(1);

	while (fs.readSync(0, line, 0, 1) === 1) {
		Atomics.add(workerData, 0, 1);
	}
	process.exit(0);
}

const dump = fs.openSync(process.argv[2], "w");
const loops = Number(process.argv[3]);
const lines = new Int32Array(new SharedArrayBuffer(4));

if (loops === 0) {
	new Worker(__filename, { workerData: lines });
}
Error.stackTraceLimit = Infinity;

function stack() {
	const before = Error.prepareStackTrace;

	Error.prepareStackTrace = (error, sites) => sites;
	const sites = new Error().stack.slice(1);
	Error.prepareStackTrace = before;
	/* Some of V8's own functions are of C++. */
	const native = ["parse", "stringify"];

	return sites.filter((site) => !site.isAsync() &&
			    !(native.includes(site.getFunctionName()) && !site.getFileName())).map((site) => {
		const name = site.getFunctionName();
		/* What has no name in its source is called by a symbol, or eval. */
		const own = name && !name.startsWith("[") && !site.isEval() ? name : "(anonymous)";

		/* Where the function begins, not where it is. */
		return `${own}\t${site.getFileName() || "[v8]"}\t${site.getEnclosingLineNumber() || 0}\n`;
	}).join("");
}

module.exports = { dump, lines, loops, stack };

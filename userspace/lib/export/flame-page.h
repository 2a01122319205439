/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the boxes of a flame graph into a page: its style, and a script for searching and zooming.
 * Without the script the picture is complete: each box shows its numbers as a tooltip.
 *
 * Each box is an <svg> of its own, placed in percent of the width.  So it cuts its text at its edge
 * and fits windows of any width, and zooming only sets two of its attributes.
 */
#ifndef SPT_FLAME_PAGE_H
#define SPT_FLAME_PAGE_H

/*
 * Fills keep enough contrast with their dark text on light and dark pages.  u: user, k: kernel, p:
 * process, x: no name; three shades of each distinguish neighbours.
 */
static const char flame_style[] =
	"svg{font:12px system-ui,\"DejaVu Sans\",sans-serif}\n"
	".page{fill:#fafafa}\n"
	".head,.status{fill:#222}\n"
	".head{font-weight:bold}\n"
	".b text{fill:#1a1a1a;pointer-events:none}\n"
	".b rect{stroke:#fafafa;stroke-width:.6}\n"
	".b:hover rect{stroke:#000;stroke-width:1.6}\n"
	".n text,.h{display:none}\n"
	".u0 rect{fill:#f6c26b}.u1 rect{fill:#f2b04e}.u2 rect{fill:#f8d18d}\n"
	".k0 rect{fill:#8cbcec}.k1 rect{fill:#74ade6}.k2 rect{fill:#a6cbf1}\n"
	".p0 rect{fill:#c9cdd2}.p1 rect{fill:#bcc1c7}.p2 rect{fill:#d6d9dd}\n"
	".x0 rect{fill:#e9dcc5}.x1 rect{fill:#e2d3b8}.x2 rect{fill:#efe5d3}\n"
	".b.d rect{fill:#a9adb2}.b.m rect{fill:#d7a0ff}\n"
	"@media(prefers-color-scheme:dark){.page{fill:#1e1e1e}.head,.status{fill:#eee}"
	".b rect{stroke:#1e1e1e}.b:hover rect{stroke:#fff}}\n";

/*
 * x, w: a box's place in percent when nothing is zoomed.  A click shows the box over the whole
 * width, with the boxes above it dimmed.  A click on the root, or Escape, goes back.  Search marks
 * the boxes that have the text in their first line, and shows the percentage of the samples that
 * they cover.  A box below a marked one adds nothing.
 */
static const char flame_script[] =
	"'use strict';\n"
	"(() => {\n"
	"const NS = 'http://www.w3.org/2000/svg', page = document.documentElement;\n"
	"const status = document.getElementById('status');\n"
	"const boxes = Array.from(document.getElementsByClassName('b'), el => ({el,\n"
	"\tx: parseFloat(el.getAttribute('x')), w: parseFloat(el.getAttribute('width')),\n"
	"\ty: parseFloat(el.getAttribute('y')), tip: el.querySelector('title').textContent}));\n"
	"const root = boxes[0];\n"
	"if (!root) return;\n"
	"for (let i = 1, up = 0; i < boxes.length; i++) {\n"
	"\tconst b = boxes[i];\n"
	"\twhile (boxes[up].y + 19 < b.y || boxes[up].x + boxes[up].w < b.x + b.w - 1e-4) up++;\n"
	"\tb.parent = boxes[up];\n"
	"}\n"
	"page.setAttribute('width', '100%');\n"
	"const hint = status.textContent + '  Click: zoom in; /: search; Escape: back.';\n"
	"let zoomed = root, found = hint;\n"
	"function zoom(to) {\n"
	"\tzoomed = to;\n"
	"\tconst scale = 100 / to.w, pixels = page.clientWidth / 100, slack = 1e-4;\n"
	"\tfor (const b of boxes) {\n"
	"\t\tconst above = b.y < to.y && b.x <= to.x + slack && b.x + b.w >= to.x + to.w - slack;\n"
	"\t\tconst inside = b.y >= to.y && b.x >= to.x - slack && b.x + b.w <= to.x + to.w + slack;\n"
	"\t\tconst x = above ? 0 : (b.x - to.x) * scale, w = above ? 100 : b.w * scale;\n"
	"\t\tb.el.classList.toggle('h', !above && !inside);\n"
	"\t\tb.el.classList.toggle('d', above);\n"
	"\t\tb.el.classList.toggle('n', w * pixels < 26);\n"
	"\t\tb.el.setAttribute('x', x + '%');\n"
	"\t\tb.el.setAttribute('width', w + '%');\n"
	"\t}\n"
	"}\n"
	"function search(text) {\n"
	"\tconst wanted = text.toLowerCase();\n"
	"\tlet share = 0;\n"
	"\tfor (const b of boxes) {\n"
	"\t\tconst hit = wanted !== '' && b.tip.split('\\n')[0].toLowerCase().includes(wanted);\n"
	"\t\tb.el.classList.toggle('m', hit);\n"
	"\t\tb.covered = b.parent !== undefined && (b.parent.covered || b.parent.hit);\n"
	"\t\tb.hit = hit;\n"
	"\t\tif (hit && !b.covered) share += b.w;\n"
	"\t}\n"
	"\tfound = wanted === '' ? hint : '\"' + text + '\": ' + share.toFixed(2) + ' %';\n"
	"\tstatus.textContent = found;\n"
	"}\n"
	"for (const b of boxes) {\n"
	"\tb.el.style.cursor = 'pointer';\n"
	"\tb.el.addEventListener('click', () => zoom(b));\n"
	"\tb.el.addEventListener('mouseenter', () => { status.textContent = b.tip.replace(/\\n/g, ', '); });\n"
	"\tb.el.addEventListener('mouseleave', () => { status.textContent = found; });\n"
	"}\n"
	"const frame = document.createElementNS(NS, 'foreignObject');\n"
	"const input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');\n"
	"for (const [key, value] of [['x', '70%'], ['y', 4], ['width', '29%'], ['height', 26]])\n"
	"\tframe.setAttribute(key, value);\n"
	"input.type = 'search';\n"
	"input.placeholder = 'Search functions and objects';\n"
	"input.style.cssText = 'width:100%;height:22px;box-sizing:border-box;color-scheme:light dark';\n"
	"input.addEventListener('input', () => search(input.value));\n"
	"frame.append(input);\n"
	"page.append(frame);\n"
	"addEventListener('keydown', event => {\n"
	"\tif (event.key === '/' && event.target !== input) { event.preventDefault(); input.focus(); }\n"
	"\tif (event.key === 'Escape') { input.value = ''; search(''); zoom(root); input.blur(); }\n"
	"});\n"
	"addEventListener('resize', () => zoom(zoomed));\n"
	"search('');\n"
	"zoom(root);\n"
	"})();\n";

#endif

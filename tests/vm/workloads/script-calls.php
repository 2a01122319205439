<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Calls and returns all the time, in many ways, until it is ended.

function fibonacci($n) {
	return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2);
}

function numbers($n) {
	for ($i = 0; $i < $n; $i++)
		yield $i;
	if ($n)
		yield from numbers($n - 1);
}

class Thing {
	public function __construct(public int $n) {
	}

	public function __get($name) {
		return $this->n / 2;
	}

	public function __invoke($n) {
		return $this->n + $n;
	}
}

function throwing($n) {
	if ($n == 0)
		throw new Exception;
	return throwing($n - 1);
}

function work() {
	fibonacci(6);
	foreach (numbers(4) as $n)
		;
	$things = array_map(fn($n) => new Thing($n * 7 % 5), range(0, 7));
	usort($things, fn($a, $b) => $a->n <=> $b->n);
	foreach ($things as $thing)
		$thing($thing->half);
	try {
		throwing(5);
	} catch (Exception) {
	}
	call_user_func_array('fibonacci', [4]);
}

for (;;)
	work();

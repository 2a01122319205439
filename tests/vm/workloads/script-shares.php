<?php
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.php ROUNDS

$rounds = (int)$argv[1];

function spin_a($n)
{
	for ($j = 0; $j < $n; $j++)
		for ($i = 0; $i < 500; $i++)
			$x = $i & 3;
	return 0;
}

function spin_b($n)
{
	for ($j = 0; $j < $n; $j++)
		for ($i = 0; $i < 500; $i++)
			$x = $i & 3;
	return 0;
}

function spin_c($n)
{
	for ($j = 0; $j < $n; $j++)
		for ($i = 0; $i < 500; $i++)
			$x = $i & 3;
	return 0;
}

function section_plain($rounds)
{
	for ($k = 0; $k < $rounds; $k++) {
		spin_a(50);
		spin_b(30);
		spin_c(20);
	}
}

function descend($n, $work)
{
	return $n ? descend($n - 1, $work) : $work();
}

function section_recursion($rounds)
{
	for ($k = 0; $k < $rounds; $k++) {
		descend(20, fn () => spin_a(50));
		descend(20, fn () => spin_b(30));
		descend(5, fn () => spin_c(20));
	}
}

function produce()
{
	while (true) {
		yield spin_a(50);
		yield spin_b(30);
		yield spin_c(20);
	}
}

function section_generators($rounds)
{
	$made = produce();
	for ($k = 0; $k < 3 * $rounds; $k++)
		$made->next();
}

function section_callbacks($rounds)
{
	for ($k = 0; $k < $rounds; $k++) {
		array_map(fn ($x) => spin_a(50), [1]);
		preg_replace_callback("/x/", fn ($m) => (string)spin_b(30), "x");
		call_user_func("spin_c", 20);
	}
}

section_plain($rounds);
section_recursion($rounds);
section_generators($rounds);
section_callbacks($rounds);

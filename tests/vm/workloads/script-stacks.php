<?php
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comes to one function in many ways, and each time lets the runtime itself say the stack before it
// works there: script-stacks.php DUMP LOOPS.  With 0 loops it waits for a line instead.

$dump = fopen($argv[1] == "/dev/stdout" ? "php://stdout" : $argv[1], "w");
$loops = (int)$argv[2];

function leaf($way)
{
	global $dump, $loops;
	$text = "=== $way\nleaf\t" . __FILE__ . "\t0\n";
	$frames = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
	$files = ["include", "require", "include_once", "require_once", "eval"];
	foreach ($frames as $i => $frame) {
		// The line of a function is where it called the one before.
		$next = $frames[$i + 1] ?? ["function" => "<main>"];
		// Called by the runtime itself.
		if (!isset($frames[$i + 1]) && !isset($frame["file"]))
			break;
		$name = in_array($next["function"], $files) ? "<main>" : $next["function"];
		if (isset($next["class"]))
			$name = $next["class"] . "::" . $name;
		if (!isset($frame["file"]))
			$text .= "$name\t[php]\t0\n";
		else
			$text .= "$name\t" . $frame["file"] . "\t" . $frame["line"] . "\n";
	}
	fwrite($dump, $text . "---\n");
	if ($loops == 0)
		fgets(STDIN);
	for ($j = 0; $j < $loops; $j++)
		for ($i = 0; $i < 200; $i++)
			$x = $i & 3;
	return 0;
}

function descend($n)
{
	return $n ? descend($n - 1) : leaf("recursion");
}

function generator($way)
{
	yield 0;
	yield leaf($way);
}

function delegate($n, $way)
{
	yield 0;
	if ($n)
		yield from delegate($n - 1, $way);
	else
		yield leaf($way);
}

trait Kept
{
	public function kept()
	{
		return leaf("method of a trait");
	}
}

class Thing implements ArrayAccess, IteratorAggregate, Countable, JsonSerializable, Stringable
{
	use Kept;

	public function __construct() { leaf("__construct"); }
	public function __destruct() { leaf("__destruct"); }
	public function __get($name) { return leaf("__get"); }
	public function __set($name, $value) { leaf("__set"); }
	public function __isset($name) { leaf("__isset"); return true; }
	public function __unset($name) { leaf("__unset"); }
	public function __call($name, $arguments) { return leaf("__call"); }
	public static function __callStatic($name, $arguments) { return leaf("__callStatic"); }
	public function __invoke() { return leaf("__invoke"); }
	public function __toString(): string { leaf("__toString"); return "x"; }
	public function __clone() { leaf("__clone"); }
	public function __serialize(): array { leaf("__serialize"); return []; }
	public function offsetExists($key): bool { leaf("offsetExists"); return true; }
	public function offsetGet($key): mixed { return leaf("offsetGet"); }
	public function offsetSet($key, $value): void { leaf("offsetSet"); }
	public function offsetUnset($key): void { leaf("offsetUnset"); }
	public function getIterator(): Iterator { leaf("getIterator"); return new ArrayIterator([]); }
	public function count(): int { leaf("count"); return 0; }
	public function jsonSerialize(): mixed { leaf("jsonSerialize"); return null; }
	public static function ofClass() { return leaf("static method"); }
	public function method() { return leaf("method"); }
	public function closure() { return function () { return leaf("closure of an object"); }; }
}

class Derived extends Thing
{
	public function method() { return parent::method(); }
}

function by_objects()
{
	$thing = new Thing();
	$thing->method();
	$thing->missing;
	$thing->missing = 1;
	isset($thing->missing);
	unset($thing->missing);
	$thing->none();
	Thing::none();
	$thing();
	$text = "$thing";
	$other = clone $thing;
	isset($thing[1]);
	$thing[1];
	$thing[1] = 1;
	unset($thing[1]);
	foreach ($thing as $x)
		;
	count($thing);
	json_encode($thing);
	serialize($thing);
	Thing::ofClass();
	$thing->kept();
	$thing->closure()();
	(new Derived())->method();
	call_user_func([$thing, "method"]);
	call_user_func_array("Thing::ofClass", []);
	(new ReflectionMethod("Thing", "method"))->invoke($thing);
	array_map([$thing, "method"], [1]);
	unset($other);
}

function by_library()
{
	array_map(fn ($x) => leaf("array_map"), [1]);
	array_filter([1], function ($x) { return leaf("array_filter"); });
	$all = [2, 1];
	usort($all, function ($a, $b) { return leaf("usort"); });
	array_walk($all, function ($x) { leaf("array_walk"); });
	array_reduce($all, fn ($x, $y) => leaf("array_reduce"));
	preg_replace_callback("/x/", function ($m) { return (string)leaf("preg_replace_callback"); }, "x");
	iterator_to_array(generator("generator in C"));
	foreach (generator("generator") as $x)
		;
	foreach (delegate(1, "yield from") as $x)
		;
	foreach (delegate(4, "yield from in yield from") as $x)
		;
	iterator_apply($i = new ArrayIterator([1]), function () { leaf("iterator_apply"); return false; });
	eval('leaf("eval");');
	eval('function made() { return leaf("made function"); } made();');
	ob_start(function ($text) { return $text; });
	ob_end_clean();
	$add = function ($n) use (&$add) { return $n ? $add($n - 1) : leaf("recursive closure"); };
	$add(5);
	try {
		throw new Exception("x");
	} catch (Exception $e) {
		leaf("catch");
	} finally {
		leaf("finally");
	}
	set_error_handler(function () { leaf("error handler"); return true; });
	trigger_error("x");
	restore_error_handler();
	(new Fiber(function () { leaf("fiber"); }))->start();
	(new Fiber(function () { descend(3); }))->start();
	$first = leaf(...);
	$first("first class callable");
	match (true) { true => leaf("match") };
	spl_autoload_register(function ($name) { leaf("autoload"); });
	is_callable("NotThere::none");
}

leaf("outside of functions");
descend(30);
by_objects();
by_library();
register_shutdown_function(function () { leaf("shutdown"); });

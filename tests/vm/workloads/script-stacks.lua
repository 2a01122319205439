-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Comes to one function in many ways, and each time lets the runtime itself say the stack before it
-- works there: script-stacks.lua DUMP LOOPS.  With 0 loops it waits for a line instead.

-- A program may run this in several states.
local dump = assert(io.open(arg[1], "a"))
local loops = tonumber(arg[2])
-- Who resumed whom; debug.getinfo() knows one coroutine's functions only.
local resumed = {}

local function resume(made, ...)
	resumed[#resumed + 1] = coroutine.running()
	local results = table.pack(coroutine.resume(made, ...))
	resumed[#resumed] = nil
	if not results[1] then error(results[2]) end
	return table.unpack(results, 2, results.n)
end

-- What it calls elements of a table is no name.
local unnamed = { ["integer index"] = true, ["?"] = true }
local named = { global = true, ["local"] = true, method = true, field = true, upvalue = true }

local function say(text, info)
	if info.what == "C" then return end
	local name = info.what == "main" and "main chunk" or
		named[info.namewhat] and not unnamed[info.name] and info.name or
		string.format("function <%s:%d>", info.short_src:match("[^/]*$"), info.linedefined)
	text[#text + 1] = string.format("%s\t%s\t%d\n", name, info.short_src, info.currentline)
	if info.istailcall then text[#text + 1] = "(...tail calls...)\t[lua]\t0\n" end
end

-- All but this function itself.
local function stack()
	local text = {}
	local level = 2
	while true do
		local info = debug.getinfo(level, "Slnt")
		if not info then break end
		say(text, info)
		level = level + 1
	end
	for i = #resumed, 1, -1 do
		level = 0
		while true do
			local info = debug.getinfo(resumed[i], level, "Slnt")
			if not info then break end
			say(text, info)
			level = level + 1
		end
	end
	return table.concat(text) .. (outside or "")
end

function leaf(way)
	local text = "=== " .. way .. (outside and " in another state" or "") .. "\n" .. stack()
	dump:write(text, "---\n")
	dump:flush()
	if loops == 0 then io.read("l") end
	local x = 0
	for j = 1, loops do
		for i = 1, 2000 do x = x ~ i end
	end
	return x
end

local function descend(n, way)
	if n > 0 then
		local x = descend(n - 1, way)
		return x
	end
	local x = leaf(way)
	return x
end

local function tail(n)
	if n > 0 then return tail(n - 1) end
	return leaf("tail calls")
end

local Thing = {}
Thing.__index = Thing

function Thing:method(way) local x = leaf(way) return x end
function Thing.static(way) local x = leaf(way) return x end

local function by_calls()
	leaf("a call")
	descend(1, "recursion")
	descend(60, "deep recursion")
	tail(0)
	tail(5)
	local thing = setmetatable({}, Thing)
	thing:method("a method")
	Thing.static("a field")
	Thing["static"]("a field by its name")
	local function inner(way) local x = leaf(way) return x end
	inner("a local function")
	local up = function(way) local x = inner(way) return x end
	up("an upvalue")
	local each = { function(way) local x = leaf(way) return x end }
	each[1]("an element")
	;(function(way) local x = leaf(way) return x end)("without a name")
	local function one(way) local x = leaf(way) return x end
	local other = function(way) local x = leaf(way) return x end
	;(loops and one or other)("one of two")
	;(not loops or other)("another one of two")
	local x = inner(inner and "with an argument that jumps" or "")
	-- Its name is the first call's.
	local function late(way) local x = leaf(way) return x end
	x = late(late ~= inner and (inner and "first with arguments that jump") or "", inner == late, not inner)
	local many = function(...) local n = select("#", ...) leaf("variable arguments") return n end
	many(1, 2, 3)
	leaf(string.format("%s", "with a call as its argument"))
	do
		local closed <close> = setmetatable({}, { __close = function() leaf("__close") end })
	end
	goto out
	::out::
	leaf("behind a label")
end

local function by_metamethods()
	local meta = {}
	local a, b = setmetatable({}, meta), setmetatable({}, meta)
	local x
	for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "unm", "idiv", "band", "concat", "len", "eq", "lt", "le", "index", "newindex", "call", "tostring" } do
		meta["__" .. name] = function() leaf("__" .. name) return name == "tostring" and "x" or 0 end
	end
	x = a + b
	x = a - b
	x = a * b
	x = a / b
	x = a % b
	x = a ^ b
	x = -a
	x = a // b
	x = a & b
	x = a .. b
	x = #a
	x = a == b
	x = a < b
	x = a <= b
	x = a.missing
	a.missing = 1
	a()
	x = tostring(a)
end

local function by_library()
	pcall(leaf, "pcall")
	pcall(function() leaf("a function in pcall") end)
	xpcall(function() error("x") end, function() leaf("a handler of errors") end)
	pcall(function() pcall(function() descend(3, "pcall in pcall") end) end)
	local is_first = true
	table.sort({ 3, 2, 1 }, function(one, other)
		if is_first then is_first = false leaf("table.sort") end
		return one < other
	end)
	string.gsub("x", "x", function() leaf("string.gsub") end)
	for _ in (function() local n = 0 return function() n = n + 1 if n == 1 then leaf("an iterator") return n end end end)() do end
	load("leaf('a chunk of a string')")()
	load(function() leaf("a reader of chunks") return nil end)
	assert(load("local a\nleaf('a chunk with a name')", "=made"))()
	require("string")
	package.preload.made = function() leaf("require") return 1 end
	require("made")
	collectgarbage()
	do
		local dead = setmetatable({}, { __gc = function() leaf("__gc") end })
		dead = nil
		collectgarbage()
	end
	debug.sethook(function() debug.sethook() leaf("a hook") end, "", 1) debug.sethook()
	string.gsub("xy", ".", function(c) if c == "y" then table.sort({ 2, 1 }, function(p, q) leaf("table.sort in string.gsub") return p < q end) end end)
end

local function by_coroutines()
	resume(coroutine.create(function() leaf("a coroutine") end))
	resume(coroutine.create(leaf), "a coroutine of the function itself")
	local twice = coroutine.create(function(way) leaf(way) way = coroutine.yield() leaf(way) end)
	resume(twice, "before a yield")
	resume(twice, "after a yield")
	local function deep(n) if n > 0 then local x = deep(n - 1) return x end coroutine.yield() leaf("deep in a coroutine that went on") end
	local later = coroutine.create(function() deep(5) end)
	resume(later)
	resume(later)
	local protected = coroutine.create(function() pcall(function() coroutine.yield() leaf("pcall in a coroutine that went on") end) leaf("behind that pcall") end)
	resume(protected)
	resume(protected)
	local by_meta = coroutine.create(function() local x = setmetatable({}, { __add = function() coroutine.yield() leaf("a metamethod in a coroutine that went on") return 1 end }) + 1 leaf("behind that") end)
	resume(by_meta)
	resume(by_meta)
	resume(coroutine.create(function()
		resume(coroutine.create(function() resume(coroutine.create(function() descend(2, "coroutines in coroutines") end)) end))
	end))
	resume(coroutine.create(function() table.sort({ 2, 1 }, function(p, q) resume(coroutine.create(function() leaf("a coroutine in table.sort") end)) return p < q end) end))
	local generator = coroutine.create(function() for i = 1, 3 do coroutine.yield(i) end leaf("the end of a generator") end)
	for _ = 1, 4 do resume(generator) end
end

leaf("the main chunk")
by_calls()
by_metamethods()
by_library()
by_coroutines()
if inner then
	local function within() inner(stack()) end
	within()
	resume(coroutine.create(within))
end

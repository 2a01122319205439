-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Functions a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.lua ROUNDS

local rounds = tonumber(arg[1])

local function spin_a(n)
	local x = 0
	for _ = 1, n do
		for i = 1, 2000 do x = x ~ i end
	end
	return x
end

local function spin_b(n)
	local x = 0
	for _ = 1, n do
		for i = 1, 2000 do x = x ~ i end
	end
	return x
end

local function spin_c(n)
	local x = 0
	for _ = 1, n do
		for i = 1, 2000 do x = x ~ i end
	end
	return x
end

-- A function that is called by C or in place of its caller has no name.
local function do_a() local x = spin_a(50) return x end
local function do_b() local x = spin_b(30) return x end
local function do_c() local x = spin_c(20) return x end

function section_plain()
	for _ = 1, rounds do
		spin_a(50)
		spin_b(30)
		spin_c(20)
	end
end

local function descend(n, work)
	local x = n > 0 and descend(n - 1, work) or work()
	return x
end

function section_recursion()
	for _ = 1, rounds do
		descend(20, do_a)
		descend(20, do_b)
		descend(5, do_c)
	end
end

function section_callbacks()
	for _ = 1, rounds do
		pcall(do_a)
		string.gsub("x", "x", function() do_b() end)
		table.sort({ 2, 1 }, function(one, other) do_c() return one < other end)
	end
end

function section_coroutines()
	local made = coroutine.wrap(function()
		while true do
			coroutine.yield(do_a())
			coroutine.yield(do_b())
			coroutine.yield(do_c())
		end
	end)
	for _ = 1, 3 * rounds do made() end
end

function section_metamethods()
	local thing = setmetatable({}, { __index = function() return do_a() end, __add = do_b, __len = do_c })
	local x
	for _ = 1, rounds do
		x = thing.missing
		x = thing + 1
		x = #thing
	end
end

section_plain()
section_recursion()
section_callbacks()
section_coroutines()
section_metamethods()

# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.rb ROUNDS

ROUNDS = ARGV[0].to_i

def spin_a(n)
  n.times do
    i = 0
    i += 1 while i < 500
  end
end

def spin_b(n)
  n.times do
    i = 0
    i += 1 while i < 500
  end
end

def spin_c(n)
  n.times do
    i = 0
    i += 1 while i < 500
  end
end

def section_plain
  ROUNDS.times do
    spin_a(50)
    spin_b(30)
    spin_c(20)
  end
end

def descend(n, &work)
  n == 0 ? work.call : descend(n - 1, &work)
end

def section_recursion
  ROUNDS.times do
    descend(20) { spin_a(50) }
    descend(20) { spin_b(30) }
    descend(5) { spin_c(20) }
  end
end

def section_fibers
  fiber = Fiber.new do
    loop do
      Fiber.yield(spin_a(50))
      Fiber.yield(spin_b(30))
      Fiber.yield(spin_c(20))
    end
  end
  (3 * ROUNDS).times { fiber.resume }
end

def section_callbacks
  ROUNDS.times do
    [1].sort_by { spin_a(50) }
    "x".gsub("x") { spin_b(30) && "" }
    { 1 => 2 }.each { [1].map { spin_c(20) } }
  end
end

def section_threads
  [Thread.new { ROUNDS.times { spin_a(50) } },
   Thread.new { ROUNDS.times { spin_b(30) && spin_c(20) } }].each(&:join)
end

section_plain
section_recursion
section_fibers
section_callbacks
section_threads

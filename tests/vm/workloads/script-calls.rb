# SPDX-License-Identifier: GPL-2.0-or-later
# Calls and returns all the time, in many ways, until it is ended.
def fibonacci(n)
  n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
end

def numbers(n, &block)
  n.times { |i| yield i }
  numbers(n - 1, &block) if n > 0
end

class Thing
  attr_reader :n

  def initialize(n)
    @n = n
  end

  def <=>(other)
    n <=> other.n
  end

  def method_missing(name)
    n + name.length
  end
end

def throwing(n)
  n == 0 ? raise(ArgumentError) : throwing(n - 1)
end

def work
  fibonacci(6)
  numbers(4) { |i| i + 1 }
  (0...8).map { |i| Thing.new(i * 7 % 5) }.sort
  (0...5).each_slice(2).map { |a| a.sum { |i| Thing.new(i).unknown } }
  begin
    throwing(5)
  rescue ArgumentError
    nil
  end
  send(:fibonacci, 4)
end

loop { work }

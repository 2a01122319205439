# SPDX-License-Identifier: GPL-2.0-or-later
# work.rb SECONDS: counts words, sorts, and makes JSON of it.
require "json"

def text_of(words, draw)
  Array.new(4000) { words[draw.rand(words.size)] }.join(" ")
end

def count_words(text, counts)
  text.downcase.scan(/[a-z]+/) { |word| counts[word] += 1 }
end

def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

draw = Random.new(1)
words = Array.new(500) { Array.new(2 + draw.rand(7)) { "aeiounrstl"[draw.rand(10)] }.join }
counts = Hash.new(0)
rounds = 0
stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ARGV[0].to_f
while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
  count_words(text_of(words, draw), counts)
  JSON.parse(JSON.generate(counts.sort_by { |word, n| [-n, word] }))
  fib(17)
  rounds += 1
end
puts "ruby: #{rounds} rounds, #{counts.size} words"

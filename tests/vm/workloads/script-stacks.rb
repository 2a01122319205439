# SPDX-License-Identifier: GPL-2.0-or-later
#
# Comes to one function in many ways, and each time lets the runtime itself say the stack before it
# works there: script-stacks.rb DUMP LOOPS.  With 0 loops it waits for a line instead.

DUMP = File.open(ARGV[0], "w")
LOOPS = ARGV[1].to_i

# [line, "Class#method"] of the methods called so in that file, as reflection knows them.
def owners(name, path)
  methods = MODULES.flat_map do |m|
    own = m.method_defined?(name, false) || m.private_method_defined?(name, false)
    [[own && m.instance_method(name), "#{m.name}##{name}"],
     [m.singleton_methods(false).include?(name.to_sym) && m.method(name), "#{m.name}.#{name}"]]
  end.select(&:first)
  # What is in C looks as if it were in the file that calls it.
  return [] unless methods.all? { |method, _| method.source_location }
  methods.map { |method, text| [*method.source_location, text] }.select { |file, *| file == path }
         .map { |_, line, text| [line, text] }
end

MODULES = []
STRUCT = Struct.new(:a) { define_method(:b) { leaf("struct") } }

# Ruby 3.4 says the class itself.  A function of C, or of Ruby's own files, has none here.
OWNERS = {}
def label(place)
  name = place.base_label
  return place.label if RUBY_VERSION >= "3.4" || !place.path || !name || name.start_with?("<")
  known = OWNERS[[name, place.path]] ||= owners(name, place.path)
  lines = known.select { |line, _| line <= place.lineno }
  # The same lines may be a method of a module, and of the module itself.
  owner = lines.max if lines.count { |line, _| line == lines.max[0] } == 1
  return place.label unless owner && place.label.end_with?(name)
  place.label.delete_suffix(name) + owner[1]
end

def leaf(way)
  places = caller_locations(0).map { |p| "#{label(p)}\t#{p.path}\t#{p.lineno}\n" }
  DUMP.write("=== #{way}\n", places.join, "---\n")
  DUMP.flush
  $stdin.gets if LOOPS == 0
  i = 0
  i += 1 while i < 200 * LOOPS
  0
end

def descend(n)
  n == 0 ? leaf("recursion") : descend(n - 1)
end

module Kept
  def kept
    leaf("method of a module")
  end
end

class Thing
  include Kept
  include Comparable
  include Enumerable

  def method_missing(name, *)
    leaf("method_missing")
    name
  end

  def respond_to_missing?(*)
    true
  end

  def <=>(other)
    leaf("<=>")
    0
  end

  def each
    yield 1
    yield 2
  end

  def self.of_class
    leaf("class method")
  end

  class << self
    def of_singleton
      leaf("singleton class")
    end
  end

  def to_s
    leaf("to_s")
    "thing"
  end

  def +(other)
    leaf("+")
  end

  def [](key)
    leaf("[]")
  end

  def hash
    leaf("hash")
    1
  end

  def coerce(other)
    leaf("coerce")
    [1, 1]
  end

  define_method(:defined) { leaf("define_method") }
  attr_writer :written

  def inspect
    leaf("inspect")
    ""
  end

  def self.inherited(other)
    leaf("inherited")
    super
  end

  def initialize
    super
    leaf("initialize")
  end
end

module Outer
  class Inner
    def of_inner
      yield
    end
  end

  def self.of_module
    yield
  end
end

# Its variables have no name of a class.
Named = Class.new do
  @title = "Wrong"
  def of_named
    "x" =~ /x/
    yield
  end
end

NAMELESS = Class.new do
  def of_nameless
    yield
  end
end

def yields
  yield
end

def with_ensure
  yield
ensure
  leaf("ensure")
end

def in_rescue
  raise "x"
rescue StandardError
  leaf("rescue")
end

def by_protocol
  thing = Thing.new
  thing.missing
  thing == Thing.allocate
  thing.sort
  thing.map { leaf("map of Enumerable") }
  Thing.of_class
  "#{thing}"
  thing + 1
  thing[1]
  { thing => 1 }
  1 + thing
  thing.defined
  thing.kept
  thing.inspect
  Class.new(Thing)
  thing.send(:kept)
  thing.public_send(:kept)
  thing.method(:kept).call
  thing.method(:kept).unbind.bind(thing).call
  thing.instance_eval { leaf("instance_eval") }
  Thing.class_eval { leaf("class_eval") }
  thing.instance_exec(1) { leaf("instance_exec") }
  thing.then { leaf("then") }
  thing.tap { leaf("tap") }
end

def by_class
  Thing.of_singleton
  Outer::Inner.new.of_inner { leaf("class in a module") }
  Outer.of_module { leaf("method of a module itself") }
  Named.new.of_named { leaf("variable of a class") }
  NAMELESS.new.of_nameless { leaf("class without a name") }
  object = Object.new
  def object.of_object = leaf("method of an object")
  object.of_object
end

def by_library
  [1].each { leaf("each") }
  [1].map { [2].each { leaf("each in map") } }
  [2, 1].sort { leaf("sort") }
  [2, 1].sort_by { leaf("sort_by") }
  [1, 2].inject { leaf("inject") }
  1.times { leaf("times") }
  1.upto(1) { leaf("upto") }
  (1..1).each { leaf("range") }
  { 1 => 2 }.each { leaf("hash each") }
  "x".gsub(/x/) { leaf("gsub") && "" }
  "x".each_char { leaf("each_char") }
  Hash.new { leaf("default of a hash") }[1]
  proc { leaf("proc") }.call
  lambda { leaf("lambda") }.call
  ->(_) { leaf("curry") }.curry[1]
  [1].each(&method(:leaf))
  %w[symbol].map(&:itself).each { leaf("symbol to proc") }
  eval("leaf('eval')")
  binding.eval("leaf('binding')")
  catch(:x) { leaf("catch") }
  loop do
    leaf("loop")
    break
  end
  [3].lazy.map { leaf("lazy") }.first
  Enumerator.new { |y| y << leaf("enumerator") }.next
  Fiber.new { leaf("fiber") }.resume
  Fiber.new { Fiber.new { leaf("fiber in a fiber") }.resume }.resume
  Thread.new { leaf("thread") }.join
  Thread.new { [1].each { Fiber.new { descend(3) }.resume } }.join
  at = TracePoint.new(:call) { |t| leaf("trace point") if t.method_id == :yields }
  at.enable { yields {} }
  ObjectSpace.each_object(Module).first(1).each { leaf("each_object") }
  Dir.chdir("/") { leaf("chdir") }
  File.open("/dev/null") { leaf("open") }
  STRUCT.new(1).b
end

def all_ways
  MODULES.concat(ObjectSpace.each_object(Module).select do |m|
    !m.singleton_class? && m.name && m.name !~ /^Gem|^RubyVM|::.*::/
  end)
  leaf("main")
  descend(30)
  yields { leaf("yield") }
  yields { yields { leaf("yield in yield") } }
  with_ensure { 1 }
  in_rescue
  by_protocol
  by_class
  by_library
end

all_ways
at_exit { leaf("at_exit") }

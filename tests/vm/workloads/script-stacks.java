// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comes to one method in many ways, and each time lets the runtime itself say the stack before it
// works there: java Stacks DUMP LOOPS.  With 0 loops it goes on for a line instead, for which
// another thread waits, so that this one is in the method all the time.
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class Stacks {
	static PrintStream dump;
	static int loops;
	static volatile int turn;
	static volatile long sum;
	static final StackWalker walker = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

	static String line(StackTraceElement frame) {
		/* Classes that are made at run time have an address behind their name. */
		return frame.getClassName().replaceFirst("/0x.*", "") + "." + frame.getMethodName() + "\t" +
		       (frame.getFileName() == null ? "[java]" : frame.getFileName()) + "\t" +
		       Math.max(frame.getLineNumber(), 0) + "\n";
	}

	static void say(String way) {
		String stack = walker.walk(frames -> frames.skip(1)
			.map(frame -> line(frame.toStackTraceElement())).collect(Collectors.joining()));

		dump.print("=== " + way + "\n" + stack + "---\n");
		dump.flush();
	}

	static int leaf(String way) {
		int before = turn;
		long own = 0;

		say(way);
		if (loops == 0)
			while (turn == before);
		for (int i = 0; i < 20000 * loops; i++)
			own += i % 7;
		sum += own;
		return 1;
	}

	static int descend(int n) {
		return n == 0 ? leaf("recursion") : descend(n - 1) + 1;
	}

	static int even(int n) {
		return n == 0 ? leaf("mutual recursion") : odd(n - 1);
	}

	static int odd(int n) {
		return even(n - 1);
	}

	interface Shape {
		int area();

		default int twice() {
			return leaf("default method") + own();
		}

		private int own() {
			return leaf("private method of an interface");
		}

		static int of() {
			return leaf("static method of an interface");
		}
	}

	static abstract class Base implements Shape, Comparable<Base>, AutoCloseable, Iterable<Integer> {
		int field = leaf("initialiser of a field");

		{
			leaf("initialiser of an object");
		}

		Base() {
			leaf("constructor of a base class");
		}

		int method() {
			return leaf("inherited method");
		}

		abstract int hidden();
	}

	static class Thing extends Base {
		Thing() {
			super();
			leaf("constructor");
		}

		public int area() {
			return leaf("method of an interface");
		}

		int hidden() {
			return leaf("abstract method");
		}

		@Override int method() {
			return super.method() + leaf("overriding method");
		}

		public int compareTo(Base other) {
			return leaf("compareTo") * 0;
		}

		public void close() {
			leaf("close");
		}

		public Iterator<Integer> iterator() {
			return new Iterator<Integer>() {
				int left = 1;

				public boolean hasNext() {
					return left-- > 0;
				}

				public Integer next() {
					return leaf("iterator");
				}
			};
		}

		@Override public String toString() {
			leaf("toString");
			return "thing";
		}

		@Override public int hashCode() {
			return leaf("hashCode");
		}

		@Override public boolean equals(Object other) {
			return leaf("equals") == 1;
		}

		synchronized int locked() {
			return leaf("synchronized method");
		}

		private int secret() {
			return leaf("private method");
		}

		class Inner {
			int reach() {
				return secret() + leaf("inner class");
			}
		}
	}

	static class Lazy {
		static int value = leaf("static initialiser");
	}

	enum Kind {
		ONE {
			int work() {
				return leaf("constant of an enum");
			}
		};

		abstract int work();
	}

	static int several(int... all) {
		return leaf("variable arguments") + all.length;
	}

	static long many(int a, long b, double c, float d, int e, long f, double g, int h, long i, long j, long k,
			 Object l, int m) {
		return leaf("many arguments") + a + b + (long)c + (long)d + e + f + (long)g + h + i + j + k + m;
	}

	static <T extends Comparable<T>> int generic(T one) {
		return leaf("generic method") + one.compareTo(one);
	}

	static double floats(double a, double b) {
		double c = a * b, d = c + a, e = d * c;

		return leaf("floating point") + a + b + c + d + e;
	}

	static int locals(int n) {
		int a = n, b = n * 3, c = n ^ 5, d = n << 2, e = n + 7, f = n - 9, g = n * 11, h = n % 3;
		long i = n * 5L, j = n * 7L, k = n * 9L;

		leaf("many variables");
		return a + b + c + d + e + f + g + h + (int)(i + j + k);
	}

	static int branch(int n) {
		switch (n) {
		case 1:
			return 1;
		case 5:
			return leaf("switch");
		default:
			return 0;
		}
	}

	static int text(String name) {
		switch (name) {
		case "other":
			return leaf("switch by text");
		default:
			return 0;
		}
	}

	static int caught() {
		try {
			throw new IllegalStateException();
		} catch (IllegalStateException e) {
			return leaf("catch");
		} finally {
			leaf("finally");
		}
	}

	static void thrower() {
		Object[] none = null;

		none[0] = 1;
	}

	static int faulted() {
		try {
			thrower();
			return 0;
		} catch (NullPointerException e) {
			return leaf("after a fault");
		}
	}

	static int reflected() {
		return leaf("reflection");
	}

	static int handled() {
		return leaf("method handle");
	}

	static int loop() {
		int all = 0;

		for (int i = 0; i < 30000; i++) {
			all += i % 3;
			if (i == 29990)
				all += leaf("loop that is compiled meanwhile");
		}
		return all;
	}

	static int garbage() {
		List<byte[]> all = new ArrayList<>();

		for (int i = 0; i < 64; i++)
			all.add(new byte[1 << 14]);
		System.gc();
		return leaf("collection of garbage") + all.size();
	}

	static void objects() throws Exception {
		try (Thing thing = new Thing()) {
			thing.area();
			((Shape)thing).area();
			thing.twice();
			Shape.of();
			thing.method();
			((Base)thing).hidden();
			thing.locked();
			thing.new Inner().reach();
			for (int one : thing)
				sum += one;
			sum += ("" + thing).length();
			Map<Object, Integer> map = new HashMap<>();
			map.put(thing, 1);
			map.put(new Object() {
				@Override public int hashCode() {
					return 1;
				}

				@Override public boolean equals(Object other) {
					return leaf("equals of an anonymous class") == 1;
				}
			}, 2);
			Arrays.sort(new Thing[] { thing, thing });
			synchronized (thing) {
				leaf("synchronized block");
			}
		}
		sum += Lazy.value;
		Kind.ONE.work();
	}

	static void calls() {
		descend(0);
		descend(5);
		descend(60);
		even(10);
		several(1, 2, 3);
		many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "", 12);
		generic("one");
		floats(1.5, 2.5);
		locals(12);
		branch(5);
		text("other");
		caught();
		faulted();
		loop();
		garbage();
	}

	static void lambdas() throws Exception {
		Supplier<Integer> lambda = () -> leaf("lambda");
		Function<String, Integer> reference = Stacks::leaf;
		int captured = loops;

		lambda.get();
		reference.apply("reference of a method");
		((Supplier<Integer>)() -> leaf("lambda with a variable") + captured).get();
		((Supplier<Supplier<Integer>>)() -> () -> leaf("lambda of a lambda")).get().get();
		new Object() {
			int of() {
				return leaf("anonymous class");
			}
		}.of();
		class Local {
			int of() {
				return leaf("local class") + captured;
			}
		}
		new Local().of();
		Optional.of(1).map(x -> leaf("Optional.map"));
		new HashMap<Integer, Integer>().computeIfAbsent(1, x -> leaf("computeIfAbsent"));
		ThreadLocal.withInitial(() -> leaf("ThreadLocal")).get();
		CompletableFuture.completedFuture(1).thenApply(x -> leaf("CompletableFuture"));
		new FutureTask<Integer>(() -> leaf("FutureTask")).run();
		List.of(1).forEach(x -> leaf("forEach"));
		Map.of(1, 2).forEach((x, y) -> leaf("Map.forEach"));
	}

	static void streams() {
		Stream.of(1).map(x -> leaf("Stream.map")).collect(Collectors.toList());
		Stream.of(1).filter(x -> leaf("Stream.filter") == 1).count();
		Stream.of(1, 2).flatMap(x -> Stream.of(x)).map(x -> leaf("flatMap")).reduce(Integer::sum);
		IntStream.range(0, 1).map(x -> leaf("IntStream")).sum();
		Stream.of(2, 1).sorted((x, y) -> leaf("sorted")).findFirst();
		Stream.of(1).collect(Collectors.groupingBy(x -> leaf("groupingBy")));
		Arrays.sort(new Integer[] { 2, 1 }, (x, y) -> leaf("Arrays.sort"));
		Collections.sort(new ArrayList<>(List.of(2, 1)), Comparator.comparing(x -> leaf("comparing")));
		new TreeMap<Integer, Integer>((x, y) -> leaf("TreeMap")).put(1, 2);
	}

	@SuppressWarnings("removal")
	static void natives() throws Throwable {
		MethodHandle handle = MethodHandles.lookup().findStatic(Stacks.class, "handled",
									MethodType.methodType(int.class));
		Runnable proxy = (Runnable)Proxy.newProxyInstance(
			Stacks.class.getClassLoader(), new Class<?>[] { Runnable.class }, (self, method, all) -> {
				leaf("proxy");
				return null;
			});

		Stacks.class.getDeclaredMethod("reflected").invoke(null);
		sum += (int)handle.invokeExact();
		sum += (int)handle.invoke();
		proxy.run();
		Thing.class.getDeclaredConstructor().newInstance().field++;
		java.security.AccessController.doPrivileged(
			(java.security.PrivilegedAction<Integer>)() -> leaf("doPrivileged"));
		Class.forName("Stacks$Late", true, Stacks.class.getClassLoader());
	}

	static class Late {
		static {
			leaf("initialiser by reflection");
		}
	}

	static void run(int rounds) {
		try {
			for (int i = 0; i < rounds; i++) {
				calls();
				objects();
				lambdas();
				streams();
				natives();
			}
		} catch (Throwable problem) {
			problem.printStackTrace();
		}
		System.exit(0);
	}

	public static void main(String[] arguments) throws Exception {
		dump = new PrintStream(arguments[0]);
		loops = Integer.parseInt(arguments[1]);
		int rounds = loops > 0 ? 3 : 1;
		Thread spins = new Thread(() -> run(rounds), "spins");

		spins.start();
		while (loops == 0 && System.in.read() >= 0)
			turn++;
	}
}

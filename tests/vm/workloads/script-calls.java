// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls and returns all the time, in a thread of its own, until its input ends: wherever it is
// interrupted, its outermost method is Thread.run().
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

class Calls {
	static volatile long sum;

	interface Shape {
		int area(int n);
	}

	static class Square implements Shape {
		public int area(int n) {
			return n * n;
		}
	}

	static class Circle implements Shape {
		public int area(int n) {
			return n * 3;
		}
	}

	static class Line implements Shape {
		public int area(int n) {
			return n > 0 ? area(n - 1) : 0;
		}
	}

	static int fibonacci(int n) {
		return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	}

	static long many(int a, long b, double c, int d, int e, int f, int g, int h, int i, int j) {
		return a == 0 ? b : many(a - 1, b + j, c, d, e, f, g, h, i, j);
	}

	static int throwing(int n) {
		if (n == 0)
			throw new IllegalStateException();
		return throwing(n - 1) + 1;
	}

	static void work() {
		Shape[] shapes = { new Square(), new Circle(), new Line() };
		Integer[] numbers = { 5, 3, 9, 1, 7, 2, 8, 4, 6 };
		Map<String, Integer> map = new HashMap<>();
		byte[] bytes = new byte[4000];

		for (int i = 0; i < 300; i++) {
			sum += fibonacci(i % 10) + many(20, i, i, 1, 2, 3, 4, 5, 6, 7);
			sum += shapes[i % 3].area(i % 20);
			Arrays.sort(numbers, (a, b) -> i(a, b));
			map.put("key" + i, i);
			System.arraycopy(bytes, 0, bytes, 100, 3000);
			sum += Arrays.hashCode(bytes) + map.hashCode();
		}
		try {
			throwing(10);
		} catch (IllegalStateException e) {
			sum++;
		}
	}

	static int i(int a, int b) {
		return a * 7 % 5 - b * 7 % 5;
	}

	public static void main(String[] arguments) throws Exception {
		Thread spins = new Thread(() -> {
			for (;;)
				work();
		}, "spins");

		spins.setDaemon(true);
		spins.start();
		System.out.println("---");
		while (System.in.read() >= 0);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Methods a, b and c whose parts of each section's time are 50, 30 and 20: java Shares ROUNDS.  They
// begin interpreted, and are compiled on the way, by both compilers.  What they all call is to be
// compiled once (-XX:CompileCommand=dontinline,Shares::spin): each time it may become as fast as
// another.
import java.util.Arrays;
import java.util.List;

class Shares {
	static volatile int sum;

	static int spin(int n) {
		int own = sum;

		for (int i = 0; i < n * 20000; i++)
			own = (own + i) % 1000003;
		return sum = own;
	}

	static int spin_a(int n) {
		return spin(n) + 1;
	}

	static int spin_b(int n) {
		return spin(n) + 2;
	}

	static int spin_c(int n) {
		return spin(n) + 3;
	}

	interface Work {
		int of(int n);
	}

	static void section_plain(int rounds) {
		for (int i = 0; i < rounds; i++) {
			spin_a(5);
			spin_b(3);
			spin_c(2);
		}
	}

	static int descend(int n, Work work, int of) {
		return n == 0 ? work.of(of) : descend(n - 1, work, of) + 1;
	}

	static void section_recursion(int rounds) {
		for (int i = 0; i < rounds; i++) {
			descend(20, Shares::spin_a, 5);
			descend(20, Shares::spin_b, 3);
			descend(5, Shares::spin_c, 2);
		}
	}

	static void section_lambdas(int rounds) {
		for (int i = 0; i < rounds; i++) {
			List.of(5).forEach(n -> spin_a(n));
			List.of(3).stream().map(n -> spin_b(n)).toList();
			Arrays.sort(new Integer[] { 1, 2 }, (a, b) -> {
				spin_c(2);
				return a - b;
			});
		}
	}

	static void section_reflection(int rounds) throws Exception {
		var a = Shares.class.getDeclaredMethod("spin_a", int.class);
		var b = Shares.class.getDeclaredMethod("spin_b", int.class);
		var c = Shares.class.getDeclaredMethod("spin_c", int.class);

		for (int i = 0; i < rounds; i++) {
			a.invoke(null, 5);
			b.invoke(null, 3);
			c.invoke(null, 2);
		}
	}

	static void section_exceptions(int rounds) {
		for (int i = 0; i < rounds; i++) {
			try {
				spin_a(5);
				throw new IllegalStateException();
			} catch (IllegalStateException e) {
				spin_b(3);
			} finally {
				spin_c(2);
			}
		}
	}

	/* Called by native code. */
	static void section_natives(int rounds) throws Exception {
		for (int i = 0; i < rounds; i++) {
			java.security.AccessController.doPrivileged(
				(java.security.PrivilegedAction<Integer>)() -> spin_a(5));
			java.security.AccessController.doPrivileged(
				(java.security.PrivilegedAction<Integer>)() -> spin_b(3));
			java.security.AccessController.doPrivileged(
				(java.security.PrivilegedAction<Integer>)() -> spin_c(2));
		}
	}

	/* What is made meanwhile has to be collected. */
	static void section_garbage(int rounds) {
		byte[][] kept = new byte[64][];

		for (int i = 0; i < rounds; i++) {
			kept[i % kept.length] = new byte[1 << 16];
			spin_a(5);
			spin_b(3);
			spin_c(2);
		}
	}

	static void thread_one(int rounds) {
		for (int i = 0; i < rounds; i++)
			spin_a(5);
	}

	static void thread_two(int rounds) {
		for (int i = 0; i < rounds; i++) {
			spin_b(3);
			spin_c(2);
		}
	}

	@SuppressWarnings("removal")
	public static void main(String[] arguments) throws Exception {
		int rounds = Integer.parseInt(arguments[0]);

		section_plain(rounds);
		section_recursion(rounds);
		section_lambdas(rounds);
		section_reflection(rounds);
		section_exceptions(rounds);
		section_natives(rounds);
		section_garbage(rounds);
		Thread one = new Thread(() -> thread_one(rounds)), two = new Thread(() -> thread_two(rounds));

		one.start();
		two.start();
		one.join();
		two.join();
	}
}

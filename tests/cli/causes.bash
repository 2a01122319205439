# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Slow programs whose cause is known, sourced: causes_build compiles them where one is.

# Four threads want one lock, which is held while a disk is slow; six others have no work.
causes_server()
{
	cat <<'END_OF_CPP'
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>
static std::mutex table_mutex, mail_mutex;
static std::condition_variable mail;
static std::map<std::string, long> table;
static bool is_done;
__attribute__((noinline)) static std::string render(long n)
{
	std::string text;
	for (int i = 0; i < 300; i++)
		text += std::to_string(n * i);
	return text;
}
__attribute__((noinline)) static void append_log()
{
	usleep(3000);
}
__attribute__((noinline)) static void update(const std::string &text)
{
	std::lock_guard<std::mutex> lock(table_mutex);
	table[text.substr(0, 8)]++;
	append_log();
}
static void serve(int who)
{
	for (long i = 0; i < 100; i++) {
		std::string text;
		for (int j = 0; j < 30; j++)
			text = render(i + j + who);
		update(text);
	}
}
static void idle_mailer()
{
	std::unique_lock<std::mutex> lock(mail_mutex);
	mail.wait(lock, [] { return is_done; });
}
int main()
{
	std::vector<std::thread> idle, busy;
	for (int i = 0; i < 6; i++)
		idle.emplace_back(idle_mailer);
	for (int i = 0; i < 4; i++)
		busy.emplace_back(serve, i);
	for (auto &thread : busy)
		thread.join();
	{
		std::lock_guard<std::mutex> lock(mail_mutex);
		is_done = true;
	}
	mail.notify_all();
	for (auto &thread : idle)
		thread.join();
	return 0;
}
END_OF_CPP
}

# Gives 8 MiB back after each request, so that the next one faults them in again.
causes_arena()
{
	cat <<'END_OF_C'
#include <stdio.h>
#include <sys/mman.h>
#define BYTES (8 << 20)
static char *arena;
__attribute__((noinline)) static unsigned parse(unsigned seed)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < BYTES; i += 4096) {
		arena[i] = seed + i;
		sum += arena[i + 64] + arena[i];
	}
	return sum;
}
int main(void)
{
	unsigned sum = 0;
	arena = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(arena, BYTES, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < 150; i++) {
		sum += parse(i);
		madvise(arena, BYTES, MADV_DONTNEED);
	}
	printf("%u\n", sum);
	return 0;
}
END_OF_C
}

# Its main loop asks a service that takes its time, and draws.
causes_window()
{
	cat <<'END_OF_C'
#include <gio/gio.h>
static GMainLoop *loop;
static GDBusConnection *bus;
static unsigned ticks;
__attribute__((noinline)) static unsigned layout(void)
{
	unsigned sum = 0;
	for (volatile unsigned i = 0; i < 3000000; i++)
		sum += i;
	return sum;
}
__attribute__((noinline)) static void refresh_battery(void)
{
	GVariant *answer = g_dbus_connection_call_sync(bus, "org.example.Slow", "/", "org.example.Slow",
						       "Read", NULL, NULL, 0, -1, NULL, NULL);

	if (answer)
		g_variant_unref(answer);
}
static gboolean tick(gpointer data)
{
	(void)data;
	layout();
	refresh_battery();
	if (++ticks == 20)
		g_main_loop_quit(loop);
	return G_SOURCE_CONTINUE;
}
int main(void)
{
	bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
	loop = g_main_loop_new(NULL, FALSE);
	g_timeout_add(40, tick, NULL);
	g_main_loop_run(loop);
	return 0;
}
END_OF_C
}

causes_service()
{
	cat <<'END_OF_PYTHON'
import time
from gi.repository import Gio, GLib
node = Gio.DBusNodeInfo.new_for_xml('<node><interface name="org.example.Slow"><method name="Read"/></interface></node>')
def answer(connection, sender, path, interface, method, arguments, invocation):
    time.sleep(0.08)
    invocation.return_value(None)
Gio.bus_own_name(Gio.BusType.SESSION, "org.example.Slow", 0,
                 lambda connection, name: connection.register_object("/", node.interfaces[0], answer, None, None),
                 None, None)
GLib.MainLoop().run()
END_OF_PYTHON
}

# The service is for the window, by python3 of the system.
causes_build()
{
	local flags

	causes_server >server.cpp && causes_arena >arena.c && causes_window >window.c &&
		causes_service >service.py || return
	flags=$(pkg-config --cflags --libs gio-2.0) || return
	g++ -g -O2 server.cpp -o server -lpthread && gcc -g -O2 arena.c -o arena || return
	# shellcheck disable=SC2086
	gcc -g -O2 window.c -o window $flags
}

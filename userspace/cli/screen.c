/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This uses escape sequences that all terminals have had in common since the VT100 and xterm, also
 * over ssh and in tmux: no database of terminals is needed.
 */
#include "screen.h"

#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#define ALTERNATE_ON "\033[?1049h\033[?25l"
#define ALTERNATE_OFF "\033[?25h\033[?1049l"
#define ESCAPE 27
/* Bytes right after an escape belong to it. */
#define SEQUENCE_MS 50

static struct termios before;
static bool is_on;
static volatile sig_atomic_t has_ended;

static void screen_on_end(int number)
{
	(void)number;
	has_ended = 1;
}

static void on_resize(int number)
{
	(void)number;
}

bool spt_screen_begin(void)
{
	struct sigaction end = { .sa_handler = screen_on_end },
			 resize = { .sa_handler = on_resize };
	struct termios raw;

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) < 0)
		return false;
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGWINCH, &resize, NULL);
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	fputs(ALTERNATE_ON, stdout);
	is_on = true;
	return true;
}

void spt_screen_end(void)
{
	if (!is_on)
		return;
	fputs(ALTERNATE_OFF, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	is_on = false;
}

/* A byte of the input, or SPT_KEY_NONE or SPT_KEY_END. */
static int read_byte(int timeout_ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char byte;

	if (has_ended)
		return SPT_KEY_END;
	if (poll(&input, 1, timeout_ms) <= 0)
		return has_ended ? SPT_KEY_END : SPT_KEY_NONE;
	return read(STDIN_FILENO, &byte, 1) == 1 ? byte : SPT_KEY_END;
}

static int screen_key_of(int last, int number)
{
	switch (last) {
	case 'A': return SPT_KEY_UP;
	case 'B': return SPT_KEY_DOWN;
	case 'C': return SPT_KEY_RIGHT;
	case 'D': return SPT_KEY_LEFT;
	case 'H': return SPT_KEY_FIRST;
	case 'F': return SPT_KEY_LAST;
	case '~':
		return number == 5		 ? SPT_KEY_PAGE_UP :
		       number == 6		 ? SPT_KEY_PAGE_DOWN :
		       number == 1 || number == 7 ? SPT_KEY_FIRST :
		       number == 4 || number == 8 ? SPT_KEY_LAST :
						    SPT_KEY_NONE;
	default: return SPT_KEY_NONE;
	}
}

int spt_screen_key(int timeout_ms)
{
	int byte = read_byte(timeout_ms), number = 0;

	if (byte != ESCAPE)
		return byte;
	byte = read_byte(SEQUENCE_MS);
	if (byte == SPT_KEY_NONE)
		return ESCAPE;
	if (byte != '[' && byte != 'O')
		return byte;
	while ((byte = read_byte(SEQUENCE_MS)) >= '0' && byte <= ';')
		number = byte >= '0' && byte <= '9' && number < 1000 ? 10 * number + byte - '0' :
								       number;
	return byte < 0 ? byte : screen_key_of(byte, number);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for fuzz-door: gen-door DIRECTORY.  None of them has the token. */
#include <stdio.h>

static const char *const requests[] = {
	"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n",
	"GET /debug/pprof/profile?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET /debug/pprof/locks?seconds=99999999999999999999&seconds=-1&%zz=%00 HTTP/1.0\r\n"
	"Authorization: Bearer\r\nAuthorization: Basic eDp5\r\n\r\n",
	"POST /capture HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\n"
	"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 12\r\n\r\nwhy=anything",
	"POST /capture?why=%2e%2e/%2e%2e HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
	"Expect: 100-continue\r\n\r\n5\r\nwhy=a\r\n0\r\nX: y\r\n\r\n",
	"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"
	"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nRange: bytes=0-\r\nCookie: a=b\r\n\r\n",
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 2 && i < sizeof(requests) / sizeof(requests[0]); i++) {
		char path[4096];
		FILE *file;

		snprintf(path, sizeof(path), "%s/request-%u", argv[1], i);
		file = fopen(path, "w");
		if (!file || fputs(requests[i], file) < 0 || fclose(file) != 0)
			return 1;
	}
	return argc == 2 ? 0 : 2;
}

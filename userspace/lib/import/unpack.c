/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zlib unpacks, piece by piece, so that a small file that becomes huge is refused in time. */
#include "import/unpack.h"

bool spt_is_gzip(const char *begin, size_t bytes)
{
	return bytes > 2 && begin[0] == '\x1f' && begin[1] == '\x8b' && begin[2] == '\x08';
}

#ifdef SPT_HAS_PPROF

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "base/words.h"
#include "import/import.h"

#define PIECE_BYTES (1u << 16)
#define GZIP_WINDOW (15 + 16)

static bool refuse_packed(GError **error, const char *why)
{
	g_set_error_literal(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, spt_words(why));
	return false;
}

/* The next bytes of the file, none at its end.  False: reading failed. */
static bool read_piece(int fd, uint8_t *piece, size_t *ret_n, GError **error)
{
	ssize_t n;

	do
		n = read(fd, piece, PIECE_BYTES);
	while (n < 0 && errno == EINTR);
	*ret_n = n < 0 ? 0 : (size_t)n;
	if (n < 0)
		g_set_error_literal(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED,
				    g_strerror(errno));
	return n >= 0;
}

static bool keep_unpacked(GByteArray *to, const uint8_t *bytes, size_t n, size_t most,
			  GError **error)
{
	if (n > most - to->len)
		return refuse_packed(error, SPT_WORDS("it is too large, unpacked"));
	g_byte_array_append(to, bytes, (guint)n);
	return true;
}

/* What zlib makes of one piece.  A file may be several packed ones, one behind the other. */
static bool inflate_piece(z_stream *stream, GByteArray *to, size_t most, int *status,
			  GError **error)
{
	uint8_t out[PIECE_BYTES];

	do {
		if (*status == Z_STREAM_END && inflateReset(stream) != Z_OK)
			return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		*status = inflate(stream, Z_NO_FLUSH);
		if (*status != Z_OK && *status != Z_STREAM_END && *status != Z_BUF_ERROR)
			return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
		if (!keep_unpacked(to, out, sizeof(out) - stream->avail_out, most, error))
			return false;
	} while (stream->avail_out == 0 || (stream->avail_in > 0 && *status == Z_STREAM_END));
	return true;
}

static bool inflate_file(int fd, uint8_t *piece, size_t n, GByteArray *to, size_t most,
			 GError **error)
{
	z_stream stream = { 0 };
	int status = Z_OK;
	bool ok = inflateInit2(&stream, GZIP_WINDOW) == Z_OK;

	if (!ok)
		return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
	while (ok && n > 0) {
		stream.next_in = piece;
		stream.avail_in = (uInt)n;
		ok = inflate_piece(&stream, to, most, &status, error) &&
		     read_piece(fd, piece, &n, error);
	}
	if (ok && status != Z_STREAM_END)
		ok = refuse_packed(error, SPT_WORDS("it is cut off"));
	inflateEnd(&stream);
	return ok;
}

static bool copy_file(int fd, uint8_t *piece, size_t n, GByteArray *to, size_t most, GError **error)
{
	while (n > 0) {
		if (!keep_unpacked(to, piece, n, most, error) || !read_piece(fd, piece, &n, error))
			return false;
	}
	return true;
}

GByteArray *spt_import_unpack(int fd, size_t most, GError **error)
{
	g_autoptr(GByteArray) to = g_byte_array_new();
	uint8_t piece[PIECE_BYTES];
	size_t n;
	bool ok;

	if (!read_piece(fd, piece, &n, error))
		return NULL;
	ok = spt_is_gzip((const char *)piece, n) ? inflate_file(fd, piece, n, to, most, error) :
						   copy_file(fd, piece, n, to, most, error);
	return ok ? g_steal_pointer(&to) : NULL;
}

#endif

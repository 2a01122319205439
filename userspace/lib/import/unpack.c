/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks piece by piece, so that a small file that becomes huge is refused in time. */
#include "import/unpack.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#ifdef SPT_HAS_PPROF
#include <zlib.h>
#endif

#include "base/words.h"
#include "import/import.h"

#define PIECE_BYTES (1u << 16)
#define GZIP_WINDOW (15 + 16)

struct SptImportUnpacker {
	int fd;
	uint64_t offset;		/* of what is read next */
	uint8_t piece[PIECE_BYTES];
	size_t at, n;			/* in the piece */
	/* Unpacks into @to; returns the number of bytes, 0 at the end.  -1: an error */
	gssize (*next)(SptImportUnpacker *unpacker, uint8_t *to, size_t most, GError **error);
	bool is_whole;			/* no packed part has begun that has not ended */
	ZSTD_DCtx *zstd;		/* NULL: not packed by it */
#ifdef SPT_HAS_PPROF
	z_stream zlib;
#endif
};

/* The file's next piece, if all of the last one is taken; of no bytes at the end. */
static bool fill_piece(SptImportUnpacker *unpacker, GError **error)
{
	ssize_t n;

	if (unpacker->at < unpacker->n)
		return true;
	do {
		n = pread(unpacker->fd, unpacker->piece, PIECE_BYTES, (off_t)unpacker->offset);
	} while (n < 0 && errno == EINTR);
	unpacker->at = 0;
	unpacker->n = n < 0 ? 0 : (size_t)n;
	unpacker->offset += unpacker->n;
	if (n < 0)
		g_set_error_literal(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED,
				    g_strerror(errno));
	return n >= 0;
}

static gssize next_plain(SptImportUnpacker *unpacker, uint8_t *to, size_t most, GError **error)
{
	size_t n;

	if (!fill_piece(unpacker, error))
		return -1;
	n = MIN(unpacker->n - unpacker->at, most);
	memcpy(to, unpacker->piece + unpacker->at, n);
	unpacker->at += n;
	return (gssize)n;
}

static gssize refuse_packed(GError **error, const char *why)
{
	spt_import_refuse(error, why);
	return -1;
}

/* A file may be several packed ones, one behind the other. */
static gssize next_zstd(SptImportUnpacker *unpacker, uint8_t *to, size_t most, GError **error)
{
	ZSTD_outBuffer out = { to, most, 0 };

	while (out.pos == 0) {
		ZSTD_inBuffer in;
		size_t status;

		if (!fill_piece(unpacker, error))
			return -1;
		if (unpacker->n == 0 && unpacker->is_whole)
			return 0;
		in = (ZSTD_inBuffer){ unpacker->piece, unpacker->n, unpacker->at };
		status = ZSTD_decompressStream(unpacker->zstd, &out, &in);
		unpacker->at = in.pos;
		if (ZSTD_isError(status))
			return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
		if (unpacker->n == 0 && out.pos == 0)
			return refuse_packed(error, SPT_WORDS("it is cut off"));
		unpacker->is_whole = status == 0;
	}
	return (gssize)out.pos;
}

static void begin_zstd(SptImportUnpacker *unpacker)
{
	unpacker->zstd = ZSTD_createDCtx();
	unpacker->next = next_zstd;
}

#ifdef SPT_HAS_PPROF

static gssize next_gzip(SptImportUnpacker *unpacker, uint8_t *to, size_t most, GError **error)
{
	z_stream *zlib = &unpacker->zlib;
	int status;

	zlib->next_out = to;
	zlib->avail_out = (uInt)most;
	while (zlib->avail_out == most) {
		if (!fill_piece(unpacker, error))
			return -1;
		if (unpacker->n == 0 && unpacker->is_whole)
			return 0;
		if (unpacker->is_whole && inflateReset(zlib) != Z_OK)
			return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
		zlib->next_in = unpacker->piece + unpacker->at;
		zlib->avail_in = (uInt)(unpacker->n - unpacker->at);
		status = inflate(zlib, Z_NO_FLUSH);
		unpacker->at = unpacker->n - zlib->avail_in;
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return refuse_packed(error, SPT_WORDS("its packed data is damaged"));
		unpacker->is_whole = status == Z_STREAM_END;
		if (unpacker->n == 0 && !unpacker->is_whole && zlib->avail_out == most)
			return refuse_packed(error, SPT_WORDS("it is cut off"));
	}
	return (gssize)(most - zlib->avail_out);
}

static void begin_gzip(SptImportUnpacker *unpacker)
{
	if (inflateInit2(&unpacker->zlib, GZIP_WINDOW) == Z_OK)
		unpacker->next = next_gzip;
}

static void end_gzip(SptImportUnpacker *unpacker)
{
	if (unpacker->next == next_gzip)
		inflateEnd(&unpacker->zlib);
}

#else

static gssize next_gzip(G_GNUC_UNUSED SptImportUnpacker *unpacker, G_GNUC_UNUSED uint8_t *to,
			G_GNUC_UNUSED size_t most, GError **error)
{
	return refuse_packed(error, SPT_WORDS("this program was built without zlib, which unpacks it"));
}

static void begin_gzip(SptImportUnpacker *unpacker)
{
	unpacker->next = next_gzip;
}

static void end_gzip(G_GNUC_UNUSED SptImportUnpacker *unpacker)
{
}

#endif

SptImportUnpacker *spt_import_unpacker_new(int fd, GError **error)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b, 0x08 }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	SptImportUnpacker *unpacker = g_new0(SptImportUnpacker, 1);

	unpacker->fd = fd;
	unpacker->next = next_plain;
	if (!fill_piece(unpacker, error)) {
		g_free(unpacker);
		return NULL;
	}
	if (unpacker->n > sizeof(gzip) && !memcmp(unpacker->piece, gzip, sizeof(gzip)))
		begin_gzip(unpacker);
	else if (unpacker->n > sizeof(zstd) && !memcmp(unpacker->piece, zstd, sizeof(zstd)))
		begin_zstd(unpacker);
	return unpacker;
}

void spt_import_unpacker_free(SptImportUnpacker *unpacker)
{
	if (!unpacker)
		return;
	end_gzip(unpacker);
	ZSTD_freeDCtx(unpacker->zstd);
	g_free(unpacker);
}

gssize spt_import_unpacker_next(SptImportUnpacker *unpacker, void *to, size_t most, GError **error)
{
	return unpacker->next(unpacker, to, most, error);
}

GByteArray *spt_import_unpack(int fd, size_t most, GError **error)
{
	SptImportUnpacker *unpacker = spt_import_unpacker_new(fd, error);
	g_autoptr(GByteArray) to = g_byte_array_new();
	uint8_t bytes[PIECE_BYTES];
	gssize n = -1;

	while (unpacker && (n = unpacker->next(unpacker, bytes, sizeof(bytes), error)) > 0) {
		if ((size_t)n > most - to->len) {
			n = refuse_packed(error, SPT_WORDS("it is too large, unpacked"));
			break;
		}
		g_byte_array_append(to, bytes, (guint)n);
	}
	spt_import_unpacker_free(unpacker);
	return n < 0 ? NULL : g_steal_pointer(&to);
}

size_t spt_import_unpack_begin(int fd, char *to, size_t most, bool *ret_is_packed)
{
	SptImportUnpacker *unpacker = spt_import_unpacker_new(fd, NULL);
	size_t bytes = 0;
	gssize n = 1;

	*ret_is_packed = unpacker && unpacker->next != next_plain;
	while (unpacker && bytes < most && n > 0) {
		n = unpacker->next(unpacker, (uint8_t *)to + bytes, most - bytes, NULL);
		bytes += n > 0 ? (size_t)n : 0;
	}
	spt_import_unpacker_free(unpacker);
	return bytes;
}

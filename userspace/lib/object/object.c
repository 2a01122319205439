/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file, opened so that a hostile one can do no harm.  Only regular files are opened, and
 * they are read by pread(): a file that shrinks under a mapping kills its reader.  The size of each
 * table is checked before it is read.  The file's identity and the addresses of its code are read
 * here, within those bounds.  libelf reads the file only if a caller needs more.
 */
#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "object/regular.h"
#include "object/sections.h"

/* Go's own note: four hashes as text, and in it the hash of the content. */
#define GO_NOTE 4
#define GO_ID_BYTES 20
/* Limit for all notes together, more than any linker writes; they hold identities, not data. */
#define NOTES_MAX_BYTES (1u << 20)
#define LOADS_MAX 1024
/* Larger programs without section headers are left as they are. */
#define MADE_MAX_BYTES (256u << 20)

struct load {
	uint64_t offset, address, bytes;
	uint64_t file_bytes;		/* of these in the file */
};

struct SptObject {
	int fd;
	GBytes *bytes;
	uint64_t size;		/* when it was opened */
	char *name;
	bool is_64, is_big;
	bool needs_made;	/* libelf must not see the header */
	Elf_Cmd how;
	Elf *elf;		/* once it was requested */
	uint8_t *made;		/* the file with section headers; NULL: it has its own */
	GArray *loads;		/* struct load: the executable PT_LOADs */
	GArray *variables;	/* struct load: the writable ones */
	uint8_t build_id[SPT_BUILD_ID_MAX];
	unsigned build_id_bytes;
	uint8_t go_id[GO_ID_BYTES];
	bool has_go_id;
};

G_DEFINE_QUARK(spt-object-error-quark, spt_object_error)

static void set_not_elf(GError **error, const char *name, const char *why)
{
	spt_set_error(error, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF,
		      "%s cannot be read as an ELF file: %s", name, spt_words(why));
}

static void set_errno(GError **error, const char *what, const char *name, int saved)
{
	spt_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "Cannot %s %s: %s",
		      spt_words(what), name, g_strerror(saved));
}

/*
 * Numbers in the file's own class and byte order: a number of this many bytes, and a header's
 * field.
 */
static uint64_t object_number_at(const SptObject *object, const uint8_t *at, size_t bytes)
{
	uint8_t number[sizeof(uint64_t)] = { 0 };
	uint64_t value;

	for (size_t i = 0; i < bytes; i++)
		number[object->is_big ? bytes - 1 - i : i] = at[i];
	memcpy(&value, number, sizeof(value));
	return GUINT64_FROM_LE(value);
}

#define FIELD(object, at, type, name)                                                              \
	((object)->is_64 ? object_number_at(object, (at) + offsetof(Elf64_##type, name),           \
					    sizeof(((Elf64_##type *)0)->name)) :                   \
			   object_number_at(object, (at) + offsetof(Elf32_##type, name),           \
					    sizeof(((Elf32_##type *)0)->name)))
#define HEADER_BYTES(object, type) ((object)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

size_t spt_object_read(const SptObject *object, uint64_t offset, void *to, size_t bytes)
{
	size_t done = 0;

	bytes = offset < object->size ? MIN(bytes, object->size - offset) : 0;
	if (object->bytes && bytes) {
		memcpy(to, (const uint8_t *)g_bytes_get_data(object->bytes, NULL) + offset, bytes);
		return bytes;
	}
	while (done < bytes) {
		ssize_t n = pread(object->fd, (uint8_t *)to + done, bytes - done,
				  (off_t)(offset + done));

		if (n <= 0 && !(n < 0 && errno == EINTR))
			break;
		done += MAX(n, 0);
	}
	return done;
}

/*
 * The build-id among notes in the byte order of @object; returns its length, 0 if there is none.
 * @ret_go: the end of Go's, which is a hash of the content; 0 if there is none.
 */
static unsigned object_find_build_id(const SptObject *object, const uint8_t *notes, size_t bytes,
				     size_t align, uint8_t ret[SPT_BUILD_ID_MAX],
				     const uint8_t **ret_go)
{
	const uint8_t *const end = notes + bytes;

	while ((size_t)(end - notes) >= sizeof(Elf64_Nhdr)) {
		uint64_t name_bytes = FIELD(object, notes, Nhdr, n_namesz),
			 id_bytes = FIELD(object, notes, Nhdr, n_descsz);
		uint64_t at = (sizeof(Elf64_Nhdr) + name_bytes + align - 1) / align * align;
		uint64_t whole = (at + id_bytes + align - 1) / align * align;

		if (at + id_bytes > (size_t)(end - notes))
			return 0;
		if (FIELD(object, notes, Nhdr, n_type) == GO_NOTE && name_bytes == sizeof("Go\0") &&
		    memcmp(notes + sizeof(Elf64_Nhdr), "Go\0", sizeof("Go\0")) == 0 &&
		    id_bytes >= GO_ID_BYTES)
			*ret_go = notes + at + id_bytes - GO_ID_BYTES;
		if (FIELD(object, notes, Nhdr, n_type) == NT_GNU_BUILD_ID &&
		    name_bytes == sizeof("GNU") &&
		    memcmp(notes + sizeof(Elf64_Nhdr), "GNU", sizeof("GNU")) == 0 && id_bytes > 0 &&
		    id_bytes <= SPT_BUILD_ID_MAX) {
			memcpy(ret, notes + at, id_bytes);
			return id_bytes;
		}
		notes += MIN(whole, (size_t)(end - notes));
	}
	return 0;
}

unsigned spt_notes_build_id(const char *notes, size_t bytes, uint8_t ret[SPT_BUILD_ID_MAX])
{
	const SptObject here = { .is_big = G_BYTE_ORDER == G_BIG_ENDIAN };
	const uint8_t *go;

	return object_find_build_id(&here, (const uint8_t *)notes, bytes, 4, ret, &go);
}

/* Notes at @offset.  @left: bytes of notes that may still be read of this file. */
static void read_notes(SptObject *object, uint64_t offset, uint64_t bytes, uint64_t align,
		       uint64_t *left)
{
	g_autofree uint8_t *notes = NULL;
	const uint8_t *go = NULL;

	if (object->build_id_bytes || bytes == 0 || bytes > MIN(*left, object->size))
		return;
	*left -= bytes;
	notes = g_malloc(bytes);
	if (spt_object_read(object, offset, notes, bytes) == bytes)
		object->build_id_bytes =
			object_find_build_id(object, notes, bytes, align == 8 ? 8 : 4,
					     object->build_id, &go);
	object->has_go_id |= go != NULL;
	if (go)
		memcpy(object->go_id, go, GO_ID_BYTES);
}

/* The first of the @n headers of @each bytes at @offset that exist; to be freed. */
static uint8_t *object_read_headers(const SptObject *object, uint64_t offset, size_t each,
				    unsigned *n)
{
	size_t bytes = MIN(*n * each, object->size);
	uint8_t *headers = g_malloc(bytes);

	*n = spt_object_read(object, offset, headers, bytes) / each;
	return headers;
}

static void read_program_headers(SptObject *object, const uint8_t *head, uint64_t *left)
{
	size_t each = HEADER_BYTES(object, Phdr);
	unsigned n = FIELD(object, head, Ehdr, e_phnum);
	g_autofree uint8_t *headers =
		object_read_headers(object, FIELD(object, head, Ehdr, e_phoff), each, &n);

	for (unsigned i = 0; i < n; i++) {
		const uint8_t *phdr = headers + i * each;
		uint64_t type = FIELD(object, phdr, Phdr, p_type),
			 offset = FIELD(object, phdr, Phdr, p_offset),
			 bytes = FIELD(object, phdr, Phdr, p_filesz);

		if (type == PT_LOAD && FIELD(object, phdr, Phdr, p_flags) & PF_X &&
		    object->loads->len < LOADS_MAX) {
			/* The debug half of a stripped file keeps the header but not the bytes. */
			struct load load = { offset, FIELD(object, phdr, Phdr, p_vaddr),
					     bytes ? bytes : FIELD(object, phdr, Phdr, p_memsz),
					     bytes };

			g_array_append_val(object->loads, load);
		} else if (type == PT_LOAD && FIELD(object, phdr, Phdr, p_flags) & PF_W &&
			   object->variables->len < LOADS_MAX) {
			struct load load = { offset, FIELD(object, phdr, Phdr, p_vaddr),
					     FIELD(object, phdr, Phdr, p_memsz), bytes };

			g_array_append_val(object->variables, load);
		} else if (type == PT_NOTE) {
			read_notes(object, offset, bytes, FIELD(object, phdr, Phdr, p_align), left);
		}
	}
}

/* Kernel modules and other objects have only sections. */
static void read_note_sections(SptObject *object, const uint8_t *head, uint64_t *left)
{
	size_t each = HEADER_BYTES(object, Shdr);
	unsigned n = FIELD(object, head, Ehdr, e_shnum);
	g_autofree uint8_t *headers =
		object_read_headers(object, FIELD(object, head, Ehdr, e_shoff), each, &n);

	for (unsigned i = 0; i < n; i++) {
		const uint8_t *shdr = headers + i * each;

		if (FIELD(object, shdr, Shdr, sh_type) == SHT_NOTE &&
		    !(FIELD(object, shdr, Shdr, sh_flags) & SHF_COMPRESSED))
			read_notes(object, FIELD(object, shdr, Shdr, sh_offset),
				   FIELD(object, shdr, Shdr, sh_size),
				   FIELD(object, shdr, Shdr, sh_addralign), left);
	}
}

/* NULL: the file may be an object. */
static const char *why_not_elf(SptObject *object, const uint8_t *head, size_t bytes)
{
	if (bytes < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG) != 0)
		return SPT_WORDS("it does not begin like one");
	object->is_64 = head[EI_CLASS] == ELFCLASS64;
	object->is_big = head[EI_DATA] == ELFDATA2MSB;
	if ((!object->is_64 && head[EI_CLASS] != ELFCLASS32) ||
	    (!object->is_big && head[EI_DATA] != ELFDATA2LSB) || head[EI_VERSION] != EV_CURRENT)
		return SPT_WORDS("it is of a kind that is not known");
	if (bytes < HEADER_BYTES(object, Ehdr))
		return SPT_WORDS("it ends in its header");
	/*
	 * libelf believes a file whose section count is too large for the header's 16 bits, and a
	 * sparse file can claim billions at no cost.  Only relocatable objects and core dumps need
	 * such counts; of a program none of its sections counts then.
	 */
	object->needs_made =
		FIELD(object, head, Ehdr, e_shnum) == 0 && FIELD(object, head, Ehdr, e_shoff) != 0;
	if ((object->needs_made && (FIELD(object, head, Ehdr, e_phnum) == 0 ||
				    (FIELD(object, head, Ehdr, e_type) != ET_EXEC &&
				     FIELD(object, head, Ehdr, e_type) != ET_DYN))) ||
	    FIELD(object, head, Ehdr, e_phnum) == PN_XNUM)
		return SPT_WORDS("it claims more sections or segments than a program has");
	return NULL;
}

/* Takes over @fd and a reference of @bytes; the object reads one of them, @size bytes. */
static SptObject *open_elf(int fd, GBytes *bytes, uint64_t size, Elf_Cmd how, const char *name,
			   GError **error)
{
	g_autoptr(SptObject) object = g_new0(SptObject, 1);
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 };
	uint64_t left = NOTES_MAX_BYTES;
	const char *why;

	object->fd = fd;
	object->bytes = bytes ? g_bytes_ref(bytes) : NULL;
	object->size = size;
	object->how = how;
	object->name = g_strdup(name);
	object->loads = g_array_new(FALSE, FALSE, sizeof(struct load));
	object->variables = g_array_new(FALSE, FALSE, sizeof(struct load));
	why = why_not_elf(object, head, spt_object_read(object, 0, head, sizeof(head)));
	if (why) {
		set_not_elf(error, name, why);
		return NULL;
	}
	read_program_headers(object, head, &left);
	if (!object->build_id_bytes)
		read_note_sections(object, head, &left);
	if (!object->build_id_bytes && object->has_go_id) {
		object->build_id_bytes = GO_ID_BYTES;
		memcpy(object->build_id, object->go_id, GO_ID_BYTES);
	}
	return g_steal_pointer(&object);
}

static SptObjectOpen open_path = spt_open_regular;

void spt_object_set_open(SptObjectOpen function)
{
	open_path = function;
}

SptObject *spt_object_open(const char *path, GError **error)
{
	int fd = open_path(path);

	if (fd < 0 && errno == EINVAL) {
		set_not_elf(error, path, SPT_WORDS("it is not a regular file"));
		return NULL;
	}
	if (fd < 0) {
		set_errno(error, SPT_WORDS("open"), path, errno);
		return NULL;
	}
	return spt_object_open_fd(fd, path, error);
}

SptObject *spt_object_open_fd(int fd, const char *name, GError **error)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		set_errno(error, SPT_WORDS("look at"), name, errno);
		close(fd);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		set_not_elf(error, name, SPT_WORDS("it is not a regular file"));
		close(fd);
		return NULL;
	}
	return open_elf(fd, NULL, (uint64_t)st.st_size, ELF_C_READ, name, error);
}

SptObject *spt_object_open_bytes(GBytes *bytes, const char *name, GError **error)
{
	return open_elf(-1, bytes, g_bytes_get_size(bytes), ELF_C_READ, name, error);
}

SptObject *spt_object_map(const SptObject *object)
{
	int fd = object->fd < 0 ? -1 : fcntl(object->fd, F_DUPFD_CLOEXEC, 0);

	/* A private mapping: headers are changed in memory. */
	return fd < 0 ? NULL :
			open_elf(fd, NULL, object->size, ELF_C_READ_MMAP_PRIVATE, object->name,
				 NULL);
}

void spt_object_free(SptObject *object)
{
	if (!object)
		return;
	elf_end(object->elf);
	g_free(object->made);
	g_clear_pointer(&object->bytes, g_bytes_unref);
	if (object->fd >= 0)
		close(object->fd);
	g_array_unref(object->loads);
	g_array_unref(object->variables);
	g_free(object->name);
	g_free(object);
}

const uint8_t *spt_object_build_id(const SptObject *object, unsigned *ret_bytes)
{
	*ret_bytes = object->build_id_bytes;
	return object->build_id_bytes ? object->build_id : NULL;
}

int spt_object_fd(const SptObject *object)
{
	return object->fd;
}

/* Whether its sections were made up, for a program without their headers. */
static bool begin_made(SptObject *object)
{
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 };
	uint64_t bytes;

	bytes = spt_object_read(object, 0, head, sizeof(head)) == sizeof(head) ? object->size : 0;
	if (!object->loads->len || object->size > MADE_MAX_BYTES || spt_sections_exist(head, bytes))
		return false;
	object->made = g_try_malloc(object->size + SPT_SECTIONS_ROOM_BYTES);
	bytes = object->made && spt_object_read(object, 0, object->made, object->size) ==
					object->size ?
			spt_sections_add(object->made, object->size) :
			0;
	object->elf = bytes ? elf_memory((char *)object->made, bytes) : NULL;
	if (!object->elf)
		g_clear_pointer(&object->made, g_free);
	return object->elf;
}

static void begin_elf(SptObject *object)
{
	elf_version(EV_CURRENT);
	if (begin_made(object) || object->needs_made)
		return;
	if (object->bytes)
		object->elf =
			elf_memory((char *)g_bytes_get_data(object->bytes, NULL), object->size);
	else
		object->elf = elf_begin(object->fd, object->how, NULL);
	if (elf_kind(object->elf) != ELF_K_ELF)
		elf_end(g_steal_pointer(&object->elf));
}

Elf *spt_object_elf(const SptObject *object)
{
	/* The difference is not visible. */
	if (!object->elf)
		begin_elf((SptObject *)object);
	return object->elf;
}

const char *spt_object_name(const SptObject *object)
{
	return object->name;
}

bool spt_object_offset_to_address(const SptObject *object, uint64_t offset, uint64_t *ret_address)
{
	for (unsigned i = 0; i < object->loads->len; i++) {
		const struct load *load = &g_array_index(object->loads, struct load, i);

		if (offset - load->offset < load->bytes) {
			*ret_address = load->address + (offset - load->offset);
			return true;
		}
	}
	return false;
}

static bool object_to_offset(const GArray *loads, uint64_t address, uint64_t *ret_offset)
{
	for (unsigned i = 0; i < loads->len; i++) {
		const struct load *load = &g_array_index(loads, struct load, i);

		if (address - load->address < load->bytes) {
			*ret_offset = load->offset + (address - load->address);
			return true;
		}
	}
	return false;
}

bool spt_object_address_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset)
{
	return object_to_offset(object->loads, address, ret_offset);
}

bool spt_object_variable_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset)
{
	uint64_t code;

	if (!object_to_offset(object->variables, address, ret_offset) ||
	    spt_object_offset_to_address(object, *ret_offset, &code))
		return false;
	/* Behind what the file has of its segment may be what it has of the next one. */
	for (unsigned i = 0; i < object->variables->len; i++) {
		const struct load *load = &g_array_index(object->variables, struct load, i);

		if (*ret_offset - load->offset < load->file_bytes)
			return address - load->address < load->bytes;
	}
	return true;
}

Elf_Data *spt_object_section(const SptObject *object, Elf_Scn *scn, Elf_Type type,
			     uint64_t max_bytes)
{
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    (shdr.sh_flags & SHF_COMPRESSED))
		return NULL;
	if (shdr.sh_size == 0 || shdr.sh_size > max_bytes)
		return NULL;
	return elf_getdata_rawchunk(spt_object_elf(object), shdr.sh_offset, shdr.sh_size, type);
}

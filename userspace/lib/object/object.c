/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file, opened so that nothing it holds can hurt: only regular files, read by pread() and not mapped where nobody asks for that (a file
 * that shrinks under a mapping kills its reader), and no table of it taken into memory before its size was checked.
 */
#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any linker writes; notes hold identities, not data. */
#define NOTES_MAX_BYTES (1u << 20)
#define LOADS_MAX 1024

struct load {
	uint64_t offset, address, bytes;
};

struct SptObject {
	int fd;
	GBytes *bytes;
	char *name;
	Elf *elf;
	GArray *loads;		/* struct load: the executable PT_LOADs */
	uint8_t build_id[SPT_BUILD_ID_MAX];
	unsigned build_id_bytes;
};

G_DEFINE_QUARK(spt-object-error-quark, spt_object_error)

static void set_not_elf(GError **error, const char *name, const char *why)
{
	g_set_error(error, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF, "%s cannot be read as an ELF file: %s", name, why);
}

static void set_errno(GError **error, const char *what, const char *name, int saved)
{
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "Cannot %s %s: %s", what, name,
		    g_strerror(saved));
}

/*
 * libelf believes a file whose section count is too large for the header's 16 bits, and a sparse file can claim billions at no
 * cost.  Only relocatable objects and core dumps need such counts.
 */
static bool has_extended_numbering(const uint8_t *head, size_t bytes)
{
	uint64_t shoff = 0;
	uint16_t shnum = 0, phnum = 0;

	if (bytes >= sizeof(Elf64_Ehdr) && head[EI_CLASS] == ELFCLASS64) {
		shoff = ((const Elf64_Ehdr *)head)->e_shoff;
		shnum = ((const Elf64_Ehdr *)head)->e_shnum;
		phnum = ((const Elf64_Ehdr *)head)->e_phnum;
	} else if (bytes >= sizeof(Elf32_Ehdr) && head[EI_CLASS] == ELFCLASS32) {
		shoff = ((const Elf32_Ehdr *)head)->e_shoff;
		shnum = ((const Elf32_Ehdr *)head)->e_shnum;
		phnum = ((const Elf32_Ehdr *)head)->e_phnum;
	}
	/* 0 and PN_XNUM read the same in both byte orders. */
	return (shnum == 0 && shoff != 0) || phnum == PN_XNUM;
}

static void find_build_id_in(SptObject *object, Elf_Data *data)
{
	GElf_Nhdr note;
	size_t at = 0, name, desc;

	while (data && !object->build_id_bytes && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0)
			continue;
		if (note.n_descsz == 0 || note.n_descsz > SPT_BUILD_ID_MAX)
			continue;
		memcpy(object->build_id, (uint8_t *)data->d_buf + desc, note.n_descsz);
		object->build_id_bytes = note.n_descsz;
	}
}

unsigned spt_notes_build_id(const char *notes, size_t bytes, uint8_t ret[SPT_BUILD_ID_MAX])
{
	Elf64_Nhdr note;

	while (bytes >= sizeof(note)) {
		uint64_t name, whole;

		memcpy(&note, notes, sizeof(note));
		name = sizeof(note) + ((uint64_t)note.n_namesz + 3) / 4 * 4;
		whole = name + ((uint64_t)note.n_descsz + 3) / 4 * 4;
		if (whole > bytes)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(notes + sizeof(note), "GNU", sizeof("GNU")) == 0 && note.n_descsz <= SPT_BUILD_ID_MAX) {
			memcpy(ret, notes + name, note.n_descsz);
			return note.n_descsz;
		}
		notes += whole;
		bytes -= whole;
	}
	return 0;
}

static void read_program_headers(SptObject *object)
{
	size_t n = 0;

	if (elf_getphdrnum(object->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(object->elf, i, &phdr))
			return;
		if (phdr.p_type == PT_LOAD && (phdr.p_flags & PF_X) && object->loads->len < LOADS_MAX) {
			struct load load = { phdr.p_offset, phdr.p_vaddr, phdr.p_filesz };

			/* The debug half of a stripped file keeps the header but not the bytes. */
			if (load.bytes == 0)
				load.bytes = phdr.p_memsz;
			g_array_append_val(object->loads, load);
		} else if (phdr.p_type == PT_NOTE && phdr.p_filesz > 0 && phdr.p_filesz <= NOTES_MAX_BYTES) {
			Elf_Type type = phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;

			find_build_id_in(object, elf_getdata_rawchunk(object->elf, phdr.p_offset, phdr.p_filesz,
								      type));
		}
	}
}

static void read_note_sections(SptObject *object)
{
	Elf_Scn *scn = NULL;

	while (!object->build_id_bytes && (scn = elf_nextscn(object->elf, scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE)
			find_build_id_in(object, spt_object_section(object, scn, ELF_T_NHDR, NOTES_MAX_BYTES));
	}
}

/* Takes @fd and a reference of @bytes; one of them is what it reads. */
static SptObject *open_elf(int fd, GBytes *bytes, Elf_Cmd how, const char *name, GError **error)
{
	g_autoptr(SptObject) object = g_new0(SptObject, 1);
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 };
	ssize_t n;

	object->fd = fd;
	object->bytes = bytes ? g_bytes_ref(bytes) : NULL;
	object->name = g_strdup(name);
	object->loads = g_array_new(FALSE, FALSE, sizeof(struct load));

	if (bytes) {
		n = MIN(sizeof(head), g_bytes_get_size(bytes));
		if (n > 0)
			memcpy(head, g_bytes_get_data(bytes, NULL), n);
	} else {
		n = pread(fd, head, sizeof(head), 0);
		if (n < 0) {
			set_errno(error, "read", name, errno);
			return NULL;
		}
	}
	if (n < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG) != 0) {
		set_not_elf(error, name, "it does not begin like one");
		return NULL;
	}
	if (has_extended_numbering(head, n)) {
		set_not_elf(error, name, "it claims more sections or segments than a program has");
		return NULL;
	}

	elf_version(EV_CURRENT);
	if (bytes)
		object->elf = elf_memory((char *)g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	else
		object->elf = elf_begin(fd, how, NULL);
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF) {
		set_not_elf(error, name, object->elf ? "it is not one file" : elf_errmsg(-1));
		return NULL;
	}
	read_program_headers(object);
	read_note_sections(object);
	return g_steal_pointer(&object);
}

SptObject *spt_object_open(const char *path, GError **error)
{
	/* O_NONBLOCK: the path may lead to a FIFO or a terminal, which must not hold us before open_fd() refuses it. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		set_errno(error, "open", path, errno);
		return NULL;
	}
	return spt_object_open_fd(fd, path, error);
}

SptObject *spt_object_open_fd(int fd, const char *name, GError **error)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		set_errno(error, "look at", name, errno);
		close(fd);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		set_not_elf(error, name, "it is not a regular file");
		close(fd);
		return NULL;
	}
	return open_elf(fd, NULL, ELF_C_READ, name, error);
}

SptObject *spt_object_open_bytes(GBytes *bytes, const char *name, GError **error)
{
	return open_elf(-1, bytes, ELF_C_READ, name, error);
}

SptObject *spt_object_map(const SptObject *object)
{
	int fd = object->fd < 0 ? -1 : fcntl(object->fd, F_DUPFD_CLOEXEC, 0);

	/* Private: headers are changed in memory. */
	return fd < 0 ? NULL : open_elf(fd, NULL, ELF_C_READ_MMAP_PRIVATE, object->name, NULL);
}

void spt_object_free(SptObject *object)
{
	if (!object)
		return;
	elf_end(object->elf);
	g_clear_pointer(&object->bytes, g_bytes_unref);
	if (object->fd >= 0)
		close(object->fd);
	g_array_unref(object->loads);
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

Elf *spt_object_elf(const SptObject *object)
{
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

bool spt_object_address_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset)
{
	for (unsigned i = 0; i < object->loads->len; i++) {
		const struct load *load = &g_array_index(object->loads, struct load, i);

		if (address - load->address < load->bytes) {
			*ret_offset = load->offset + (address - load->address);
			return true;
		}
	}
	return false;
}

Elf_Data *spt_object_section(const SptObject *object, Elf_Scn *scn, Elf_Type type, uint64_t max_bytes)
{
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || (shdr.sh_flags & SHF_COMPRESSED))
		return NULL;
	if (shdr.sh_size == 0 || shdr.sh_size > max_bytes)
		return NULL;
	return elf_getdata_rawchunk(object->elf, shdr.sh_offset, shdr.sh_size, type);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ELF file: identity, addresses, and refusing what is none without harm. */
#include "object/object.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-files.h"

static void test_build_id(void)
{
	g_autofree char *path = elf_file("whole");
	g_autofree char *bare = elf_file("bare");
	g_autoptr(SptObject) object = spt_object_open(path, NULL);
	g_autoptr(SptObject) without = spt_object_open(bare, NULL);
	unsigned n;
	const uint8_t *id = spt_object_build_id(object, &n);

	g_assert_cmpuint(n, ==, 20);
	g_assert_cmpuint(id[0], ==, 0xab);
	g_assert_cmpuint(id[19], ==, 19 * 7);
	g_assert_cmpstr(spt_object_name(object), ==, path);
	g_assert_cmpint(fcntl(spt_object_fd(object), F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
	g_assert_null(spt_object_build_id(without, &n));
	g_assert_cmpuint(n, ==, 0);
}

/* A vdso comes as memory. */
static void test_bytes(void)
{
	g_autofree char *path = elf_file("whole");
	g_autofree char *text = NULL;
	gsize n;
	unsigned id_bytes;

	g_assert_true(g_file_get_contents(path, &text, &n, NULL));

	g_autoptr(GBytes) bytes = g_bytes_new(text, n);
	g_autoptr(SptObject) object = spt_object_open_bytes(bytes, "[vdso]", NULL);

	g_assert_nonnull(object);
	g_assert_nonnull(spt_object_build_id(object, &id_bytes));
	g_assert_cmpint(spt_object_fd(object), ==, -1);
}

static void test_addresses(void)
{
	g_autofree char *path = elf_file("whole");
	g_autoptr(SptObject) object = spt_object_open(path, NULL);
	uint64_t at;

	g_assert_true(spt_object_offset_to_address(object, 0x1080, &at));
	g_assert_cmphex(at, ==, 0x203080);
	g_assert_true(spt_object_offset_to_address(object, 0x207f, &at));
	g_assert_cmphex(at, ==, 0x20407f);
	g_assert_false(spt_object_offset_to_address(object, 0x107f, &at));
	g_assert_false(spt_object_offset_to_address(object, 0x2080, &at));
	g_assert_false(spt_object_offset_to_address(object, UINT64_MAX, &at));
	g_assert_true(spt_object_address_to_offset(object, 0x203090, &at));
	g_assert_cmphex(at, ==, 0x1090);
	g_assert_false(spt_object_address_to_offset(object, 0x204080, &at));
}

static int in_file = 1, zeroed[2000];

/* Of this program itself: a variable in the file, one behind it, and what is none. */
static void test_variables(void)
{
	g_autoptr(SptObject) object = spt_object_open("/proc/self/exe", NULL);
	const uint64_t base = getauxval(AT_PHDR) - 64;
	uint64_t at, behind;

	g_assert_true(spt_object_variable_to_offset(object, (uintptr_t)&in_file - base, &at));
	g_assert_cmpint(pread(spt_object_fd(object), &zeroed[0], sizeof(int), (off_t)at), ==,
			sizeof(int));
	g_assert_cmpint(zeroed[0], ==, in_file);
	g_assert_true(spt_object_variable_to_offset(object, (uintptr_t)&zeroed[1999] - base,
						    &behind));
	g_assert_cmpuint(behind - at, ==, (uintptr_t)&zeroed[1999] - (uintptr_t)&in_file);
	g_assert_false(spt_object_variable_to_offset(object, (uintptr_t)test_addresses - base,
						     &at));
	g_assert_false(spt_object_address_to_offset(object, (uintptr_t)&in_file - base, &at));
}

static void expect_refused(const char *path, GQuark domain, int code)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_object_open(path, &error));
	g_assert_error(error, domain, code);
	g_assert_nonnull(strstr(error->message, path));
	g_assert_null(strchr(error->message, '\n'));
}

static void test_what_is_no_elf_file(void)
{
	g_autofree char *fifo = elf_file("fifo");
	g_autofree char *empty = elf_file("empty");
	g_autofree char *missing = elf_file("missing");

	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
	g_assert_true(g_file_set_contents(empty, "", 0, NULL));
	expect_refused(fifo, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF);
	expect_refused(elf_files, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF);
	expect_refused("/dev/null", SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF);
	expect_refused(empty, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF);
	expect_refused(missing, G_FILE_ERROR, G_FILE_ERROR_NOENT);
	spt_object_free(NULL);
}

/*
 * A section count beyond the header's 16 bits stands in section 0, and a sparse file can claim
 * billions there.
 */
static void test_a_billion_sections(void)
{
	g_autofree char *path = elf_file("sections");
	Elf64_Ehdr header = {
		.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_shoff = 64, .e_shentsize = 64
	};
	Elf64_Shdr first = { .sh_size = 1ull << 32 };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	g_assert_cmpint(pwrite(fd, &header, sizeof(header), 0), ==, sizeof(header));
	g_assert_cmpint(pwrite(fd, &first, sizeof(first), 64), ==, sizeof(first));
	g_assert_cmpint(ftruncate(fd, 1ll << 39), ==, 0);
	close(fd);
	expect_refused(path, SPT_OBJECT_ERROR, SPT_OBJECT_ERROR_NOT_ELF);
}

/* The vdso, a program with all that there is, as it is in memory. */
static GBytes *copy_vdso(void)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);

	return g_bytes_new(head, head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr));
}

static GBytes *without_headers(GBytes *of, unsigned way)
{
	gsize n;
	uint8_t *copy = g_memdup2(g_bytes_get_data(of, &n), g_bytes_get_size(of));
	Elf64_Ehdr *head = (void *)copy;

	n = g_bytes_get_size(of);
	switch (way) {
	case 0:
		head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
		break;
	case 1: head->e_shnum = 0; break;
	case 2: head->e_shstrndx = 0; break;
	default: n = head->e_shoff; /* The file ends before them. */
	}
	return g_bytes_new_take(copy, n);
}

static bool find_section(const SptObject *object, const char *name, GElf_Shdr *ret)
{
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, ret) &&
		    !g_strcmp0(elf_strptr(elf, names, ret->sh_name), name))
			return true;
	return false;
}

/* What has no section headers has those that its segments and its dynamic section lead to. */
static void test_no_section_headers(void)
{
	static const char *const sections[] = { ".eh_frame_hdr", ".eh_frame", ".dynsym",
						".dynstr" };
	g_autoptr(GBytes) whole = copy_vdso();
	g_autoptr(SptObject) with = spt_object_open_bytes(whole, "with", NULL);

	for (unsigned way = 0; way < 4; way++) {
		g_autoptr(GBytes) bytes = without_headers(whole, way);
		g_autoptr(SptObject) without = spt_object_open_bytes(bytes, "without", NULL);
		GElf_Shdr expected, found;

		g_assert_nonnull(without);
		for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++) {
			g_assert_true(find_section(with, sections[i], &expected));
			g_assert_true(find_section(without, sections[i], &found));
			g_assert_cmphex(found.sh_addr, ==, expected.sh_addr);
			g_assert_cmphex(found.sh_offset, ==, expected.sh_offset);
			/* The entry that ends it is no part of it here. */
			g_assert_cmpuint(found.sh_size, <=, expected.sh_size);
			g_assert_cmpuint(found.sh_size + 8, >=, expected.sh_size);
		}
		g_assert_true(find_section(with, ".text", &expected));
		g_assert_true(find_section(without, ".text", &found));
		g_assert_true(found.sh_flags & SHF_EXECINSTR);
		g_assert_cmpuint(found.sh_addr, <=, expected.sh_addr);
		g_assert_cmpuint(found.sh_addr + found.sh_size, >=,
				 expected.sh_addr + expected.sh_size);
	}
}

/* The same of any bytes: the sanitizer sees what is read beyond them. */
static void test_no_section_headers_damaged(void)
{
	g_autoptr(GBytes) whole = copy_vdso(), bytes = without_headers(whole, 0);
	gsize n;
	const uint8_t *data = g_bytes_get_data(bytes, &n);
	unsigned found = 0;

	for (unsigned round = 0; round < 5000; round++) {
		uint8_t *copy = g_memdup2(data, n);
		GElf_Shdr shdr;

		/* Most of what leads elsewhere is at the beginning. */
		for (unsigned i = 0; i < 1 + round % 8; i++)
			copy[g_test_rand_int_range(16, i % 2 ? 1024 : (int)n)] = g_test_rand_int();
		g_autoptr(GBytes) damaged =
			g_bytes_new_take(copy, round % 4 ? n : (gsize)g_test_rand_int_range(64, n));
		g_autoptr(SptObject) object = spt_object_open_bytes(damaged, "damaged", NULL);

		found += object && find_section(object, ".dynsym", &shdr);
	}
	g_assert_cmpuint(found, >, 500);
}

/*
 * A file of libelf's with notes, of which the last is a build-id, in a segment or only in a
 * section.
 */
static int write_noted(int class, int order, size_t align, bool in_segment)
{
	static const char other[] = "another one";
	static const uint8_t id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	g_autofree char *path = elf_file("noted");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	uint32_t notes[32] = { sizeof("Go"), sizeof(other), 4, 0, 0, 0 };
	size_t at = 4, words;
	GElf_Ehdr ehdr = {
		.e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_PPC64, .e_version = EV_CURRENT
	};
	GElf_Phdr phdr = { .p_type = PT_NOTE, .p_align = align };
	GElf_Shdr shdr;
	Elf_Scn *scn;
	Elf_Data *data;

	memcpy(&notes[3], "Go", sizeof("Go"));
	memcpy(&notes[at], other, sizeof(other));
	words = (at * 4 + sizeof(other) + align - 1) / align * align / 4;
	notes[words] = sizeof("GNU");
	notes[words + 1] = sizeof(id);
	notes[words + 2] = NT_GNU_BUILD_ID;
	memcpy(&notes[words + 3], "GNU", sizeof("GNU"));
	memcpy(&notes[words + 4], id, sizeof(id));
	gelf_newehdr(elf, class);
	ehdr.e_ident[EI_CLASS] = class;
	ehdr.e_ident[EI_DATA] = order;
	gelf_update_ehdr(elf, &ehdr);
	if (in_segment)
		gelf_newphdr(elf, 1);
	scn = elf_newscn(elf);
	data = elf_newdata(scn);
	*data = (Elf_Data){ .d_buf = notes,
			    .d_size = words * 4 + 16 + (sizeof(id) + align - 1) / align * align,
			    .d_align = align,
			    .d_type = align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR,
			    .d_version = EV_CURRENT };
	gelf_getshdr(scn, &shdr);
	shdr.sh_type = SHT_NOTE;
	gelf_update_shdr(scn, &shdr);
	g_assert_cmpint(elf_update(elf, ELF_C_NULL), >, 0);
	gelf_getshdr(scn, &shdr);
	phdr.p_offset = shdr.sh_offset;
	phdr.p_filesz = shdr.sh_size;
	if (in_segment)
		gelf_update_phdr(elf, 0, &phdr);
	g_assert_cmpint(elf_update(elf, ELF_C_WRITE), >, 0);
	elf_end(elf);
	return fd;
}

/* elfutils finds the same, of each kind of file. */
static void test_build_ids_of_all_kinds(void)
{
	elf_version(EV_CURRENT);
	for (unsigned i = 0; i < 16; i++) {
		int fd = write_noted(i & 1 ? ELFCLASS64 : ELFCLASS32,
				     i & 2 ? ELFDATA2MSB : ELFDATA2LSB, i & 4 ? 8 : 4, i & 8);
		g_autoptr(SptObject) object = spt_object_open_fd(fd, "noted", NULL);
		const void *expected = NULL;
		unsigned n;
		const uint8_t *id = spt_object_build_id(object, &n);
		ssize_t bytes = dwelf_elf_gnu_build_id(spt_object_elf(object), &expected);

		g_test_message("kind %u: %zd, here %u", i, bytes, n);
		g_assert_cmpint(bytes, ==, 11);
		g_assert_cmpmem(id, n, expected, bytes);
	}
}

static uint64_t bytes_read(void)
{
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents("/proc/self/io", &text, NULL, NULL));
	return g_ascii_strtoull(strstr(text, "rchar: ") + strlen("rchar: "), NULL, 10);
}

/* More notes than are worth to be read. */
static void test_notes_without_end(void)
{
	g_autofree char *path = elf_file("notes");
	g_autofree Elf64_Phdr *phdrs = g_new(Elf64_Phdr, UINT16_MAX - 1);
	Elf64_Ehdr header = { .e_ident = ELFMAG "\2\1\1",
			      .e_type = ET_DYN,
			      .e_phoff = 64,
			      .e_phentsize = 56,
			      .e_phnum = UINT16_MAX - 1 };
	g_autoptr(SptObject) object = NULL;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	unsigned n;

	for (unsigned i = 0; i < header.e_phnum; i++)
		phdrs[i] = (Elf64_Phdr){
			.p_type = PT_NOTE, .p_offset = 1 << 23, .p_filesz = 1 << 19, .p_align = 4
		};
	g_assert_cmpint(pwrite(fd, &header, sizeof(header), 0), ==, sizeof(header));
	g_assert_cmpint(pwrite(fd, phdrs, header.e_phnum * sizeof(*phdrs), 64), ==,
			header.e_phnum * sizeof(*phdrs));
	g_assert_cmpint(ftruncate(fd, 1 << 24), ==, 0);
	object = spt_object_open_fd(fd, path, NULL);
	g_assert_nonnull(object);
	g_assert_null(spt_object_build_id(object, &n));
	/* What it read of 32 GiB, in bytes of this process. */
	g_assert_cmpuint(bytes_read(), <, 64 << 20);
}

/*
 * Any cut and any changed byte: an object or an error, and what it answers stays inside the file.
 */
static void test_damage(void)
{
	g_autofree char *path = elf_file("whole");
	g_autofree char *text = NULL;
	gsize n;

	g_assert_true(g_file_get_contents(path, &text, &n, NULL));
	for (unsigned round = 0; round < 3000; round++) {
		g_autofree char *copy = g_memdup2(text, n);
		gsize length = round % 3 == 0 ? (gsize)g_test_rand_int_range(0, n + 1) : n;
		uint64_t at;

		/* Where headers are. */
		for (unsigned i = 0; i < round % 4; i++) {
			gsize where = g_test_rand_bit() ? g_test_rand_int_range(0, 0x140) :
							  g_test_rand_int_range(0x6000, n);

			copy[where] = g_test_rand_int();
		}

		g_autoptr(GBytes) bytes = g_bytes_new(copy, length);
		g_autoptr(GError) error = NULL;
		g_autoptr(SptObject) object = spt_object_open_bytes(bytes, "damaged", &error);

		g_assert_true((object != NULL) != (error != NULL));
		if (object)
			spt_object_offset_to_address(object, 0x1100, &at);
	}
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	make_elf_files(argv[0]);
	g_test_add_func("/object/build-id", test_build_id);
	g_test_add_func("/object/bytes", test_bytes);
	g_test_add_func("/object/addresses", test_addresses);
	g_test_add_func("/object/variables", test_variables);
	g_test_add_func("/object/not-elf", test_what_is_no_elf_file);
	g_test_add_func("/object/a-billion-sections", test_a_billion_sections);
	g_test_add_func("/object/no-section-headers", test_no_section_headers);
	g_test_add_func("/object/no-section-headers-damaged", test_no_section_headers_damaged);
	g_test_add_func("/object/build-ids-of-all-kinds", test_build_ids_of_all_kinds);
	g_test_add_func("/object/notes-without-end", test_notes_without_end);
	g_test_add_func("/object/damage", test_damage);
	status = g_test_run();
	remove_elf_files();
	return status;
}

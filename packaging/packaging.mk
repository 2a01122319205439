# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installing, packages, images and releases: a part of the Makefile.

.PHONY: install install-userspace install-module install-udev install-seat install-polkit \
	install-devel install-dkms-source uninstall uninstall-userspace uninstall-module \
	uninstall-udev uninstall-seat uninstall-polkit uninstall-devel dkms-install dkms-remove \
	static sysext dist release deb rpm pot

help::
	@echo 'make pot          texts to be translated, into userspace/po/*.po'
	@echo 'make install      into $(prefix) [prefix=... DESTDIR=...]; the module through DKMS if there is DKMS'
	@echo '                  or parts: install-userspace -udev -module -devel; dkms-install dkms-remove: the module alone, by DKMS'
	@echo 'make install-seat install-polkit   not parts of install: who sits at the machine may profile; whom polkit lets'
	@echo 'make uninstall    remove exactly what install put there; also uninstall-userspace, -udev, -module, -seat, -polkit'
	@echo 'make deb          packages for Debian, in $(B)/deb; their programs are sysprof-trace and sysprof-trace-cli'
	@echo 'make rpm          the same for Fedora, in $(B)/rpm, and the source akmods build the module of [RPMFLAGS=more for rpmbuild]'
	@echo 'make sysext       $(B)/sysprof-KVER.raw, an image for systemd-sysext [KVER=kernel KDIR=its headers OS_RELEASE=file]'
	@echo 'make dist         $(B)/sysprof-$(VERSION).tar.gz, all that is needed to build and test'
	@echo 'make release      sources, $(B)/static/sysprof-cli, checksums and notes, in $(B)/release [TAG=1: and the tag]'
	@echo 'make static       $(B)/static/sysprof-cli, which needs no library: for rescue systems and small guests'

# For systems without our libraries: rescue disks, guests of busybox alone.  What glibc would load
# at run time it has built in for plain files and DNS, so its warnings are not shown.
static_libs = $(shell $(PKG_CONFIG) --static --libs $(packages) $(loaded_packages)) $(other_libs)
static: $(B)/static/sysprof-cli
$(B)/static/%.o: %.c Makefile | need-packages
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) -DSPT_IS_STATIC $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/static/sysprof-cli: $(call object,$(cli_sources)) \
		$(B)/static/userspace/lib/record/bus-library.o $(B)/libspt.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -Wl,--no-warnings -o $@ $^ $(static_libs) \
		|| \
		{ echo 'Static libraries are missing: Debian has them in the -dev packages of packaging/deps build, Fedora in *-static' >&2; exit 1; }

# All that is to be translated, into the template and each language.
pot:
	@packaging/pot $(VERSION) $(B)
	@for file in $(po_files); do msgmerge -q --update --backup=none --no-fuzzy-matching \
		--no-wrap --no-location $$file $(B)/sysprof-trace.pot || exit 1; done

# install puts all parts there, install-PART one of them; so does uninstall.
install_with := DESTDIR='$(DESTDIR)' prefix='$(prefix)' libdir='$(libdir)' program='$(program)' \
	zsh='$(zsh)' packages='$(packages)' libs='$(other_libs)' VERSION='$(VERSION)' \
	packaging/install
install: module cli viewer manual
	@$(install_with) install
install-userspace: cli viewer manual
install-module: module
install-devel: lib
install-polkit: opener
install-userspace install-module install-udev install-seat install-polkit install-devel \
	install-dkms-source:
	@$(install_with) install $(@:install-%=%)
uninstall:
	@$(install_with) uninstall
uninstall-userspace uninstall-module uninstall-udev uninstall-seat uninstall-polkit uninstall-devel:
	@$(install_with) uninstall $(@:uninstall-%=%)
dkms-install:
	@$(install_with) install dkms
dkms-remove:
	@$(install_with) uninstall dkms

# The module for a kernel of one's choice and all programs, for systems with a read-only /usr.
kver := $(or $(KVER),$(shell uname -r))
sysext: cli static viewer manual
	@$(MAKE) --no-print-directory -C module OUT=$(CURDIR)/$(B)/sysext/module \
		VERSION_SYSPROF=$(VERSION) \
		KDIR=$(abspath $(or $(KDIR),$(firstword $(wildcard /lib/modules/$(kver)/build /usr/src/linux-headers-$(kver)))))
	@VERSION='$(VERSION)' packaging/sysext $(kver) $(B)/sysext/module/sysprof.ko $(B)

release: static
	@packaging/release $(VERSION) $(B) $(if $(TAG),--tag)
dist:
	@packaging/dist $(VERSION) $(B)
rpm:
	@packaging/dist $(VERSION) $(B)/rpm/SOURCES
	@rpmbuild -ba $(RPMFLAGS) --define '_topdir $(CURDIR)/$(B)/rpm' \
		packaging/rpm/sysprof-trace.spec
	@rpmbuild -bs $(RPMFLAGS) --define '_topdir $(CURDIR)/$(B)/rpm' \
		packaging/rpm/sysprof-trace-kmod.spec
deb:
	@packaging/deps deb
	@packaging/deb $(VERSION) $(B)

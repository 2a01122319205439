/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the C library that may wait.  All their arguments are numbers and pointers.  Not
 * here: stdio's functions for characters and lines, which are called far more often than they read
 * or write.
 */
#ifndef SPT_PRELOAD_IO_CALLS_H
#define SPT_PRELOAD_IO_CALLS_H

#define SPT_IO_CALLS(X) \
	SPT_IO_FILES(X) SPT_IO_DATA(X) SPT_IO_NAMES(X) SPT_IO_SOCKETS(X) SPT_IO_WAITS(X) \
	SPT_IO_THREADS(X)

/* Those that come by names of their own from programs with _FORTIFY_SOURCE are here, too. */
#define SPT_IO_FILES(X) \
	X(open) X(open64) X(__open_2) X(__open64_2) X(openat) X(openat64) X(__openat_2) \
	X(__openat64_2) X(creat) X(creat64) X(close) X(close_range) X(opendir) X(fdopendir) \
	X(closedir) X(fopen) X(fopen64) X(freopen) X(freopen64) X(fclose) X(fflush) X(popen) \
	X(pclose)

#define SPT_IO_DATA(X) \
	X(read) X(__read_chk) X(write) X(pread) X(pread64) X(__pread_chk) X(__pread64_chk) \
	X(pwrite) X(pwrite64) X(readv) X(writev) X(preadv) X(preadv64) X(preadv2) X(preadv64v2) \
	X(pwritev) X(pwritev64) X(pwritev2) X(pwritev64v2) X(sendfile) X(sendfile64) X(splice) \
	X(tee) X(vmsplice) X(copy_file_range) X(fsync) X(fdatasync) X(sync) X(syncfs) X(msync) \
	X(sync_file_range) X(truncate) X(truncate64) X(ftruncate) X(ftruncate64) X(fallocate) \
	X(fallocate64) X(posix_fallocate) X(posix_fallocate64) X(posix_fadvise) \
	X(posix_fadvise64) X(readahead) X(getrandom) X(ioctl) X(fcntl) X(fcntl64) X(flock) \
	X(lockf) X(lockf64) X(tcdrain)

/* Before glibc 2.33 stat() was __xstat(), and so on. */
#define SPT_IO_NAMES(X) \
	X(stat) X(stat64) X(lstat) X(lstat64) X(fstat) X(fstat64) X(fstatat) X(fstatat64) \
	X(__xstat) X(__xstat64) X(__lxstat) X(__lxstat64) X(__fxstat) X(__fxstat64) \
	X(__fxstatat) X(__fxstatat64) X(statx) X(statfs) X(statfs64) X(fstatfs) X(fstatfs64) \
	X(statvfs) X(statvfs64) X(access) X(faccessat) X(euidaccess) X(readlink) \
	X(__readlink_chk) X(readlinkat) X(__readlinkat_chk) X(realpath) X(__realpath_chk) \
	X(rename) X(renameat) X(renameat2) X(link) X(linkat) X(symlink) X(symlinkat) X(unlink) \
	X(unlinkat) X(mkdir) X(mkdirat) X(rmdir) X(chdir) X(fchdir) X(chmod) X(fchmod) \
	X(chown) X(fchown) X(utimensat) X(futimens) X(scandir) X(scandir64) X(getdents64) \
	X(mount) X(umount) X(umount2)

#define SPT_IO_SOCKETS(X) \
	X(connect) X(accept) X(accept4) X(recv) X(__recv_chk) X(recvfrom) X(recvmsg) \
	X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg) X(shutdown) \
	X(getaddrinfo) X(gethostbyname) X(gethostbyname2) X(gethostbyaddr)

#define SPT_IO_WAITS(X) \
	X(poll) X(__poll_chk) X(ppoll) X(__ppoll_chk) X(select) X(pselect) X(epoll_wait) \
	X(epoll_pwait) X(epoll_pwait2) X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep) \
	X(pause) X(sigsuspend) X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(wait) X(waitpid) \
	X(waitid) X(wait3) X(wait4) X(system) X(mq_send) X(mq_timedsend) X(mq_receive) \
	X(mq_timedreceive) X(msgsnd) X(msgrcv) X(semop) X(semtimedop)

#define SPT_IO_THREADS(X) \
	X(pthread_join) X(pthread_timedjoin_np) X(pthread_clockjoin_np) X(pthread_cond_wait) \
	X(pthread_cond_timedwait) X(pthread_cond_clockwait) X(pthread_mutex_timedlock) \
	X(pthread_mutex_clocklock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_timedwrlock) \
	X(pthread_barrier_wait) X(sem_wait) X(sem_timedwait) X(sem_clockwait) X(thrd_join) \
	X(thrd_sleep) X(cnd_wait) X(cnd_timedwait) X(mtx_timedlock)

/* Those with seven arguments; all others have six at most. */
#define SPT_IO_SEVEN(X) X(__recvfrom_chk) X(getnameinfo)

/* Locks, and the functions that take them if nobody has them. */
#define SPT_IO_LOCKS(X) \
	X(pthread_mutex_lock, pthread_mutex_trylock) \
	X(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock) \
	X(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

#endif

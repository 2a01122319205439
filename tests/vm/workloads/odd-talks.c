/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each function of sockets, waits and threads that libspt-io.so replaces, called once or more. */
#include <arpa/inet.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>

#include "odd-call.h"

static char buffer[4096];

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = port,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* A time that has passed, of this clock; and one that comes soon. */
static struct timespec time_of(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * ODD_MS;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static const struct timespec shortly = { 0, 2 * ODD_MS };

static void connect_and_accept(void)
{
	struct sockaddr_in address = loopback(0), from;
	socklen_t bytes = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0), client[2], accepted;

	if (bind(server, (struct sockaddr *)&address, bytes) || listen(server, 5) ||
	    getsockname(server, (struct sockaddr *)&address, &bytes))
		err(1, "no server");
	for (unsigned i = 0; i < 2; i++)
		client[i] = socket(AF_INET, SOCK_STREAM, 0);
	CALL(connect, connect(client[0], (struct sockaddr *)&address, bytes) == 0 &&
			      connect(client[1], (struct sockaddr *)&address, bytes) == 0);
	CALL(accept, (accepted = accept(server, (struct sockaddr *)&from, &bytes)) >= 0 &&
			     from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	CALL(shutdown, shutdown(accepted, SHUT_WR) == 0 && read(client[0], buffer, 1) == 0);
	close(accepted);
	CALL(accept4, (accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC)) >= 0 &&
			      fcntl(accepted, F_GETFD) == FD_CLOEXEC);
	close(accepted);
	close(client[0]);
	close(client[1]);
	close(server);
}

/* Datagrams whose sender has an address. */
static void send_and_receive(void)
{
	struct sockaddr_in to = loopback(0), own = loopback(0), from = { 0 };
	struct sockaddr *to_ = (struct sockaddr *)&to, *from_ = (struct sockaddr *)&from;
	struct iovec part = { (void *)"packet", 6 }, room = { buffer, 100 };
	struct msghdr out = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &part, .msg_iovlen = 1
	};
	struct msghdr in = { .msg_iov = &room, .msg_iovlen = 1 };
	struct mmsghdr outs[2] = { { out, 0 }, { out, 0 } }, ins[2] = { { in, 0 }, { in, 0 } };
	struct timespec patience = { 1, 0 };
	socklen_t bytes = sizeof(to);
	int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);

	if (bind(receiver, to_, bytes) || getsockname(receiver, to_, &bytes) ||
	    bind(sender, (struct sockaddr *)&own, bytes) ||
	    getsockname(sender, (struct sockaddr *)&own, &bytes))
		err(1, "no datagrams");
	outs[0].msg_hdr.msg_name = outs[1].msg_hdr.msg_name = out.msg_name = &to;
	CALL(sendto, sendto(sender, "first", 5, 0, to_, bytes) == 5);
	CALL(recvfrom, recvfrom(receiver, buffer, 100, 0, from_, &bytes) == 5 &&
			       IS(buffer, "first") && from.sin_port == own.sin_port);
	memset(&from, 0, sizeof(from));
	sendto(sender, "second", 6, 0, to_, bytes);
	CALL(__recvfrom_chk,
	     FORTIFIED(ssize_t, __recvfrom_chk, int, void *, size_t, size_t, int, struct sockaddr *,
		       socklen_t *)(receiver, buffer, 100, sizeof(buffer), 0, from_, &bytes) == 6 &&
		     IS(buffer, "second") && from.sin_port == own.sin_port &&
		     bytes == sizeof(from));
	CALL(sendmsg, sendmsg(sender, &out, 0) == 6);
	CALL(recvmsg, recvmsg(receiver, &in, 0) == 6 && IS(buffer, "packet"));
	CALL(sendmmsg, sendmmsg(sender, outs, 2, 0) == 2 && outs[1].msg_len == 6);
	CALL(recvmmsg,
	     recvmmsg(receiver, ins, 2, MSG_WAITFORONE, &patience) >= 1 && ins[0].msg_len == 6);
	if (connect(sender, to_, bytes))
		err(1, "no address");
	/* Whatever was left. */
	while (recv(receiver, buffer, 100, MSG_DONTWAIT) > 0)
		;
	CALL(send, send(sender, "third", 5, 0) == 5);
	CALL(recv, recv(receiver, buffer, 100, MSG_PEEK) == 5 && IS(buffer, "third"));
	CALL(__recv_chk, FORTIFIED(ssize_t, __recv_chk, int, void *, size_t, size_t,
				   int)(receiver, buffer, 100, sizeof(buffer), MSG_PEEK) == 5);
	CALL(recv, recv(receiver, buffer, 2, MSG_TRUNC) == 5 &&
			   FAILS(recv(receiver, buffer, 2, MSG_DONTWAIT), EAGAIN));
	close(receiver);
	close(sender);
}

static void look_up(void)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *found;
	struct sockaddr_in address = loopback(htons(77));
	char host[100] = "", service[100] = "";

	CALL(getaddrinfo, getaddrinfo("127.0.0.1", "80", &hints, &found) == 0 && found &&
				  ((struct sockaddr_in *)found->ai_addr)->sin_port == htons(80));
	freeaddrinfo(found);
	CALL(getnameinfo,
	     getnameinfo((struct sockaddr *)&address, sizeof(address), host, sizeof(host), service,
			 sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
		     strcmp(host, "127.0.0.1") == 0 && strcmp(service, "77") == 0);
	CALL(getnameinfo, getnameinfo((struct sockaddr *)&address, sizeof(address), host, 3, NULL,
				      0, NI_NUMERICHOST) == EAI_OVERFLOW);
	CALL(gethostbyname, gethostbyname("127.0.0.1") != NULL);
	CALL(gethostbyname2, gethostbyname2("127.0.0.1", AF_INET) != NULL);
	CALL(gethostbyaddr, gethostbyaddr("\177\0\0", 3, AF_INET) == NULL);
}

static void wait_for_files(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 5 }, events[2];
	struct timeval short_time = { 0, 2000 };
	struct pollfd file;
	sigset_t none;
	fd_set set;
	int pipes[2], epoll = epoll_create1(0);

	sigemptyset(&none);
	if (pipe(pipes) || epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event))
		err(1, "nothing to wait for");
	file = (struct pollfd){ .fd = pipes[0], .events = POLLIN };
	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	CALL(select, select(pipes[0] + 1, &set, NULL, NULL, &short_time) == 0);
	CALL(epoll_wait, epoll_wait(epoll, events, 2, 2) == 0);
	if (write(pipes[1], "x", 1) != 1)
		err(1, "write");
	CALL(poll, poll(&file, 1, -1) == 1 && file.revents == POLLIN && poll(NULL, 0, 2) == 0);
	CALL(__poll_chk, FORTIFIED(int, __poll_chk, struct pollfd *, nfds_t, int,
				   size_t)(&file, 1, 2, sizeof(file)) == 1);
	CALL(ppoll, ppoll(&file, 1, &shortly, &none) == 1);
	CALL(__ppoll_chk,
	     FORTIFIED(int, __ppoll_chk, struct pollfd *, nfds_t, const struct timespec *,
		       const sigset_t *, size_t)(&file, 1, &shortly, NULL, sizeof(file)) == 1);
	FD_SET(pipes[0], &set);
	CALL(pselect, pselect(pipes[0] + 1, &set, NULL, NULL, &shortly, &none) == 1);
	CALL(epoll_wait, epoll_wait(epoll, events, 2, -1) == 1 && events[0].data.u32 == 5);
	CALL(epoll_pwait, epoll_pwait(epoll, events, 2, 100, &none) == 1);
	CALL(epoll_pwait2,
	     FORTIFIED(int, epoll_pwait2, int, struct epoll_event *, int, const struct timespec *,
		       const sigset_t *)(epoll, events, 2, &shortly, NULL) == 1);
	close(epoll);
	close(pipes[0]);
	close(pipes[1]);
}

static volatile sig_atomic_t n_signals;

static void on_signal(int number)
{
	(void)number;
	n_signals++;
}

static void alarm_soon(void)
{
	struct itimerval timer = { .it_value.tv_usec = 20000 };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void wait_for_signals(void)
{
	struct timespec left = { 0 }, past = time_of(CLOCK_MONOTONIC, 2);
	siginfo_t info;
	sigset_t set, none;
	int number = 0;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	CALL(nanosleep, nanosleep(&shortly, &left) == 0);
	CALL(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL) == 0 &&
				      clock_nanosleep(77, 0, &shortly, NULL) == EINVAL);
	CALL(usleep, usleep(2000) == 0);
	alarm_soon();
	CALL(sleep, sleep(50) >= 49 && n_signals == 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	alarm_soon();
	CALL(sigsuspend, FAILS(sigsuspend(&none), EINTR) && n_signals == 2);
	alarm_soon();
	CALL(sigwait, sigwait(&set, &number) == 0 && number == SIGALRM);
	alarm_soon();
	CALL(sigwaitinfo, sigwaitinfo(&set, &info) == SIGALRM && info.si_signo == SIGALRM);
	CALL(sigtimedwait, FAILS(sigtimedwait(&set, &info, &shortly), EAGAIN));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* A signal before it would be the last one. */
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 50000 }, { 0, 50000 } }, NULL);
	CALL(pause, FAILS(pause(), EINTR) && n_signals > 2);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static pid_t child_with(int status)
{
	pid_t child = fork();

	if (child == 0)
		_exit(status);
	return child;
}

static void wait_for_children(void)
{
	struct rusage used;
	siginfo_t info = { 0 };
	int status = 0;
	pid_t child;

	child = child_with(1);
	CALL(wait, wait(&status) == child && WEXITSTATUS(status) == 1);
	child = child_with(2);
	CALL(waitpid, waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 2 &&
			      FAILS(waitpid(child, NULL, 0), ECHILD));
	child = child_with(3);
	CALL(waitid, waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_status == 3);
	child = child_with(4);
	CALL(wait3, wait3(&status, 0, &used) == child && WEXITSTATUS(status) == 4);
	child = child_with(5);
	CALL(wait4, wait4(child, &status, 0, &used) == child && WEXITSTATUS(status) == 5);
	CALL(system, WEXITSTATUS(system("exit 6")) == 6);
}

static void use_queues(void)
{
	struct timespec past = { 1, 0 };
	struct {
		long type;
		char text[8];
	} message = { 7, "message" }, got = { 0 };
	struct sembuf down = { 0, -1, 0 }, up = { 0, 1, 0 };
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 16 };
	int queue = msgget(IPC_PRIVATE, 0600), sems = semget(IPC_PRIVATE, 1, 0600);
	unsigned priority = 0;
	char name[64];
	mqd_t mq;

	snprintf(name, sizeof(name), "/odd-talks-%d", (int)getpid());
	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	mq_unlink(name);
	CALL(mq_send, mq_send(mq, "text", 5, 3) == 0);
	CALL(mq_timedsend, FAILS(mq_timedsend(mq, "text", 5, 3, &past), ETIMEDOUT));
	CALL(mq_receive,
	     mq_receive(mq, buffer, 16, &priority) == 5 && priority == 3 && IS(buffer, "text"));
	CALL(mq_timedreceive, FAILS(mq_timedreceive(mq, buffer, 16, NULL, &past), ETIMEDOUT));
	CALL(msgsnd, msgsnd(queue, &message, 8, 0) == 0);
	CALL(msgrcv, msgrcv(queue, &got, 8, 7, 0) == 8 && IS(got.text, "message") &&
			     FAILS(msgrcv(queue, &got, 8, 7, IPC_NOWAIT), ENOMSG));
	CALL(semop, semop(sems, &up, 1) == 0 && semop(sems, &down, 1) == 0);
	CALL(semtimedop, FAILS(semtimedop(sems, &down, 1, &shortly), EAGAIN));
	msgctl(queue, IPC_RMID, NULL);
	semctl(sems, 0, IPC_RMID);
	mq_close(mq);
}

static void *end_with(void *data)
{
	return data;
}

static void *stay(void *data)
{
	odd_pause(20);
	return data;
}

static int end_with_number(void *data)
{
	(void)data;
	return 9;
}

static bool is_value(void *value)
{
	return value == buffer;
}

static void join(void)
{
	struct timespec soon = time_of(CLOCK_REALTIME, 5000), past = { 1, 0 };
	pthread_t thread;
	void *value = NULL;
	int number = 0;
	thrd_t other;

	odd_start(&thread, end_with, buffer);
	CALL(pthread_join, pthread_join(thread, &value) == 0 && is_value(value));
	odd_start(&thread, stay, buffer);
	CALL(pthread_timedjoin_np, pthread_timedjoin_np(thread, &value, &past) == ETIMEDOUT &&
					   pthread_timedjoin_np(thread, &value, &soon) == 0);
	odd_start(&thread, stay, buffer);
	soon = time_of(CLOCK_MONOTONIC, 5000);
	CALL(pthread_clockjoin_np,
	     pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &soon) == 0 && is_value(value));
	CALL(thrd_join, thrd_create(&other, end_with_number, NULL) == thrd_success &&
				thrd_join(other, &number) == thrd_success && number == 9);
	CALL(thrd_sleep, thrd_sleep(&shortly, NULL) == 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static mtx_t c_mutex;
static cnd_t c_condition;
static bool is_set;

static void *set(void *data)
{
	odd_pause(5);
	pthread_mutex_lock(&mutex);
	is_set = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	mtx_lock(&c_mutex);
	cnd_signal(&c_condition);
	mtx_unlock(&c_mutex);
	pthread_barrier_wait(&barrier);
	return data;
}

static void wait_for_threads(void)
{
	struct timespec past = { 1, 0 }, soon;
	pthread_t thread;
	int error = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	mtx_init(&c_mutex, mtx_timed);
	cnd_init(&c_condition);
	mtx_lock(&c_mutex);
	pthread_mutex_lock(&mutex);
	CALL(pthread_cond_timedwait,
	     pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
	soon = time_of(CLOCK_MONOTONIC, 2);
	CALL(pthread_cond_clockwait,
	     pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
	CALL(cnd_timedwait, cnd_timedwait(&c_condition, &c_mutex, &past) == thrd_timedout);
	odd_start(&thread, set, NULL);
	while (!error && !is_set)
		error = pthread_cond_wait(&condition, &mutex);
	CALL(pthread_cond_wait, error == 0 && is_set);
	CALL(pthread_mutex_timedlock, pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
	soon = time_of(CLOCK_MONOTONIC, 2);
	CALL(pthread_mutex_clocklock,
	     pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
	CALL(cnd_wait, cnd_wait(&c_condition, &c_mutex) == thrd_success);
	CALL(mtx_timedlock, mtx_timedlock(&c_mutex, &past) == thrd_timedout);
	mtx_unlock(&c_mutex);
	pthread_mutex_unlock(&mutex);
	error = pthread_barrier_wait(&barrier);
	CALL(pthread_barrier_wait, error == 0 || error == PTHREAD_BARRIER_SERIAL_THREAD);
	pthread_join(thread, NULL);
}

/* For a while, or with @data until who tries has tried. */
static void *hold(void *data)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	pthread_barrier_wait(&barrier);
	if (data)
		pthread_barrier_wait(&barrier);
	else
		odd_pause(5);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	return data;
}

static void take_locks(void)
{
	struct timespec past = { 1, 0 }, soon;
	pthread_t thread;
	sem_t sem;

	sem_init(&sem, 0, 1);
	CALL(sem_wait, sem_wait(&sem) == 0);
	CALL(sem_timedwait, FAILS(sem_timedwait(&sem, &past), ETIMEDOUT));
	soon = time_of(CLOCK_MONOTONIC, 2);
	CALL(sem_clockwait, FAILS(sem_clockwait(&sem, CLOCK_MONOTONIC, &soon), ETIMEDOUT));
	odd_start(&thread, hold, NULL);
	pthread_barrier_wait(&barrier);
	CALL(pthread_mutex_lock, pthread_mutex_lock(&mutex) == 0);
	pthread_mutex_unlock(&mutex);
	CALL(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&rwlock) == 0);
	CALL(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
	pthread_rwlock_unlock(&rwlock);
	CALL(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&rwlock) == 0);
	pthread_join(thread, NULL);
	pthread_rwlock_unlock(&rwlock);
	odd_start(&thread, hold, &barrier);
	pthread_barrier_wait(&barrier);
	CALL(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&rwlock, &past) == ETIMEDOUT);
	CALL(pthread_mutex_trylock, pthread_mutex_trylock(&mutex) == EBUSY);
	CALL(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	CALL(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void call_directly(void)
{
	uint32_t word = 0;

	CALL(syscall,
	     FAILS(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &shortly, NULL, 0), ETIMEDOUT));
	CALL(syscall, syscall(SYS_getpid) == getpid() && FAILS(syscall(SYS_close, -1), EBADF));
}

int main(void)
{
	odd_begin();
	connect_and_accept();
	send_and_receive();
	look_up();
	wait_for_files();
	wait_for_signals();
	wait_for_children();
	use_queues();
	join();
	wait_for_threads();
	take_locks();
	call_directly();
	counted_wait();
	odd_allocate(10);
	return n_wrong ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
/* A monitor's cost a datagram against that of a bare echo: one process answers all it can on one core,
 * another sends the updates of many sources without a pause. The same sources, turn about, in the same run.
 *
 *	bench-monitor [SECONDS of each turn] [TURNS]
 * One line of JSON: datagrams answered per second of the answering process' CPU time, in plain and with keys,
 *and the bytes that a million sources take. */
#include "age/wire.h"
#include "net/dtls.h"
#include "net/monitor_host.h"
#include "record/json.h"
#include "weir/num.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES 1000
#define SOCKETS 50
#define VALUE_BYTES 100
#define WINDOW 512 /* datagrams on their way */
#define TURNS_MAX 20

enum turn { NOBODY, ECHO, PLAIN, KEYED, END };

struct shared {
	_Atomic u32 port, port_echo, port_keyed;
	_Atomic int turn; /* one of enum turn */
	u64 answered[END];
	double cpu_s[END];
};

static double cpu_s(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void pin(u32 cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu % (u32)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* ---- who answers ---- */

static void nothing(void *owner, const struct weir_monitor_value *v)
{
	(void)owner;
	(void)v;
}

/* The best that two system calls can do: what came goes back. */
static int echo(int fd)
{
	static u8 data[WEIR_UDP_BATCH][WEIR_UDP_ROOM];
	static struct mmsghdr message[WEIR_UDP_BATCH];
	static struct iovec part[WEIR_UDP_BATCH];
	static struct sockaddr_in from[WEIR_UDP_BATCH];
	for (u32 i = 0; i < WEIR_UDP_BATCH; i++) {
		part[i] = (struct iovec){data[i], WEIR_UDP_ROOM};
		message[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
						     .msg_namelen = sizeof from[i],
						     .msg_iov = &part[i],
						     .msg_iovlen = 1};
	}
	int n = recvmmsg(fd, message, WEIR_UDP_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++)
		part[i].iov_len = message[i].msg_len;
	if (n > 0)
		sendmmsg(fd, message, (u32)n, MSG_DONTWAIT);
	return n;
}

static void on_echo(void *owner, u32 events)
{
	(void)events;
	/* As the monitor does: what has come meanwhile is taken before it waits. */
	for (u32 i = 0; i < 16 && echo(*(int *)owner) == WEIR_UDP_BATCH; i++)
		;
}

static int open_echo(struct shared *s, struct weir_loop *loop, struct weir_watch *w, int *fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof at;
	int size = 4 << 20;
	*fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	setsockopt(*fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    getsockname(*fd, (struct sockaddr *)&at, &bytes) < 0)
		return -1;
	*w = (struct weir_watch){*fd, on_echo, fd};
	atomic_store(&s->port_echo, ntohs(at.sin_port));
	return weir_loop_add(loop, w, EPOLLIN);
}

static struct weir_keys *key(void)
{
	static struct weir_diag d;
	char line[] = "bench:000102030405060708090a0b0c0d0e0f";
	return weir_keys_parse(line, strlen(line), NULL, &d);
}

/* false where Weir was built without keys. */
static bool listen_keyed(struct shared *s, struct weir_monitor_host *host, const struct weir_address *at)
{
	char why[WEIR_NET_WHY_BYTES];
	struct weir_monitor_port *p = weir_dtls_built ? weir_monitor_host_listen(host, at, why) : NULL;
	if (!p)
		return false;
	const struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_dtls_new_server(&(struct weir_dtls_config){.keys = key()}, &port, why);
	if (!p->guard)
		_exit(1);
	atomic_store(&s->port_keyed, weir_address_port(&p->udp.local));
	return true;
}

static void answer(struct shared *s)
{
	static struct weir_monitor_host host;
	static struct weir_loop loop;
	struct weir_watch echo_watch;
	struct weir_address at;
	char why[WEIR_NET_WHY_BYTES];
	int fd;
	const struct weir_monitor_host_config config = {.capacity = 4 * SOURCES, .seed = 1, .fresh = nothing};
	pin(0);
	weir_address_resolve("127.0.0.1", 0, &at, 1, why);
	struct weir_monitor_port *p = NULL;
	if (weir_loop_open(&loop) == 0 && weir_monitor_host_open(&host, &loop, &config, why) == 0)
		p = weir_monitor_host_listen(&host, &at, why);
	if (!p || open_echo(s, &loop, &echo_watch, &fd) < 0)
		_exit(1);
	const struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_plain_new(&port);
	listen_keyed(s, &host, &at);
	atomic_store(&s->port, weir_address_port(&p->udp.local));
	int turn = NOBODY;
	double before_s = cpu_s();
	while (turn != END) {
		int now = atomic_load_explicit(&s->turn, memory_order_relaxed);
		if (now != turn) {
			double until_s = cpu_s();
			s->cpu_s[turn] += until_s - before_s;
			before_s = until_s;
			turn = now;
		}
		weir_monitor_host_step(&host);
		weir_loop_wait(&loop, weir_clock_ns() + 20 * WEIR_NS_PER_MS);
	}
	_exit(0);
}

/* ---- who asks ---- */

struct flow {
	struct weir_age_packet packet;
	u32 socket;
};

struct asker {
	struct flow flow[SOURCES];
	int fd[SOCKETS];
	struct weir_guard *guard[SOCKETS]; /* NULL: in plain */
	u32 speaking;			   /* socket of which a datagram is handed in */
	struct weir_address to;
	u64 answered;
	u32 away, next, begun;
};

static void take_answer(struct asker *a, const u8 *data, size_t bytes)
{
	struct weir_age_packet p;
	a->answered++;
	a->away = a->away ? a->away - 1 : 0;
	if (weir_age_decode(&p, data, bytes) == WEIR_AGE_WIRE_OK && p.type == WEIR_AGE_PROBE_ACK &&
	    p.flow_id >= 1 && p.flow_id <= SOURCES) {
		a->begun += a->flow[p.flow_id - 1].packet.session == 0;
		a->flow[p.flow_id - 1].packet.session = p.session;
	}
}

static void from_guard(void *owner, const struct weir_peer *from, const u8 *data, size_t bytes)
{
	(void)from;
	take_answer(owner, data, bytes);
}

static void to_wire(void *owner, const struct weir_address *to, const u8 *data, size_t bytes)
{
	const struct asker *a = owner;
	sendto(a->fd[a->speaking], data, bytes, MSG_DONTWAIT, &to->any, to->bytes);
}

static void ask(struct asker *a, struct flow *f, u8 type)
{
	u8 data[WEIR_AGE_HEADER_BYTES + VALUE_BYTES] = {0};
	struct weir_age_packet *p = &f->packet;
	u64 now_ns = weir_clock_ns();
	p->type = type;
	p->sequence++;
	p->sent_ns = now_ns;
	p->generated_ns = type == WEIR_AGE_UPDATE ? now_ns : 0;
	u32 n = weir_age_encode(p, data, sizeof data);
	n += type == WEIR_AGE_UPDATE ? VALUE_BYTES : 0u;
	struct weir_guard *g = a->guard[f->socket];
	a->speaking = f->socket;
	if (g)
		a->away += g->ops->send(g, now_ns, NULL, data, n);
	else
		a->away += sendto(a->fd[f->socket], data, n, MSG_DONTWAIT, &a->to.any, a->to.bytes) > 0;
}

/* Takes answers of one socket; sessions from those to probes. */
static void hear(struct asker *a, u32 socket)
{
	static u8 data[WEIR_UDP_BATCH][WEIR_UDP_ROOM];
	struct mmsghdr message[WEIR_UDP_BATCH];
	struct iovec part[WEIR_UDP_BATCH];
	memset(message, 0, sizeof message);
	for (u32 i = 0; i < WEIR_UDP_BATCH; i++) {
		part[i] = (struct iovec){data[i], sizeof data[i]};
		message[i].msg_hdr.msg_iov = &part[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	int n = recvmmsg(a->fd[socket], message, WEIR_UDP_BATCH, MSG_DONTWAIT, NULL);
	struct weir_guard *g = a->guard[socket];
	a->speaking = socket;
	for (int i = 0; i < n; i++) {
		if (g)
			g->ops->receive(g, weir_clock_ns(), &a->to, data[i], message[i].msg_len);
		else
			take_answer(a, data[i], message[i].msg_len);
	}
}

static void hear_all(struct asker *a, int wait_ms)
{
	struct pollfd p[SOCKETS];
	for (u32 i = 0; i < SOCKETS; i++)
		p[i] = (struct pollfd){.fd = a->fd[i], .events = POLLIN};
	int n = poll(p, SOCKETS, wait_ms);
	if (n == 0)
		a->away = 0; /* lost: go on */
	for (u32 i = 0; i < SOCKETS && n > 0; i++)
		if (p[i].revents)
			hear(a, i);
}

static u64 ask_for(struct asker *a, double seconds)
{
	u64 end_ns = weir_clock_ns() + (u64)(seconds * 1e9), before = a->answered;
	while (weir_clock_ns() < end_ns) {
		for (u32 i = 0; i < 64 && a->away < WINDOW; i++) {
			ask(a, &a->flow[a->next], WEIR_AGE_UPDATE);
			a->next = (a->next + 1) % SOURCES;
		}
		hear_all(a, a->away >= WINDOW ? 2 : 0);
	}
	u64 answered = a->answered - before;
	hear_all(a, 50);
	a->away = 0;
	return answered;
}

/* A session for each socket; the sources share them. */
static bool open_sessions(struct asker *a)
{
	const struct weir_guard_port port = {.owner = a, .send = to_wire, .deliver = from_guard};
	char why[WEIR_NET_WHY_BYTES];
	u32 ready = 0;
	for (a->speaking = 0; a->speaking < SOCKETS; a->speaking++) {
		struct weir_guard *g =
		    weir_guard_dtls_new_client(&(struct weir_dtls_config){.keys = key()}, &port, why);
		if (!g)
			return false;
		a->guard[a->speaking] = g;
		g->ops->connect(g, weir_clock_ns(), &a->to);
	}
	for (u64 end_ns = weir_clock_ns() + 10 * WEIR_NS_PER_S;
	     ready < SOCKETS && weir_clock_ns() < end_ns;) {
		hear_all(a, 1);
		ready = 0;
		for (u32 i = 0; i < SOCKETS; i++) {
			a->speaking = i;
			a->guard[i]->ops->wake(a->guard[i], weir_clock_ns());
			ready += a->guard[i]->ops->state(a->guard[i]) == WEIR_GUARD_READY;
		}
	}
	return ready == SOCKETS;
}

static bool open_asker(struct asker *a, u32 port, bool keyed)
{
	char why[WEIR_NET_WHY_BYTES];
	weir_address_resolve("127.0.0.1", (u16)port, &a->to, 1, why);
	for (u32 i = 0; i < SOCKETS; i++)
		if ((a->fd[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) < 0)
			return false;
	for (u32 i = 0; i < SOURCES; i++)
		a->flow[i] =
		    (struct flow){.packet = {.flow_id = i + 1, .incarnation = 1}, .socket = i % SOCKETS};
	if (keyed && !open_sessions(a))
		return false;
	u64 end_ns = weir_clock_ns() + 10 * WEIR_NS_PER_S;
	while (a->begun < SOURCES && weir_clock_ns() < end_ns) {
		for (u32 i = 0; i < SOURCES; i++)
			if (a->flow[i].packet.session == 0)
				ask(a, &a->flow[i], WEIR_AGE_PROBE);
		for (u32 i = 0; i < 20; i++)
			hear_all(a, 1);
	}
	for (u32 i = 0; i < SOURCES; i++)
		a->flow[i].packet.sequence = 0;
	return a->begun == SOURCES;
}

static int run(struct shared *s, double seconds, u32 turns)
{
	struct asker *plain = calloc(1, sizeof *plain), *keyed = calloc(1, sizeof *keyed);
	u64 end_ns = weir_clock_ns() + 10 * WEIR_NS_PER_S;
	pin(1);
	while (atomic_load(&s->port) == 0 && weir_clock_ns() < end_ns)
		usleep(1000);
	u32 port = atomic_load(&s->port), port_keyed = atomic_load(&s->port_keyed);
	if (!plain || !keyed || !open_asker(plain, port, false) ||
	    (port_keyed && !open_asker(keyed, port_keyed, true)))
		return 1;
	for (u32 i = 0; i < turns; i++) {
		for (int turn = ECHO; turn <= (port_keyed ? KEYED : PLAIN); turn++) {
			plain->to.v4.sin_port =
			    htons((u16)(turn == ECHO ? atomic_load(&s->port_echo) : port));
			atomic_store(&s->turn, turn);
			s->answered[turn] += ask_for(turn == KEYED ? keyed : plain, seconds);
			atomic_store(&s->turn, NOBODY);
		}
	}
	atomic_store(&s->turn, END);
	free(plain);
	free(keyed);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	u32 turns = argc > 2 ? (u32)weir_clamp(strtoull(argv[2], NULL, 10), 1, TURNS_MAX) : 3;
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		answer(s);
	}
	if (child < 0 || run(s, seconds, turns)) {
		if (child > 0)
			kill(child, SIGKILL);
		return 1;
	}
	waitpid(child, NULL, 0);
	struct weir_json j;
	double hz[END] = {0};
	for (int turn = ECHO; turn < END; turn++)
		hz[turn] = s->cpu_s[turn] > 0 ? (double)s->answered[turn] / s->cpu_s[turn] : 0;
	weir_json_to_file(&j, stdout);
	weir_json_line(&j);
	weir_json_object(&j);
	weir_json_put_double(&j, "echo_hz", hz[ECHO]);
	weir_json_put_double(&j, "monitor_hz", hz[PLAIN]);
	weir_json_put_double(&j, "ratio", hz[PLAIN] / hz[ECHO]);
	if (s->answered[KEYED]) {
		weir_json_put_double(&j, "dtls_hz", hz[KEYED]);
		weir_json_put_double(&j, "dtls_ratio", hz[KEYED] / hz[ECHO]);
	}
	weir_json_put_u64(&j, "million_sources_bytes", weir_monitor_host_bytes(1000000));
	weir_json_object_end(&j);
	return weir_json_finish(&j) < 0;
}

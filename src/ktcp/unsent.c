/* SPDX-License-Identifier: MIT */
#include "unsent.h"

#include "weir/num.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define ROOM_NS (20 * WEIR_NS_PER_MS)
#define ROOM_MAX_BYTES (4ULL << 20)
/* The least, and the least that is left when the kernel calls: it sends two segments at a time even when it
 * is slow, and takes what has been called for only when we wake up. */
#define ROOM_MIN_SEGMENTS 6
#define CALL_MIN_SEGMENTS 4
/* The first windows, of which nobody knows yet how fast they are acknowledged: an acknowledged one lets two
 * leave at once. */
#define BEGINNING_BYTES (256ULL << 10)

static u64 in_time(u64 rate_Bps)
{
	return weir_muldiv(rate_Bps, ROOM_NS, WEIR_NS_PER_S);
}

u64 weir_ktcp_unsent_room_bytes(const struct weir_ktcp_info *info)
{
	if (info->mss_bytes == WEIR_KTCP_UNKNOWN || info->cwnd_packets == WEIR_KTCP_UNKNOWN)
		return BEGINNING_BYTES;
	u64 window_bytes = weir_min(info->cwnd_packets, 1U << 30) * info->mss_bytes;
	u64 room_bytes = 0;
	/* The kernel's pacing rate says how fast data may leave; on a short round trip it says more than any
	 * path could carry. */
	if (info->pacing_Bps != WEIR_KTCP_UNKNOWN)
		room_bytes = weir_min(window_bytes, in_time(info->pacing_Bps));
	if (info->delivery_Bps != WEIR_KTCP_UNKNOWN)
		room_bytes = weir_max(room_bytes, in_time(info->delivery_Bps));
	if (info->acked_bytes == WEIR_KTCP_UNKNOWN || info->acked_bytes < BEGINNING_BYTES)
		room_bytes = weir_max(room_bytes, weir_min(2 * window_bytes, 2 * BEGINNING_BYTES));
	return weir_clamp(room_bytes, ROOM_MIN_SEGMENTS * info->mss_bytes, ROOM_MAX_BYTES);
}

/* The kernel calls when less than half of TCP_NOTSENT_LOWAT is left. That it would also let a whole
 * super-packet lie there beyond it is why the room is not left to it. */
static void tell_kernel(const struct weir_ktcp_unsent *u)
{
	u64 call_bytes = weir_max(u->room_bytes / 2, CALL_MIN_SEGMENTS * u->mss_bytes);
	int low_water_bytes = (int)(2 * call_bytes);
	setsockopt(u->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &low_water_bytes, sizeof low_water_bytes);
}

/* At most doubled at a time, and only when it was used: a rate that was seen for a moment shall not fill the
 * socket with what a slow path then takes long to carry. */
void weir_ktcp_unsent_adapt(struct weir_ktcp_unsent *u, const struct weir_ktcp_info *info, bool drained,
			    u64 now_ns)
{
	u64 room = weir_ktcp_unsent_room_bytes(info), old = u->room_bytes;
	u->adapted_ns = now_ns;
	if (info->mss_bytes != WEIR_KTCP_UNKNOWN)
		u->mss_bytes = weir_min(info->mss_bytes, 1 << 16);
	if (old && room > old)
		room = drained ? weir_min(room, 2 * old) : old;
	if (room <= old / 4 * 5 && room >= old / 4 * 3)
		return;
	u->room_bytes = room;
	tell_kernel(u);
}

u64 weir_ktcp_unsent_may_write(const struct weir_ktcp_unsent *u, u64 rest_bytes, u64 most_bytes)
{
	int bytes = 0;
	if (ioctl(u->socket, SIOCOUTQNSD, &bytes) < 0 || bytes < 0)
		bytes = 0;
	u64 room = weir_min(weir_sub(u->room_bytes, (u64)bytes), most_bytes), mss = u->mss_bytes;
	if (rest_bytes <= room || room == 0 || mss == 0)
		return weir_min(rest_bytes, room);
	return weir_min(weir_max(room / mss * mss, mss), rest_bytes);
}

/* SPDX-License-Identifier: MIT */
/* Ages in the simulator against closed forms: chains, links, losses, queues. */
#include "acp.h"

/* Age-optimal rates and the least ages there, with unit service (Kaul, Yates and Gruteser 2012). */
static void queues_have_the_ages_of_theory(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool poisson, exponential;
		double hz, age_s;
	} queue[] = {{"M/M/1", true, true, .531, 3.484},
		     {"M/D/1", true, false, .629, 2.954},
		     {"D/M/1", false, true, .517, 2.253}};
	for (u32 i = 0; i < 3; i++) {
		static struct net n;
		net_new(&n, 1, false);
		struct weir_hop_config hop = {.rate = {.bps = 8000, .exponential = queue[i].exponential}};
		u32 path = net_path(&n, net_hop(&n, hop), net_line(&n, 0, 0, 0));
		u32 flow = net_add(&n, updates_flow(path, 1000, queue[i].hz, queue[i].poisson));
		net_run(&n, 400000 * WEIR_NS_PER_S);
		struct weir_flow_age a = age_of(&n, flow);
		assert_near(queue[i].name, weir_ledger_mean_s(&a.age), queue[i].age_s, .02);
		weir_world_free(n.world);
	}
}

/* Q servers that take as long as the period: Q updates are under way, each is Q services old when it comes.
 */
static void a_deterministic_chain_of_servers(void **state)
{
	(void)state;
	for (u32 servers = 1; servers <= 6; servers++) {
		static struct net n;
		u32 hops[6];
		net_new(&n, 1, false);
		for (u32 i = 0; i < servers; i++)
			hops[i] = net_line(&n, 8000, 0, 0);
		u32 back = net_line(&n, 0, 0, 0),
		    path = weir_world_add_path(n.world, hops, servers, &back, 1);
		u32 flow = net_add(&n, updates_flow(path, 1000, 1, false));
		net_run(&n, 1000 * WEIR_NS_PER_S);
		struct weir_flow_age a = age_of(&n, flow);
		assert_near("D/D chain", weir_ledger_mean_s(&a.age), servers + .5, 1e-9);
		assert_near("its peaks", weir_ledger_peak_mean_s(&a.age), servers + 1, 1e-9);
		weir_world_free(n.world);
	}
}

/* Losses one by one: the mean is the delay and (T / 2) (1 + p) / (1 - p). */
static void losses_lengthen_the_gaps(void **state)
{
	(void)state;
	static const double ps[] = {.01, .1, .3, .5};
	for (u32 i = 0; i < 4; i++) {
		static struct net n;
		double p = ps[i], delay_s = .020 + 564 * 8 / 1e6;
		net_new(&n, 1, false);
		struct weir_hop_config hop = {.rate = {.bps = 1000000}, .delay_ns = 20 * MS};
		hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = p};
		u32 path = net_path(&n, net_hop(&n, hop), net_line(&n, 0, 0, 0));
		u32 flow = net_add(&n, updates_flow(path, 564, 20, false));
		net_run(&n, 20000 * WEIR_NS_PER_S);
		struct weir_flow_age a = age_of(&n, flow);
		assert_near("age with losses", weir_ledger_mean_s(&a.age), delay_s + .025 * (1 + p) / (1 - p),
			    .01);
		weir_world_free(n.world);
	}
}

/* The 5 ms server on a path of 40 ms on which the authors' program was measured too: 5 ms for 526 bytes and
 * headers. */
#define SERVER_BPS ((526 + WEIR_AGE_HEADER_BYTES + ACP_HEADER_BYTES) * 8 * 200)

static struct weir_flow_age on_the_reference_path(const char *controller, u64 fixed_uhz, double loss)
{
	static struct net n;
	struct acp_choice choice;
	net_new(&n, 1, false);
	struct weir_hop_config hop = {
	    .rate = {.bps = SERVER_BPS}, .delay_ns = 20 * MS, .queue = {.limit_packets = 100}};
	if (loss > 0)
		hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = loss};
	u32 path = net_path(&n, net_hop(&n, hop), net_line(&n, 0, 20 * MS, 0));
	struct weir_flow_config f = acp_flow(path, controller, 526, &choice);
	if (fixed_uhz)
		choice.params[0] = fixed_uhz;
	u32 flow = net_add(&n, f);
	net_run(&n, 20 * WEIR_NS_PER_S);
	weir_world_restart_ages(n.world);
	net_run(&n, 400 * WEIR_NS_PER_S);
	struct weir_flow_age a = age_of(&n, flow);
	weir_world_free(n.world);
	return a;
}

static void controllers_on_the_reference_path(void **state)
{
	(void)state;
	struct weir_flow_age plus = on_the_reference_path("acp-plus", 0, 0);
	assert_near("acp-plus", weir_ledger_mean_s(&plus.age), .0287, .02);
	assert_near("its rate", (double)plus.updates / 380, 177, .03);

	struct weir_flow_age lazy = on_the_reference_path("lazy", 0, 0);
	assert_near("lazy", weir_ledger_mean_s(&lazy.age), .0475, 1e-4);
	assert_near("its rate", (double)lazy.updates / 380, 1 / .045, 1e-3);
	assert_near("its backlog", backlog_of(&lazy), 1, 1e-6);

	/* transmission, propagation and half a period; the estimate also waits for the ACK */
	struct weir_flow_age fixed = on_the_reference_path("fixed", 10000000, 0);
	assert_near("fixed", weir_ledger_mean_s(&fixed.age), .005 + .020 + .050, 1e-6);
	assert_near("its peaks", weir_ledger_peak_mean_s(&fixed.age), .005 + .020 + .100, 1e-6);
	assert_near("its estimate", weir_ledger_mean_s(&fixed.estimate), .045 + .050, 1e-6);
	assert_near("its backlog", backlog_of(&fixed), .45, 1e-6);

	struct weir_flow_age lossy = on_the_reference_path("fixed", 10000000, .2);
	assert_near("fixed, a fifth lost", weir_ledger_mean_s(&lossy.age), .025 + .050 * 1.2 / .8, .02);
}

/* In order over a stream: each update is as old as its way is long, and grows for a period. */
static void updates_over_tcp(void **state)
{
	(void)state;
	static struct net n;
	net_new(&n, 1, false);
	u32 path = net_between(&n, 1000000, 10 * MS, 0, 0, 10 * MS, 0);
	struct weir_flow_config f = net_flow(&n, path, "reno");
	f.app = (struct weir_app_config){.kind = WEIR_APP_UPDATES, .chunk_bytes = 500, .rate_uhz = 10000000};
	f.age = true;
	f.age_bound_ns = 100 * MS;
	u32 flow = net_add(&n, f);
	net_run(&n, 100 * WEIR_NS_PER_S);
	struct weir_flow_age a = age_of(&n, flow);
	double delay_s = (500. + f.endpoint.header_bytes) * 8 / 1e6 + .010;
	assert_near("updates over tcp", weir_ledger_mean_s(&a.age), delay_s + .050, 1e-3);
	assert_near("above the bound", weir_ledger_over_fraction(&a.age), delay_s / .1, 1e-2);
	weir_world_free(n.world);
}

/* A stream without updates: each segment counts from when it first left, so that a lost one makes the whole
 * stream old until it has been sent again. */
static void segments_over_tcp(void **state)
{
	(void)state;
	static struct net n;
	double mean_s[2];
	for (u32 lossy = 0; lossy < 2; lossy++) {
		net_new(&n, 1, false);
		struct weir_hop_config hop = {.rate = {.bps = 10000000}, .delay_ns = 10 * MS};
		if (lossy)
			hop.after.loss =
			    (struct weir_loss_config){.model = WEIR_LOSS_PERIODIC, .period_packets = 50};
		u32 path = net_path(&n, net_hop(&n, hop), net_line(&n, 0, 10 * MS, 0));
		struct weir_flow_config f = net_flow(&n, path, "reno");
		f.app = (struct weir_app_config){
		    .kind = WEIR_APP_PACED, .chunk_bytes = 1448, .rate_bps = 100 * 1448 * 8};
		f.age = true;
		u32 flow = net_add(&n, f);
		net_run(&n, 100 * WEIR_NS_PER_S);
		struct weir_flow_age a = age_of(&n, flow);
		mean_s[lossy] = weir_ledger_mean_s(&a.age);
		weir_world_free(n.world);
	}
	double delay_s = (1448. + weir_endpoint_defaults().header_bytes) * 8 / 1e7 + .010;
	assert_near("segments over tcp", mean_s[0], delay_s + .005, 1e-3);
	assert_true(mean_s[1] > mean_s[0] + .001 && mean_s[1] < mean_s[0] + .010);
}

static void two_equal_sources_share(void **state)
{
	(void)state;
	static struct net n;
	struct acp_choice choice[2];
	double age_s[2];
	net_new(&n, 1, false);
	u32 path = net_between(&n, SERVER_BPS, 20 * MS, 100, 0, 20 * MS, 0);
	for (u32 i = 0; i < 2; i++) {
		struct weir_flow_config f = acp_flow(path, "acp-plus", 526, &choice[i]);
		f.start_ns = i * 7 * MS;
		net_add(&n, f);
	}
	net_run(&n, 20 * WEIR_NS_PER_S);
	weir_world_restart_ages(n.world);
	net_run(&n, 400 * WEIR_NS_PER_S);
	for (u32 i = 0; i < 2; i++) {
		struct weir_flow_age a = age_of(&n, i);
		age_s[i] = weir_ledger_mean_s(&a.age);
	}
	double sum = age_s[0] + age_s[1], squares = age_s[0] * age_s[0] + age_s[1] * age_s[1];
	print_message("two sources: %.4f s and %.4f s\n", age_s[0], age_s[1]);
	assert_true(sum * sum / (2 * squares) > .99);
	weir_world_free(n.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(queues_have_the_ages_of_theory),
	    cmocka_unit_test(a_deterministic_chain_of_servers),
	    cmocka_unit_test(losses_lengthen_the_gaps),
	    cmocka_unit_test(controllers_on_the_reference_path),
	    cmocka_unit_test(updates_over_tcp),
	    cmocka_unit_test(segments_over_tcp),
	    cmocka_unit_test(two_equal_sources_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Addresses as people write them: brackets, zones, ports, mistakes. */
#include "net/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void splits(const char *text, const char *host, u16 port)
{
	char got[WEIR_NET_HOST_BYTES], why[WEIR_NET_WHY_BYTES] = "";
	u16 number = 7;
	assert_true(weir_address_split(text, got, &number, why));
	assert_string_equal(got, host);
	assert_int_equal(number, port);
}

static void refuses(const char *text, const char *part)
{
	char got[WEIR_NET_HOST_BYTES], why[WEIR_NET_WHY_BYTES] = "";
	u16 number = 7;
	assert_false(weir_address_split(text, got, &number, why));
	assert_non_null(strstr(why, part));
}

static void test_split(void **state)
{
	(void)state;
	splits("example.org", "example.org", 7);
	splits("example.org:80", "example.org", 80);
	splits("10.0.0.1:0", "10.0.0.1", 0);
	splits("::1", "::1", 7);
	splits("fe80::1%eth0", "fe80::1%eth0", 7);
	splits("[::1]:65535", "::1", 65535);
	splits("[fe80::1%eth0]", "fe80::1%eth0", 7);
	splits(":9000", "", 9000);
	splits("*:9000", "*", 9000);
	splits("", "", 7);
	refuses("host:", "port");
	refuses("host:65536", "65535");
	refuses("host:12x", "port");
	refuses("host:-1", "port");
	refuses("[::1", "[ADDRESS]");
	refuses("[::1]9000", "[ADDRESS]");
}

static void prints(const char *host, u16 port, const char *text, bool loopback)
{
	struct weir_address a[4];
	char why[WEIR_NET_WHY_BYTES], out[WEIR_ADDRESS_TEXT];
	assert_true(weir_address_resolve(host, port, a, 4, why) >= 1);
	assert_string_equal(weir_address_print(&a[0], out), text);
	assert_int_equal(weir_address_is_loopback(&a[0]), loopback);
	assert_int_equal(weir_address_port(&a[0]), port);
	struct weir_address mapped = a[0];
	weir_address_map(&mapped);
	assert_int_equal(mapped.any.sa_family, AF_INET6);
	assert_string_equal(weir_address_print(&mapped, out), text);
	assert_int_equal(weir_address_is_loopback(&mapped), loopback);
	assert_true(weir_address_equal(&a[0], &a[0]));
}

static void test_resolve(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	struct weir_address a[4];
	(void)state;
	prints("192.0.2.7", 49050, "192.0.2.7:49050", false);
	prints("127.9.0.1", 1, "127.9.0.1:1", true);
	prints("::1", 49050, "[::1]:49050", true);
	prints("2001:db8::5", 9, "[2001:db8::5]:9", false);
	assert_int_equal(weir_address_resolve("", 5, a, 4, why), 2);
	assert_true(weir_address_is_loopback(&a[0]) && weir_address_is_loopback(&a[1]));
	assert_int_equal(weir_address_resolve("256.1.1.1.", 5, a, 4, why), 0);
	assert_non_null(strstr(why, "256.1.1.1."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_split), cmocka_unit_test(test_resolve)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

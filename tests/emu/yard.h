/* SPDX-License-Identifier: MIT */
/* A namespace and a folder of records for each test, so that what it leaves is seen. For one program. */
#ifndef TESTS_EMU_YARD_H
#define TESTS_EMU_YARD_H

#include "ground.h"

#include <dirent.h>
#include <net/if.h>
#include <string.h>

static struct weir_site site, other;
static char folder[64];

/* Everything happens in a namespace of the test's own: `right_is_here` must not touch the machine's. */
static inline int fresh(void **state)
{
	static struct weir_netns yard;
	char why[WEIR_WHY_BYTES] = "";
	snprintf(folder, sizeof folder, "/tmp/test-site-XXXXXX");
	unsetenv("WEIR_RANGE");
	assert_true(mkdtemp(folder) && !setenv("WEIR_RUNTIME_DIR", folder, 1));
	assert_done(weir_netns_new(&yard, why), why);
	assert_int_equal(weir_netns_enter(&yard), 0);
	*state = &yard;
	return 0;
}

static inline int sweep(void **state)
{
	weir_netns_close(*state);
	return rmdir(folder); /* with a record in it this fails */
}

static inline void open_site(struct weir_site *s, const struct weir_site_config *c)
{
	char why[WEIR_WHY_BYTES] = "";
	assert_done(weir_site_open(s, c, why), why);
}

static inline u32 devices(void)
{
	u32 n = 0;
	struct if_nameindex *all = if_nameindex();
	for (u32 i = 0; all && all[i].if_index; i++)
		n++;
	if_freenameindex(all);
	return n;
}

/* Removal of a device that lost its owner is the kernel's, soon after. */
static inline bool devices_become(u32 n)
{
	for (u32 i = 0; i < 300 && devices() != n; i++)
		usleep(10000);
	return devices() == n;
}

static inline u32 records(void)
{
	u32 n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What every shipped BPF program asks of a kernel. Field cases K7 and K8 are about kernels that lack a
 * function or lay out a struct otherwise: these programs call none by name, and leave all layouts to the
 * loader. */
#include "cc/table.h"
#include "kern/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* With its terminating zero, as names stand in an ELF file. */
static bool mentions(const struct weir_kern_object *object, const char *name)
{
	return memmem(object->data, object->bytes, name, strlen(name) + 1) != NULL;
}

static void k7_no_function_of_the_kernel_is_called_by_name(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct weir_kern_object object;
		if (!weir_kern_object_find(weir_cc_at(i)->name, &object))
			continue;
		/* where libbpf looks for them */
		assert_false(mentions(&object, ".ksyms"));
		assert_true(mentions(&object, ".struct_ops"));
	}
}

/* Accesses carry the names of their fields. */
static void k8_layouts_are_found_when_loaded(void **unused)
{
	(void)unused;
	static const char *const fields[] = {"snd_cwnd", "snd_ssthresh", "icsk_ca_priv", "delivered"};
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct weir_kern_object object;
		if (!weir_kern_object_find(weir_cc_at(i)->name, &object))
			continue;
		assert_true(mentions(&object, ".BTF.ext"));
		for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
			assert_true(mentions(&object, fields[k]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(k7_no_function_of_the_kernel_is_called_by_name),
	    cmocka_unit_test(k8_layouts_are_found_when_loaded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

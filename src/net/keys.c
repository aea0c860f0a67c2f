/* SPDX-License-Identifier: MIT */
#include "net/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MOST (32u << 20)

struct weir_keys {
	struct weir_key *key; /* as in the file; a mapping of its own */
	u32 *order; /* by identity. qsort would copy the keys themselves to where nobody wipes them */
	u32 n;
	size_t mapped_bytes;
};

static size_t page_rounded(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

/* Locked where the limits allow it; never in a core dump. */
static void *secret_alloc(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	(void)madvise(at, bytes, MADV_DONTDUMP);
	(void)mlock(at, bytes);
	return at;
}

static void secret_free(void *at, size_t bytes)
{
	explicit_bzero(at, bytes);
	munmap(at, bytes);
}

bool weir_identity_valid(const char *identity, size_t bytes)
{
	if (!bytes || bytes >= WEIR_IDENTITY_BYTES)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		u8 c = (u8)identity[i];
		if (c <= ' ' || c == 0x7f || c == ':' || c == '#')
			return false;
	}
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* IDENTITY:HEX without blanks around it. Says what is wrong with it and where, but never with which digits.
 */
static bool parse_line(struct weir_key *key, const char *at, size_t bytes, u32 line, u32 indent,
		       struct weir_diag *d)
{
	const char *colon = memchr(at, ':', bytes);
	size_t identity = colon ? (size_t)(colon - at) : bytes;
	if (!weir_identity_valid(at, identity)) {
		weir_diag_add(d, line, indent + 1,
			      "an identity is 1 to %d printable bytes without ':', '#' and blanks",
			      WEIR_IDENTITY_BYTES - 1);
		return false;
	}
	if (!colon) {
		weir_diag_add(d, line, indent + 1,
			      "no ':' in this line; expected IDENTITY:KEY with the key in hexadecimal");
		return false;
	}
	size_t digits = bytes - identity - 1;
	for (size_t i = 0; i < digits; i++) {
		if (digit(colon[1 + i]) >= 0)
			continue;
		weir_diag_add(d, line, (u32)(indent + identity + 2 + i), "not a hexadecimal digit");
		return false;
	}
	if (digits % 2 || digits / 2 < WEIR_KEY_LEAST_BYTES || digits / 2 > WEIR_KEY_MOST_BYTES) {
		weir_diag_add(d, line, (u32)(indent + identity + 2),
			      "a key is %d to %d hexadecimal digits, two a byte; this one has %zu",
			      2 * WEIR_KEY_LEAST_BYTES, 2 * WEIR_KEY_MOST_BYTES, digits);
		return false;
	}
	memset(key, 0, sizeof *key);
	memcpy(key->identity, at, identity);
	key->bytes = (u8)(digits / 2);
	for (size_t i = 0; i < digits / 2; i++)
		key->key[i] = (u8)(digit(colon[1 + 2 * i]) << 4 | digit(colon[2 + 2 * i]));
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int by_identity(const void *a, const void *b, void *keys)
{
	const struct weir_key *key = keys;
	u32 one = *(const u32 *)a, two = *(const u32 *)b;
	int order = strcmp(key[one].identity, key[two].identity);
	return order ? order : (one > two) - (one < two);
}

static bool add_lines(struct weir_keys *k, u32 room, const char *text, size_t bytes, const char *only,
		      struct weir_diag *d)
{
	const char *end = text + bytes;
	u32 line = 0, mistakes = d->n;
	for (const char *at = text; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		const char *next = stop < end ? stop + 1 : end, *from = at;
		while (from < stop && is_blank(*from))
			from++;
		while (stop > from && is_blank(stop[-1]))
			stop--;
		u32 indent = (u32)(from - at);
		at = next;
		if (from == stop || *from == '#')
			continue;
		struct weir_key key;
		bool good = parse_line(&key, from, (size_t)(stop - from), line + 1, indent, d);
		key.line = line + 1;
		if (good && (!only || !strcmp(only, key.identity)) && k->n < room)
			k->key[k->n++] = key;
		explicit_bzero(&key, sizeof key);
	}
	return d->n == mistakes;
}

static bool check_twins(const struct weir_keys *k, struct weir_diag *d)
{
	u32 mistakes = d->n;
	for (u32 i = 1; i < k->n; i++) {
		const struct weir_key *one = &k->key[k->order[i - 1]], *two = &k->key[k->order[i]];
		if (!strcmp(one->identity, two->identity))
			weir_diag_add(d, two->line, 1, "identity '%s' has a key already, in line %u",
				      two->identity, one->line);
	}
	return d->n == mistakes;
}

struct weir_keys *weir_keys_parse(char *text, size_t bytes, const char *only, struct weir_diag *d)
{
	u32 lines = 1;
	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	if (lines > WEIR_KEYS_MOST) {
		weir_diag_add(d, WEIR_KEYS_MOST, 0, "more than %d lines", WEIR_KEYS_MOST);
		explicit_bzero(text, bytes);
		return NULL;
	}
	struct weir_keys *k = calloc(1, sizeof *k);
	if (k) {
		k->mapped_bytes = page_rounded(lines * sizeof *k->key);
		k->order = calloc(lines, sizeof *k->order);
		k->key = secret_alloc(k->mapped_bytes);
	}
	if (!k || !k->key || !k->order) {
		weir_diag_add(d, 0, 0, "out of memory");
		weir_keys_free(k);
		explicit_bzero(text, bytes);
		return NULL;
	}
	bool good = add_lines(k, lines, text, bytes, only, d);
	explicit_bzero(text, bytes);
	for (u32 i = 0; i < k->n; i++)
		k->order[i] = i;
	qsort_r(k->order, k->n, sizeof *k->order, by_identity, k->key);
	good = good && check_twins(k, d);
	if (good && !k->n) {
		good = false;
		if (only)
			weir_diag_add(d, 0, 0, "no line of identity '%s'", only);
		else
			weir_diag_add(d, 0, 0,
				      "no key; expected lines IDENTITY:KEY (weir monitor --make-key IDENTITY "
				      "makes one)");
	}
	if (!good) {
		weir_keys_free(k);
		return NULL;
	}
	return k;
}

bool weir_secret_file_check(const char *path, int fd, char *why, size_t room)
{
	struct stat st;
	if (fd < 0 ? stat(path, &st) : fstat(fd, &st)) {
		snprintf(why, room, "%s", strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(why, room, "no regular file");
	} else if (st.st_uid != 0 && st.st_uid != geteuid()) {
		snprintf(why, room, "holds a secret, but belongs to another user (number %u)",
			 (unsigned)st.st_uid);
	} else if (st.st_mode & 077) {
		snprintf(why, room, "holds a secret, but others may use it (mode %03o): chmod 600 %s",
			 (unsigned)(st.st_mode & 0777), path);
	} else {
		return true;
	}
	return false;
}

/* All of a file, in memory of its own. */
static char *read_all(int fd, size_t *bytes, size_t *mapped, struct weir_diag *d)
{
	struct stat st;
	if (fstat(fd, &st) || st.st_size < 0 || st.st_size > (off_t)FILE_BYTES_MOST) {
		weir_diag_add(d, 0, 0, "larger than %u MiB", FILE_BYTES_MOST >> 20);
		return NULL;
	}
	*mapped = page_rounded((size_t)st.st_size + 1);
	char *text = secret_alloc(*mapped);
	if (!text) {
		weir_diag_add(d, 0, 0, "out of memory");
		return NULL;
	}
	*bytes = 0;
	while (*bytes < (size_t)st.st_size) {
		ssize_t n = read(fd, text + *bytes, (size_t)st.st_size - *bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			weir_diag_add(d, 0, 0, "%s", strerror(errno));
			secret_free(text, *mapped);
			return NULL;
		}
		if (n == 0)
			break;
		*bytes += (size_t)n;
	}
	return text;
}

struct weir_keys *weir_keys_read(const char *path, const char *only, struct weir_diag *d)
{
	snprintf(d->file, sizeof d->file, "%s", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		weir_diag_add(d, 0, 0, "%s", strerror(errno));
		return NULL;
	}
	char why[sizeof d->entry[0].text];
	size_t bytes, mapped;
	char *text = NULL;
	if (!weir_secret_file_check(path, fd, why, sizeof why))
		weir_diag_add(d, 0, 0, "%s", why);
	else
		text = read_all(fd, &bytes, &mapped, d);
	close(fd);
	if (!text)
		return NULL;
	struct weir_keys *k = weir_keys_parse(text, bytes, only, d);
	secret_free(text, mapped);
	return k;
}

u32 weir_keys_count(const struct weir_keys *k)
{
	return k->n;
}

const struct weir_key *weir_keys_at(const struct weir_keys *k, u32 i)
{
	return i < k->n ? &k->key[i] : NULL;
}

const struct weir_key *weir_keys_find(const struct weir_keys *k, const void *identity, size_t bytes)
{
	if (!weir_identity_valid(identity, bytes))
		return NULL;
	char wanted[WEIR_IDENTITY_BYTES] = "";
	memcpy(wanted, identity, bytes);
	for (u32 from = 0, to = k->n; from < to;) {
		u32 middle = from + (to - from) / 2;
		const struct weir_key *key = &k->key[k->order[middle]];
		int order = strcmp(wanted, key->identity);
		if (!order)
			return key;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return NULL;
}

void weir_keys_free(struct weir_keys *k)
{
	if (!k)
		return;
	if (k->key)
		secret_free(k->key, k->mapped_bytes);
	free(k->order);
	free(k);
}

bool weir_keys_make(const char *identity, char line[WEIR_KEY_LINE_BYTES])
{
	u8 key[WEIR_KEY_MADE_BYTES];
	if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
		return false;
	int at = snprintf(line, WEIR_KEY_LINE_BYTES, "%.*s:", WEIR_IDENTITY_BYTES - 1, identity);
	for (size_t i = 0; i < sizeof key; i++)
		at += snprintf(line + at, (size_t)(WEIR_KEY_LINE_BYTES - at), "%02x", key[i]);
	snprintf(line + at, (size_t)(WEIR_KEY_LINE_BYTES - at), "\n");
	explicit_bzero(key, sizeof key);
	return true;
}

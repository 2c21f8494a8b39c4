/* ring_wire: requests over io_uring in the form of the device's, and replies the other way. */
#include "unit/unit.h"

#include "zfsd/front/ring_internal.h"

#include <linux/fuse.h>
#include <string.h>
#include <unistd.h>

#define OFFER_FLAGS2 (1U << 9) /* the kernel's bit 41 */

static struct ring_memory memory __attribute__((aligned(RING_PAGE_BYTES)));

/* A write of text, as the kernel lays it out. */
static void write_request(const char *text)
{
	struct fuse_write_in write = { .fh = 3, .offset = 4096, .size = (uint32_t)strlen(text) };
	struct fuse_in_header header = { .opcode = FUSE_WRITE,
		.unique = 77,
		.len = (uint32_t)(sizeof(header) + sizeof(write) + strlen(text)) };

	memset(&memory, 0xee, sizeof(memory));
	memcpy(memory.headers.header, &header, sizeof(header));
	memcpy(memory.headers.operation, &write, sizeof(write));
	memcpy(memory.payload, text, strlen(text));
	memory.headers.payload_bytes = (uint32_t)strlen(text);
}

static void a_request_is_in_one_piece(void **state UNUSED)
{
	static const char *const texts[] = { "", "x", "what is to be written" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct fuse_in_header *header;
		const struct fuse_write_in *write;
		struct fuse_buf buffer;

		write_request(texts[i]);
		buffer = ring_wire_request(&memory);
		header = buffer.mem;
		write = (const struct fuse_write_in *)(header + 1);
		assert_int_equal(buffer.size, sizeof(*header) + sizeof(*write) + strlen(texts[i]));
		assert_int_equal(header->unique, 77);
		assert_int_equal(write->offset, 4096);
		assert_memory_equal(write + 1, texts[i], strlen(texts[i]));
		assert_ptr_equal(write + 1, memory.payload); /* which was not copied */
	}
}

static void a_reply_is_taken_apart(void **state UNUSED)
{
	struct fuse_out_header header = { .unique = 77, .len = sizeof(header) + 8 };
	struct iovec parts[] = { { &header, sizeof(header) }, { (char *)"abcd", 4 },
		{ (char *)"efgh", 4 } };
	struct fuse_out_header sent;

	ring_wire_reply(&memory, parts, 3);
	memcpy(&sent, memory.headers.header, sizeof(sent));
	assert_int_equal(sent.unique, 77);
	assert_int_equal(memory.headers.payload_bytes, 8);
	assert_memory_equal(memory.payload, "abcdefgh", 8);
	ring_wire_reply(&memory, parts, 1);
	assert_int_equal(memory.headers.payload_bytes, 0);
}

/* Data that was read right into the payload stays, where it is or a little off. */
static void a_reply_may_lie_there_already(void **state UNUSED)
{
	struct fuse_out_header header = { .unique = 1, .len = sizeof(header) + 6 };
	struct iovec parts[] = { { &header, sizeof(header) }, { memory.payload, 6 } };

	memcpy(memory.payload, "012345678", 9);
	ring_wire_reply(&memory, parts, 2);
	assert_memory_equal(memory.payload, "012345678", 9);
	assert_int_equal(memory.headers.payload_bytes, 6);
	parts[1].iov_base = memory.payload + 2;
	ring_wire_reply(&memory, parts, 2);
	assert_memory_equal(memory.payload, "234567", 6);
}

static void an_error_has_no_payload(void **state UNUSED)
{
	struct fuse_out_header sent;

	memory.headers.payload_bytes = 99;
	ring_wire_error(&memory, 5, -5);
	memcpy(&sent, memory.headers.header, sizeof(sent));
	assert_int_equal(sent.unique, 5);
	assert_int_equal(sent.error, -5);
	assert_int_equal(sent.len, sizeof(sent));
	assert_int_equal(memory.headers.payload_bytes, 0);
}

static void an_offer_is_known(void **state UNUSED)
{
	struct {
		struct fuse_in_header header;
		struct fuse_init_in init;
	} request = { .header = { .opcode = FUSE_INIT },
		.init = { .flags = FUSE_INIT_EXT, .flags2 = OFFER_FLAGS2 } };

	assert_true(ring_wire_is_offer(&request, sizeof(request)));
	assert_false(ring_wire_is_offer(&request, sizeof(request) - 1)); /* an older kernel's */
	request.init.flags2 = 0;
	assert_false(ring_wire_is_offer(&request, sizeof(request)));
	request.init.flags2 = OFFER_FLAGS2;
	request.init.flags = 0;
	assert_false(ring_wire_is_offer(&request, sizeof(request)));
	request.init.flags = FUSE_INIT_EXT;
	request.header.opcode = FUSE_LOOKUP;
	assert_false(ring_wire_is_offer(&request, sizeof(request)));
}

static void an_offer_is_taken(void **state UNUSED)
{
	struct fuse_out_header header = { .unique = 1 };
	struct fuse_init_out init = { .major = 7, .minor = 38, .flags = FUSE_ASYNC_READ }, sent;
	struct iovec parts[] = { { &header, sizeof(header) }, { &init, sizeof(init) } };
	char bytes[sizeof(header) + sizeof(init) + 1];
	bool accepted = false;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ring_wire_accept(fds[1], parts, 2, &accepted), sizeof(bytes) - 1);
	assert_true(accepted);
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), sizeof(bytes) - 1);
	memcpy(&sent, bytes + sizeof(header), sizeof(sent));
	assert_int_equal(sent.flags, FUSE_ASYNC_READ | FUSE_INIT_EXT);
	assert_int_equal(sent.flags2, OFFER_FLAGS2);
	assert_int_equal(init.flags, FUSE_ASYNC_READ); /* the library's own is left alone */
	/* A refusal goes out as it is. */
	accepted = false;
	assert_int_equal(ring_wire_accept(fds[1], parts, 1, &accepted), sizeof(header));
	assert_false(accepted);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_in_one_piece),
		cmocka_unit_test(a_reply_is_taken_apart),
		cmocka_unit_test(a_reply_may_lie_there_already),
		cmocka_unit_test(an_error_has_no_payload),
		cmocka_unit_test(an_offer_is_known),
		cmocka_unit_test(an_offer_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * How jemalloc is to keep memory. It reads this variable, before main() and without a header of its
 * own: unused pages go back to the system after half a second instead of ten, or the process holds
 * up to half as much again as cache and unwritten data may take (measured: docs/performance.md),
 * and a memory limit that counts caches alike would be unfair to us. Threads of its own return
 * them, so that no request does.
 *
 * One arena: a block is made by a thread of a request and freed by one of the library. With four a
 * processor, as jemalloc has by default, what one thread frees another does not find, and takes new
 * memory: each new page is a page fault.
 */
extern const char *malloc_conf;

const char *malloc_conf = "narenas:1,background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0";

/* The package ships this header under another folder; OpenZFS headers ask for it here. They have
 * included what it needs. */
#include <sys/zfs_context.h>
/* From 2.3.3 on it lies where it is asked for. */
#if __has_include(<libzpool/abd_os.h>)
#include <libzpool/abd_os.h> /* IWYU pragma: export */
#else
#include_next <sys/abd_os.h>
#endif

/* The package ships this header under another folder; OpenZFS headers ask for it here. */
#include <sys/zfs_context.h>
/* From 2.3.3 on it lies where it is asked for. */
#if __has_include(<libzpool/abd_impl_os.h>)
#include <libzpool/abd_impl_os.h> /* IWYU pragma: export */
#else
#include_next <sys/abd_impl_os.h>
#endif

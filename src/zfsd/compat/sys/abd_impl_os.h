/* The package ships this header under another folder; OpenZFS headers ask for it here. */
#include <sys/zfs_context.h>
#include <libzpool/abd_impl_os.h> /* IWYU pragma: export */

/* The package ships this header under another folder; OpenZFS headers ask for it here. They have
 * included what it needs. */
#include <sys/zfs_context.h>
#include <libzpool/abd_os.h> /* IWYU pragma: export */

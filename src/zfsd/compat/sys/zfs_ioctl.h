/* Asked for by OpenZFS headers and missing from the package; nothing of it is needed here. */
#ifndef ZFSD_COMPAT_ZFS_IOCTL_H
#define ZFSD_COMPAT_ZFS_IOCTL_H
#endif

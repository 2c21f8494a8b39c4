/* A libzfs of another release, as far as plumb-zfsd asks it. */
const char *zfs_version_userland(void);

const char *zfs_version_userland(void)
{
	return OTHER_VERSION;
}

//go:build !windows

package confine

import "runtime"

// systemDirs lists the folders of programs and libraries, and the few facts
// about the machine that programs ask for.
func systemDirs() []string {
	if runtime.GOOS == "darwin" {
		return []string{"/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/Applications", "/private/etc", "/private/var/db/timezone"}
	}
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
		"/sys/devices/system/cpu", "/sys/devices/system/node",
		"/var/lib/dpkg", "/var/cache/man", "/var/cache/fontconfig", "/var/lib/texmf",
	}
}

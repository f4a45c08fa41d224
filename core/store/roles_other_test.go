//go:build !linux

package store_test

// Rights and small disks are made with means of Linux.
func openWithoutRights(string) {}

func fillTheDisk(string) {}

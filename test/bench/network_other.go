//go:build !linux

package main

import "os/exec"

func cutNetwork(*exec.Cmd) {}

// canCut is false: there is no way to take the network from one program here.
func canCut() bool { return false }

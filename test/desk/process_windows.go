package desk

import "os/exec"

// There is no desk of X11 or Wayland on Windows: its tests are compiled only.
func grouped(*exec.Cmd, bool) {}

func terminate(int) {}
func kill(int)      {}
func halt(int)      {}
func goOn(int)      {}

package confine

import "os/exec"

func (c *Confined) proxied(*exec.Cmd) error { return nil }

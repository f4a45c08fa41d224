package app

import (
	"context"
	"errors"
	"strings"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/control"
)

// partNames are what the helper does, in words.
var partNames = map[string]string{
	wire.CanCapture: "see the screen", wire.CanPointer: "move and click the mouse", wire.CanText: "type text", wire.CanKeys: "press keys", wire.CanElements: "read what programs say of themselves",
	wire.CanWindows: "tell the windows", wire.CanPerson: "tell your hands from its own", wire.CanBar: "show the bar", wire.CanHotkey: "hear the keys that pause",
}

// needed are the parts without which the screen cannot be used at all; without
// the others less works.
var needed = map[string]bool{wire.CanCapture: true, wire.CanPointer: true, wire.CanText: true, wire.CanKeys: true}

// checkComputer starts the helper and has it try each of its parts for real: a
// picture is taken, not a permission read.
func (c *Core) checkComputer(ctx context.Context) control.Check {
	if !c.cfg.Load().ComputerUse.Enabled {
		return control.Check{Status: "not_applicable", Detail: "computer use is switched off", Fix: "switch it on, if you want it: hobkin config set computer_use.enabled true"}
	}
	r, err := helper.Client{Caller: c.computer.desk}.Probe(ctx)
	if err != nil {
		what, fix := reason(err)
		if errors.Is(err, context.DeadlineExceeded) {
			what = "the helper did not answer in time"
		}
		return control.Check{Status: "failed", Detail: what, Fix: fix}
	}
	c.computer.try(ctx)
	hello, _ := c.computer.desk.Running()
	return screenRow(r.Capabilities, hello, c.computer.lookOnly())
}

// screenRow makes one row of what was tried.
func screenRow(parts []wire.Capability, hello wire.HelloResult, lookOnly bool) control.Check {
	var broken, fixes []string
	worst := "passed"
	for _, p := range parts {
		if p.Works || lookOnly && needed[p.Name] && p.Name != wire.CanCapture {
			continue
		}
		name := or(partNames[p.Name], p.Name)
		broken = append(broken, "cannot "+name+": "+or(p.Reason, "no reason is known"))
		if p.Fix != "" && !strings.Contains(strings.Join(fixes, "\n"), p.Fix) {
			fixes = append(fixes, p.Fix)
		}
		switch {
		case needed[p.Name]:
			worst = "failed"
		case worst == "passed":
			worst = "warning"
		}
	}
	where := or(hello.DisplayServer, "an unknown system") + ", by " + or(hello.Backend, "an unknown backend")
	if worst == "passed" {
		detail := "a picture was taken, and everything works (" + where + ")"
		if lookOnly {
			detail = "a picture was taken (" + where + "); the sandbox is strict, so that nothing is clicked or typed"
		}
		return control.Check{Status: worst, Detail: detail}
	}
	return control.Check{Status: worst, Detail: where + ": " + strings.Join(broken, "; "), Fix: strings.Join(fixes, "; ")}
}

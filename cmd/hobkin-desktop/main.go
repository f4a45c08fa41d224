// Hobkin-desktop is the tray application: the agent's core, the tray and the
// notifications in one background process, and its windows in a child of the
// same program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/hobkin/hobkin/app/trayapp"
	"github.com/hobkin/hobkin/core/sandbox/confine"
	"github.com/hobkin/hobkin/core/version"
)

func main() {
	confine.Inside() // this process may be about to become a command
	var o trayapp.Options
	window := flag.Bool("window", false, "run as the window of a running desktop (started by it)")
	show := flag.Bool("version", false, "print the version")
	flag.BoolVar(&o.Hidden, "background", false, "start in the tray, without the window")
	flag.StringVar(&o.Session, "session", "", "show this session")
	flag.Parse()
	if *show {
		fmt.Println("hobkin-desktop", version.Version)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	run := trayapp.Run
	if *window {
		run = trayapp.RunWindow
	}
	if err := run(ctx, o); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "hobkin-desktop:", err)
		os.Exit(1)
	}
}

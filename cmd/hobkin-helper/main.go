// Hobkin-helper is the native helper for computer use: a child process that
// takes requests as lines of JSON on its input and answers on its output, so
// that a crash or a hang of native code takes nothing else with it. Package
// wire has its words.
//
//	hobkin-helper              serve until the input ends
//	hobkin-helper --look-only  the same, and refuse every act
//	hobkin-helper --version
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A reader that has gone is an error of the write, and ends the helper in
	// order; the signal would end it with keys held down.
	signal.Ignore(syscall.SIGPIPE)
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "hobkin-helper:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	flags := flag.NewFlagSet("hobkin-helper", flag.ContinueOnError)
	flags.SetOutput(errs)
	lookOnly := flags.Bool("look-only", false, "refuse every act")
	version := flags.Bool("version", false, "print the version and end")
	// Used by the helper itself, see guard_linux.go.
	guard := flags.String("guard", "", "`window` of a helper: wait until it has gone, then release what it left pressed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	switch {
	case *version:
		_, err := fmt.Fprintf(out, "hobkin-helper %s, protocol %d\n", wire.Version, wire.Protocol)
		return err
	case *guard != "":
		window, err := strconv.ParseUint(*guard, 0, 32)
		if err != nil {
			return fmt.Errorf("--guard: %w", err)
		}
		return keepGuard(ctx, uint32(window), out)
	}
	h, err := assemble(ctx, *lookOnly, log)
	if err != nil {
		return err
	}
	err = h.server.Serve(ctx, in, out)
	return errors.Join(err, h.end())
}

// A helper is the server with what it stands on.
type helper struct {
	server *native.Server
	close  func()
}

// endTime bounds the end: a display that does not answer must not keep the
// process, and the guard lets go of what is held when its connection has ended.
const endTime = 3 * time.Second

func (h *helper) end() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.close()
	}()
	select {
	case <-done:
		return nil
	case <-time.After(endTime):
		return errors.New("the display does not answer; it is left as it is")
	}
}

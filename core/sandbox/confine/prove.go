package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// proof is run confined, and tries what must not work.
const proof = `cat "$SECRET" && echo "it read a file outside"
(echo x > "$OUTSIDE") 2>/dev/null # may go to a place of its own, and is looked for from here
kill -0 "$AGENT" 2>/dev/null && echo "it reached another process"
(: < "/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && echo "it reached a program over the network"
cat "/proc/$AGENT/environ" 2>/dev/null && echo "it read the environment of another process"
echo ok > inside && test "$(cat inside)" = ok && echo works`

// Prove tries whether a backend holds: it runs a command that reads a file,
// writes one, looks at this process and connects to a listener, all of which it
// must not, and that writes a file where it may. The error says what it did.
func (c *Confiner) Prove(ctx context.Context, b Backend) error {
	dir, err := os.MkdirTemp("", "hobkin-proof-")
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	project, secret, outside := filepath.Join(dir, "project"), filepath.Join(dir, "secret"), filepath.Join(dir, "outside")
	if err := errors.Join(os.Mkdir(project, 0o700), os.WriteFile(secret, []byte("a decoy\n"), 0o600), os.WriteFile(outside, nil, 0o600)); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	port, reached, end, err := listener(ctx)
	if err != nil {
		return err
	}
	defer end()
	only := &Confiner{Only: []Backend{b}, probe: c.look()}                                      //nolint:contextcheck // what was tried is kept for all that ask later
	held, _, err := only.Prepare(Required, Spec{Write: []string{project}, Network: NetworkOff}) //nolint:contextcheck // what was tried is kept for all that ask later
	if err != nil {
		return err
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", proof)
	cmd.Dir = project
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SECRET=" + secret, "OUTSIDE=" + outside, "AGENT=" + strconv.Itoa(os.Getpid()), "PORT=" + strconv.Itoa(port)}
	var out bytes.Buffer
	cmd.Stdout = &out
	err = Run(held, cmd)
	said := string(bytes.TrimSpace(out.Bytes()))
	changed, readErr := os.ReadFile(outside)
	switch {
	case reached.Load(), len(changed) > 0, readErr != nil:
		return fmt.Errorf("a command wrote a file outside or reached the network: %s", said)
	case said != "works":
		return errors.Join(fmt.Errorf("a command said %q", said), err)
	}
	return nil
}

// listener counts who comes.
func listener(ctx context.Context) (port int, reached *atomic.Bool, end func(), err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, nil, fmt.Errorf("confine: %w", err)
	}
	reached = &atomic.Bool{}
	done := make(chan struct{})
	go func() { // ends with the listener
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			reached.Store(true)
			_ = conn.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, reached, func() { _ = l.Close(); <-done }, nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/tool"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A driver makes calls of the browser tool the way an agent does, through the
// whole path of a call, with a person who agrees to everything.
type driver struct {
	dir    string
	host   *tool.Host
	runner *capability.Runner
	filter capability.Filter
	calls  int
	opened bool // there is a tab
}

// newDriver brings up a browser that may reach one address of this machine.
func newDriver(addr, path string) (*driver, error) {
	dir, err := os.MkdirTemp("", "webtasks")
	if err != nil {
		return nil, err
	}
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: dir, Workspace: filepath.Join(dir, "work")})
	if err != nil {
		return nil, err
	}
	guard, err := netguard.New(netguard.Config{AllowHosts: []string{addr}})
	if err != nil {
		return nil, err
	}
	d := &driver{dir: dir, host: &tool.Host{
		Settings: func() tool.Settings {
			return tool.Settings{Enabled: true, Path: path, Headless: true, Profile: "headless"}
		},
		Guard: guard, Policy: policy, Profiles: filepath.Join(dir, "profiles"), Arrivals: filepath.Join(dir, "arrivals"),
	}}
	registry := &capability.Registry{}
	if err := registry.RegisterAll(tool.Tools.Bind(d.host)...); err != nil {
		return nil, err
	}
	d.runner = &capability.Runner{
		Registry: registry,
		Approve:  func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil },
	}
	d.filter = capability.Filter{Turn: capability.Turn{
		Session: "s1", ID: "t1", Workspace: filepath.Join(dir, "work"), Channel: "cli", Mode: "default", Trust: capability.Operator, Attended: true,
	}}
	return d, nil
}

func (d *driver) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(d.host.Close(ctx), os.RemoveAll(d.dir))
}

// call makes one call. A failure of the tool is an error with its words.
func (d *driver) call(ctx context.Context, args map[string]any) (*capability.Outcome, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	d.calls++
	out := d.runner.Run(ctx, capability.Request{ID: fmt.Sprint("c", d.calls), Name: "browser", Args: raw, Filter: d.filter})
	if out.Failed() {
		return out, errors.New(strings.TrimSpace(out.Result.Text))
	}
	return out, nil
}

// evaluate is the judge's own way into the page: it starts an episode and reads
// its reward. No policy has it.
func (d *driver) evaluate(ctx context.Context, script string, into any) error {
	out, err := d.call(ctx, map[string]any{"action": "evaluate", "script": script})
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(content(out.Result.Text)), into)
}

// content is what a result brings: what stands behind its first empty line, up
// to the mark that ends text from outside.
func content(text string) string {
	_, text, _ = strings.Cut(text, "\n\n")
	if at := strings.LastIndex(text, "\n</untrusted"); at >= 0 {
		text = text[:at]
	}
	return text
}

// serve serves the pages on this machine until ctx ends.
func serve(ctx context.Context, dir string) (addr string, err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() { _ = s.Serve(l) }() // ends with ctx
	return l.Addr().String(), nil
}

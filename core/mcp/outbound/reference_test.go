package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/test/suite"
)

// TestReferenceServerOverHTTP uses the protocol's own example of a server over
// both of its transports for addresses.
func TestReferenceServerOverHTTP(t *testing.T) {
	program, node := suite.NPM(t, "@modelcontextprotocol/server-everything", "dist/index.js"), suite.Node(t)
	for transport, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			port := freePort(t)
			serveReference(t, port, node, "--import", onLoopback, program, transport)
			r := manage(t, Host{Roots: func() []string { return []string{"/work"} }})
			if err := r.reg.RegisterAll(r.manager.Capabilities()...); err != nil {
				t.Fatal(err)
			}
			spec := specAt(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
			r.apply(spec)
			if s := r.until(Ready); s.Tools < 10 {
				t.Errorf("%+v", s)
			}
			do := func(name, args string) string {
				c, ok := r.reg.Find(name)
				if !ok {
					t.Fatalf("there is no %s", name)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				res, err := c.Handler(ctx, capability.Call{ID: "1", Args: json.RawMessage(args)})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return res.Text
			}
			if got := do("mcp_f_echo", `{"message":"hello"}`); got != "Echo: hello" {
				t.Errorf("echo says %q", got)
			}
			if got := do("mcp_list_resources", `{}`); !strings.Contains(got, "demo://resource") {
				t.Errorf("the resources are %q", got)
			}
			if len(r.manager.Prompts()) == 0 {
				t.Error("there are no prompts")
			}
			r.manager.Close()
		})
	}
}

// specAt is how a server at an address is reached.
func specAt(address string) Spec {
	return Spec{
		Name: "f", Shown: address, URL: address, StartTime: 20 * time.Second, CallTime: 20 * time.Second, Version: address,
		Client: plainClient(),
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// onLoopback keeps a Node program, which would listen for the world, to this
// machine.
const onLoopback = `data:text/javascript,import net from "node:net"; const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) { return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest) }`

// serveReference starts the server and waits until it listens.
func serveReference(t *testing.T, port int, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port), "HOME="+t.TempDir())
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var d net.Dialer
	eventually(t, "the server listens", func() bool {
		conn, err := d.DialContext(t.Context(), "tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// Catalogue is a program of its own with an agent in it that knows the products
// of a shop. It brings its tools and nothing else: of Hobkin it uses package
// capability, to write them, and package builder, to build the agent.
//
//	go run -mod=mod .
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent/builder"
	"github.com/hobkin/hobkin/core/capability"
)

func main() {
	// The log is where the cause of a fault goes. The model never sees it.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	vat, err := capability.Func("vat", "Adds 19 % tax to a net price.", func(_ context.Context, in struct {
		Cents int `json:"cents" min:"0" jsonschema:"net price in euro cents"`
	},
	) (int, error) {
		return in.Cents * 119 / 100, nil
	})
	if err != nil {
		return err
	}
	agent, err := builder.Build(builder.Parts{
		Instructions: "You help the people behind the counter of a shop.",
		Model:        builder.Offline(), // builder.Open connects one that understands language
		Functions:    []capability.Capability{vat},
		Capabilities: []capability.Part{
			products(shelves()),
			builder.StepLimit{Most: 10},
			capability.Ref("acme.suppliers").Config(map[string]string{"region": "eu"}), // nobody provides it yet: it does nothing
		},
		Approve: func(_ context.Context, _ *capability.Capability, _ capability.Call, p capability.Preview) error {
			fmt.Fprintf(out, "  agreed: %s\n", p.Summary)
			return nil
		},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, message := range []string{
		"/product_find sku=A-100",
		"/product_find sku=Z-999",
		"/product_find sku=B-200",
		"/product_restock sku=A-100 count=5",
		"/vat cents=1000",
	} {
		if err := ask(ctx, out, agent, message); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "waiting for:", agent.Waiting())
	return agent.Close(ctx)
}

// ask prints a message and what the tools made of it.
func ask(ctx context.Context, out io.Writer, agent *builder.Agent, message string) error {
	fmt.Fprintln(out, message)
	reply, err := agent.Ask(ctx, "counter", message)
	if err != nil {
		return err
	}
	for _, c := range reply.Calls {
		for _, text := range c.Progress {
			fmt.Fprintln(out, "  …", text)
		}
		switch {
		case c.Code != "":
			told, _, _ := strings.Cut(c.Text, "\n")
			fmt.Fprintf(out, "  %s failed: the model is told %s\n", c.Tool, told)
		default:
			fmt.Fprintf(out, "  %s returned %s\n", c.Tool, c.Data)
		}
	}
	return nil
}

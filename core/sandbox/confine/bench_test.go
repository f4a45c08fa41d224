package confine

import (
	"os"
	"os/exec"
	"testing"
)

// BenchmarkTrue is what the confinement of a command costs, beside none.
func BenchmarkTrue(b *testing.B) {
	ws := b.TempDir()
	spec := Spec{Home: "/root", Write: []string{ws}, Path: os.Getenv("PATH")}
	run := func(b *testing.B, start func(*exec.Cmd) error) {
		b.Helper()
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), "/bin/true")
			cmd.Dir, cmd.Env = ws, []string{}
			if err := start(cmd); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("none", func(b *testing.B) { run(b, (*exec.Cmd).Run) })
	for _, one := range []Backend{Bubblewrap, Landlock} {
		b.Run(string(one), func(b *testing.B) {
			c := &Confiner{Only: []Backend{one}}
			run(b, func(cmd *exec.Cmd) error {
				held, _, err := c.Prepare(Required, spec)
				if err != nil {
					b.Skip(err)
				}
				return Run(held, cmd)
			})
		})
	}
	b.Run("plan", func(b *testing.B) {
		closed := (&Confiner{}).closed
		for b.Loop() {
			newPlan(spec, true, closed)
		}
	})
}

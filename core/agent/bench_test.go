package agent

import "testing"

// BenchmarkTurn is what a turn costs beside the model, the tools and the disk:
// two model calls and one call of a tool.
func BenchmarkTurn(b *testing.B) {
	b.ReportAllocs()
	bench := newBench(b)
	for b.Loop() {
		bench.model.mu.Lock()
		bench.model.asked, bench.model.replies = nil, []reply{calls(call("1", "echo", `{"text":"a"}`)), says("done")}
		bench.model.mu.Unlock()
		bench.journal.mu.Lock()
		bench.journal.messages, bench.journal.events = nil, nil
		bench.journal.mu.Unlock()
		if events := bench.turn(b, input("do it")); events[len(events)-1].Payload.Name() != "turn.completed" {
			b.Fatal(events[len(events)-1].Payload)
		}
	}
}

//go:build race

package capability

// raced says that the race detector runs, under which SQLite in Go takes minutes.
const raced = true

package store_test

import (
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/store"
)

func BenchmarkAppendMessage(b *testing.B) {
	s := open(b, b.TempDir())
	x := session(b, s, "t")
	for b.Loop() {
		if err := s.AppendMessage(b.Context(), x.ID, "t", say("a message of some words")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	s := open(b, b.TempDir())
	x := session(b, s, "t")
	for b.Loop() {
		if _, err := s.AppendEvent(b.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: "x"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for name, sessions := range map[string]int{"new": 0, "1MB": 2_000, "8MB": 20_000} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			s := open(b, dir)
			s.Fill(b, sessions, 1)
			_ = s.Close()
			for b.Loop() {
				s, err := store.Open(b.Context(), store.Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				_ = s.Close()
			}
		})
	}
}

func BenchmarkList50000(b *testing.B) {
	s := open(b, b.TempDir())
	s.Fill(b, 50_000, 4)
	for name, q := range map[string]store.Query{
		"first page":      {},
		"last page":       {Offset: 49_900},
		"with deleted":    {IncludeDeleted: true},
		"rare word":       {Search: "word77"},
		"common word":     {Search: "message"},
		"one letter":      {Search: "t"},
		"word in a title": {Search: "session 4711"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if list, err := s.Sessions(b.Context(), q); err != nil || len(list) == 0 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		s, err := store.Open(b.Context(), store.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

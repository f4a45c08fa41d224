package config

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// The default file is generated from the struct tags: it must be right as it
// is, and when every line of it is switched on.
func TestDefaultFile(t *testing.T) {
	text := DefaultFile()
	t.Logf("%s", text)
	got, err := Parse("/c.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Default(), got); d != "" {
		t.Errorf("the default file sets something (-want +got):\n%s", d)
	}
	for _, k := range Keys() {
		if k.Comment == "" && k.Name != "version" {
			t.Errorf("%s has no comment", k.Name)
		}
		name := k.Name[bytes.LastIndexByte([]byte(k.Name), '.')+1:]
		if !bytes.Contains(text, []byte(name+" = ")) {
			t.Errorf("the default file lacks %s", k.Name)
		}
	}
}

func TestProviderKindsAreThoseThatExist(t *testing.T) {
	got := map[string]bool{}
	for _, k := range ProviderKinds() {
		got[k] = true
	}
	want := map[string]bool{}
	for _, k := range provider.Kinds() {
		want[k] = true
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("kinds of providers (-core/provider +config):\n%s", d)
	}
}

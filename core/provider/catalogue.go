package provider

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// What is assumed of a model that the catalogue does not know.
const (
	AssumedWindow      = 128_000 // tokens, at a provider's
	AssumedWindowLocal = 16_384  // tokens, on this machine, where servers cut off silently
)

//go:embed catalogue.json
var catalogueJSON []byte

// An entry is a model as its vendor describes it. Prices are in US dollars per
// million tokens.
type entry struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Window      int     `json:"window"`
	MaxOutput   int     `json:"max_output"`
	Reasoning   bool    `json:"reasoning"`
	Images      bool    `json:"images"`
	Input       float64 `json:"input"`
	Output      float64 `json:"output"`
	CachedInput float64 `json:"cached_input"`
	Computer    string  `json:"computer"` // type of its vendor's own tool for operating a computer
}

var catalogue = sync.OnceValue(func() map[string]entry {
	var list []entry
	if err := json.Unmarshal(catalogueJSON, &list); err != nil {
		panic("provider: catalogue.json: " + err.Error()) // a test reads it
	}
	byID := make(map[string]entry, len(list))
	for _, e := range list {
		byID[e.ID] = e
	}
	return byID
})

// dated is the date that vendors put behind a model's name.
var dated = regexp.MustCompile(`-(20\d{6}|20\d\d-\d\d-\d\d|latest)$`)

// lookup finds a model by its id, with or without its date and the vendor
// before it.
func lookup(model string) (entry, bool) {
	id := strings.ToLower(model)
	id = id[strings.LastIndexByte(id, '/')+1:]
	id, _, _ = strings.Cut(id, ":")
	for _, candidate := range []string{id, dated.ReplaceAllString(id, ""), strings.ReplaceAll(dated.ReplaceAllString(id, ""), ".", "-")} {
		if e, ok := catalogue()[candidate]; ok {
			return e, true
		}
	}
	return entry{}, false
}

// Describe says what a model is and can do: from the catalogue, else by stated
// assumptions. It knows nothing of the wire format; that adds its own.
func Describe(s Spec) Info {
	info := Info{Provider: s.Name, Model: s.Model, Title: s.Model, Tools: true}
	if e, ok := lookup(s.Model); ok {
		info.Title, info.Window, info.MaxOutput = e.Title, e.Window, e.MaxOutput
		info.Images, info.Reasoning, info.Caching = e.Images, e.Reasoning, true
		info.Priced = true
		info.Price = Price{Input: e.Input, Output: e.Output, CachedInput: e.CachedInput}
	} else {
		info.Assumed, info.Window = true, AssumedWindow
		if u, err := url.Parse(s.BaseURL); err == nil && loopback(u.Hostname()) {
			info.Window, info.Priced = AssumedWindowLocal, true
		}
		info.Images = suggests(s.Model, "vision", "-vl", "vl-", "llava", "gemma3", "gemma-3", "gemma4", "pixtral", "minicpm-v", "gpt-", "claude", "gemini", "grok-4")
		info.Reasoning = suggests(s.Model, "gpt-oss", "deepseek-r1", "qwq", "qwen3", "magistral", "thinking", "reason", "gpt-5", "claude")
	}
	if s.Window > 0 {
		info.Window = s.Window
	}
	return info
}

// HostedComputer is the type of the tool for operating a computer that a model
// knows of its vendor, as the catalogue has it; empty when it knows none.
func HostedComputer(model string) string {
	e, _ := lookup(model) // of no entry it is empty
	return e.Computer
}

// suggests reports whether a model's name contains one of words.
func suggests(model string, words ...string) bool {
	model = strings.ToLower(model)
	for _, w := range words {
		if strings.Contains(model, w) {
			return true
		}
	}
	return false
}

// Cost is what u costs in US dollars. Tokens written to a cache count as input.
func (p Price) Cost(u Usage) float64 {
	cached := p.CachedInput
	if cached == 0 {
		cached = p.Input
	}
	fresh := max(0, u.Input-u.CachedInput)
	return (float64(fresh)*p.Input + float64(u.CachedInput)*cached + float64(u.Output)*p.Output) / 1e6
}

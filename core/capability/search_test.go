package capability

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func searchable(name, description, parameters string) Capability {
	c := tool(name, ReadOnly, ok)
	c.Description, c.Deferrable = description, true
	c.Parameters = json.RawMessage(`{"type":"object","properties":{` + parameters + `}}`)
	return c
}

func TestSearch(t *testing.T) {
	var r Registry
	mail := searchable("mcp_gmail_sendMail", "Sends a message to somebody.", `"recipient":{"type":"string"},"file":{"type":"string","description":"a picture to attach"}`)
	mail.Aliases = []string{"SendMail"}
	nested := searchable("make_invoice", "Writes a bill.", `"lines":{"type":"array","items":{"type":"object","properties":{"vat":{"type":"number","description":"turnover tax in percent"}}}}`)
	owner := searchable("read_mail", "Reads the owner's mail.", "")
	owner.OwnerData = true
	write := searchable("delete_mail", "Deletes mail.", "")
	write.Class = ReadWrite
	if err := r.RegisterAll(
		mail, nested, owner, write,
		searchable("getairqualityforecast", "For any place in the country.", ""),
		searchable("HTMLParser2", "Reads pages.", ""),
		searchable("weather", "天気予報を調べる", ""),
		searchable("of_the", "Has only words that say nothing.", ""),
	); err != nil {
		t.Fatal(err)
	}
	operator, guest := Filter{Turn: Turn{Trust: Operator}}, Filter{Turn: Turn{Trust: Guest}}
	for name, tt := range map[string]struct {
		query string
		f     Filter
		want  []string // the first of what is found
		only  bool     // and nothing else
	}{
		"by the words of a name in camel case":  {"send mails", operator, []string{"mcp_gmail_sendMail"}, false},
		"by a stem":                             {"sending messages", operator, []string{"mcp_gmail_sendMail"}, false},
		"by a parameter":                        {"recipients", operator, []string{"mcp_gmail_sendMail"}, true},
		"by the meaning of a parameter":         {"attaching pictures", operator, []string{"mcp_gmail_sendMail"}, true},
		"by a parameter within a parameter":     {"turnover tax", operator, []string{"make_invoice"}, true},
		"by a part of a name":                   {"air quality", operator, []string{"getairqualityforecast"}, true},
		"by a part of a name, too short a word": {"gma", operator, []string{"mcp_gmail_sendMail"}, true},
		"by the head of a name in capitals":     {"html", operator, []string{"HTMLParser2"}, true},
		"by its very name":                      {" delete_mail ", operator, []string{"delete_mail"}, false},
		"by another name":                       {"SendMail", operator, []string{"mcp_gmail_sendMail"}, false},
		"in a script without spaces":            {"天気", operator, []string{"weather"}, true},
		"by words that say nothing":             {"of the", operator, []string{"of_the"}, true},
		"nothing fits":                          {"zygote", operator, nil, true},
		"an empty query":                        {"  ", operator, nil, true},
		"what a guest may see":                  {"mail", guest, []string{"mcp_gmail_sendMail"}, true},
		"a guest by its very name":              {"delete_mail", guest, []string{"mcp_gmail_sendMail"}, true},
	} {
		got := names(r.Search(tt.f, tt.query, 5))
		if len(got) < len(tt.want) || tt.only && len(got) > len(tt.want) || cmp.Diff(tt.want, got[:len(tt.want)], cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })) != "" {
			t.Errorf("%s: %q: got %q, want %q", name, tt.query, got, tt.want)
		}
	}
	if got := r.Search(operator, "mail", 1); len(got) != 1 {
		t.Errorf("at most 1: %d", len(got))
	}
	if got := r.Search(operator, "mail", 0); len(got) != 0 {
		t.Errorf("at most 0: %d", len(got))
	}
	if got := new(Registry).Search(operator, "mail", 5); len(got) != 0 {
		t.Errorf("of an empty registry: %d", len(got))
	}
}

// TestSearchIgnoresWhatIsHidden holds that tools which a caller does not see
// change nothing in the order of those that it sees: they could be counted.
func TestSearchIgnoresWhatIsHidden(t *testing.T) {
	var alone, beside Registry
	shown := []Capability{
		searchable("a_mail", "mail and folders", ""), searchable("b_folder", "folders of mail", ""), searchable("c_bill", "bills", ""),
	}
	for i := range 50 {
		c := searchable(fmt.Sprint("hidden_mail_", i), "mail mail mail", "")
		c.OwnerData = true
		if err := beside.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []*Registry{&alone, &beside} {
		if err := r.RegisterAll(shown...); err != nil {
			t.Fatal(err)
		}
	}
	f := Filter{Turn: Turn{Trust: Guest}}
	for _, query := range []string{"mail", "folder mail", "bill mail"} {
		if d := cmp.Diff(names(alone.Search(f, query, 5)), names(beside.Search(f, query, 5))); d != "" {
			t.Errorf("%s (-alone +beside):\n%s", query, d)
		}
	}
}

func TestKeywords(t *testing.T) {
	for in, want := range map[string]string{
		"getWeather":                   "get weather",
		"HTMLParser":                   "html parser",
		"send_mail2":                   "send mail 2",
		"PDF&URLTool":                  "pdf url tool",
		"Straßen, ÄRGER":               "straßen ärger",
		"please help me":               "",
		"日本":                           "日本",
		"東京タワーxy":                      "東京 京タ タワ ワー xy",
		"字":                            "字",
		"a-b":                          "b",
		"cafe\u0301":                   "cafe\u0301",
		"x" + strings.Repeat("y", 200): "x" + strings.Repeat("y", maxWord-1),
	} {
		var got []string
		for _, w := range keywords(in) {
			got = append(got, w)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("send mail", "getAirQuality", `{"type":"object","properties":{"a":{"description":"b"}}}`)
	f.Add("\xff\xfe", "", `[]`)
	f.Add("天気 HTMLParser2", "x", `{"properties":{"a":true,"b":{"items":{"properties":{"c":1}}}}}`)
	f.Fuzz(func(t *testing.T, query, description, schema string) {
		for stem, word := range keywords(query) {
			if len(word) > 4*maxWord || utf8.ValidString(query) && !utf8.ValidString(stem) {
				t.Errorf("%q of %q", stem, query)
			}
		}
		c := &Capability{Name: "one", Description: description, Parameters: json.RawMessage(schema)}
		if got := ranked([]*Capability{c}, query, 5); len(got) > 1 {
			t.Errorf("%d of 1", len(got))
		}
		named([]*Capability{c}, query, 5)
	})
}

// TestSearchWhileSwapped has eight readers search, list and find while a family
// of a thousand is swapped in a registry of ten thousand. Each sees the old
// family or the new one.
func TestSearchWhileSwapped(t *testing.T) {
	const others, size, swaps = 9000, 1000, 4
	var r Registry
	rest := make([]Capability, 0, others+size)
	for i := range others {
		rest = append(rest, searchable(fmt.Sprint("other_", i), "does something else", ""))
	}
	swapped := func(generation int) []Capability {
		out := make([]Capability, size)
		for i := range out {
			out[i] = searchable(fmt.Sprint("mcp_", i), "generation "+word(generation), "")
			out[i].Kind, out[i].Meta, out[i].Title = KindMCP, map[string]string{"server": "x"}, word(generation)
		}
		return out
	}
	if err := r.RegisterAll(append(rest, swapped(0)...)...); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if !seesWhole(t, &r, size) {
					return
				}
			}
		})
	}
	for i := range swaps {
		if err := r.Replace(KindMCP, map[string]string{"server": "x"}, swapped(i+1)...); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if got := names(r.Search(Filter{Turn: Turn{Trust: Operator}}, word(swaps), 1)); !slices.Equal(got, []string{"mcp_0"}) {
		t.Errorf("after the last swap: %q", got)
	}
}

// word names a generation by a word that no stem cuts.
func word(n int) string { return "gen" + strings.Repeat("z", n+1) }

func seesWhole(t *testing.T, r *Registry, size int) bool {
	t.Helper()
	f := Filter{Turn: Turn{Trust: Operator}}
	family := r.List(Filter{Turn: f.Turn, Kind: KindMCP})
	if len(family) != size || family[0].Title != family[size-1].Title {
		t.Errorf("a reader saw %d tools, of %s and %s", len(family), family[0].Title, family[size-1].Title)
		return false
	}
	found := r.Search(f, "generation", 20)
	for _, c := range found {
		if c.Title != found[0].Title {
			t.Errorf("one search found %s and %s", c.Title, found[0].Title)
			return false
		}
	}
	if _, ok := r.Find("mcp_" + strconv.Itoa(size/2)); !ok || len(found) != 20 {
		t.Errorf("a reader saw a gap: %d found", len(found))
		return false
	}
	return true
}

package command

import (
	"slices"
	"strings"
	"text/tabwriter"
)

// A Reply is what a command answers. Surfaces show its parts and do the rest.
type Reply struct {
	Parts []Part `json:"parts,omitempty"`

	Sent     *Sent     `json:"sent,omitempty"`     // the turn that came of it
	Open     *string   `json:"open,omitempty"`     // conversation to go to; "" is a new one
	Mode     string    `json:"mode,omitempty"`     // permission mode of the messages to come
	Model    string    `json:"model,omitempty"`    // the same for the model, provider/model
	Document *Document `json:"document,omitempty"` // to be kept where the person says
	Leave    bool      `json:"leave,omitempty"`    // the person wants to go
	Waiting  bool      `json:"waiting,omitempty"`  // the surface shows the questions that wait, in its way

	Turn *Expansion `json:"-"` // a turn to be played for it
}

// Sent names a turn.
type Sent struct {
	Session string `json:"session"`
	Turn    string `json:"turn"`
	From    int64  `json:"from"` // number of its first event
}

// A Document is a text to keep.
type Document struct {
	Name string `json:"name"`           // of its file
	To   string `json:"to,omitempty"`   // path that was asked for, absolute
	Text string `json:"text,omitempty"` // what is in it
}

// A Part is one paragraph of a reply: a sentence, a table or a text. Sentences
// and what is marked in tables are keys of the language files.
type Part struct {
	Say      string            `json:"say,omitempty"`  // in English, with places such as {{.Name}}
	Args     map[string]string `json:"args,omitempty"` // of the places
	Rows     *Rows             `json:"rows,omitempty"`
	Text     string            `json:"text,omitempty"`     // plain, shown as it is
	Markdown string            `json:"markdown,omitempty"` // shown as it is
}

// Rows are a table.
type Rows struct {
	Head []string   `json:"head"` // in English
	Rows [][]string `json:"rows"`
	Ours []int      `json:"ours,omitempty"` // columns whose cells are ours, in English; the others hold names and such
}

// Say is a reply of one sentence. Pairs are the names and values of its places.
func Say(sentence string, pairs ...string) Reply {
	return Reply{Parts: []Part{Sentence(sentence, pairs...)}}
}

// Sentence is a part of one sentence, with the names and values of its places.
func Sentence(sentence string, pairs ...string) Part {
	p := Part{Say: sentence}
	for i := 0; i+1 < len(pairs); i += 2 {
		if p.Args == nil {
			p.Args = map[string]string{}
		}
		p.Args[pairs[i]] = pairs[i+1]
	}
	return p
}

// English puts a sentence together as it stands.
func English(sentence string, args map[string]string) string {
	for name, value := range args {
		sentence = strings.ReplaceAll(sentence, "{{."+name+"}}", value)
	}
	return sentence
}

// A Speaker puts a sentence and its places into a language.
type Speaker func(sentence string, args map[string]string) string

// Text is the reply for a terminal.
func (r Reply) Text(speak Speaker) string {
	return r.join(speak, func(t Rows) string {
		var b strings.Builder
		w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
		for _, row := range t.Rows {
			_, _ = w.Write([]byte(strings.Join(row, "\t") + "\n")) // a Builder takes everything
		}
		_ = w.Flush()
		return trimLines(b.String())
	})
}

func trimLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Markdown is the reply for a window.
func (r Reply) Markdown(speak Speaker) string {
	marked := func(sentence string, args map[string]string) string {
		plain := make(map[string]string, len(args))
		for name, value := range args {
			plain[name] = escape(value)
		}
		return speak(sentence, plain)
	}
	r.Parts = slices.Clone(r.Parts)
	for i := range r.Parts {
		r.Parts[i].Text = escape(r.Parts[i].Text)
	}
	return r.join(marked, func(t Rows) string {
		var b strings.Builder
		line := func(cells []string) {
			for _, c := range cells {
				b.WriteString("| " + c + " ")
			}
			b.WriteString("|\n")
		}
		line(t.Head)
		line(slices.Repeat([]string{"-"}, len(t.Head)))
		for _, row := range t.Rows {
			plain := make([]string, len(row))
			for i, c := range row {
				plain[i] = escape(c)
			}
			line(plain)
		}
		return strings.TrimRight(b.String(), "\n")
	})
}

var marks = strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "\r", " ", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "\\<", "~", "\\~", "#", "\\#", "!", "\\!", "&", "\\&")

// escape writes a text so that Markdown shows it as it is.
func escape(text string) string { return marks.Replace(text) }

func (r Reply) join(speak Speaker, table func(Rows) string) string {
	var parts []string
	for _, p := range r.Parts {
		switch {
		case p.Say != "":
			parts = append(parts, speak(p.Say, p.Args))
		case p.Rows != nil:
			parts = append(parts, table(p.Rows.in(speak)))
		default:
			parts = append(parts, p.Text+p.Markdown)
		}
	}
	return strings.Join(parts, "\n\n")
}

// in is the table in a language.
func (t Rows) in(speak Speaker) Rows {
	out := Rows{Head: make([]string, len(t.Head)), Rows: make([][]string, len(t.Rows))}
	for i, h := range t.Head {
		out.Head[i] = speak(h, nil)
	}
	for i, row := range t.Rows {
		out.Rows[i] = slices.Clone(row)
		for j := range row {
			if slices.Contains(t.Ours, j) && row[j] != "" {
				out.Rows[i][j] = speak(row[j], nil)
			}
		}
	}
	return out
}

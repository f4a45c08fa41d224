package doctext

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// Bounds of what is shown of a notebook.
const (
	maxSource = 32 << 10 // bytes of the source of one cell
	maxOutput = 8 << 10  // bytes of one output
	maxImages = 5        // pictures of one call
	maxImage  = 10 << 20 // bytes of one picture
)

// A notebook is a Jupyter notebook of format 3, 4 or 5. Older ones have their
// cells in worksheets.
type notebook struct {
	Format   *int `json:"nbformat"`
	Minor    int  `json:"nbformat_minor"`
	Metadata struct {
		Kernel struct {
			Name     string `json:"display_name"`
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
}

type cell struct {
	Type    string     `json:"cell_type"`
	Source  lines      `json:"source"`
	Input   lines      `json:"input"` // format 3: the source of code
	Level   int        `json:"level"` // format 3: of a heading
	Count   *int       `json:"execution_count"`
	Prompt  *int       `json:"prompt_number"` // format 3
	Outputs []output   `json:"outputs"`
	Attach  mimeBundle `json:"attachments"`
}

type output struct {
	Type      string `json:"output_type"`
	Name      string `json:"name"` // stdout or stderr
	Stream    string `json:"stream"`
	Text      lines  `json:"text"`
	Data      mimeBundle
	EName     string   `json:"ename"`
	EValue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	PNG       lines    `json:"png"` // format 3 has the data beside the rest
	JPEG      lines    `json:"jpeg"`
	HTML      lines    `json:"html"`
	LaTeX     lines    `json:"latex"`
}

// A mimeBundle is one thing in several forms.
type mimeBundle map[string]json.RawMessage

// text is the form of a type, when it is text.
func (m mimeBundle) text(mime string) string {
	var l lines
	if err := json.Unmarshal(m[mime], &l); err != nil {
		return string(m[mime]) // JSON: it is its own text
	}
	return string(l)
}

// lines is a text that may be given as a list of lines.
type lines string

// UnmarshalJSON takes both forms.
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	var one string
	err := json.Unmarshal(data, &one)
	*l = lines(one)
	return err
}

// Notebook shows cells of a Jupyter notebook: source, and outputs as text.
// Pictures among the outputs are given with it, five at most.
func Notebook(ctx context.Context, data []byte, r Range) (*Extract, error) {
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, damaged("%v", err)
	}
	switch {
	case nb.Format == nil:
		return nil, damaged("it is no notebook: it has no nbformat")
	case *nb.Format < 3 || *nb.Format > 5:
		return nil, fmt.Errorf("it has notebook format %d; 3 to 5 can be read", *nb.Format)
	}
	for _, sheet := range nb.Worksheets {
		nb.Cells = append(nb.Cells, sheet.Cells...)
	}
	x := &Extract{Total: len(nb.Cells)}
	var b strings.Builder
	b.WriteString(nb.head())
	for n := r.first(); n <= len(nb.Cells); n++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, images := nb.Cells[n-1].show(n)
		if r.Count > 0 && x.Shown == r.Count || x.Shown > 0 && b.Len()+len(text) > r.bytes() {
			x.Next = n
			break
		}
		b.WriteString(cut(text, r.bytes()))
		x.Images = append(x.Images, images[:min(len(images), maxImages-len(x.Images))]...)
		x.Shown++
	}
	x.Text = b.String()
	return x, nil
}

func (nb *notebook) head() string {
	language := nb.Metadata.Language.Name
	if language == "" {
		language = nb.Metadata.Kernel.Language
	}
	s := "Notebook with " + plural(len(nb.Cells), "cell")
	if language != "" {
		s += ", " + language
	}
	return fmt.Sprintf("%s (format %d.%d)\n", s, *nb.Format, nb.Minor)
}

// show is a cell under a line that says which, and the pictures of its outputs.
func (c *cell) show(n int) (string, []Image) {
	var b strings.Builder
	fmt.Fprintf(&b, "--- cell %d, %s", n, c.kind())
	count := c.Count
	if count == nil {
		count = c.Prompt
	}
	if count != nil {
		fmt.Fprintf(&b, " [%d]", *count)
	}
	b.WriteString(" ---\n")
	source := string(c.Source)
	if source == "" {
		source = string(c.Input)
	}
	b.WriteString(ended(cut(source, maxSource)))
	if len(c.Attach) > 0 {
		b.WriteString("(attached: " + strings.Join(slices.Sorted(maps.Keys(c.Attach)), ", ") + ")\n")
	}
	var images []Image
	for i := range c.Outputs {
		text, data := c.Outputs[i].show()
		if data != nil {
			images = append(images, Image{Cell: n, Data: data})
		}
		b.WriteString("→ " + ended(cut(text, maxOutput)))
	}
	return b.String(), images
}

func (c *cell) kind() string {
	switch {
	case c.Type == "":
		return "of no type"
	case c.Type == "heading" && c.Level > 0:
		return fmt.Sprintf("heading of level %d", c.Level)
	}
	return c.Type
}

// ended is a text with a line end; nothing for none.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// ansi are the signs that colour a terminal, which tracebacks have.
var ansi = lazy.Regexp(`\x1b\[[0-9;]*[A-Za-z]`)

// show is an output as text: what it printed, or the plainest of its forms.
func (o *output) show() (text string, image []byte) {
	switch o.Type {
	case "stream":
		name := o.Name
		if name == "" {
			name = o.Stream
		}
		return name + ":\n" + ansi().ReplaceAllString(string(o.Text), ""), nil
	case "error", "pyerr":
		trace := ansi().ReplaceAllString(strings.Join(o.Traceback, "\n"), "")
		return "error " + o.EName + ": " + o.EValue + "\n" + trace, nil
	}
	m := o.bundle()
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if raw := m.text(mime); raw != "" && image == nil && len(raw) <= maxImage*4/3 {
			image = picture(raw)
		}
	}
	for _, mime := range []string{"text/plain", "text/markdown", "text/latex", "text/html", "application/json"} {
		if t := m.text(mime); t != "" {
			text = t
			break
		}
	}
	label := o.Type + ":\n"
	if len(m) > 0 && text == "" || image != nil {
		label = o.Type + " (" + strings.Join(slices.Sorted(maps.Keys(m)), ", ") + "):\n"
	}
	return label + text, image
}

// bundle is the forms of an output; those of format 3 under their MIME types.
func (o *output) bundle() mimeBundle {
	m := maps.Clone(o.Data)
	if m == nil {
		m = mimeBundle{}
	}
	for mime, text := range map[string]lines{"image/png": o.PNG, "image/jpeg": o.JPEG, "text/html": o.HTML, "text/latex": o.LaTeX, "text/plain": o.Text} {
		if _, there := m[mime]; text == "" || there {
			continue
		}
		if raw, err := json.Marshal(string(text)); err == nil {
			m[mime] = raw
		}
	}
	return m
}

// picture decodes base64 with or without line ends; nil when it is none.
func picture(raw string) []byte {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(raw), ""))
	if err != nil || len(data) == 0 {
		return nil
	}
	return data
}

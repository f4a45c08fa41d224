// Package prose draws what the agent writes: Markdown, code and diffs.
//
//	text ──Parse──► []Block ──View──► widgets, kept while their block stays the same
//
// Blocks, lines and diffs are plain data, made without a toolkit. While a text
// grows, only what is finished is parsed; the rest is drawn as it comes. Nothing
// that a text names is fetched by drawing it: a picture from an address is
// shown as a link.
package prose

import (
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Block is a piece of Markdown that is drawn by itself. Lists and quotes are
// flat: each paragraph in them is a block that knows how deep it stands.
type Block struct {
	Kind   Kind
	Level  int    // of a heading, from 1
	Depth  int    // lists around it
	Quote  int    // quotes around it
	Marker string // of a list item's first block: "•", "3.", [Open], [Ticked]
	Spans  []Span // text of a paragraph or heading
	Lang   string // of code, as the fence names it
	Text   string // of code; the path of a picture
	Table  *Table
}

// Kind says what a block is.
type Kind uint8

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading
	Code
	Rule
	Grid    // a table
	Picture // a file on this machine
)

// The markers of items that can be ticked.
const (
	Open   = "☐"
	Ticked = "☑"
)

// A Span is a run of text in one style.
type Span struct {
	Text                       string
	Bold, Italic, Strike, Mono bool
	Link                       string // address; empty is none
}

// A Table is a grid of cells; the first row is the head.
type Table struct {
	Align []Align // of the columns
	Rows  [][][]Span
}

// Align says where a column's text stands.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Middle
	Right
)

// maxParsed bounds what is read as Markdown, in bytes; more is shown as it is.
const maxParsed = 256 << 10

var markdown = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.TaskList, extension.Table, extension.Linkify)).Parser()

// Parse cuts Markdown into blocks.
func Parse(s string) []Block {
	if len(s) > maxParsed {
		return []Block{{Kind: Code, Text: s}}
	}
	src := []byte(s)
	p := &parsing{src: src}
	p.children(markdown.Parse(text.NewReader(src), parser.WithContext(parser.NewContext())), place{})
	return p.out
}

type parsing struct {
	src []byte
	out []Block
}

// place is where in lists and quotes a block stands.
type place struct {
	depth, quote int
	marker       *string // taken by the first block of an item
}

// maxDepth bounds lists and quotes within each other: deeper is drawn as deep.
const maxDepth = 8

func (p *parsing) add(b Block, at place) {
	b.Depth, b.Quote = min(at.depth, maxDepth), min(at.quote, maxDepth)
	if at.marker != nil {
		b.Marker, *at.marker = *at.marker, ""
	}
	p.out = append(p.out, b)
}

func (p *parsing) children(n ast.Node, at place) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.block(c, at)
	}
}

func (p *parsing) block(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.Heading:
		p.add(Block{Kind: Heading, Level: n.Level, Spans: p.spans(n)}, at)
	case *ast.Paragraph, *ast.TextBlock:
		p.paragraph(n, at)
	case *ast.FencedCodeBlock:
		p.add(Block{Kind: Code, Lang: string(n.Language(p.src)), Text: p.lines(n)}, at)
	case *ast.CodeBlock, *ast.HTMLBlock:
		p.add(Block{Kind: Code, Text: p.lines(n)}, at)
	case *ast.ThematicBreak:
		p.add(Block{Kind: Rule}, at)
	case *ast.Blockquote:
		at.quote++
		p.children(n, at)
	case *ast.List:
		p.list(n, at)
	case *east.Table:
		p.add(Block{Kind: Grid, Table: p.table(n)}, at)
	default:
		p.children(n, at)
	}
}

func (p *parsing) list(n *ast.List, at place) {
	at.depth++
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "•"
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + "."
			number++
		}
		if box := checkBox(c); box != "" {
			marker = box
		}
		at.marker = &marker
		p.children(c, at)
		if marker != "" { // an item without text
			p.add(Block{}, at)
		}
	}
}

// checkBox returns the box that an item begins with, or nothing.
func checkBox(item ast.Node) string {
	first := item.FirstChild()
	if first == nil {
		return ""
	}
	box, ok := first.FirstChild().(*east.TaskCheckBox)
	switch {
	case !ok:
		return ""
	case box.IsChecked:
		return Ticked
	}
	return Open
}

// paragraph adds text; a picture in it becomes a block of its own.
func (p *parsing) paragraph(n ast.Node, at place) {
	if img, ok := n.FirstChild().(*ast.Image); ok && n.ChildCount() == 1 {
		if path, ok := localPath(string(img.Destination)); ok {
			p.add(Block{Kind: Picture, Text: path, Spans: p.spans(img)}, at)
			return
		}
	}
	if spans := p.spans(n); len(spans) > 0 {
		p.add(Block{Spans: spans}, at)
	}
}

// localPath returns the absolute path of a file that an address names.
func localPath(address string) (string, bool) {
	path := strings.TrimPrefix(address, "file://")
	return path, strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//")
}

func (p *parsing) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(p.src))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *parsing) table(n *east.Table) *Table {
	t := &Table{}
	for _, a := range n.Alignments {
		switch a {
		case east.AlignCenter:
			t.Align = append(t.Align, Middle)
		case east.AlignRight:
			t.Align = append(t.Align, Right)
		default:
			t.Align = append(t.Align, Left)
		}
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]Span
		for c := row.FirstChild(); c != nil && len(cells) < len(t.Align); c = c.NextSibling() {
			cells = append(cells, p.spans(c))
		}
		for len(cells) < len(t.Align) {
			cells = append(cells, nil)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// spans returns the text below n.
func (p *parsing) spans(n ast.Node) []Span {
	var out []Span
	p.inline(n, Span{}, &out)
	return out
}

func (p *parsing) inline(n ast.Node, style Span, out *[]Span) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		s := style
		switch c := c.(type) {
		case *ast.Text:
			if s.Text = string(c.Value(p.src)); !s.Mono {
				s.Text = meant(s.Text)
			}
			switch {
			case c.HardLineBreak():
				s.Text += "\n"
			case c.SoftLineBreak():
				s.Text += " "
			}
			put(out, s)
		case *ast.String:
			s.Text = string(c.Value)
			put(out, s)
		case *ast.AutoLink:
			s.Text, s.Link = string(c.Label(p.src)), safeLink(string(c.URL(p.src)))
			put(out, s)
		case *ast.RawHTML:
			for i := range c.Segments.Len() {
				seg := c.Segments.At(i)
				s.Text += string(seg.Value(p.src))
			}
			put(out, s)
		case *east.TaskCheckBox: // its box is the marker
		default:
			p.inline(c, styled(c, s), out)
		}
	}
	if img, ok := n.(*ast.Image); ok && n.FirstChild() == nil {
		style.Text = string(img.Destination)
		put(out, style)
	}
}

// meant is a text without the marks that take from characters what they mean in
// Markdown and HTML: \* is a star, &amp; an ampersand. In code they are what
// they are.
func meant(text string) string {
	var b strings.Builder
	start := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' || !util.IsPunct(text[i+1]) {
			continue
		}
		b.WriteString(html.UnescapeString(text[start:i]))
		b.WriteByte(text[i+1])
		i++
		start = i + 1
	}
	return b.String() + html.UnescapeString(text[start:])
}

// styled is s with what a node adds to the style.
func styled(n ast.Node, s Span) Span {
	switch n := n.(type) {
	case *ast.Emphasis:
		s.Bold, s.Italic = s.Bold || n.Level > 1, s.Italic || n.Level == 1
	case *east.Strikethrough:
		s.Strike = true
	case *ast.CodeSpan:
		s.Mono = true
	case *ast.Link:
		s.Link = safeLink(string(n.Destination))
	case *ast.Image:
		s.Link = safeLink(string(n.Destination))
	}
	return s
}

// put adds a span, to the one before it where the style is the same.
func put(out *[]Span, s Span) {
	if s.Text == "" {
		return
	}
	if n := len(*out); n > 0 {
		last := &(*out)[n-1]
		before := *last
		before.Text = s.Text
		if before == s {
			last.Text += s.Text
			return
		}
	}
	*out = append(*out, s)
}

// safeLink lets through what a click may open: pages and mail, no programs and
// no files.
func safeLink(address string) string {
	lower := strings.ToLower(address)
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(lower, scheme) {
			return address
		}
	}
	return ""
}

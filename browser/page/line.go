package page

import (
	"strconv"
	"strings"
)

// How a node is written, in as few characters as say it:
//
//	textbox "Email" = "a@b.example" e12 required
//	h2 "Prices" e13
//	- link "Home" e15
//	row e16 "Ann" | "42"
//	"Text of the page" e17
//
// Everything that comes from the page stands in quotation marks, with those
// within it escaped, so that no text can be taken for a line of ours.

// line writes one node, without those below it.
func (n *node) line() string {
	var b strings.Builder
	n.writeHead(&b)
	return b.String()
}

func (n *node) writeHead(b *strings.Builder) {
	b.WriteString(n.word())
	if n.Name != "" {
		writeText(b, n.Name)
	}
	if n.Text != "" {
		writeText(b, n.Text)
	}
	if n.Value != "" {
		b.WriteString(" =")
		writeText(b, n.Value)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(refName(n.Ref))
	if n.Hint != "" {
		b.WriteString(" like")
		writeText(b, n.Hint)
	}
	n.writeMore(b)
}

func (n *node) writeMore(b *strings.Builder) {
	if n.Level > 0 && n.Role != "heading" {
		b.WriteString(" level " + strconv.Itoa(n.Level))
	}
	for _, s := range n.States {
		b.WriteByte(' ')
		b.WriteString(s)
	}
	if n.URL != "" {
		b.WriteString(" to")
		writeText(b, n.URL)
	}
	for i, o := range n.Options {
		b.WriteString(map[bool]string{true: " options", false: " |"}[i == 0])
		writeText(b, o)
	}
	if more := n.Choices - len(n.Options); more > 0 {
		b.WriteString(" … " + strconv.Itoa(more) + " more; ask with scope " + refName(n.Ref))
	}
}

// word is what the node is, in one word; empty for text.
func (n *node) word() string {
	switch n.Role {
	case "text":
		return ""
	case "heading":
		return "h" + strconv.Itoa(max(n.Level, 1))
	case "listitem":
		return "-"
	}
	return n.Role
}

// writeText writes a blank and text of the page in quotation marks.
func writeText(b *strings.Builder, text string) {
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	b.WriteByte('"')
}

// joins are roles whose only child is written on their line, and whose own
// reference nobody misses: what can be used is the child.
var joins = map[string]bool{
	"listitem": true, "cell": true, "gridcell": true, "columnheader": true, "rowheader": true, "heading": true, "definition": true, "term": true,
	"figure": true, "group": true,
}

// joined reports whether the node's only child goes on its line.
func (n *node) joined() bool {
	return joins[n.Role] && n.Usable == 0 && len(n.children) == 1 && n.Name == "" && n.Text == "" && n.Value == "" && len(n.States) == 0 && n.More == 0
}

// cells are roles that make up a row.
var cells = map[string]bool{"cell": true, "columnheader": true, "rowheader": true}

// flatRow reports whether a row holds nothing but text, so that one line is
// enough for it.
func (n *node) flatRow() bool {
	if n.Role != "row" || len(n.children) == 0 || n.More > 0 {
		return false
	}
	for _, c := range n.children {
		if !cells[c.Role] || c.Usable != 0 || len(c.children) > 0 || len(c.States) > 0 || c.Name != "" && c.Text != "" {
			return false
		}
	}
	return true
}

// rowLine writes a row with its cells.
func (n *node) rowLine() string {
	var b strings.Builder
	n.writeHead(&b)
	for i, c := range n.children {
		if i > 0 {
			b.WriteString(" |")
		}
		writeText(&b, c.label())
	}
	return b.String()
}

package webpage

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A look is how text at one place of a document is drawn, as far as the page
// itself says.
type look struct {
	back, ink           colour
	backKnown, inkKnown bool
	tiny, unseen        bool // too small to read; made invisible
}

// first is how a page draws text before anything is said: black on white,
// unless a style sheet may say otherwise.
func first(doc *html.Node) look {
	for n := range doc.Descendants() {
		if n.Data == "style" || n.Data == "link" && strings.Contains(strings.ToLower(attr(n, "rel")), "stylesheet") {
			return look{}
		}
	}
	return look{back: colour{255, 255, 255}, backKnown: true, inkKnown: true}
}

// hidden reports whether text that is drawn so cannot be read.
func (l look) hidden() bool {
	return l.tiny || l.unseen || l.backKnown && l.inkKnown && l.ink.alike(l.back)
}

// clean removes from below n what a reader would not see.
func clean(n *html.Node, under look) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.Type {
		case html.CommentNode:
			n.RemoveChild(c)
		case html.TextNode:
			if under.hidden() && !unseen[n.Data] {
				n.RemoveChild(c)
			}
		case html.ElementNode:
			if gone(c) {
				n.RemoveChild(c)
			} else {
				clean(c, under.within(c))
			}
		case html.DocumentNode, html.DoctypeNode, html.ErrorNode, html.RawNode:
		}
		c = next
	}
}

// gone reports whether nothing below an element can be seen, whatever it says.
func gone(n *html.Node) bool {
	switch n.Data {
	case "template", "object", "embed", "applet":
		return true
	case "dialog":
		return !has(n, "open")
	case "html", "head", "body": // a page that shows itself by a script is not a hidden one
		return false
	case "input":
		return strings.EqualFold(attr(n, "type"), "hidden")
	}
	return has(n, "hidden") || styleOf(n).hides() || unspoken(n)
}

// within is how text in an element is drawn.
func (l look) within(n *html.Node) look {
	s := styleOf(n)
	if c, painted, known := backgroundOf(n, s); painted {
		l.back, l.backKnown = c, known
	}
	switch c, set := inkOf(n, s); {
	case set:
		l.ink, l.inkKnown = c, true
	case n.Data == "a", s["color"] != "":
		l.inkKnown = false
	}
	if size, ok := pixels(s["font-size"]); ok {
		relative := strings.HasSuffix(s["font-size"], "em") && !strings.HasSuffix(s["font-size"], "rem") || strings.HasSuffix(s["font-size"], "%")
		l.tiny = size < 2 || l.tiny && relative
	}
	switch s["visibility"] {
	case "hidden", "collapse":
		l.unseen = n.Data != "body" && n.Data != "html"
	case "visible":
		l.unseen = false
	}
	if s["color"] == "transparent" {
		l.ink, l.inkKnown = l.back, l.backKnown
		l.unseen = l.unseen || !l.backKnown
	}
	return l
}

// unspoken reports whether an element is kept from readers who listen, and is
// not what the page consists of: some pages mark all of it while a box lies
// over it.
func unspoken(n *html.Node) bool {
	if !strings.EqualFold(attr(n, "aria-hidden"), "true") || strings.Contains(attr(n, "class"), "fallback-image") {
		return false
	}
	return find(n, "main", "article", "h1") == nil && n.Data != "main" && n.Data != "article"
}

// baseOf is the address that relative ones in a document start from. at is the
// document's own.
func baseOf(doc *html.Node, at *url.URL) *url.URL {
	if b := find(doc, "base"); b != nil {
		if u, err := at.Parse(strings.TrimSpace(attr(b, "href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			return u
		}
	}
	return at
}

// absolute makes the addresses of links and pictures whole, and takes off those
// that lead to no page.
func absolute(n *html.Node, base *url.URL) {
	for n := range n.Descendants() {
		switch n.Data {
		case "a", "area":
			rewrite(n, "href", base)
		case "img":
			rewrite(n, "src", base)
		}
	}
}

func rewrite(n *html.Node, name string, base *url.URL) {
	for i, a := range n.Attr {
		if a.Key != name || a.Namespace != "" {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(a.Val))
		if err != nil || !slices.Contains([]string{"http", "https", "mailto", "tel"}, u.Scheme) {
			n.Attr = slices.Delete(n.Attr, i, i+1)
			return
		}
		n.Attr[i].Val = u.String()
		return
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
}

// find returns the first element below n with one of the names.
func find(n *html.Node, names ...string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && slices.Contains(names, d.Data) {
			return d
		}
	}
	return nil
}

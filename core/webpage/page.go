package webpage

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// A Page is what a reader sees of an HTML document.
type Page struct {
	Title     string
	Byline    string
	Site      string
	Published string // YYYY-MM-DD; empty when the page does not say
	Markdown  string // of the article, or of all that is to be seen
	Article   bool   // a main article was found
	Scripted  bool   // next to nothing is in the document: a script makes the page
}

const (
	mostElements = 150_000 // of a document in which an article is looked for
	enough       = 0.25    // share of a page's text that makes a find the article when its shape does not
	linked       = 0.5     // share of links in its text that makes a find a list of links
	blank        = 200     // letters; a page with less, that has scripts, is made by them
)

// Read finds the article of an HTML document and writes it as Markdown. at is
// the document's address, which makes its links absolute. It never fails: in
// the worst case the text is all there is.
func Read(source string, at *url.URL) (p *Page) {
	defer func() {
		if fault := recover(); fault != nil { // a library stumbled over the page
			p = &Page{Markdown: plain(source)}
		}
	}()
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil { // nested too deep
		return &Page{Markdown: plain(source)}
	}
	scripts := find(doc, "script") != nil
	clean(doc, first(doc))
	base := baseOf(doc, at)
	p, err = article(doc, base)
	if err != nil || !p.Article {
		absolute(doc, base)
		p.whole(doc)
	}
	p.Scripted = scripts && letters(p.Markdown) < blank
	return p
}

// article looks for the main article. Without one only what is known about the
// page is filled in. doc is left as it was.
func article(doc *html.Node, base *url.URL) (*Page, error) {
	parser := readability.NewParser()
	parser.MaxElemsToParse = mostElements
	likely := parser.CheckDocument(doc)
	art, err := parser.ParseDocument(doc, base)
	if err != nil {
		return &Page{}, fmt.Errorf("webpage: looking for the article: %w", err)
	}
	p := &Page{Title: line(art.Title()), Byline: line(art.Byline()), Site: line(art.SiteName())}
	if t, err := art.PublishedTime(); err == nil && !t.IsZero() {
		p.Published = t.Format("2006-01-02")
	}
	if art.Node == nil || !likely && !mostOf(art.Node, doc) {
		return p, nil
	}
	absolute(art.Node, base) // not before: that a link stays on the page counts in the search
	if p.Markdown, err = markdown(art.Node); err != nil {
		return p, err
	}
	p.Article = p.Markdown != ""
	return p, nil
}

// mostOf reports whether a find is a good part of the page, and no list of links.
func mostOf(found, doc *html.Node) bool {
	text, links := count(found), 0
	for n := range found.Descendants() {
		if n.Data == "a" {
			links += count(n)
		}
	}
	return float64(text) >= enough*float64(count(doc)) && float64(links) <= linked*float64(text)
}

// whole makes all that is to be seen of the document the text.
func (p *Page) whole(doc *html.Node) {
	if t := find(doc, "title"); p.Title == "" && t != nil && t.FirstChild != nil {
		p.Title = line(t.FirstChild.Data)
	}
	body := find(doc, "body", "frameset")
	if body == nil {
		return
	}
	quiet := find(body, "noscript")
	strip(body, count(body) > 0)
	text, err := markdown(body)
	if err != nil {
		text = ""
	}
	p.Markdown = text
	if text == "" && quiet != nil && quiet.FirstChild != nil { // what is said to those without scripts
		p.Markdown = plain(quiet.FirstChild.Data)
	}
}

// strip removes what is not for reading.
func strip(n *html.Node, noscript bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			if unseen[c.Data] && (c.Data != "noscript" || noscript) {
				n.RemoveChild(c)
			} else {
				strip(c, noscript)
			}
		}
		c = next
	}
}

// count is the number of letters that are to be seen below n.
func count(n *html.Node) (sum int) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			sum += letters(c.Data)
		case c.Type == html.ElementNode && !unseen[c.Data]:
			sum += count(c)
		}
	}
	return sum
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// line is text on one line, of a length that a heading can have.
func line(s string) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:299]) + "…"
	}
	return s
}

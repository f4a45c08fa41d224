package distill

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// A page begins with these.
var pageStart = regexp.MustCompile(`(?i)^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!doctype html|<html|<head|<body)`)

// noise are elements with nothing to read.
var noise = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "svg": true, "iframe": true,
}

// blocks are elements that begin a line of their own.
var blocks = map[string]string{
	"p": "", "div": "", "section": "", "article": "", "header": "", "footer": "", "nav": "", "main": "", "aside": "", "form": "", "table": "", "tr": "", "ul": "", "ol": "",
	"br": "", "hr": "", "pre": "", "blockquote": "> ", "li": "- ", "h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "option": "- ", "td": " | ", "th": " | ",
}

// maxLink: an address that is longer is rarely one to follow.
const maxLink = 300

// page is what can be read of an HTML page, its headings, lists and links
// marked as in Markdown.
func page(text string) (string, bool) {
	if !pageStart.MatchString(text[:min(len(text), 4096)]) {
		return "", false
	}
	p := reader{tokens: html.NewTokenizer(strings.NewReader(text))}
	for p.next() {
	}
	return squeeze(p.text.String()), p.skip == "" // what is never closed would swallow the rest
}

// A reader goes through the tokens of a page.
type reader struct {
	tokens *html.Tokenizer
	text   strings.Builder
	skip   string   // the noise it is in
	depth  int      // how often the noise is open
	links  []string // addresses of the links it is in
}

func (r *reader) next() bool {
	switch r.tokens.Next() {
	case html.ErrorToken:
		return false
	case html.TextToken:
		if r.skip == "" {
			r.text.WriteString(strings.Join(strings.Fields(pad(html.UnescapeString(string(r.tokens.Raw())))), " "))
			r.text.WriteByte(' ')
		}
	case html.StartTagToken:
		r.start(false)
	case html.SelfClosingTagToken:
		r.start(true)
	case html.EndTagToken:
		r.end()
	case html.CommentToken, html.DoctypeToken:
	}
	return true
}

// pad keeps a character that is no text from being one.
func pad(s string) string { return strings.ReplaceAll(s, "\x00", " ") }

func (r *reader) start(closed bool) {
	raw, more := r.tokens.TagName()
	name := string(raw)
	attrs := map[string]string{}
	for more {
		var k, v []byte
		k, v, more = r.tokens.TagAttr()
		attrs[string(k)] = string(v)
	}
	switch {
	case r.skip == name && !closed:
		r.depth++
	case r.skip != "":
	case noise[name] && !closed:
		r.skip, r.depth = name, 1
	case name == "title":
		r.mark("# ")
	case name == "a" && !closed:
		r.links = append(r.links, attrs["href"])
	case name == "img" && attrs["alt"] != "":
		r.text.WriteString("(image: " + cut(attrs["alt"], maxLink) + ") ")
	default:
		if mark, ok := blocks[name]; ok {
			r.mark(mark)
		}
	}
}

func (r *reader) mark(mark string) {
	if !strings.HasPrefix(mark, " ") {
		r.text.WriteByte('\n')
	}
	r.text.WriteString(mark)
}

func (r *reader) end() {
	raw, _ := r.tokens.TagName()
	name := string(raw)
	switch {
	case r.skip == name:
		if r.depth--; r.depth == 0 {
			r.skip = ""
		}
	case r.skip != "":
	case name == "a" && len(r.links) > 0:
		to := r.links[len(r.links)-1]
		r.links = r.links[:len(r.links)-1]
		if to != "" && len(to) <= maxLink && !strings.HasPrefix(to, "#") && !strings.HasPrefix(strings.ToLower(to), "javascript:") {
			r.text.WriteString("(" + to + ") ")
		}
	default:
		if mark, ok := blocks[name]; ok && !strings.HasPrefix(mark, " ") {
			r.text.WriteByte('\n')
		}
	}
}

// squeeze takes out blank lines and blanks around lines.
func squeeze(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" && strings.Trim(line, "-#>| ") != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

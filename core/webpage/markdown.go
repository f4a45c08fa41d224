package webpage

import (
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/hobkin/hobkin/core/lazy"
)

// markdown writes a cleaned tree as Markdown. Signs in the text are not escaped:
// a model reads snake_case better than snake\_case, and the escaping of the
// library takes time that grows with the square of the brackets in a page.
func markdown(n *html.Node) (string, error) {
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithSkipEmptyRows(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	out, err := conv.ConvertNode(n)
	if err != nil {
		return "", fmt.Errorf("webpage: writing Markdown: %w", err)
	}
	return tidy(string(out)), nil
}

var (
	manyBreaks = lazy.Regexp(`\n{3,}`)
	mute       = lazy.Regexp(`!\[\s*\]\([^()\s]*(?: "[^"]*")?\)`) // a picture that says nothing
)

// tidy drops pictures without a word to them, and gaps.
func tidy(md string) string {
	md = mute().ReplaceAllString(Visible(md), "")
	md = strings.ReplaceAll(md, "[]()", "")
	var b strings.Builder
	for line := range strings.Lines(md) {
		end := ""
		if strings.HasSuffix(line, "\n") {
			end = "\n"
		}
		b.WriteString(strings.TrimRight(line, " \t\n") + end)
	}
	return strings.TrimSpace(manyBreaks().ReplaceAllString(b.String(), "\n\n"))
}

// unseen are elements whose text is not for reading.
var unseen = map[string]bool{"script": true, "style": true, "noscript": true, "head": true, "svg": true, "iframe": true, "canvas": true, "template": true}

// plain is the text of source without its marks, for documents that are nested
// too deep to be made a tree.
func plain(source string) string {
	z := html.NewTokenizer(strings.NewReader(source))
	var b strings.Builder
	skip := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tidy(b.String())
		case html.StartTagToken:
			name, _ := z.TagName()
			if tag := string(name); skip == "" && unseen[tag] {
				skip = tag
			}
			b.WriteByte(' ')
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == skip {
				skip = ""
			}
			b.WriteByte('\n')
		case html.TextToken:
			if skip == "" {
				b.WriteString(strings.Join(strings.Fields(string(z.Text())), " "))
			}
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

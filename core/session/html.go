package session

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/hobkin/hobkin/core/store"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"rendered": rendered}).Parse(pageText))

// page writes a self-contained document: no script, nothing from the network.
// The template escapes all words; only Markdown of the assistant is rendered,
// and raw HTML in it is left out.
func page(s store.Session, list []*block) (string, error) {
	var out strings.Builder
	err := pageTemplate.Execute(&out, struct {
		Title  string
		Facts  []fact
		Blocks []*block
	}{name(s), facts(s), list})
	return out.String(), err
}

// converter leaves out raw HTML and links that are scripts, which is its default,
// and pictures, which would be loaded from elsewhere.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(noPictures{}, 0))),
)

func rendered(text string) (template.HTML, error) {
	var out bytes.Buffer
	if err := converter.Convert([]byte(text), &out); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil
}

// noPictures writes the words that stand for a picture.
type noPictures struct{}

// RegisterFuncs implements goldmark's NodeRenderer.
func (noPictures) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		mark := "]"
		if entering {
			mark = "[picture "
		}
		_, err := w.WriteString(mark)
		return ast.WalkContinue, err
	})
}

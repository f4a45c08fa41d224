package webpage

import (
	"strings"
	"testing"
)

// BenchmarkRead makes a page of 100 KB with menus, links and a table into
// Markdown.
func BenchmarkRead(b *testing.B) {
	menu := "<nav><ul>" + strings.Repeat("<li><a class='item' href='/section/page'>A section</a></li>", 100) + "</ul></nav>"
	text := strings.Repeat("<p class='text'>Words of an article, with <a href='/more'>a link</a>, <em>stress</em> and a comma. It goes on for a while, as articles do.</p>", 600)
	table := "<table><tr><th>Port</th><th>Metres</th></tr>" + strings.Repeat("<tr><td>Brest</td><td>6.1</td></tr>", 100) + "</table>"
	src := "<html><head><title>A page</title></head><body>" + menu + "<div id='main'><h1>A page</h1>" + text + table + "</div></body></html>"
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if p := Read(src, here); !p.Article {
			b.Fatal("no article was found")
		}
	}
}

package page

import "strings"

// places are what one must see around a control to know which one it is.
var places = map[string]bool{
	"dialog": true, "alertdialog": true, "alert": true, "navigation": true, "main": true, "banner": true, "contentinfo": true, "complementary": true,
	"search": true, "form": true, "region": true, "iframe": true, "row": true, "listitem": true, "tablist": true, "radiogroup": true, "menu": true,
	"toolbar": true, "group": true, "tabpanel": true,
}

// usable is a tree of what can be used, with the places around it. Rows and items
// of lists carry the beginning of their text: "Delete" alone says too little.
func usable(n *node, up *node) []*node {
	keep := *n
	keep.children, keep.up = nil, up
	for _, c := range n.children {
		keep.children = append(keep.children, usable(c, &keep)...)
	}
	switch {
	case n.Usable != 0 || n.More > 0:
		keep.Text = ""
		if n.Name == "" {
			keep.Text = n.Text
		}
	case places[n.Role] && len(keep.children) > 0:
		keep.Text = ""
		if n.Role == "row" || n.Role == "listitem" {
			keep.Name, keep.Text = brieflyOf(n), ""
		}
	default:
		for _, c := range keep.children {
			c.up = up
		}
		return keep.children
	}
	return []*node{&keep}
}

// brieflyOf is the beginning of the text in a node, without what can be used.
func brieflyOf(n *node) string {
	const most = 60
	var list []string
	size := 0
	for c := range n.all() {
		if c.Usable != 0 && c != n || size > most {
			continue
		}
		if text := c.label(); text != "" {
			list = append(list, text)
			size += len(text) + 1
		}
	}
	return clean(strings.Join(list, " "), most)
}

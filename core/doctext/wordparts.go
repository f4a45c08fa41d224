package doctext

import (
	"context"
	"encoding/xml"
	"path"
	"strconv"
	"strings"
)

const maxStyles = 10_000 // styles, lists, links, notes or comments that are kept

// targets reads where the links of a part lead, by their ids.
func (a *archive) targets(ctx context.Context, name string) (map[string]string, error) {
	dir, file := path.Split(name)
	w, err := a.walk(ctx, dir+"_rels/"+file+".rels")
	if err != nil || w == nil {
		return nil, err
	}
	to := map[string]string{}
	err = w.each(func(tag xml.StartElement) error {
		if tag.Name.Local == "Relationship" && len(to) < maxStyles {
			to[attr(tag, "Id")] = attr(tag, "Target")
		}
		return nil
	})
	return to, err
}

// readStyles learns which styles are headings or lists. Their names are
// English in every language, their ids are not.
func (d *word) readStyles() error {
	d.styles = map[string]paraStyle{}
	w, err := d.walk(d.ctx, "word/styles.xml")
	if err != nil || w == nil {
		return err
	}
	id, now := "", paraStyle{}
	keep := func() {
		if id != "" && len(d.styles) < maxStyles {
			d.styles[id] = now
		}
	}
	err = w.each(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "style":
			keep()
			id, now = attr(tag, "styleId"), paraStyle{}
		case "name":
			now.heading = max(now.heading, headingOf(attr(tag, "val")))
		default:
			now.take(tag)
		}
		return nil
	})
	keep()
	d.inherit()
	return err
}

// headingOf is the level of a heading by the name of its style.
func headingOf(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "heading "))
	if err != nil || !strings.HasPrefix(name, "heading ") {
		return 0
	}
	return min(max(n, 0), 9)
}

// inherit gives each style what those that it is based on say. Styles that go
// round in circles stop after some steps.
func (d *word) inherit() {
	const mostSteps = 10
	for id, s := range d.styles {
		for up, steps := s.style, 0; up != "" && steps < mostSteps; steps++ {
			base, ok := d.styles[up]
			if !ok {
				break
			}
			s = base.under(s)
			up = base.style
		}
		d.styles[id] = s
	}
}

// lists knows the lists of a document and counts their items.
type lists struct {
	kinds  map[string]string // by list and level: its format
	counts map[string]*[9]int
}

// readNumbering learns which lists have numbers.
func (d *word) readNumbering() error {
	d.lists = lists{kinds: map[string]string{}, counts: map[string]*[9]int{}}
	w, err := d.walk(d.ctx, "word/numbering.xml")
	if err != nil || w == nil {
		return err
	}
	abstract, num, level := "", "", ""
	formats := map[string]string{}
	return w.each(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "abstractNum":
			abstract = attr(tag, "abstractNumId")
		case "lvl":
			level = attr(tag, "ilvl")
		case "numFmt":
			if len(formats) < maxStyles {
				formats[abstract+"/"+level] = attr(tag, "val")
			}
		case "num":
			num = attr(tag, "numId")
		case "abstractNumId":
			for l := range 9 {
				at := "/" + strconv.Itoa(l)
				if f, ok := formats[attr(tag, "val")+at]; ok && len(d.lists.kinds) < 9*maxStyles {
					d.lists.kinds[num+at] = f
				}
			}
		}
		return nil
	})
}

// mark is what stands before the next item of a list.
func (l *lists) mark(list string, level int) string {
	indent := strings.Repeat("  ", level)
	kind := l.kinds[list+"/"+strconv.Itoa(level)]
	if kind == "" || kind == "bullet" || kind == "none" {
		return indent + "- "
	}
	c := l.counts[list]
	if c == nil {
		c = new([9]int)
		l.counts[list] = c
	}
	c[level]++
	clear(c[level+1:])
	return indent + strconv.Itoa(c[level]) + ". "
}

// readNotes reads the foot- and endnotes. Those that Word keeps for the lines
// between text and notes have a type.
func (d *word) readNotes() error {
	for _, kind := range []string{"footnote", "endnote"} {
		key := map[string]string{"endnote": "end"}[kind]
		err := d.pieces("word/"+kind+"s.xml", kind, func(tag xml.StartElement, text string) {
			if attr(tag, "type") == "" {
				d.notes[key+attr(tag, "id")] = text
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *word) readComments() error {
	return d.pieces("word/comments.xml", "comment", func(tag xml.StartElement, text string) {
		if who := attr(tag, "author"); who != "" {
			text = who + ": " + text
		}
		d.comments[attr(tag, "id")] = text
	})
}

// pieces reads a part of many short texts.
func (d *word) pieces(name, element string, keep func(tag xml.StartElement, text string)) (err error) {
	if d.links, err = d.targets(d.ctx, name); err != nil {
		return err
	}
	w, err := d.walk(d.ctx, name)
	if err != nil || w == nil {
		return err
	}
	n, size := 0, 0
	return w.each(func(tag xml.StartElement) error {
		if tag.Name.Local != element {
			return nil
		}
		var out sink
		if err := d.blocks(w, &out); err != nil {
			return err
		}
		text := strings.ReplaceAll(strings.TrimSpace(out.b.String()), "\n", " / ")
		text = strings.ToValidUTF8(text[:min(len(text), maxNote)], "")
		if n, size = n+1, size+len(text); n <= maxStyles && size <= maxText {
			keep(tag, text)
		}
		return nil
	})
}

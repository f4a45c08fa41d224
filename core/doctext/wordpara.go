package doctext

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"
)

// A paragraph is text with what goes round it.
type paragraph struct {
	d     *word
	b     strings.Builder
	props paraStyle
	open  []closing // marks that are open, the innermost last
}

// A closing is what is written when a tag ends.
type closing struct {
	depth int
	text  string
}

// paragraph reads the paragraph that was just begun.
func (d *word) paragraph(w *walker) (string, error) {
	p := &paragraph{d: d}
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		switch tag := t.(type) {
		case xml.StartElement:
			if err := p.begin(w, tag); err != nil {
				return "", err
			}
		case xml.EndElement:
			for n := len(p.open); n > 0 && w.depth < p.open[n-1].depth; n-- {
				p.b.WriteString(p.open[n-1].text)
				p.open = p.open[:n-1]
			}
		}
		if p.b.Len() > maxText {
			return "", errFull
		}
	}
	return p.text(), nil
}

// text is the paragraph with the marks of its kind.
func (p *paragraph) text() string {
	s := strings.TrimRight(p.b.String(), " \n")
	if s == "" {
		return ""
	}
	style := p.d.styles[p.props.style].under(p.props)
	if style.heading > 0 {
		return strings.Repeat("#", min(style.heading, 6)) + " " + strings.ReplaceAll(s, "\n", " ")
	}
	if style.list != "" && style.list != "0" {
		return p.d.lists.mark(style.list, style.level) + s
	}
	return s
}

func (p *paragraph) begin(w *walker, tag xml.StartElement) error {
	switch tag.Name.Local {
	case "t", "delText":
		return p.put(w.text(maxText))
	case "pPr":
		return p.readProps(w)
	case "rPr", "instrText", "delInstrText", "Fallback", "fldData", "binData":
		return w.skip()
	case "p", "tbl": // of a text box
		var box sink
		err := p.d.block(w, tag, &box)
		return p.put("\n"+box.b.String(), err)
	case "ins", "moveTo":
		p.mark(w, tag, "{++", "++}")
	case "del", "moveFrom":
		p.mark(w, tag, "{--", "--}")
	case "hyperlink":
		if to := p.d.links[relAttr(tag, "id")]; to != "" {
			p.b.WriteByte('[')
			p.open = append(p.open, closing{w.depth, "](" + to + ")"})
		}
	default:
		p.b.WriteString(p.sign(tag))
	}
	return nil
}

// sign is what stands for a tag that has no text within.
func (p *paragraph) sign(tag xml.StartElement) string {
	switch tag.Name.Local {
	case "tab":
		return "\t"
	case "br", "cr":
		return "\n"
	case "noBreakHyphen":
		return "-"
	case "footnoteReference":
		return p.d.note("footnote", attr(tag, "id"))
	case "endnoteReference":
		return p.d.note("endnote", attr(tag, "id"))
	case "commentReference":
		if text := p.d.comments[attr(tag, "id")]; text != "" {
			return "{>>" + text + "<<}"
		}
	case "docPr":
		return "[picture: " + cmp.Or(attr(tag, "descr"), attr(tag, "title"), attr(tag, "name")) + "]"
	}
	return ""
}

func (p *paragraph) put(text string, err error) error {
	p.b.WriteString(text)
	return err
}

// mark begins a tracked change.
func (p *paragraph) mark(w *walker, tag xml.StartElement, begin, end string) {
	const mostAuthors = 100
	if who := attr(tag, "author"); who != "" && len(p.d.authors) < mostAuthors {
		p.d.authors[who] = true
	}
	p.b.WriteString(begin)
	p.open = append(p.open, closing{w.depth, end})
}

// readProps reads the properties of the paragraph. What was tracked of them is
// no text.
func (p *paragraph) readProps(w *walker) error {
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return err
		}
		tag, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if tag.Name.Local == "rPr" || tag.Name.Local == "pPrChange" {
			if err := w.skip(); err != nil {
				return err
			}
			continue
		}
		p.props.take(tag)
	}
	return nil
}

// A paraStyle is what a style, or a paragraph itself, says about its kind.
type paraStyle struct {
	style   string // of a paragraph: its style; of a style: the one it is based on
	heading int    // 1 to 9; 0 for text
	list    string // id of its list
	level   int    // in the list, from 0
	levelOK bool
}

// take notes what one tag of properties says.
func (s *paraStyle) take(tag xml.StartElement) {
	val := attr(tag, "val")
	n, err := strconv.Atoi(val)
	switch tag.Name.Local {
	case "pStyle", "basedOn":
		s.style = val
	case "numId":
		s.list = val
	case "ilvl":
		if err == nil && n >= 0 && n < 9 {
			s.level, s.levelOK = n, true
		}
	case "outlineLvl":
		if err == nil && n >= 0 && n < 9 {
			s.heading = n + 1
		}
	}
}

// under is what holds for a paragraph of style s that says own of itself.
func (s paraStyle) under(own paraStyle) paraStyle {
	if own.heading == 0 {
		own.heading = s.heading
	}
	if own.list == "" {
		own.list = s.list
	}
	if !own.levelOK {
		own.level, own.levelOK = s.level, s.levelOK
	}
	return own
}

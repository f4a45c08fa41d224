package doctext

import (
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"strings"
)

// readSlides writes the text of each slide under a line that says which.
func readSlides(ctx context.Context, a *archive, out *sink) error {
	const main = "ppt/presentation.xml"
	links, err := a.targets(ctx, main)
	if err != nil {
		return err
	}
	w, err := a.must(ctx, main)
	if err != nil {
		return err
	}
	var slides []string
	err = w.each(func(tag xml.StartElement) error {
		if to := links[relAttr(tag, "id")]; tag.Name.Local == "sldId" && to != "" && len(slides) < maxStyles {
			slides = append(slides, to)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, to := range slides {
		if err := readSlide(ctx, a, resolve(main, to), fmt.Sprintf("--- slide %d of %d", i+1, len(slides)), out); err != nil {
			return err
		}
	}
	return nil
}

// resolve is the part that a relationship of another one leads to.
func resolve(from, to string) string {
	if strings.HasPrefix(to, "/") {
		return to
	}
	return path.Join(path.Dir(from), to)
}

func readSlide(ctx context.Context, a *archive, name, head string, out *sink) error {
	w, err := a.walk(ctx, name)
	if err != nil || w == nil {
		return err
	}
	var own sink
	hidden, err := shapes(w, &own)
	if err != nil {
		return err
	}
	if hidden {
		head += ", hidden"
	}
	if err := out.block(head + " ---\n" + own.b.String()); err != nil {
		return err
	}
	links, err := a.targets(ctx, name)
	if err != nil {
		return err
	}
	for _, to := range links {
		if !strings.Contains(to, "notesSlide") {
			continue
		}
		w, err := a.walk(ctx, resolve(name, to))
		if err != nil || w == nil {
			return err
		}
		var notes sink
		if _, err := shapes(w, &notes); err != nil {
			return err
		}
		if text := strings.TrimSpace(notes.b.String()); text != "" {
			return out.block("(notes: " + strings.ReplaceAll(text, "\n", " / ") + ")")
		}
	}
	return nil
}

// shapes writes the text of all shapes of a slide.
func shapes(w *walker, out *sink) (hidden bool, err error) {
	holder := "" // what kind of place the shape fills
	err = w.each(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "sld":
			hidden = attr(tag, "show") == "0"
		case "sp":
			holder = ""
		case "ph":
			holder = attr(tag, "type")
		case "cNvPr":
			if text := attr(tag, "descr"); text != "" {
				return out.block("[picture: " + text + "]")
			}
		case "tbl":
			text, err := slideTable(w)
			if err != nil {
				return err
			}
			return out.block(text)
		case "p":
			text, err := slideText(w)
			if err != nil || strings.TrimSpace(text) == "" || holder == "sldNum" || holder == "dt" {
				return err
			}
			if strings.HasSuffix(strings.ToLower(holder), "title") {
				text = "# " + text
			}
			return out.block(text)
		}
		return nil
	})
	return hidden, err
}

// slideText is one paragraph.
func slideText(w *walker) (string, error) {
	var b strings.Builder
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		tag, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch tag.Name.Local {
		case "t":
			text, err := w.text(maxText)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case "br":
			b.WriteByte('\n')
		case "pPr":
			if lvl := attr(tag, "lvl"); len(lvl) == 1 && lvl > "0" && lvl <= "8" {
				b.WriteString(strings.Repeat("  ", int(lvl[0]-'0')))
			}
		}
		if b.Len() > maxText {
			return "", errFull
		}
	}
	return b.String(), nil
}

func slideTable(w *walker) (string, error) {
	var rows [][]string
	size := 0
	err := w.within(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "tr":
			rows = append(rows, nil)
		case "tc":
			text, err := slideText(w)
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				rows[len(rows)-1] = append(rows[len(rows)-1], text)
			}
			if size += len(text); size > maxText {
				return errFull
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return tableText(rows), nil
}

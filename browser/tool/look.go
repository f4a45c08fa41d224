package tool

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
)

// snapshot reads the page as text with references.
func (d *deed) snapshot(ctx context.Context) error {
	d.took(d.tab)
	s, err := d.r.page(d.tab).Snapshot(ctx, page.SnapshotOptions{
		Interactive: d.in.Interactive, Depth: d.in.Depth, Scope: cmp.Or(d.in.Scope, d.in.Ref), Diff: d.in.Diff, URLs: d.in.Links, Budget: d.in.MaxChars,
	})
	if err != nil {
		return err
	}
	d.show(s)
	return nil
}

// show puts a snapshot into the result.
func (d *deed) show(s *page.Snapshot) {
	d.out.text = s.Text
	d.out.notes = append(d.out.notes, s.Notes...)
	if s.LeftOut > 0 {
		d.out.notes = append(d.out.notes, fmt.Sprintf("%d lines did not fit; ask for a part with scope, or for more with max_chars", s.LeftOut))
	}
	switch {
	case strings.TrimSpace(s.Text) == "":
		d.out.text = "The page shows nothing that can be read. It may still be loading: wait for a text of it, or take a screenshot."
	case s.Diff && strings.TrimSpace(s.Text) == "Nothing changed.":
		d.out.text = "Nothing on the page changed."
	case s.Diff:
		d.out.text = "What changed on the page:\n" + s.Text
	}
}

// look adds what is on the page now, or what changed on it, where that is
// wanted. That it cannot be read just now is a note: what was done is done.
func (d *deed) look(ctx context.Context) error {
	if !d.in.Snapshot || d.tab.Dialog() != nil {
		return nil
	}
	s, err := d.r.page(d.tab).Snapshot(ctx, page.SnapshotOptions{Diff: !d.moved, Interactive: d.in.Interactive, Budget: d.in.MaxChars})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		d.out.notes = append(d.out.notes, "the page could not be read after it: "+message(err))
	default:
		d.show(s)
	}
	return nil
}

// screenshot takes a picture of what is in view, of the page or of an element.
func (d *deed) screenshot(ctx context.Context) error {
	d.took(d.tab)
	o := browser.Shot{Full: d.in.FullPage}
	what := "what is in view"
	if d.in.FullPage {
		what = "the whole page"
	}
	if d.in.Ref != "" {
		box, err := d.r.page(d.tab).Box(ctx, d.in.Ref)
		if err != nil {
			return err
		}
		o.Clip, what = &browser.Box{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height}, d.in.Ref
	}
	p, err := d.tab.Screenshot(ctx, o)
	if err != nil {
		return err
	}
	name := d.in.Name
	if name == "" {
		name = "screenshot"
	}
	path, err := d.h.Save(ctx, d.call, name+ending(p.MIME), p.Data)
	if err != nil {
		return err
	}
	d.out.images = append(d.out.images, capability.Image{MIME: p.MIME, Data: p.Data})
	d.out.files = append(d.out.files, path)
	d.out.said = fmt.Sprintf("Took a picture of %s: %s, saved as %s.", what, p, path)
	if p.Scaled() {
		d.out.notes = append(d.out.notes, fmt.Sprintf("the picture is scaled: a place in it times %.3f is the place on the page", float64(p.WasW)/float64(p.Width)))
	}
	return nil
}

func ending(mime string) string {
	if mime == "image/jpeg" {
		return ".jpg"
	}
	return "." + strings.TrimPrefix(mime, "image/")
}

// pdf prints the page.
func (d *deed) pdf(ctx context.Context) error {
	d.took(d.tab)
	data, err := d.tab.PDF(ctx, browser.Print{Backgrounds: true})
	if err != nil {
		return err
	}
	name := d.in.Name
	if name == "" {
		name = "page"
	}
	path, err := d.h.Save(ctx, d.call, strings.TrimSuffix(name, ".pdf")+".pdf", data)
	if err != nil {
		return err
	}
	d.out.files = append(d.out.files, path)
	d.out.said = fmt.Sprintf("Printed the page as a PDF of %d kB: %s", (len(data)+999)/1000, path)
	return nil
}

// mostLines is how many messages or requests one call lists; the newest.
const mostLines = 60

// console lists what the page said on its console.
func (d *deed) console(context.Context) error {
	d.took(d.tab)
	list, total := d.tab.Console()
	var lines []string
	for _, m := range list {
		line := m.Level + ": " + m.Text
		if m.URL != "" {
			line += fmt.Sprintf(" (%s:%d)", m.URL, m.Line)
		}
		if strings.Contains(strings.ToLower(line), strings.ToLower(d.in.words())) {
			lines = append(lines, line)
		}
	}
	d.list(lines, total, "console message")
	return nil
}

// network lists what the page requested.
func (d *deed) network(context.Context) error {
	d.took(d.tab)
	list, total := d.tab.Network()
	var lines []string
	for _, r := range list {
		state := strconv.Itoa(r.Status)
		switch {
		case r.Error != "" && r.Status != 0: // it was answered, and the rest of the answer not taken
			state += ", then " + r.Error
		case r.Error != "":
			state = r.Error
		case r.Status == 0 && !r.Finished:
			state = "under way"
		}
		line := fmt.Sprintf("%s %s %s (%s, %d bytes, %d ms)", r.Method, r.URL, state, r.Type, r.Size, r.Took.Milliseconds())
		if strings.Contains(line, d.in.URL) {
			lines = append(lines, line)
		}
	}
	d.list(lines, total, "request")
	return nil
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// list shows the newest of some lines.
func (d *deed) list(lines []string, total int, of string) {
	d.out.said = count(total, of) + " in this tab."
	if d.in.words() != "" || d.in.URL != "" {
		d.out.said = fmt.Sprintf("%d of %s in this tab fit.", len(lines), count(total, of))
	}
	if n := len(lines) - mostLines; n > 0 {
		d.out.notes = append(d.out.notes, fmt.Sprintf("the newest %d are shown", mostLines))
		lines = lines[n:]
	}
	d.out.text = strings.Join(lines, "\n")
}

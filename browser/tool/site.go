package tool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/core/capability"
)

// cookies reads or changes the cookies of the page's site. A list has no values:
// what a login hangs on is shown only when it is asked for by its name.
func (d *deed) cookies(ctx context.Context) error {
	d.took(d.tab)
	switch d.in.op() {
	case "set":
		if err := d.tab.SetCookie(ctx, browser.Cookie{Name: d.in.Name, Value: d.in.Value}); err != nil {
			return err
		}
		d.out.said = "Set the cookie " + d.in.Name + "."
		return nil
	case "delete", "clear":
		name := d.in.Name
		if d.in.op() == "clear" {
			name = ""
		}
		n, err := d.tab.DeleteCookies(ctx, name)
		if err != nil {
			return err
		}
		d.out.said = "Deleted " + count(n, "cookie") + "."
		return nil
	}
	list, err := d.tab.Cookies(ctx, d.in.URL)
	if err != nil {
		return err
	}
	var lines []string
	for _, c := range list {
		switch {
		case d.in.Name == "":
			lines = append(lines, fmt.Sprintf("%s (%s%s, %s, %d characters)", c.Name, c.Domain, c.Path, life(c), utf8.RuneCountInString(c.Value)))
		case c.Name == d.in.Name:
			lines = append(lines, c.Name+" = "+c.Value)
		}
	}
	d.out.said = count(len(lines), "cookie") + "."
	d.out.text = strings.Join(lines, "\n")
	return nil
}

// life is how long a cookie stays and who may read it.
func life(c browser.Cookie) string {
	var words []string
	if c.Expires > 0 {
		words = append(words, "until "+time.Unix(int64(c.Expires), 0).UTC().Format(time.DateOnly))
	} else {
		words = append(words, "of this session")
	}
	if c.HTTPOnly {
		words = append(words, "not for scripts")
	}
	if c.Secure {
		words = append(words, "https only")
	}
	return strings.Join(words, ", ")
}

// mostStored is how many characters of a stored text a list shows.
const mostStored = 200

// storage reads or changes what the page has stored.
func (d *deed) storage(ctx context.Context) error {
	d.took(d.tab)
	area := browser.Local
	if d.in.Area == "session" {
		area = browser.Session
	}
	var err error
	switch d.in.op() {
	case "set":
		err, d.out.said = d.tab.SetStorage(ctx, area, d.in.Name, &d.in.Value), "Stored "+d.in.Name+"."
	case "delete":
		err, d.out.said = d.tab.SetStorage(ctx, area, d.in.Name, nil), "Deleted "+d.in.Name+"."
	case "clear":
		err, d.out.said = d.tab.ClearStorage(ctx, area), "Deleted all that the page had stored there."
	default:
		err = d.stored(ctx, area)
	}
	return err
}

func (d *deed) stored(ctx context.Context, area browser.Area) error {
	all, err := d.tab.Storage(ctx, area)
	if err != nil {
		return err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case d.in.Name == "":
			lines = append(lines, name+" = "+capability.CutText(all[name], mostStored))
		case name == d.in.Name:
			lines = append(lines, name+" = "+all[name])
		}
	}
	d.out.said = count(len(lines), "text") + " stored."
	d.out.text = strings.Join(lines, "\n")
	return nil
}

package page

import (
	"context"
	"fmt"
	"strings"
)

// submit is the act of sending the form that an element belongs to.
func (p *Page) submit(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	var got struct {
		word
		Fields []struct {
			cover
			Message string `json:"message"`
		} `json:"fields"`
	}
	err = e.call(ctx, &got, "submit", e.number)
	switch {
	case lost(err):
		return &Done{Text: "Sent the form of " + refOrPage(a.Ref) + ".", Left: true}, nil
	case err != nil:
		return nil, err
	case got.Why == "form":
		return nil, NoForm.Becausef("%s belongs to no form", refOrPage(a.Ref))
	case got.Why == "invalid":
		var list []string
		for _, f := range got.Fields {
			list = append(list, fmt.Sprintf("%v: %s", f.cover, clean(f.Message, 200)))
		}
		return nil, Invalid.Becausef("the form is not sent: %s", strings.Join(list, "; "))
	case got.Why != "":
		return nil, e.fail(got.word, a.Timeout)
	}
	return &Done{Text: "Sent the form of " + refOrPage(a.Ref) + "."}, nil
}

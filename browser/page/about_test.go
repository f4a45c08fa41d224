package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/browser/browsertest"
)

func TestAbout(t *testing.T) {
	p, _ := show(t, `<title>About</title>
<form action="https://pay.example/charge" method="post">
 <input name="action" aria-label="Shadow"><input id="getAttribute" aria-label="Another">
 <label>Number <input name="number" autocomplete="cc-number"></label>
 <button>Pay <b>now</b></button><button type="button">Later</button><button formaction="https://other.example/x">Elsewhere</button>
</form>
<form><label>Code <input autocomplete="one-time-code"></label><input type="submit" value="Go on"></form>
<form><label>Your code <input name="otp_code"></label></form>
<label>Password <input type="password"></label>
<a href="/next">Next</a>
<button aria-expanded="false">Menu</button>
<div role="button" tabindex="0">Do it</div>
<ul aria-label="Files"><li><a href="/x">x</a> <button>Delete</button></ul>
<div contenteditable role="textbox" aria-label="Note">note</div>`)
	ctx := background(t)
	const pay = "https://pay.example/charge"
	for what, want := range map[string]About{
		`button "Pay now"`:    {Role: "button", Name: "Pay now", Tag: "button", Type: "submit", Submit: true, Action: pay, PersonalForm: "card"},
		`button "Later"`:      {Role: "button", Name: "Later", Tag: "button", Type: "button", Action: pay, PersonalForm: "card"},
		`button "Elsewhere"`:  {Role: "button", Name: "Elsewhere", Tag: "button", Type: "submit", Submit: true, Action: "https://other.example/x", PersonalForm: "card"},
		`textbox "Number"`:    {Role: "textbox", Name: "Number", Tag: "input", Type: "text", Action: pay, Personal: "card", PersonalForm: "card"},
		`textbox "Code"`:      {Role: "textbox", Name: "Code", Tag: "input", Type: "text", Action: "self", Personal: "code", PersonalForm: "code"},
		`button "Go on"`:      {Role: "button", Name: "Go on", Tag: "input", Type: "submit", Submit: true, Action: "self", PersonalForm: "code"},
		`textbox "Your code"`: {Role: "textbox", Name: "Your code", Tag: "input", Type: "text", Action: "self", Personal: "code", PersonalForm: "code"},
		`textbox "Password"`:  {Role: "textbox", Name: "Password", Tag: "input", Type: "password", Password: true},
		`link "Next"`:         {Role: "link", Name: "Next", Tag: "a", Link: "http://a.example/next"},
		`button "Menu"`:       {Role: "button", Name: "Menu", Tag: "button", Type: "submit", Opener: true},
		`button "Do it"`:      {Role: "button", Name: "Do it", Tag: "div"},
		`list "Files"`:        {Role: "list", Name: "Files", Tag: "ul", Holds: "Delete"},
		`textbox "Note"`:      {Role: "textbox", Name: "Note", Tag: "div", Editable: true},
		`textbox "Shadow"`:    {Role: "textbox", Name: "Shadow", Tag: "input", Type: "text", Action: pay, PersonalForm: "card"},
	} {
		a, err := p.About(ctx, ref(t, p, what))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		want.URL = a.URL
		if want.Action == "self" {
			want.Action = a.URL
		}
		if d := cmp.Diff(want, *a); d != "" || !strings.HasPrefix(a.URL, "http://a.example/") || a.String() != what {
			t.Errorf("%s, as %s\n%s", what, a, d)
		}
	}
	if a, err := p.About(ctx, ""); err != nil || a != nil {
		t.Errorf("nothing has the focus, and it is %v, %v", a, err)
	}
	act(t, p, Act{Kind: "click", Ref: ref(t, p, `textbox "Password"`)})
	if a, err := p.About(ctx, ""); err != nil || a == nil || !a.Password {
		t.Errorf("the focus is on %v, %v", a, err)
	}
	if a, err := p.AboutPoint(ctx, 790, 590); err != nil || a != nil && a.Tag != "html" && a.Tag != "body" {
		t.Errorf("an empty place is %+v, %v", a, err)
	}
}

func TestAboutInFrames(t *testing.T) {
	inner := browsertest.Serve(t, "b.example", `<input aria-label="Inner" autofocus>`)
	p, _ := show(t, `<iframe src="`+inner+`"></iframe>`)
	ctx := background(t)
	r := ref(t, p, `textbox "Inner"`)
	a, err := p.About(ctx, r)
	if err != nil || a.URL != inner {
		t.Fatalf("%+v, %v", a, err)
	}
	act(t, p, Act{Kind: "click", Ref: r})
	if a, err = p.About(ctx, ""); err != nil || a == nil || a.Name != "Inner" {
		t.Errorf("the focus is on %+v, %v", a, err)
	}
	if a, err = p.AboutPoint(ctx, 50, 50); err != nil || a == nil || !a.Frame {
		t.Errorf("at the frame there is %+v, %v", a, err)
	}
}

func TestCaptcha(t *testing.T) {
	serve := func(host, path string) string {
		return browsertest.HandlePath(t, host, path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a test")) }))
	}
	seen := serve("www.google.com", "/recaptcha/api2/anchor")
	for html, want := range map[string]string{
		`<p>none</p>`: "",
		`<iframe src="` + seen + `?k=1" width=304 height=78></iframe>`:                                                       "reCAPTCHA",
		`<iframe src="` + seen + `?size=invisible" width=256 height=60></iframe>`:                                            "",
		`<iframe src="` + seen + `?k=1" width=304 height=78 style="visibility:hidden"></iframe>`:                             "",
		`<iframe src="` + seen + `?k=1" width=1 height=1></iframe>`:                                                          "",
		`<iframe src="` + seen + `?k=1" width=304 height=78></iframe><textarea name="g-recaptcha-response">token</textarea>`: "",
		`<iframe src="` + serve("newassets.hcaptcha.com", "/captcha/v1/x") + `" width=303 height=78></iframe>`:               "hCaptcha",
		`<iframe src="` + serve("challenges.cloudflare.com", "/turnstile/x") + `" width=300 height=65></iframe>`:             "Turnstile",
		`<iframe src="` + serve("www.google.com", "/maps") + `" width=300 height=65></iframe>`:                               "",
	} {
		p, _ := show(t, html)
		if got, err := p.Captcha(background(t)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", html, got, err, want)
		}
	}
}

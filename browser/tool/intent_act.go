package tool

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// intendAct finds out what an act would do to its element.
func (h *Host) intendAct(ctx context.Context, call capability.Call, in *input) (intent, error) {
	if in.Kind == "get" || in.Kind == "wait" || in.Kind == "scroll" {
		return intent{Preview: capability.Preview{Question: "Look at a page in the browser?", Summary: in.Kind, Effect: capability.EffectLook}}, nil
	}
	i, err := h.onElement(ctx, call, in)
	if err != nil {
		return i, err
	}
	i.weigh(in)
	h.weighSecret(&i, in)
	i.weighPersonal(in)
	if i.Effect != capability.EffectSend {
		return i, nil
	}
	return i, h.noCaptcha(ctx, call, in)
}

// weigh says how far the act goes.
func (i *intent) weigh(in *input) {
	use := func(verb string) { i.say("Use a web page?", verb+" "+i.about.String(), capability.EffectUse) }
	switch in.Kind {
	case "click", "double_click", "click_coords":
		i.weighClick("click")
	case "fill", "type":
		i.weighWords(in)
	case "press":
		i.weighKey(in.Key)
	case "submit":
		i.send("send the form of " + i.about.String())
	case "select":
		use("choose " + strings.Join(in.Values, ", ") + " in")
	case "check":
		if in.Checked != nil && !*in.Checked {
			use("uncheck")
			return
		}
		use("check")
	case "drag":
		use("drag")
	default:
		use(in.Kind)
	}
}

func (i *intent) say(question, what string, effect capability.Effect) {
	i.Question, i.Summary, i.Effect = question, what+" on "+where(i.URL), effect
}

// send is an act that makes the page send something, to where its form says.
func (i *intent) send(what string) {
	from := i.URL
	if to := i.about.Action; to != "" && hostOf(to) != "" {
		i.URL = to
	}
	i.Question, i.Effect = "Send something to a web page?", capability.EffectSend
	i.Summary = what + " on " + where(from)
	if hostOf(from) != hostOf(i.URL) {
		i.Warnings = append(i.Warnings, "The form on "+where(from)+" is sent to "+where(i.URL)+", another host.")
	}
	if strings.HasPrefix(i.URL, "http:") && strings.HasPrefix(from, "https:") {
		i.Warnings = append(i.Warnings, "It is sent without encryption.")
	}
}

func (i *intent) weighClick(verb string) {
	if presses(i.about) {
		what := verb + " " + i.about.String()
		if i.about.Holds != "" {
			what += ", which holds the button " + strconv.QuoteToGraphic(i.about.Holds)
		}
		i.send(what)
		return
	}
	i.say("Use a web page?", verb+" "+i.about.String(), capability.EffectUse)
}

// weighWords is about words that are put into a page. With Enter after them, or
// in them, they are sent.
func (i *intent) weighWords(in *input) {
	text := in.words()
	what := "type " + strconv.QuoteToGraphic(capability.CutText(text, 300)) + " into " + i.about.String()
	if in.Secret != "" {
		what = "type the secret " + secretName(in.Secret) + " into " + i.about.String()
	}
	if in.Submit || in.Kind == "type" && strings.ContainsAny(text, "\r\n") {
		i.send(what + " and press Enter")
		return
	}
	i.say("Type into a web page?", what, capability.EffectEnter)
}

// weighKey is about a key. Enter sends forms and presses buttons, as the space
// bar does; what writes a character counts as words.
func (i *intent) weighKey(key string) {
	parts := strings.Split(strings.ToLower(strings.TrimSpace(key)), "+")
	last := parts[len(parts)-1]
	switch {
	case last == "enter", last == "return", last == "numpadenter":
		i.weighEnter()
	case (last == "space" || last == " ") && presses(i.about) && i.about.Role != "page":
		i.send("press " + i.about.String())
	case len(parts) == 1 && len([]rune(last)) == 1:
		i.say("Type into a web page?", "press "+key+" in "+i.about.String(), capability.EffectEnter)
	default:
		i.say("Use a web page?", "press "+key+" in "+i.about.String(), capability.EffectUse)
	}
}

func (i *intent) weighEnter() {
	if i.about.Link != "" && !presses(i.about) {
		i.say("Use a web page?", "press Enter on "+i.about.String(), capability.EffectUse)
		return
	}
	i.send("press Enter in " + i.about.String())
}

// weighSecret is about a secret that is typed: freely where the owner has tied
// it to the host, else only when a person agrees to this very use.
func (h *Host) weighSecret(i *intent, in *input) {
	if in.Secret == "" {
		return
	}
	u, err := url.Parse(i.about.URL)
	if err == nil && u.Scheme == "https" || err == nil && u.Scheme == "http" {
		if tied := h.Settings().Tied; tied != nil && tied(secretName(in.Secret), u.Hostname(), portOf(u)) {
			if i.Effect == capability.EffectEnter {
				i.Effect = capability.EffectUse
			}
			return
		}
	}
	i.Question, i.Effect, i.Alone = "Type a secret into a web page?", capability.EffectSend, true
	if i.about.URL != "" {
		i.URL = i.about.URL
	}
	if !i.about.Password {
		i.Warnings = append(i.Warnings, "The field is none for passwords: what is typed can be seen.")
	}
	if err == nil && u.Scheme != "https" {
		i.Warnings = append(i.Warnings, "The page came without encryption.")
	}
}

func portOf(u *url.URL) int {
	if n, err := strconv.Atoi(u.Port()); err == nil {
		return n
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}

// secretName is the name of a secret in its reference.
func secretName(reference string) string { return strings.TrimPrefix(reference, "keyring:") }

// weighPersonal stops where a page wants what only a person should give: each
// such act is agreed to alone.
func (i *intent) weighPersonal(in *input) {
	wants := i.about.Personal
	if wants == "" && i.Effect == capability.EffectSend {
		wants = i.about.PersonalForm
	}
	if wants == "" || i.Effect != capability.EffectEnter && i.Effect != capability.EffectSend && in.Secret == "" {
		return
	}
	i.Question, i.Effect, i.Alone = "Send something to a web page?", capability.EffectSend, true
	switch wants {
	case "code":
		i.Warnings = append(i.Warnings, "The page asks for a code that was sent to you: it lets someone in as you.")
	case "card":
		i.Destructive = true
		i.Warnings = append(i.Warnings, "The page asks for a payment card: this may pay something.")
	}
}

// noCaptcha fails where the page shows a test for people: it is not ours to pass.
func (h *Host) noCaptcha(ctx context.Context, call capability.Call, in *input) error {
	r, t, err := h.tab(ctx, call, in)
	if err != nil {
		return err
	}
	name, err := r.page(t).Captcha(ctx)
	switch {
	case err != nil:
		return explained(t, err)
	case name != "":
		return needsPerson.Becausef("the page shows %s, a test for people, which is not passed yet", name)
	}
	return nil
}

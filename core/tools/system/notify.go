package system

import (
	"context"
	"strings"
	"unicode"

	"github.com/hobkin/hobkin/core/capability"
)

var noNotifier = &capability.Failure{
	Code: "no_notifier",
	When: "this machine shows no notifications",
	Try:  "say it in the conversation instead; the owner can install a notification server, such as xfce4-notifyd, dunst or mako",
}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        "notify",
		Aliases:     []string{"Notify"},
		Title:       "Show a notification",
		Description: "Shows a notification on the desktop. A click on it opens the conversation; a button sends its text as an answer there.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when the person should hear of something while not looking: long work is done, a job found something; not for ordinary answers",
			Examples: []capability.Example{
				{When: "long work is done", In: notifyIn{Title: "The build is done", Body: "All 214 tests passed."}},
				{When: "something cannot wait", In: notifyIn{Title: "The disk is nearly full", Body: "2 % is left on /home.", Urgency: "critical", Actions: []string{"Show large files", "Ignore"}}},
			},
			Fails: []*capability.Failure{noNotifier},
		},
	}, (*Host).notify)
}

type notifyIn struct {
	Title   string   `json:"title" min:"1" max:"200" jsonschema:"what it is about, in a few words"`
	Body    string   `json:"body,omitempty" max:"2000" jsonschema:"a sentence or two, plain text"`
	Urgency string   `json:"urgency,omitempty" enum:"low,normal,critical" default:"normal" jsonschema:"how much it may disturb"`
	Actions []string `json:"actions,omitempty" max:"3" jsonschema:"texts of buttons, a few words each"`
}

// A Notification is a message on the desktop. Its texts are plain, without
// control characters; only Body may have several lines.
type Notification struct {
	Session string // is opened by a click
	Title   string
	Body    string
	Urgency string // low, normal or critical
	Actions []string
}

func (h *Host) notify(ctx context.Context, call capability.Call, in notifyIn) (capability.Result, error) {
	n := Notification{Session: call.Turn.Session, Title: onLine(in.Title), Body: plain(in.Body), Urgency: in.Urgency}
	if n.Urgency == "" {
		n.Urgency = "normal"
	}
	for _, a := range in.Actions {
		if a = capability.CutText(onLine(a), 60); a != "" {
			n.Actions = append(n.Actions, a)
		}
	}
	switch {
	case n.Title == "":
		return capability.Result{}, capability.BadInput.Becausef("/title: it is empty")
	case h.Notifier == nil:
		return capability.Result{}, noNotifier.Becausef("no notification server answers here")
	}
	if err := h.Notifier.Notify(ctx, n); err != nil {
		return capability.Result{}, noNotifier.Becausef("the notification was not shown: %v", err)
	}
	return capability.Result{Text: "The notification is shown.", Summary: n.Title}, nil
}

// plain is text without what moves, hides or controls; line ends stay.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
}

// onLine is plain text on one line.
func onLine(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

package system

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

var (
	noDesktop    = &capability.Failure{Code: "no_desktop", When: "Hobkin runs without a desktop", Try: "put the text into a file, or say it in the conversation"}
	noClipboard  = &capability.Failure{Code: "no_clipboard", When: "the clipboard cannot be reached", Try: "tell the owner to install wl-clipboard on Wayland, xclip or xsel on X11"}
	notText      = &capability.Failure{Code: "not_text", When: "the clipboard holds no text", Try: "ask the owner to copy the text again"}
	tooMuchClips = &capability.Failure{Code: "too_long", When: "the text is longer than a megabyte", Try: "put it into a file"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:        "clipboard",
		Title:       "Use the clipboard",
		Description: "Reads the text on the desktop's clipboard, or puts a text there.",
		Class:       capability.Exec,
		Category:    capability.CategorySystem,
		Deferrable:  true,
		OwnerData:   true,
		Hints:       capability.Hints{ReadOnly: capability.No, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when the person says that something is on the clipboard, or wants a text there to paste it elsewhere; never to look around: it may hold a password",
			Examples: []capability.Example{
				{When: "the user says: use what I have copied", In: clipboardIn{Action: "read"}},
				{When: "the user wants to paste an answer", In: clipboardIn{Action: "write", Text: "Dear Ms Roe,"}},
			},
			Fails: []*capability.Failure{noDesktop, noClipboard, notText, tooMuchClips},
		},
	}, (*Host).clipboard, (*Host).previewClipboard)
}

type clipboardIn struct {
	Action string `json:"action" enum:"read,write" jsonschema:"read it, or write text to it"`
	Text   string `json:"text,omitempty" jsonschema:"the text to put there"`
}

func (in *clipboardIn) check() error {
	switch {
	case in.Action == "read" && in.Text != "":
		return capability.BadInput.Becausef("/text: it is only for write")
	case in.Action == "write" && in.Text == "":
		return capability.BadInput.Becausef("/text: it is empty")
	case len(in.Text) > maxClip:
		return tooMuchClips.Becausef("the text has %d bytes", len(in.Text))
	}
	return nil
}

func (h *Host) previewClipboard(_ context.Context, _ capability.Call, in clipboardIn) (capability.Preview, error) {
	if err := in.check(); err != nil {
		return capability.Preview{}, err
	}
	if in.Action == "read" {
		return capability.Preview{Question: "Read the clipboard?", Summary: "What you have copied is given to the model."}, nil
	}
	return capability.Preview{
		Question: "Write to the clipboard?", Summary: in.Text,
		Warnings: []string{"What is on the clipboard now is replaced."},
	}, nil
}

func (h *Host) clipboard(ctx context.Context, _ capability.Call, in clipboardIn) (capability.Result, error) {
	if err := in.check(); err != nil {
		return capability.Result{}, err
	}
	env := h.desktop()
	argv, err := clipboardProgram(env, in.Action == "write")
	if err != nil {
		return capability.Result{}, err
	}
	res, err := helper(ctx, env, argv, in.Text)
	switch {
	case ctx.Err() != nil:
		return capability.Result{}, ctx.Err()
	case err != nil:
		return capability.Result{}, noClipboard.Becausef("%s: %v", argv[0], err)
	case res.ExitCode != 0:
		return capability.Result{}, clipboardRefused(argv[0], res.Stderr.String())
	}
	if in.Action == "write" {
		return capability.Result{Text: fmt.Sprintf("%d characters are on the clipboard.", len([]rune(in.Text))), Summary: "written"}, nil
	}
	text := res.Stdout.String()
	switch {
	case res.Stdout.Total() > maxClip:
		return capability.Result{}, tooMuchClips.Becausef("the clipboard holds %d bytes", res.Stdout.Total())
	case text == "":
		return capability.Result{}, notText.Becausef("the clipboard is empty")
	case strings.ContainsRune(text, 0), strings.ContainsRune(text, '\ufffd'):
		return capability.Result{}, notText.Becausef("the clipboard holds %d bytes that are no text", res.Stdout.Total())
	}
	return capability.Result{Text: text, Summary: fmt.Sprintf("%d characters", len([]rune(text))), Untrusted: true}, nil
}

// clipboardRefused says why a program did not do it.
func clipboardRefused(program, said string) error {
	for _, words := range []string{"not available", "No selection", "No suitable type", "Nothing is copied", "no owner"} {
		if strings.Contains(said, words) {
			return notText.Becausef("the clipboard holds no text")
		}
	}
	return noClipboard.Becausef("%s said: %s", program, capability.CutText(onLine(said), 300))
}

// clipboards are the programs that reach the clipboard, the best first, each
// with the variable that it needs.
var clipboards = []struct {
	needs       string
	read, write []string
}{
	{"WAYLAND_DISPLAY", []string{"wl-paste", "--no-newline", "--type", "text"}, []string{"wl-copy", "--type", "text/plain"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-out"}, []string{"xclip", "-selection", "clipboard", "-in"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--output"}, []string{"xsel", "--clipboard", "--input"}},
}

// clipboardProgram finds the program for this desktop.
func clipboardProgram(env []string, write bool) (argv []string, err error) {
	switch runtime.GOOS {
	case "darwin":
		if write {
			return []string{"/usr/bin/pbcopy"}, nil
		}
		return []string{"/usr/bin/pbpaste"}, nil
	case "windows":
		const utf8 = "[Console]::InputEncoding=[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);"
		if write {
			return []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command", utf8 + "Set-Clipboard -Value ([Console]::In.ReadToEnd())"}, nil
		}
		return []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command", utf8 + "[Console]::Out.Write((Get-Clipboard -Raw))"}, nil
	}
	there := false
	for _, c := range clipboards {
		if valueOf(env, c.needs) == "" {
			continue
		}
		there = true
		argv := c.read
		if write {
			argv = c.write
		}
		if path := installed(env, argv[0]); path != "" {
			return append([]string{path}, argv[1:]...), nil
		}
	}
	if !there {
		return nil, noDesktop.Becausef("there is neither Wayland nor X11 here (WAYLAND_DISPLAY and DISPLAY are not set)")
	}
	return nil, noClipboard.Becausef("no program that reaches the clipboard is installed")
}

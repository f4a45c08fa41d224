package system

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

var (
	notOpened = &capability.Failure{Code: "not_opened", When: "the desktop has no program for it, or did not open it", Try: "tell the owner where it is; they can open it themselves"}
	runsCode  = &capability.Failure{Code: "runs_code", When: "opening the file could run it", Try: "show what is in it with file_read; the owner can open it themselves"}
	notHere   = &capability.Failure{Code: "not_found", When: "there is no such file or folder", Try: "look for it with list_dir"}
	badURL    = &capability.Failure{Code: "bad_url", When: "the address is not one of https", Try: "use a full address that begins with https://"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:        "open_path",
		Title:       "Open on the desktop",
		Description: "Opens a file or folder, or an https address, with the program that the desktop has for it, in a window for the person.",
		Class:       capability.Exec,
		Category:    capability.CategorySystem,
		Deferrable:  true,
		Hints:       capability.Hints{ReadOnly: capability.No, OpenWorld: capability.Yes},
		Docs: capability.Docs{
			When: "when the person wants to see something in its own program; not to read it yourself, and never programs or scripts",
			Examples: []capability.Example{
				{When: "the user wants to look at the report", In: openIn{Target: "report.pdf"}},
				{When: "the user wants a page in their browser", In: openIn{Target: "https://go.dev/doc/"}},
			},
			Fails: sandbox.Failures(noDesktop, notOpened, runsCode, notHere, badURL),
		},
	}, (*Host).open, (*Host).previewOpen)
}

type openIn struct {
	Target string `json:"target" min:"1" max:"4000" jsonschema:"a path, absolute or relative to the workspace, or an address that begins with https://"`
}

// A target is what is to be opened: an address or a path.
type target struct{ url, path string }

func (h *Host) previewOpen(_ context.Context, call capability.Call, in openIn) (capability.Preview, error) {
	t, err := h.target(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	if t.url != "" {
		return capability.Preview{Question: "Open a page in your browser?", URL: t.url, Warnings: []string{"Your browser sends the cookies that it has for this address."}}, nil
	}
	return capability.Preview{Question: "Open a file or folder on the desktop?", Summary: t.path, Paths: []capability.PathUse{{Path: t.path}}}, nil
}

// target judges what is to be opened.
func (h *Host) target(call capability.Call, in openIn) (t target, err error) {
	if strings.Contains(in.Target, "://") {
		u, err := url.Parse(in.Target)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsFunc(in.Target, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return t, badURL.Becausef("%s is no address of https without a name and a password in it", capability.CutText(onLine(in.Target), 200))
		}
		return target{url: u.String()}, nil
	}
	path, err := h.Paths.Judge(call.Turn, in.Target, sandbox.Read)
	if err != nil {
		return t, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, notHere.Becausef("there is no %s", path)
	case err != nil:
		return t, sandbox.NoAccess.Becausef("the system does not let this user look at %s", path)
	case !info.IsDir() && !info.Mode().IsRegular():
		return t, runsCode.Becausef("%s is neither a file nor a folder", path)
	}
	if why := runs(path, info); why != "" {
		return t, runsCode.Becausef("%s %s", path, why)
	}
	return target{path: path}, nil
}

// programs are the ends of the names of files that desktops run or install when
// they are opened.
var programs = []string{
	".desktop", ".appimage", ".run", ".sh", ".bash", ".zsh", ".fish", ".csh", ".py", ".pyw", ".pl", ".rb", ".lua", ".tcl", ".php", ".jar", ".jnlp", ".class",
	".exe", ".com", ".bat", ".cmd", ".ps1", ".psm1", ".vbs", ".vbe", ".js", ".jse", ".wsf", ".wsh", ".hta", ".scr", ".pif", ".cpl", ".msi", ".msp", ".msix", ".appx", ".reg", ".inf",
	".lnk", ".url", ".website", ".webloc", ".scf", ".library-ms", ".search-ms", ".chm", ".application", ".settingcontent-ms",
	".app", ".command", ".tool", ".terminal", ".workflow", ".action", ".scpt", ".scptd", ".applescript", ".pkg", ".mpkg", ".dmg", ".prefpane", ".fileloc", ".inetloc",
	".deb", ".rpm", ".flatpak", ".flatpakref", ".snap", ".service", ".directory", ".kdesktop",
}

// magics begin files that are programs or scripts.
var magics = [][]byte{
	[]byte("#!"), []byte("\x7fELF"), []byte("MZ"), []byte("\xcf\xfa\xed\xfe"), []byte("\xce\xfa\xed\xfe"), []byte("\xca\xfe\xba\xbe"), []byte("[Desktop Entry]"),
}

// runs says why opening a file could run it; empty when it could not.
func runs(path string, info fs.FileInfo) string {
	const anyone = 0o111
	switch {
	case slices.Contains(programs, strings.ToLower(strings.TrimRight(filepath.Ext(strings.TrimRight(path, ". ")), ". "))):
		return "is a program, a starter or a script by its name"
	case info.IsDir():
		return ""
	case runtime.GOOS != "windows" && info.Mode()&anyone != 0:
		return "may be run as a program"
	}
	f, err := os.Open(path)
	if err != nil {
		return "cannot be looked into"
	}
	defer func() { _ = f.Close() }()
	const enough = 64
	head := make([]byte, enough)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "cannot be looked into"
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	if slices.ContainsFunc(magics, func(m []byte) bool { return bytes.HasPrefix(head, m) }) {
		return "is a program, a starter or a script by what is in it"
	}
	return ""
}

func (h *Host) open(ctx context.Context, call capability.Call, in openIn) (capability.Result, error) {
	t, err := h.target(call, in) // again: it may have changed
	if err != nil {
		return capability.Result{}, err
	}
	what := t.path
	if t.url != "" {
		what = t.url
	}
	env := h.desktop()
	argv, err := opener(env, what)
	if err != nil {
		return capability.Result{}, err
	}
	res, err := helper(ctx, env, argv, "")
	switch {
	case ctx.Err() != nil:
		return capability.Result{}, ctx.Err()
	case err != nil:
		return capability.Result{}, notOpened.Becausef("%s: %v", argv[0], err)
	case res.ExitCode != 0:
		return capability.Result{}, notOpened.Becausef("the desktop did not open it: %s", capability.CutText(onLine(res.Stderr.String()), 300))
	}
	return capability.Result{Text: what + " is open on the desktop.", Summary: what}, nil
}

// patient starts a program and waits two seconds whether it fails. Some desktops
// make it the very window that was opened, which stays.
const patient = `trap 'exit 0' USR1; (sleep 2; kill -s USR1 $$) & t=$!; "$@" & wait $!; code=$?; kill $t; exit $code`

// opener is what opens something on this desktop.
func opener(env []string, what string) (argv []string, err error) {
	switch runtime.GOOS {
	case "darwin":
		return []string{"/usr/bin/open", "--", what}, nil
	case "windows":
		return []string{filepath.Join(valueOf(env, "SystemRoot"), "System32", "rundll32.exe"), "url.dll,FileProtocolHandler", what}, nil
	}
	if valueOf(env, "WAYLAND_DISPLAY") == "" && valueOf(env, "DISPLAY") == "" {
		return nil, noDesktop.Becausef("there is neither Wayland nor X11 here (WAYLAND_DISPLAY and DISPLAY are not set)")
	}
	path := installed(env, "xdg-open")
	if path == "" {
		return nil, noDesktop.Becausef("xdg-open is not installed").Trying("tell the owner to install xdg-utils, or where the file is")
	}
	return []string{"/bin/sh", "-c", patient, "sh", path, what}, nil
}

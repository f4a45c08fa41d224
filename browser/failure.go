package browser

import (
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
)

// The ways that browsing fails on purpose, beside those of finding and starting
// a browser and those of the guard.
var (
	Gone              = &capability.Failure{Code: "browser_gone", When: "the browser ended or hung in the middle of the call", Try: "do it again: the browser starts anew, with its tabs"}
	CoolingDown       = &capability.Failure{Code: "browser_cooling_down", When: "the browser failed several times in a row", Try: "wait as long as it says; hobkin doctor tells what is wrong"}
	Stopped           = &capability.Failure{Code: "browser_stopped", When: "Hobkin is closing the browser for good", Try: "do not go on with the browser"}
	NoTab             = &capability.Failure{Code: "no_tab", When: "no tab has that id, or none is open", Try: "list the tabs and use an id from the list, or open a page"}
	TabGone           = &capability.Failure{Code: "tab_gone", When: "the tab was closed, by its page or to make room", Try: "list the tabs, or open the page again"}
	DialogOpen        = &capability.Failure{Code: "dialog_open", When: "the page shows a dialog and can do nothing else", Try: "answer it with the action dialog first"}
	NoDialog          = &capability.Failure{Code: "no_dialog", When: "no dialog is open in the tab", Try: "go on; there is nothing to answer"}
	Crashed           = &capability.Failure{Code: "page_crashed", When: "the page's process died, often for lack of memory", Try: "reload it once; if it dies again, leave the page"}
	Unresponsive      = &capability.Failure{Code: "page_unresponsive", When: "the page computes without an end and answers nothing", Try: "reload the page, or leave it"}
	NavigationBlocked = &capability.Failure{Code: "navigation_blocked", When: "the address leads to this machine, an internal network or another place that is not opened", Try: "use a public address; only the owner can open a host of their own, in the settings under [browser] allow_hosts"}
	ReadBlocked       = &capability.Failure{Code: "read_blocked", When: "the page is of a kind or place that is not read", Try: "open another page"}
	NavigationFailed  = &capability.Failure{Code: "navigation_failed", When: "the page could not be loaded", Try: "check the address; try again later"}
	NavigationTimeout = &capability.Failure{Code: "navigation_timeout", When: "the server sent no page in time", Try: "try again later, or use another source"}
	RedirectLoop      = &capability.Failure{Code: "redirect_loop", When: "the page leads on to others without an end", Try: "open the page that it should lead to"}
	NoHistory         = &capability.Failure{Code: "no_history", When: "there is no page to go back or forward to", Try: "open the address itself"}
	TooLarge          = &capability.Failure{Code: "page_too_large", When: "what was asked for does not fit in the bounds", Try: "ask for a part: one element, or the part in view"}
	ScriptFailed      = &capability.Failure{Code: "script_failed", When: "the script threw an error or gave nothing that can be passed on", Try: "correct the script; return plain values"}
	NotAttachedHere   = &capability.Failure{Code: "not_in_own_browser", When: "this is not done in the person's own browser", Try: "use a profile of Hobkin's own"}
	AttachFailed      = &capability.Failure{Code: "attach_failed", When: "the person's own browser cannot be reached", Try: "start it with --remote-debugging-port=9222 and a --user-data-dir of its own, and allow the connection"}
	NoFileChooser     = &capability.Failure{Code: "no_file_chooser", When: "the act opened no dialog for files", Try: "act on the element that asks for a file"}
	BadFile           = &capability.Failure{Code: "bad_file", When: "a file to be uploaded is not there", Try: "give the whole path of a file that exists"}
)

// Failures lists every way that this package fails on purpose.
func Failures() []*capability.Failure {
	own := []*capability.Failure{
		Gone, CoolingDown, Stopped, NoTab, TabGone, DialogOpen, NoDialog, Crashed, Unresponsive, NavigationBlocked, ReadBlocked,
		NavigationFailed, NavigationTimeout, RedirectLoop, NoHistory, TooLarge, ScriptFailed, NotAttachedHere, AttachFailed, NoFileChooser, BadFile,
	}
	own = append(own, chromium.Failures()...)
	return append(own, netguard.BadURL, netguard.BadScheme, netguard.CredentialsInURL, netguard.NotFound, netguard.Unreachable)
}

package tool

import "github.com/hobkin/hobkin/core/capability"

// The failures of the tool itself; those of the browser, of its pages, of the
// network and of paths are declared where they happen.
var (
	badForm     = &capability.Failure{Code: "bad_form", When: "the action or kind of act does not exist, or lacks what it needs", Try: "send the form that the message shows"}
	switchedOff = &capability.Failure{Code: "browser_off", When: "the browser is switched off in the settings", Try: "tell the owner, who can switch it on under [browser] enabled; web_fetch reads pages without one"}
	pageChanged = &capability.Failure{Code: "page_changed", When: "the page changed after the call was agreed to, so that it would do something else now", Try: "take a snapshot and send the call again"}
	needsPerson = &capability.Failure{Code: "needs_person", When: "the page shows a test for people (a CAPTCHA)", Try: `ask the person to pass it: in a window, {"action":"start","window":true}, they can see it; then go on`}
	noSecret    = &capability.Failure{Code: "no_secret", When: "no secret of that name can be read", Try: "ask the owner to store it with: hobkin secrets set NAME"}
	notAttached = &capability.Failure{Code: "not_attached", When: "the person's own browser is not set up to be steered", Try: "use another profile; the owner can set [browser] attached_port"}
	noDownload  = &capability.Failure{Code: "no_download", When: "nothing was downloaded", Try: "look at the page with a snapshot: it may want something first, or show the file instead"}
	tooMuch     = &capability.Failure{Code: "too_big", When: "the files to be uploaded have more than 1 GiB together", Try: "upload less at once"}
)

package chromium

import "github.com/hobkin/hobkin/core/capability"

// The ways a browser cannot be had. Each names what is wrong and what helps.
var (
	NotFound      = &capability.Failure{Code: "browser_not_found", When: "no Chromium is installed, or not where it is looked for", Try: installAdvice}
	TooOld        = &capability.Failure{Code: "browser_too_old", When: "the browser is of a version that cannot be driven", Try: "update the browser, or set [browser] path to a newer one"}
	NoSandbox     = &capability.Failure{Code: "browser_no_sandbox", When: "the system lets the browser make no sandbox for its pages", Try: sandboxAdvice}
	NoDisplay     = &capability.Failure{Code: "browser_no_display", When: "a browser with a window was asked for and there is no display", Try: "use a profile without a window, such as headless"}
	ProfileLocked = &capability.Failure{Code: "profile_locked", When: "another program uses the browser profile", Try: "close that browser, or use another profile"}
	BadProfile    = &capability.Failure{Code: "bad_profile", When: "the profile's name or folder cannot be used", Try: "use a name of letters, digits, - and _, at most 64"}
	StartFailed   = &capability.Failure{Code: "browser_start_failed", When: "the browser ended or fell silent while it started", Try: "run the browser by hand to see its message; hobkin doctor tells more"}
)

const (
	installAdvice = "install it (Debian, Ubuntu: sudo apt install chromium; Fedora: sudo dnf install chromium; macOS: brew install --cask chromium; Windows: winget install Google.Chrome), or name the program in the settings under [browser] path"
	sandboxAdvice = "install the package chromium-sandbox, or allow unprivileged user namespaces (Ubuntu: an AppArmor profile for the browser); only as a last resort set [browser] no_sandbox"
)

// Failures lists every way that this package fails on purpose.
func Failures() []*capability.Failure {
	return []*capability.Failure{NotFound, TooOld, NoSandbox, NoDisplay, ProfileLocked, BadProfile, StartFailed}
}

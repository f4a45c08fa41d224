package permission

import (
	"regexp"
	"runtime"
	"slices"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
)

// onWindows says that command lines go to a shell that is not read here.
const onWindows = runtime.GOOS == "windows"

// Windows shells are not parsed: their lines always ask, and what the floor
// forbids is looked for in the text.
var (
	windowsWipes   = lazy.Regexp(`(?i)\b(rd|rmdir|del|erase|remove-item|ri|rm)\b[^|;&\n]*?(\s|["'])([a-z]:\\?|%userprofile%|%homepath%|%systemroot%|\$home|\$env:userprofile|\$env:systemroot|~|[a-z]:\\(users|windows)(\\[^\\\s"']*)?)(\\?\*(\.\*)?)?\\?["']?(\s|$)`)
	windowsFormats = lazy.Regexp(`(?i)(^|[|;&\n]\s*)(format(\.com)?\s+[a-z]:|format-volume|clear-disk|initialize-disk|diskpart\b|cipher\s+/w)`)
	windowsPower   = lazy.Regexp(`(?i)(^|[|;&\n]\s*)(stop-computer|restart-computer|shutdown(\.exe)?\s+[-/][srpgh])`)
	windowsKeys    = lazy.Regexp(`(?i)(\\|/)\.(ssh|aws|gnupg|kube|docker)(\\|/|\b)|cmdkey\s+/list|vaultcmd|reg(\.exe)?\s+save\s+hklm\\(sam|security|system)`)
	windowsHides   = lazy.Regexp(`(?i)(powershell|pwsh)(\.exe)?\b.*\s[-/]e(n(c(o(d(e(d(c(o(m(m(a(n(d)?)?)?)?)?)?)?)?)?)?)?)?)?\s|\biex\b|invoke-expression|frombase64string|\$psdefaultparametervalues`)
	windowsPath    = lazy.Regexp(`(^|[\s"'=])(\\\\[^\s\\]|\\\?\?\\|//[^/\s]+/[^/\s])`)
	bindsLoopback  = lazy.Regexp(`(?i)^[^;&|\n]*(http\.server|\bphp\b.*\s-S\s)[^;&|\n]*(127\.0\.0\.1|localhost|::1)[^;&|\n]*$`)
	downloadAndRun = lazy.Regexp(`(?is)\b(curl|wget|fetch|iwr|invoke-webrequest)\b.*\|\s*(sudo\s+)?(ba|z|da|k)?sh\b|base64\s+(-d|-D|--decode)[^|;]*\|\s*(sudo\s+)?(ba|z|da|k)?sh\b`)
	listens        = lazy.Regexp(`(?i)\bhttp\.server\b|SimpleHTTPServer|\bphp\b.*\s-S\s|\bn(c|cat|etcat)\b.*\s-\w*l|TCP-LISTEN|\bngrok\b|cloudflared\s+tunnel|\bssh\b.*\s-\w*R\s|0\.0\.0\.0`)
)

// foreign adds what the text shows that its parts do not.
func (a *Analysis) foreign(line string) {
	line = capability.CutText(line, maxLine)
	a.windows(line, onWindows)
	if downloadAndRun().MatchString(line) {
		a.unknown("it runs text from elsewhere as commands")
		a.warn("It downloads or decodes a program and runs it at once.")
	}
	if listens().MatchString(line) && !bindsLoopback().MatchString(line) {
		a.warn("It may open this machine to others on the network.")
	}
	if windowsHides().MatchString(line) {
		a.unknown("the command is encoded, or runs text as commands")
		a.warn("The command is written so that one cannot see what it runs.")
	}
}

// windows judges a line by its text alone.
func (a *Analysis) windows(line string, on bool) {
	if !on {
		return
	}
	a.unknown("the commands of this system's shell are not taken apart")
	for why, re := range map[string]func() *regexp.Regexp{
		"it deletes the disk, the home or the system": windowsWipes, "it formats a disk": windowsFormats,
		"it stops or restarts the machine": windowsPower, "it reads keys": windowsKeys,
	} {
		if re().MatchString(line) {
			a.forbid("%s", why)
		}
	}
	slices.Sort(a.floor)
	if windowsPath().MatchString(line) {
		a.warn("It names a network or device path.")
	}
}

package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/netguard"
)

// Browser says how the browser of the agent's own is run.
type Browser struct {
	Enabled    bool              `toml:"enabled" comment:"Offer the browser. Jobs get it only where they name it among their tools."`
	Path       string            `toml:"path" path:"abs" comment:"Program of Chromium or Chrome. Empty looks for one: CHROME_PATH, the PATH, the usual folders."`
	Headless   bool              `toml:"headless" comment:"Run without a window; a person can still be shown one to sign in or to solve a CAPTCHA. Without a screen there never is a window."`
	Profile    string            `toml:"profile" comment:"The profile that is used when a call names none; each has its own cookies. attached is your own browser, at attached_port."`
	AllowHosts []string          `toml:"allow_hosts" hosts:"list" comment:"Hosts of your own that pages may be read from, beyond those of [net] allow_hosts: \"localhost:3000\", \"nas.lan\"."`
	Secrets    map[string]string `toml:"secrets" hosts:"list" comment:"Secrets that are typed without asking on one host alone, such as github = \"github.com\"; every other use asks. A name alone means https."`
	Idle       Duration          `toml:"idle" comment:"Time without a call after which the browser is closed."`
	MaxTabs    int               `toml:"max_tabs" min:"1" max:"10" comment:"Open tabs; beyond it the oldest that is not looked at closes."`
	Width      int               `toml:"width" min:"320" max:"3840" comment:"Pixels that pages are laid out for, across."`
	Height     int               `toml:"height" min:"240" max:"2160" comment:"The same, down."`
	Attached   int               `toml:"attached_port" min:"0" max:"65535" comment:"Port on this machine where your own browser can be steered, started with --remote-debugging-port; 0 is none. Each conversation asks before it looks there."`
	NoSandbox  bool              `toml:"no_sandbox" comment:"Go without Chromium's own sandbox, where the system lets it make none. A page that breaks out of Chromium can then do what you can."`
}

// AttachedProfile is the name of the person's own browser among the profiles.
const AttachedProfile = "attached"

// profileRE is what profiles may be called: a folder of theirs has the name.
var profileRE = lazy.Regexp(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// ValidProfile reports whether a profile of the browser may have a name.
func ValidProfile(name string) bool { return profileRE().MatchString(name) }

func defaultBrowser() Browser {
	return Browser{
		Enabled: true, Headless: true, Profile: "default", Secrets: map[string]string{},
		Idle: Duration(10 * time.Minute), MaxTabs: 10, Width: 1280, Height: 800,
	}
}

func checkBrowser(d *document, c *Config) []Problem {
	b := c.Browser
	at := func(key, near, format string, args ...any) []Problem {
		e, _ := d.find([]string{"browser", key})
		return []Problem{d.problemAt(e, near, "browser.%s %s", key, fmt.Sprintf(format, args...))}
	}
	switch {
	case !ValidProfile(b.Profile):
		return at("profile", strings.ToLower(b.Profile), "must be 1 to 32 small letters, digits, _ or -, and begin with a letter or digit")
	case b.Profile == AttachedProfile && b.Attached == 0:
		return at("profile", "", "is attached, but browser.attached_port does not say where your browser can be reached")
	case b.Attached > 0 && b.Attached < 1024:
		return at("attached_port", "", "must be at least 1024, or 0 for none")
	}
	for name := range b.Secrets {
		if strings.ContainsAny(name, ": /") {
			e, _ := d.find([]string{"browser", "secrets", name})
			return []Problem{d.problemAt(e, "", "browser.secrets: %s must be the name of a secret alone, without keyring:", quote(name))}
		}
	}
	return nil
}

// Tied reports whether a secret may be typed on a host without asking. The port
// counts: a name alone is that of https, since nothing should be typed into a
// page that anyone on the way could have changed.
func (b Browser) Tied(secret, host string, port int) bool {
	entry, ok := b.Secrets[secret]
	if !ok || port == 80 && !strings.HasSuffix(entry, ":80") {
		return false
	}
	rules, err := netguard.ParseRules([]string{entry})
	return err == nil && rules.Names(host, port)
}

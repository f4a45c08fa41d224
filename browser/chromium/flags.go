package chromium

import (
	"fmt"
	"os"
	"strings"
)

// Options say how a browser is started.
type Options struct {
	Binary  Binary
	Profile *Profile
	Proxy   string // host:port of the only way to the network; empty lets the browser reach nothing
	Window  bool   // shows a window

	// NoSandbox gives up the sandbox of the pages. It is what root gets in any
	// case, since Chromium refuses to run otherwise.
	NoSandbox bool
	Environ   []string // nil is that of this program, of which the browser gets a few names only
}

// Unsandboxed reports whether the browser's pages will have no sandbox.
func (o Options) Unsandboxed() bool { return o.NoSandbox || root() }

// root reports whether this program runs as root, for which Chromium has no
// sandbox. Windows has no such user id: Geteuid is -1 there.
func root() bool { return os.Geteuid() == 0 }

// features that are off: they reach out by themselves, ask people things, or
// load pages other than asked for.
var offFeatures = []string{
	"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider", "GlobalMediaControls",
	"HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "InterestFeedContentSuggestions", "MediaRouter", "OptimizationHints",
	"BackForwardCache", "PaintHolding", "Prerender2", "Translate", "AsyncDns", "DnsOverHttps", "WebRtcHideLocalIpsWithMdns",
}

// fixedFlags hold for every browser. What each group is for is said beside it;
// https://github.com/GoogleChrome/chrome-launcher/blob/main/docs/chrome-flags-for-tools.md
// describes most of them.
var fixedFlags = []string{
	"--remote-debugging-pipe",
	// nothing of its own accord
	"--no-first-run", "--no-default-browser-check", "--no-service-autorun", "--disable-component-update", "--disable-background-networking",
	"--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-component-extensions-with-background-pages",
	"--disable-client-side-phishing-detection", "--disable-domain-reliability", "--disable-field-trial-config", "--metrics-recording-only",
	"--no-pings", "--disable-breakpad", "--disable-crash-reporter", "--noerrdialogs",
	// nothing that asks the person at the screen
	"--disable-prompt-on-repost", "--disable-infobars", "--disable-search-engine-choice-screen", "--hide-crash-restore-bubble",
	"--password-store=basic", "--use-mock-keychain", "--deny-permission-prompts",
	// pages in the background go on as those in front
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
	"--disable-hang-monitor",
	// names are looked up, and connections made, by the proxy alone
	"--proxy-bypass-list=<-loopback>", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--disable-quic", "--dns-prefetch-disable",
	"--site-per-process",                   // a page has no process in common with one of another site, so frames of other sites are targets of their own
	"--js-flags=--max-old-space-size=1024", // MB: a page that takes all memory loses its own process, not this machine its breath
	"--window-size=1280,800", "--force-color-profile=srgb", "--mute-audio",
}

// flags builds the command line, without the program.
func flags(o Options) []string {
	list := append([]string{}, fixedFlags...)
	list = append(list, "--disable-features="+strings.Join(offFeatures, ","), "--user-data-dir="+o.Profile.Dir())
	proxy := o.Proxy
	if proxy == "" {
		proxy = "127.0.0.1:9" // the port that discards; nothing listens there
	}
	list = append(list, "--proxy-server=http://"+proxy, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
	if !o.Window {
		list = append(list, "--hide-scrollbars")
		if !o.Binary.Shell {
			list = append(list, "--headless=new")
		}
	}
	if o.Unsandboxed() {
		list = append(list, "--no-sandbox")
	}
	if smallSharedMemory() {
		list = append(list, "--disable-dev-shm-usage") // 64 MB in containers, and a page that needs more dies
	}
	return append(list, "about:blank")
}

// Sandbox says in a sentence what protects this machine from the pages.
func (o Options) Sandbox() string {
	switch {
	case o.NoSandbox:
		return "The browser's own sandbox is off, as the settings want it ([browser] no_sandbox)."
	case root():
		return fmt.Sprintf("The browser's own sandbox is off: Hobkin runs as root (uid %d), for which Chromium has none. Run Hobkin as an ordinary user to have it.", os.Geteuid())
	}
	return "The browser's own sandbox is on."
}

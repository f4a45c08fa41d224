package chromium

const exeSuffix = ""

// usual lists where packages put browsers.
func (s Search) usual() []string {
	full := []string{
		"/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser", "/usr/lib/chromium-browser/chromium-browser",
		"/opt/google/chrome/chrome", "/opt/chromium/chrome", "/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave",
		"/var/lib/flatpak/exports/bin/org.chromium.Chromium", "/snap/bin/chromium",
	}
	if s.Headless {
		return append([]string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/headless_shell"}, full...)
	}
	return full
}

package computeruse

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Program is what an act would be done to, as a person knows it.
type Program struct {
	Name   string // what rules and questions call it, in small letters: "gedit"; see programName
	Window string // id of its window, or [wire.NoWindow]
	Title  string // of the window; from outside
}

// desktopName is the program that the bare desktop and its shortcuts count as.
const desktopName = "desktop"

// program is the one that a window belongs to; nil is the bare desktop.
func program(w *wire.Window) Program {
	if w == nil {
		return Program{Name: desktopName, Window: wire.NoWindow}
	}
	return Program{Name: programName(w), Window: w.ID, Title: w.Title}
}

// programName is the application of a window, else its executable, in small
// letters, without what no name has. Empty is a program that cannot be told.
func programName(w *wire.Window) string {
	name := clean(w.App)
	if name == "" {
		name = clean(exeName(w))
	}
	return name
}

func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("._-+ ", r):
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	return strings.TrimSpace(name[:min(len(name), maxName)])
}

const maxName = 64

// exeName is the name of the executable without folder and ending.
func exeName(w *wire.Window) string {
	name := path.Base(strings.ReplaceAll(w.Exe, `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// itself is the sort of Hobkin's own windows, its questions among them.
const itself = "Hobkin itself"

// The programs that are never used for the user, by sort. A * in a name stands
// for anything.
var forbiddenPrograms = map[string][]string{
	"a terminal": {
		"xterm", "uxterm", "koi8rxterm", "lxterm", "rxvt*", "urxvt*", "mrxvt", "aterm", "eterm", "st", "st-256color", "gnome-terminal*", "org.gnome.terminal", "kgx", "org.gnome.console", "gnome-console",
		"ptyxis*", "org.gnome.ptyxis", "konsole", "org.kde.konsole", "yakuake", "xfce4-terminal", "mate-terminal", "lxterminal", "qterminal", "deepin-terminal", "io.elementary.terminal", "pantheon-terminal",
		"alacritty", "kitty", "foot", "footclient", "wezterm*", "org.wezfurlong.wezterm", "ghostty", "com.mitchellh.ghostty", "terminator", "tilix", "com.gexperts.tilix", "guake", "tilda", "terminology", "hyper",
		"tabby", "warp", "dev.warp.warp*", "rio", "contour", "cool-retro-term", "sakura", "roxterm", "termite", "blackbox", "com.raggesilver.blackbox", "xiterm", "kterm", "mlterm",
		"terminal", "com.apple.terminal", "iterm*", "com.googlecode.iterm2", "cmd", "powershell*", "pwsh*", "windowsterminal", "wt", "conhost", "openconsole", "mintty", "putty", "kitty-portable", "git-bash", "console",
	},
	"a program that runs commands": {
		"xfce4-appfinder", "krunner", "rofi", "dmenu", "wofi", "fuzzel", "bemenu", "gmrun", "lxqt-runner", "ulauncher", "albert", "kupfer", "synapse", "mate-panel-run", "exe-thumbnailer",
		"spotlight", "com.apple.spotlight", "raycast", "alfred", "powertoys.powerlauncher",
	},
	"a password manager": {
		"keepass*", "org.keepassxc.keepassxc", "keepassxc", "1password*", "bitwarden*", "enpass*", "dashlane*", "lastpass*", "nordpass*", "protonpass", "proton pass", "proton-pass", "roboform*", "keeper*", "seahorse*",
		"org.gnome.seahorse*", "kwalletmanager*", "kwalletd*", "org.kde.kwalletmanager*", "secrets", "org.gnome.world.secrets", "passwordsafe", "pwsafe", "qtpass", "buttercup", "padloc", "authpass", "authy*", "passwords",
		"com.apple.passwords", "keychain access", "com.apple.keychainaccess", "credentialuibroker", "figaro", "revelation", "gopass-ui",
	},
	"a prompt for a password": {
		"pinentry*", "gcr-prompter", "org.gnome.gcr.prompter", "ssh-askpass*", "ksshaskpass", "x11-ssh-askpass", "lxqt-openssh-askpass", "polkit-*", "lxpolkit", "lxqt-policykit*", "mate-polkit", "xfce-polkit", "ukui-polkit*",
		"gksu", "gksudo", "kdesu", "kdesudo", "lxqt-sudo", "beesu", "ktsuss", "securityagent", "coreauthd", "consent", "logonui", "gdm*", "lightdm*", "sddm*", "xscreensaver*", "light-locker", "i3lock", "swaylock", "loginwindow",
		"xsecurelock", "slock", "gnome-screensaver*", "mate-screensaver*", "cinnamon-screensaver*", "xfce4-screensaver*", "kscreenlocker*",
	},
	"system settings": {
		"gnome-control-center*", "org.gnome.settings", "systemsettings*", "org.kde.systemsettings", "kcmshell*", "xfce4-settings-*", "xfce4-*-settings", "mate-control-center", "cinnamon-settings*", "lxqt-config*", "lxqt-admin*",
		"unity-control-center", "budgie-control-center", "io.elementary.settings", "io.elementary.switchboard", "deepin-control-center", "dde-control-center", "gnome-tweaks", "org.gnome.tweaks", "dconf-editor", "ca.desrt.dconf-editor",
		"yast*", "gufw", "firewall-config", "blueman-manager", "nm-connection-editor", "nm-applet", "software-properties*", "synaptic", "gparted*", "gnome-disks", "pavucontrol", "arandr", "system settings", "system preferences",
		"com.apple.systempreferences", "systemsettings.exe", "control", "mmc", "regedit", "regedt32", "taskmgr", "msconfig", "useraccountcontrolsettings",
	},
	"a notification, which may be a question of Hobkin's": {
		"xfce4-notifyd", "dunst", "notification-daemon", "mate-notification-daemon", "notify-osd", "mako", "swaync", "lxqt-notificationd", "usernotificationcenter", "notification center",
	},
	itself: {"hobkin*", "dev.hobkin*", "io.github.hobkin*"},
}

// forbidden says of which sort of forbidden programs a window is; empty when it
// is of none. The application is judged and so is the executable: a program may
// call itself what it likes. More are names that the owner forbids.
func forbidden(w *wire.Window, more []string) string {
	if w == nil {
		return ""
	}
	names := []string{clean(w.App), clean(exeName(w))}
	for sort, patterns := range forbiddenPrograms {
		if among(names, patterns) {
			return sort
		}
	}
	lower := make([]string, len(more))
	for i, m := range more {
		lower[i] = strings.ToLower(strings.TrimSpace(m))
	}
	if among(names, lower) {
		return "a program that your settings forbid"
	}
	return ""
}

func among(names, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n != "" && fits(p, n) })
	})
}

// fits compares a name with a pattern that may hold one *.
func fits(pattern, name string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}

package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
)

// secrets are the files and folders below the home that hold keys, passwords
// and signed-in sessions. Names of all systems are in one list: a home can be
// shared, and a name that is not there costs nothing.
var secrets = []string{
	// keys and keyrings
	".ssh", ".gnupg", ".pki", ".password-store", ".1password", ".config/op", ".config/1Password", ".config/Bitwarden",
	".config/Bitwarden CLI", ".config/keepassxc", ".config/KeePass", ".vault-token", ".age", ".config/age", ".config/sops",
	".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet", ".kde4/share/apps/kwallet", ".gnome2/keyrings",
	".local/share/gnome-keyring", ".config/kwalletrc", "Library/Keychains", ".krb5", ".k5login", ".Xauthority", ".ICEauthority",
	// clouds and clusters
	".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/containers/auth.json", ".oci", ".bluemix", ".aliyun", ".tccli",
	".config/doctl", ".config/hcloud", ".config/linode-cli", ".config/scw", ".fly", ".config/heroku", ".config/rclone", ".rclone.conf",
	".s3cfg", ".boto", ".mc", ".config/flyctl", ".railway", ".vercel", ".local/share/com.vercel.cli", ".config/netlify", ".wrangler",
	".config/.wrangler", ".pulumi/credentials.json", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".config/helm", ".helm",
	".minikube", ".talos", ".config/argocd", ".config/consul", ".config/ngrok", ".ngrok2", ".cloudflared", ".config/tailscale",
	// accounts of tools
	".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli",
	".config/hub", ".config/tea", ".npmrc", ".yarnrc", ".yarnrc.yml", ".config/configstore", ".pypirc", ".config/pypoetry/auth.toml",
	".config/pip/pip.conf", ".pip/pip.conf", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config",
	".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json",
	".nuget/NuGet/NuGet.Config", ".config/NuGet/NuGet.Config", ".pgpass", ".my.cnf", ".mylogin.cnf", ".mongorc.js", ".dbshell",
	".config/sqlcl", ".snowflake", ".snowsql", ".databrickscfg", ".dbt/profiles.yml", ".kaggle", ".huggingface", ".cache/huggingface/token",
	".cache/huggingface/stored_tokens", ".config/wandb", ".sentryclirc", ".config/stripe", ".config/twilio-cli", ".twilio-cli",
	".config/msmtp", ".msmtprc", ".mutt", ".muttrc", ".fetchmailrc", ".mbsyncrc", ".offlineimaprc", ".smbcredentials", ".cifscredentials",
	".config/rclone/rclone.conf", ".irssi", ".weechat", ".config/weechat", ".config/hexchat",
	// other agents
	".claude", ".claude.json", ".config/claude", ".config/Claude", ".codex", ".config/codex", ".gemini", ".qwen", ".copilot",
	".config/github-copilot", ".cursor", ".config/Cursor", ".windsurf", ".codeium", ".continue", ".aider.conf.yml", ".aider",
	".config/opencode", ".local/share/opencode", ".config/crush", ".local/share/crush", ".config/goose", ".local/share/goose",
	".config/amp", ".local/share/amp", ".cline", ".roo", ".kilocode", ".augment", ".factory", ".grok", ".kimi", ".openclaw", ".clawdbot",
	".moltbot", ".picoclaw", ".nanobot", ".hermes", ".zeroclaw", ".config/zed/settings.json", ".config/io.datasette.llm", ".config/mods",
	".config/aichat", ".config/fabric", ".config/tgpt", ".config/openai", ".openai", ".anthropic", ".config/anthropic",
	".ollama/id_ed25519", ".config/LM Studio", ".lmstudio", ".mcp-auth",
	"Library/Application Support/Claude", "Library/Application Support/Cursor", "Library/Application Support/Codex",
	"AppData/Roaming/Claude", "AppData/Roaming/Cursor",
	// browsers and mail
	".mozilla", ".config/mozilla", ".thunderbird", ".librewolf", ".waterfox", ".zen", ".tor-browser", ".config/google-chrome",
	".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/vivaldi", ".config/opera", ".config/yandex-browser", ".config/epiphany", ".local/share/epiphany", ".config/qutebrowser",
	".local/share/qutebrowser", ".config/falkon", ".config/evolution", ".local/share/evolution", ".local/share/geary",
	".config/goa-1.0", ".local/share/kaccounts", "snap/firefox", "snap/chromium", "snap/brave", "snap/thunderbird",
	".var/app/org.mozilla.firefox", ".var/app/org.mozilla.Thunderbird", ".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium",
	".var/app/com.brave.Browser", ".var/app/com.microsoft.Edge", ".var/app/com.vivaldi.Vivaldi", ".var/app/io.gitlab.librewolf-community",
	"Library/Application Support/Google/Chrome", "Library/Application Support/Chromium", "Library/Application Support/Firefox",
	"Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Application Support/Vivaldi",
	"Library/Application Support/com.operasoftware.Opera", "Library/Application Support/Arc", "Library/Application Support/Thunderbird",
	"Library/Safari", "Library/Cookies", "Library/Containers/com.apple.Safari", "Library/Mail", "Library/Accounts",
	"AppData/Local/Google/Chrome", "AppData/Local/Chromium", "AppData/Local/BraveSoftware", "AppData/Local/Microsoft/Edge",
	"AppData/Local/Vivaldi", "AppData/Roaming/Mozilla", "AppData/Roaming/Opera Software", "AppData/Roaming/Thunderbird",
	"AppData/Roaming/Microsoft/Credentials", "AppData/Local/Microsoft/Credentials", "AppData/Roaming/Microsoft/Protect",
	"AppData/Local/Microsoft/Vault", "AppData/Roaming/Microsoft/Crypto", "AppData/Roaming/gnupg", "AppData/Roaming/gcloud",
	"AppData/Roaming/GitHub CLI", "AppData/Roaming/NuGet/NuGet.Config", "NTUSER.DAT",
	// chats and wallets
	".config/Signal", ".config/discord", ".config/Slack", ".config/Element", ".local/share/TelegramDesktop", ".config/teams",
	".var/app/org.signal.Signal", ".var/app/org.telegram.desktop", "Library/Application Support/Signal",
	"Library/Application Support/Slack", "Library/Application Support/discord", "Library/Messages", "AppData/Roaming/Signal",
	"AppData/Roaming/Slack", "AppData/Roaming/discord", "AppData/Roaming/Telegram Desktop", ".bitcoin", ".litecoin", ".dogecoin", ".monero",
	".bitmonero", ".ethereum", ".electrum", ".config/solana", ".near-credentials", ".foundry/keystores", ".config/Exodus", ".config/atomic",
	"Library/Application Support/Bitcoin", "Library/Application Support/Electrum", "AppData/Roaming/Bitcoin", "AppData/Roaming/Electrum",
}

// systemFolders lists what belongs to the operating system.
func systemFolders() []string {
	switch runtime.GOOS {
	case "windows":
		return windowsFolders()
	case "darwin":
		return []string{"/etc", "/usr", "/bin", "/sbin", "/boot", "/dev", "/System", "/Library", "/private/etc", "/private/var/db", "/private/var/root", "/var/db", "/var/root", "/Applications", "/cores"}
	}
	return []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/proc", "/sys", "/dev", "/run/user", "/run/systemd", "/run/dbus", "/run/docker.sock", "/var/spool/cron"}
}

func windowsFolders() []string {
	drive := os.Getenv("SystemDrive")
	if drive == "" {
		drive = "C:"
	}
	out := []string{}
	for _, name := range []string{"Windows", "Program Files", "Program Files (x86)", "ProgramData", "System Volume Information", "$Recycle.Bin", "Recovery", "Boot", "EFI"} {
		out = append(out, filepath.Join(drive+`\`, name))
	}
	return out
}

// tops lists folders that hold everyone's files. They are never granted whole.
func tops() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{`C:\Users`, `C:\Users\Public`}
	case "darwin":
		return []string{"/Users", "/Volumes", "/private", "/private/var", "/private/tmp", "/var", "/tmp", "/opt", "/home"}
	}
	return []string{"/home", "/root", "/var", "/opt", "/srv", "/mnt", "/media", "/tmp", "/var/tmp", "/var/lib", "/run", "/snap"}
}

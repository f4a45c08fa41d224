package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Version is the version of the file format that this program reads.
const Version = 1

// Config is the settings. Make one with [Default] or [Load]; treat it as
// read-only afterwards, it is shared. All paths in it are absolute.
type Config struct {
	Version     int                 `toml:"version" min:"1" comment:"Version of this file's format. A newer one is refused, an older one understood."`
	Models      Models              `toml:"models"`
	Providers   map[string]Provider `toml:"providers" comment:"Where models are reached, each under a name of your own."`
	Permission  Permission          `toml:"permission"`
	Sandbox     Sandbox             `toml:"sandbox"`
	Net         Net                 `toml:"net"`
	Web         Web                 `toml:"web"`
	Browser     Browser             `toml:"browser"`
	ComputerUse ComputerUse         `toml:"computer_use"`
	Image       Image               `toml:"image"`
	Agent       Agent               `toml:"agent"`
	Budgets     []Budget            `toml:"budgets" comment:"What models may use; of several the strictest wins. None is set as delivered."`
	Tools       Tools               `toml:"tools"`
	MCP         MCP                 `toml:"mcp"`
	Policy      Policy              `toml:"policy"`
	Guardrails  []Guardrail         `toml:"guardrails" comment:"Checks of your own of what the model says, calls and reads; at most 64."`
	Memory      Memory              `toml:"memory"`
	Jobs        Jobs                `toml:"jobs"`
	Undo        Undo                `toml:"undo"`
	Desktop     Desktop             `toml:"desktop"`
	Log         Log                 `toml:"log"`
}

// Models says which model does which work.
type Models struct {
	Main       Role `toml:"main" comment:"The model that answers. With no provider a local server is looked for, else the built-in offline helper answers."`
	Background Role `toml:"background" comment:"Summaries, titles and memory. What is empty is taken from main."`
	Subagent   Role `toml:"subagent" comment:"Subagents. What is empty is taken from main."`
	Job        Role `toml:"job" comment:"Scheduled jobs. What is empty is taken from main."`
	Vision     Role `toml:"vision" comment:"Looks at pictures when main cannot. What is empty is taken from main."`
	Reviewer   Role `toml:"reviewer" comment:"A second look before risky calls. Off while it has no provider."`
}

// A Role is one use of a model.
type Role struct {
	Provider string `toml:"provider" comment:"A name from [providers], a known one (openai, anthropic, openrouter, ollama, …), or offline."`
	Model    string `toml:"model" comment:"The provider's own name of the model."`
	Effort   string `toml:"effort" enum:",none,low,medium,high" comment:"How much it thinks first. Empty is the model's default."`
}

// A Provider is one place where models are reached.
type Provider struct {
	Kind    string            `toml:"kind" enum:",openai,openai_responses,openai_chat,anthropic,gemini,openrouter,xai,mistral,ollama,lmstudio,llamacpp" comment:"What it speaks. openai_chat is any server that is compatible with Chat Completions. Empty is the kind of the same name, else openai_chat."`
	BaseURL string            `toml:"base_url" url:"http" comment:"Address of the API. Empty is the kind's own."`
	Key     string            `toml:"key" ref:"secret" comment:"Where the key is, never the key: keyring:NAME, env:NAME or file:/PATH."`
	Headers map[string]string `toml:"headers" comment:"Further headers. Secrets do not belong here but in key."`
	Window  int               `toml:"window" min:"0" comment:"Tokens of context of its models; 0 is what is known of the model."`
}

// Permission says what a person must agree to.
type Permission struct {
	Mode  string `toml:"mode" enum:"plan,ask,accept_edits,auto" comment:"plan only reads; ask asks for everything that changes something; accept_edits lets files be written; auto asks only for what is risky."`
	Rules []Rule `toml:"rules" comment:"Standing answers, the strictest that fits wins: deny before ask before allow."`
}

// A Rule is a standing answer for calls of a tool.
type Rule struct {
	Tool   string `toml:"tool" json:"tool" required:"true" comment:"Name of the tool; a * at its end stands for the rest."`
	Match  string `toml:"match" json:"match,omitempty" comment:"What the call must look like: a command such as \"git log *\", a path such as \"~/Documents/**\", a host such as \"*.example.org\", a program on the screen such as \"app:gedit\". Empty fits every call."`
	Action string `toml:"action" json:"action" required:"true" enum:"allow,ask,deny" comment:"The answer."`
	Scope  string `toml:"scope" json:"scope,omitempty" path:"abs" comment:"Folder that the call must run in. Empty is everywhere."`
}

// Sandbox says what tools and child processes may touch.
type Sandbox struct {
	Mode         string   `toml:"mode" enum:"strict,standard,open" comment:"strict is the workspace and the granted folders; standard adds the folder a request is made in; open is the whole home but what is protected."`
	AllowedRoots []string `toml:"allowed_roots" path:"abs" comment:"Folders that are granted beyond the workspace."`
	BlockedRoots []string `toml:"blocked_roots" path:"abs" comment:"Folders that are never touched, even inside a granted one."`
	Confine      string   `toml:"confine" enum:"required,auto,off" comment:"Kernel confinement of commands: required refuses to run without, auto says when it could not."`
	Network      string   `toml:"network" enum:"on,off,allowlist" comment:"Network of commands: on is everyone, off no one, allowlist the hosts of network_hosts."`
	NetworkHosts []string `toml:"network_hosts" hosts:"list" comment:"Hosts that commands may reach when network is allowlist, such as \"github.com\" or \"*.golang.org\". What is internal or on another port than 80 and 443 must be opened in [net] allow_hosts too."`
	Env          Env      `toml:"env" comment:"Environment of commands. It is built from a few harmless variables and what is named here."`
	Commands     Commands `toml:"commands" comment:"Programs that are offered as tools of their own."`
}

// Net says what of the network may be reached beyond the public web.
type Net struct {
	AllowHosts []string `toml:"allow_hosts" hosts:"list" comment:"Hosts of your own that may be reached although they are internal, and ports other than 80 and 443: \"nas.lan\", \"localhost:3000\", \"*.example.org:8443\", \"192.168.1.0/24\", \"[fd00::7]:*\". Without a port it is 80 and 443, :* is every port."`
}

// Env says what is in the environment of a command.
type Env struct {
	Allow   []string             `toml:"allow" comment:"Further variables; XYZ_* allows a family."`
	Sources map[string]EnvSource `toml:"sources" comment:"Where the value of an allowed variable comes from, such as GH_TOKEN = { keyring = \"github\" }."`
}

// An EnvSource is where the value of a variable comes from. One of its fields
// is set.
type EnvSource struct {
	Env     string   `toml:"env" comment:"Another variable."`
	Keyring string   `toml:"keyring" comment:"Name of a stored secret."`
	Command []string `toml:"command" comment:"A program and its arguments, which prints the value."`
}

// Commands says which programs become tools.
type Commands struct {
	Profile string   `toml:"profile" enum:"bare,assistant,extended" comment:"bare offers none, assistant the everyday ones, extended all that are known."`
	Presets []string `toml:"presets" enum:"dev_tools,ai_tools" comment:"Groups of programs: dev_tools (git, gh, make), ai_tools (codex, claude)."`
}

// Agent says how a turn is played.
type Agent struct {
	Workspace     string `toml:"workspace" path:"abs" comment:"Folder that the desktop's sessions work in. The command line works in its current folder."`
	PromptCaching bool   `toml:"prompt_caching" comment:"Have providers keep the beginning of a conversation at hand, where they can: it makes long ones cheaper and faster."`
	MaxSteps      int    `toml:"max_steps" min:"1" max:"1000" comment:"Steps of one turn; then it stops and says so."`
}

// Tools bounds the tools.
type Tools struct {
	Disabled   []string   `toml:"disabled" comment:"Tools that are not offered."`
	File       FileLimits `toml:"file"`
	Search     Search     `toml:"search"`
	Shell      Shell      `toml:"shell"`
	Output     Output     `toml:"output"`
	ToolSearch ToolSearch `toml:"tool_search"`
}

// FileLimits bounds the file tools.
type FileLimits struct {
	ReadLines   int `toml:"read_lines" min:"1" comment:"Lines of a file that one call reads."`
	ReadBytes   int `toml:"read_bytes" min:"1024" comment:"Bytes of a file that one call reads."`
	WholeBytes  int `toml:"whole_bytes" min:"1024" comment:"A larger file is read only in pieces that the call names."`
	ListEntries int `toml:"list_entries" min:"1" comment:"Entries of a folder that one call lists."`
}

// Search bounds the search tools.
type Search struct {
	Results    int      `toml:"results" min:"1" max:"1000" comment:"Matches that one call returns when it does not say."`
	MaxResults int      `toml:"max_results" min:"1" max:"1000" comment:"Matches that one call can ask for."`
	Timeout    Duration `toml:"timeout" comment:"Time that one search may take."`
}

// Shell bounds commands.
type Shell struct {
	Timeout       Duration `toml:"timeout" comment:"Time that a command may take when the call does not say."`
	MaxTimeout    Duration `toml:"max_timeout" comment:"Longest time that a call can ask for."`
	InlineSuccess int      `toml:"inline_success" min:"256" comment:"Bytes of output shown when a command succeeds; the rest is saved."`
	InlineFailure int      `toml:"inline_failure" min:"256" comment:"Bytes of output shown when it fails."`
	KeptBytes     int      `toml:"kept_bytes" min:"1024" comment:"Bytes of each stream that are saved."`
}

// Output bounds the results of all tools.
type Output struct {
	InlineBytes int `toml:"inline_bytes" min:"1024" max:"65536" comment:"A longer result is cut to head and tail and saved whole."`
}

// ToolSearch leaves the schemas of plugin and MCP tools out of requests until
// they are searched for.
type ToolSearch struct {
	Enabled    bool     `toml:"enabled" comment:"Leave out the schemas of plugin and MCP tools until they are needed."`
	Threshold  int      `toml:"threshold" min:"0" comment:"Only when there are at least so many."`
	NeverDefer []string `toml:"never_defer" comment:"Tools whose schemas are always sent."`
}

// Undo bounds what is kept of files as they were before the agent changed them.
type Undo struct {
	Days      int `toml:"days" min:"1" max:"3650" comment:"Days that a change to a file can be taken back."`
	Megabytes int `toml:"megabytes" min:"1" max:"1048576" comment:"Room for what files held before; beyond it the oldest changes are let go of."`
}

// Desktop says how the desktop application behaves.
type Desktop struct {
	Background    bool   `toml:"background" comment:"Go on in the tray when the window is closed."`
	StartAtLogin  bool   `toml:"start_at_login" comment:"Start hidden when you log in."`
	Language      string `toml:"language" enum:",de,en,es,fr,ja,zh-Hans" comment:"Language of the windows, the tray and the notifications, from the next start on. Empty is the system's."`
	Theme         string `toml:"theme" enum:"system,light,dark" comment:"Colours of the window."`
	Notifications bool   `toml:"notifications" comment:"Notify when something waits for you or ends while the window is not in front."`
}

// Log says what is logged.
type Log struct {
	Level string `toml:"level" enum:"debug,info,warn,error" comment:"Least serious message that is logged."`
}

// Default returns the settings of an empty file.
func Default() *Config {
	return &Config{
		Version:    Version,
		Permission: Permission{Mode: "ask"},
		Sandbox: Sandbox{
			Mode: "standard", Confine: "auto", Network: "on",
			Commands: Commands{Profile: "bare"},
		},
		Agent: Agent{Workspace: defaultWorkspace(), MaxSteps: 100, PromptCaching: true},
		Tools: Tools{
			File:       FileLimits{ReadLines: 2000, ReadBytes: 128 << 10, WholeBytes: 10 << 20, ListEntries: 1000},
			Search:     Search{Results: 200, MaxResults: 1000, Timeout: Duration(30 * time.Second)},
			Shell:      Shell{Timeout: Duration(2 * time.Minute), MaxTimeout: Duration(10 * time.Minute), InlineSuccess: 1 << 10, InlineFailure: 8 << 10, KeptBytes: 1 << 20},
			Output:     Output{InlineBytes: 50_000},
			ToolSearch: ToolSearch{Enabled: true, Threshold: 15},
		},
		Web:         defaultWeb(),
		Browser:     defaultBrowser(),
		ComputerUse: defaultComputerUse(),
		MCP:         defaultMCP(),
		Policy:      defaultPolicy(),
		Memory:      defaultMemory(),
		Jobs:        defaultJobs(),
		Undo:        Undo{Days: 90, Megabytes: 1024},
		Desktop:     Desktop{Background: true, Theme: "system", Notifications: true},
		Log:         Log{Level: "info"},
	}
}

func defaultWorkspace() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, "Hobkin")
}

// RoleNames lists the roles of [Models].
func RoleNames() []string {
	return []string{"main", "background", "subagent", "job", "vision", "reviewer"}
}

// Role returns the model for a role by its name. What a role leaves empty is
// main's, but for the reviewer, which is off without a provider of its own. A
// role that names its own provider takes nothing from main. An unknown role is
// main.
func (m Models) Role(name string) Role {
	roles := map[string]Role{"background": m.Background, "subagent": m.Subagent, "job": m.Job, "vision": m.Vision, "reviewer": m.Reviewer}
	r, ok := roles[name]
	switch {
	case !ok:
		return m.Main
	case name == "reviewer", r.Provider != "" && r.Provider != m.Main.Provider:
		return r
	}
	r.Provider = m.Main.Provider
	if r.Model == "" {
		r.Model = m.Main.Model
	}
	if r.Effort == "" {
		r.Effort = m.Main.Effort
	}
	return r
}

// Offline is the name of the provider that is built in.
const Offline = "offline"

// ProviderKinds lists what [Provider.Kind] may be. Each is also a provider
// name that needs no entry of its own in [Config.Providers].
func ProviderKinds() []string {
	return []string{"openai", "openai_responses", "openai_chat", "anthropic", "gemini", "openrouter", "xai", "mistral", "ollama", "lmstudio", "llamacpp"}
}

// Provider returns a provider by its name: the configured one, else a known
// kind with its own address and the key that usually goes with it.
func (c *Config) Provider(name string) (Provider, error) {
	if p, ok := c.Providers[name]; ok {
		if p.Kind == "" {
			p.Kind = kindOf(name)
		}
		return p, nil
	}
	if !slices.Contains(ProviderKinds(), name) {
		return Provider{}, fmt.Errorf("config: no provider is named %q; add [providers.%s]", name, name)
	}
	p := Provider{Kind: name}
	switch name {
	case "ollama", "lmstudio", "llamacpp": // on this machine, no key
	default:
		p.Key = "keyring:" + strings.TrimSuffix(strings.TrimSuffix(name, "_chat"), "_responses")
	}
	return p, nil
}

// kindOf is the kind of a provider that names none: its own name when that is
// a kind, else what most servers speak.
func kindOf(name string) string {
	if slices.Contains(ProviderKinds(), name) {
		return name
	}
	return "openai_chat"
}

// A Duration is a time span, written as in "90s", "2m" or "1h30m".
type Duration time.Duration

// Std returns d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String is the shortest form: 2m, not 2m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if len(s) > 2 && s[len(s)-2:] == "0s" && s[len(s)-3] == 'm' {
		s = s[:len(s)-2]
	}
	if len(s) > 2 && s[len(s)-2:] == "0m" && s[len(s)-3] == 'h' {
		s = s[:len(s)-2]
	}
	return s
}

// MarshalText writes d as [Duration.String] does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [Duration.MarshalText] writes.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 {
		return fmt.Errorf("config: %q is not a time span such as 90s or 2m", text)
	}
	*d = Duration(v)
	return nil
}

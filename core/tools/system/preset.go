package system

import (
	"context"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// presetPrefix begins the names of the tools that each run one program.
const presetPrefix = "command_"

var noProgram = &capability.Failure{Code: "no_program", When: "the program is not on PATH any more", Try: "use the shell tool with another program, or tell the owner to install it"}

// A preset is a program that can be a tool of its own.
type preset struct {
	name   string
	does   string // what it does, as the end of a sentence
	groups string // profiles and presets of the settings that offer it
	args   []string
}

// presets are all that are known. The profile extended offers each.
var presets = []preset{
	{"git", "keeps versions of files", "dev_tools", []string{"fetch", "--tags"}},
	{"gh", "works with GitHub", "dev_tools", []string{"pr", "list", "--limit", "5"}},
	{"make", "builds what a Makefile says", "dev_tools", []string{"test"}},
	{"codex", "is a coding agent", "ai_tools", []string{"exec", "Explain this repository"}},
	{"claude", "is a coding agent", "ai_tools", []string{"-p", "Explain this repository"}},
	{"jq", "reads and changes JSON", "assistant", []string{".name", "package.json"}},
	{"pandoc", "turns documents into other formats", "assistant", []string{"notes.md", "-o", "notes.docx"}},
	{"pdftotext", "takes the text out of a PDF", "assistant", []string{"-layout", "paper.pdf", "-"}},
	{"ffmpeg", "converts sound and films", "assistant", []string{"-i", "in.wav", "out.mp3"}},
	{"magick", "converts pictures", "assistant", []string{"in.png", "-resize", "50%", "out.png"}},
	{"zip", "packs files", "assistant", []string{"-r", "photos.zip", "photos"}},
	{"unzip", "unpacks files", "assistant", []string{"-l", "photos.zip"}},
	{"sqlite3", "asks a database in a file", "extended", []string{"-readonly", "app.db", "select count(*) from user"}},
	{"go", "builds and tests Go programs", "extended", []string{"test", "./..."}},
	{"cargo", "builds and tests Rust programs", "extended", []string{"test"}},
	{"npm", "builds and tests JavaScript programs", "extended", []string{"test"}},
	{"docker", "runs containers", "extended", []string{"ps"}},
}

// offered reports whether the settings offer a program.
func (p *preset) offered(profile string, groups []string) bool {
	return profile == "extended" || p.groups == profile || slices.Contains(groups, p.groups)
}

// presetTools are the tools of all presets.
func presetTools() *capability.Set[*Host] {
	set := &capability.Set[*Host]{}
	for _, p := range presets {
		capability.AddPreviewed(set, capability.Capability{
			Name:  presetPrefix + p.name,
			Title: "Run " + p.name,
			Description: "Runs " + p.name + ", which " + p.does + ". The arguments reach the program as they are: no shell reads them. " +
				"Returns when it ends, with exit code, stdout and stderr.",
			Class: capability.Exec, Category: capability.CategorySystem, Deferrable: true,
			Hints: capability.Hints{ReadOnly: capability.No, OpenWorld: capability.Yes, LongRunning: capability.Yes, PersistOutput: true},
			Meta:  PresetMeta(),
			Docs: capability.Docs{
				When:     "when " + p.name + " itself is wanted; pipes and several commands need the shell tool",
				Examples: []capability.Example{{When: "its everyday use", In: presetIn{Args: p.args}}, {When: "in another folder, with more time", In: presetIn{Args: p.args, Workdir: "sub", TimeoutMS: 300_000}}},
				Fails:    sandbox.Failures(badCommand, badWorkdir, noProgram, notStarted, timedOut, confine.Unavailable),
				Setup:    "the owner switches it on in [sandbox.commands] of the settings",
			},
		}, (*Host).preset, (*Host).previewPreset)
	}
	return set
}

type presetIn struct {
	Args      []string `json:"args" max:"500" jsonschema:"the arguments, each as the program gets it"`
	Workdir   string   `json:"workdir,omitempty" jsonschema:"the folder to run in; the workspace when left out"`
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"600000" jsonschema:"milliseconds after which it is ended; 120000 when left out"`
}

// Presets are the tools of the programs that the settings offer and that are on
// the PATH of commands, bound to h. Their Meta is [PresetMeta].
func (h *Host) Presets(profile string, groups []string) []capability.Capability {
	env := h.env("/")
	return slices.DeleteFunc(presetTools().Bind(h), func(c capability.Capability) bool {
		name := strings.TrimPrefix(c.Name, presetPrefix)
		at := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
		return !presets[at].offered(profile, groups) || lookPath(env, name) == ""
	})
}

// PresetMeta marks the tools of programs.
func PresetMeta() map[string]string { return map[string]string{"family": "preset"} }

// presetLine is the command line that a call stands for.
func (h *Host) presetLine(call capability.Call, in presetIn) (*line, error) {
	words := []string{strings.TrimPrefix(call.Name, presetPrefix)}
	for _, a := range in.Args {
		words = append(words, quoteWord(a))
	}
	return h.line(call, shellIn{Command: strings.Join(words, " "), Workdir: in.Workdir, TimeoutMS: in.TimeoutMS})
}

func (h *Host) preset(ctx context.Context, call capability.Call, in presetIn) (capability.Result, error) {
	l, err := h.presetLine(call, in)
	if err != nil {
		return capability.Result{}, err
	}
	name := strings.TrimPrefix(call.Name, presetPrefix)
	l.env = h.env(l.dir)
	path := lookPath(l.env, name)
	if path == "" {
		return capability.Result{}, noProgram.Becausef("%s was not found", name)
	}
	l.shell, l.args = []string{path}, append([]string{}, in.Args...)
	if err := l.confine(h, call.Turn); err != nil {
		return capability.Result{}, err
	}
	return h.foreground(ctx, call, l)
}

func (h *Host) previewPreset(_ context.Context, call capability.Call, in presetIn) (capability.Preview, error) {
	l, err := h.presetLine(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	return capability.Preview{Question: "Run a command?", Shell: l.Command, Dir: l.dir}, nil
}

// quoteWord is a word as a shell would read it.
func quoteWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

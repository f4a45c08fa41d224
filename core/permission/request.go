package permission

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// request is the question about a call, with everything a person needs to
// check it. Every string is escaped.
func (s *subject) request(v Verdict, always *Rule) agent.ApprovalRequested {
	req := agent.ApprovalRequested{
		Call:        s.call.ID,
		Tool:        s.tool.Name,
		Title:       Escape(s.tool.Title),
		Preview:     s.shownPreview(),
		Args:        EscapeJSON(s.call.Args),
		Reason:      Escape(v.Reason),
		Risk:        v.Risk,
		Fingerprint: Fingerprint(s.call),
	}
	if req.Title == "" {
		req.Title = s.tool.Name
	}
	if s.line != nil {
		req.Commands = escapeAll(s.line.Lines())
	}
	if always != nil {
		req.Rule = Escape(always.String())
	}
	return req
}

// shownPreview is the preview with a question, with what the reading of the
// command found, and escaped.
func (s *subject) shownPreview() capability.Preview {
	p := s.preview
	p.Warnings = slices.Clone(p.Warnings)
	if s.line != nil {
		p.Warnings = append(p.Warnings, s.line.Warnings...)
	}
	if p.Question == "" {
		p.Question = s.question()
	}
	p.Question, p.Summary, p.Diff, p.Shell, p.Dir, p.URL = Escape(p.Question), Escape(p.Summary), Escape(p.Diff), Escape(p.Shell), Escape(p.Dir), Escape(p.URL)
	p.Warnings = escapeAll(p.Warnings)
	p.Paths = slices.Clone(p.Paths)
	for i := range p.Paths {
		p.Paths[i].Path = Escape(p.Paths[i].Path)
	}
	return p
}

func (s *subject) question() string {
	writes := slices.ContainsFunc(s.preview.Paths, func(u capability.PathUse) bool { return u.Write })
	switch {
	case s.line != nil:
		return "Run this command?"
	case writes && len(s.preview.Paths) == 1:
		return "Change this file?"
	case writes:
		return "Change these files?"
	case s.preview.URL != "":
		return "Open this address?"
	case len(s.preview.Paths) > 0:
		return "Read these files?"
	}
	name := s.tool.Title
	if name == "" {
		name = s.tool.Name
	}
	return "Allow “" + name + "”?"
}

// EscapeJSON is [Escape] for every string of a document. What is no document
// becomes one string.
func EscapeJSON(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		v = Escape(string(raw))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(escapeValue(v)); err != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(out.Bytes())
}

func escapeValue(v any) any {
	switch v := v.(type) {
	case string:
		return Escape(v)
	case []any:
		for i := range v {
			v[i] = escapeValue(v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[Escape(k)] = escapeValue(x)
		}
		return out
	}
	return v
}

// risk is how much a call can do, for the colour of the question.
func (s *subject) risk() string {
	if s.line != nil {
		return s.lineRisk()
	}
	switch {
	case s.preview.Destructive, s.tool.Hints.Destructive == capability.Yes, s.tool.Class == capability.GUIControl:
		return High
	case s.tool.Class == capability.ReadOnly, s.gentle() && s.effect() != capability.EffectEnter:
		return Low
	case edits[s.tool.Name]:
		if ok, _ := s.editsInside(); ok {
			return Low
		}
	}
	return Medium
}

// heavy are commands that lose or change much at once.
var heavy = set("rm", "rmdir", "shred", "dd", "truncate", "chmod", "chown", "kill", "pkill", "killall", "curl", "wget", "nc", "scp", "rsync", "ssh", "crontab", "systemctl", "docker",
	"mount", "umount", "iptables", "ufw", "useradd", "usermod", "passwd", "visudo", "eval")

func (s *subject) lineRisk() string {
	if s.line.Unknown || len(s.line.Warnings) > 0 || s.preview.Destructive {
		return High
	}
	for i := range s.line.Commands {
		if c := &s.line.Commands[i]; c.root || heavy[c.Name()] {
			return High
		}
	}
	if ok, _ := s.line.harmless(); ok {
		return Low
	}
	return Medium
}

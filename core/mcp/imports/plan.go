package imports

import (
	"fmt"
	"slices"
	"strings"
)

// A Plan is what an import would do. Known and Looks are set before the first
// server is taken.
type Plan struct {
	Known map[string]bool        // names that are taken
	Looks func(text string) bool // reports whether a text looks like a secret

	Entries []Entry
	Notes   []string // what is left out, and why
}

// An Entry is a server that would be added.
type Entry struct {
	Name    string
	From    string // the program whose settings it was in
	Command string
	Args    []string
	Env     map[string]string // what is no secret
	PassEnv []string          // what is looked up when it starts
	URL     string
	Headers map[string]string
	Auth    string            // where its token would be
	Secrets map[string]string // what would go among the secrets, by name; the values are never shown
	Notes   []string          // what is left to do, or was left out
}

// Take adds the servers of a program to the plan.
func (p *Plan) Take(from string, servers []Server, notes []string) {
	for _, n := range notes {
		p.Notes = append(p.Notes, from+": "+n)
	}
	for _, s := range servers {
		p.take(from, s)
	}
}

// take adds a server to the plan, unless it is there already.
func (p *Plan) take(from string, s Server) {
	name := Name(s.Name)
	if slices.ContainsFunc(p.Entries, func(o Entry) bool {
		return o.Command == s.Command && o.URL == s.URL && slices.Equal(o.Args, s.Args)
	}) {
		return // the same, from another program
	}
	switch {
	case name == "":
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %q is left out: nothing of its name can stay", from, s.Name))
		return
	case s.Disabled:
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %s is left out: it is switched off there", from, name))
		return
	case p.Known[name]:
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %s is left out: there is a server of that name", from, name))
		return
	}
	e := Entry{Name: name, From: from, Command: s.Command, Args: s.Args, URL: s.URL, Env: map[string]string{}, Headers: map[string]string{}, Secrets: map[string]string{}}
	p.Known[name] = true
	p.values(&e, s)
	p.Entries = append(p.Entries, e)
}

// values parts what may stand in the settings from what may not.
func (p *Plan) values(e *Entry, s Server) {
	for k, text := range s.Env {
		v, key := Judge(k, text, p.Looks), "mcp-"+e.Name+"-"+k
		switch {
		case v.Variable == k:
			e.PassEnv = append(e.PassEnv, k)
		case v.Variable != "" || v.Asked:
			e.PassEnv = append(e.PassEnv, k)
			e.Notes = append(e.Notes, fmt.Sprintf("store its %s with: hobkin secrets set %s", k, key))
		case v.Secret:
			e.PassEnv = append(e.PassEnv, k)
			e.Secrets[key] = text
		default:
			e.Env[k] = text
		}
	}
	slices.Sort(e.PassEnv)
	for k, text := range s.Headers {
		v := Judge(k, text, p.Looks)
		token, bearer := strings.CutPrefix(text, "Bearer ")
		key := "mcp-" + e.Name + "-token"
		switch {
		case strings.EqualFold(k, "Authorization") && bearer:
			e.Auth = "keyring:" + key
			if strings.Contains(token, "${") {
				e.Notes = append(e.Notes, "store its token with: hobkin secrets set "+key)
				continue
			}
			e.Secrets[key] = token
		case v.Secret || v.Variable != "":
			e.Notes = append(e.Notes, "its header "+k+" is left out: it holds a secret, which cannot be sent as a header of that name")
		default:
			e.Headers[k] = text
		}
	}
	for _, a := range e.Args {
		if p.Looks(a) {
			e.Notes = append(e.Notes, "one of its arguments looks like a secret; it will stand in your settings, readable by you alone")
		}
	}
}

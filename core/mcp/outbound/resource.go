package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
)

// ServerUnknown is the failure of a call that names a server that has no
// resources, or is none.
var ServerUnknown = &capability.Failure{Code: "server_unknown", When: "no connected tool server of that name has resources", Try: "use one of the names that the message lists"}

type listResourcesIn struct {
	Server string `json:"server"`
}

type readResourceIn struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
}

// Capabilities are the tools that are about servers as such: their resources.
// They are there while a connected server has some.
func (m *Manager) Capabilities() []capability.Capability {
	base := capability.Capability{
		Kind: capability.KindMCP, Class: capability.ExternalAPI, Category: capability.CategoryPlugin, Deferrable: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, OpenWorld: capability.Yes, Idempotent: capability.Yes},
		Available: func(capability.Turn) bool { return len(m.stocked()) > 0 },
	}
	list, read := base, base
	list.Name, list.Title = "mcp_list_resources", "List resources"
	list.Description = "Lists what tool servers offer to read: documents, records, files of theirs, each with its address."
	list.Parameters = json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","description":"only those of this tool server; left out, those of all"}},"additionalProperties":false}`)
	list.Docs = capability.Docs{
		When: "Use it to find what mcp_read_resource can read.", Fails: []*capability.Failure{ServerUnknown, ServerFailed},
		Examples: []capability.Example{{When: "the user asks what a server knows", In: json.RawMessage(`{"server":"docs"}`)}},
	}
	list.Handler = m.listResources
	read.Name, read.Title = "mcp_read_resource", "Read resource"
	read.Description = "Reads a resource of a tool server by its address."
	read.Parameters = json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","description":"name of the tool server"},"uri":{"type":"string","description":"address of the resource, as mcp_list_resources shows it"}},"required":["server","uri"],"additionalProperties":false}`)
	read.Docs = capability.Docs{
		When: "Use it for what mcp_list_resources lists; not for files or web pages.", Fails: []*capability.Failure{ServerUnknown, ServerFailed},
		Examples: []capability.Example{{When: "a listed document is asked about", In: json.RawMessage(`{"server":"docs","uri":"docs://guide/intro"}`)}},
	}
	read.Handler = m.readResource
	return []capability.Capability{list, read}
}

// stocked are the servers that are connected and have resources.
func (m *Manager) stocked() []*server {
	var out []*server
	for _, s := range m.all() {
		s.mu.Lock()
		if s.conn != nil && s.conn.client.GetServerCapabilities().Resources != nil {
			out = append(out, s)
		}
		s.mu.Unlock()
	}
	return out
}

// pick returns the stocked servers of a name; all for none.
func (m *Manager) pick(name string) ([]*server, error) {
	all := m.stocked()
	names := make([]string, 0, len(all))
	for _, s := range all {
		if s.spec.Name == name {
			return []*server{s}, nil
		}
		names = append(names, s.spec.Name)
	}
	if name == "" {
		return all, nil
	}
	return nil, ServerUnknown.Becausef("no connected server %q has resources; these have: %s", name, strings.Join(names, ", "))
}

func (m *Manager) listResources(ctx context.Context, call capability.Call) (capability.Result, error) {
	var in listResourcesIn
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return capability.Result{}, fmt.Errorf("mcp: %w", err)
	}
	servers, err := m.pick(in.Server)
	if err != nil {
		return capability.Result{}, err
	}
	var lines []string
	for _, s := range servers {
		found, err := s.resources(ctx)
		if err != nil && in.Server != "" {
			return capability.Result{Untrusted: true}, failed(s.spec, err)
		}
		if err != nil {
			found = []string{"  (cannot be listed: " + err.Error() + ")"}
		}
		lines = append(append(lines, s.spec.Name+":"), found...)
	}
	return capability.Result{Text: strings.Join(lines, "\n"), Untrusted: true}, nil
}

// resources are a server's resources and templates of them, a line each.
func (s *server) resources(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.spec.CallTime)
	defer cancel()
	c, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	add := func(address, name, kind, about string) {
		out = append(out, strings.TrimRight(fmt.Sprintf("  %s  %s  %s  %s", address, name, kind, firstLine(about)), " "))
	}
	var req mcp.ListResourcesRequest
	for range mostPages {
		page, err := c.client.ListResourcesByPage(ctx, req)
		if err != nil {
			return nil, c.explain(ctx, err)
		}
		for _, r := range page.Resources {
			add(r.URI, or(r.Title, r.Name), r.MIMEType, r.Description)
		}
		if page.NextCursor == "" || page.NextCursor == req.Params.Cursor || len(out) > mostListings {
			break
		}
		req.Params.Cursor = page.NextCursor
	}
	// Many servers have no templates and say so by an error.
	if page, err := c.client.ListResourceTemplatesByPage(ctx, mcp.ListResourceTemplatesRequest{}); err == nil {
		for _, t := range page.ResourceTemplates {
			if t.URITemplate != nil && t.URITemplate.Template != nil {
				add(t.URITemplate.Raw(), or(t.Title, t.Name), t.MIMEType, t.Description)
			}
		}
	}
	return out, nil
}

func (m *Manager) readResource(ctx context.Context, call capability.Call) (capability.Result, error) {
	var in readResourceIn
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return capability.Result{}, fmt.Errorf("mcp: %w", err)
	}
	found, err := m.pick(in.Server)
	if err != nil {
		return capability.Result{}, err
	}
	if len(found) != 1 {
		return capability.Result{}, ServerUnknown.Becausef("name the server")
	}
	s := found[0]
	ctx, cancel := context.WithTimeout(ctx, s.spec.CallTime)
	defer cancel()
	c, err := s.use(ctx)
	if err != nil {
		return capability.Result{}, failed(s.spec, err)
	}
	var req mcp.ReadResourceRequest
	req.Params.URI = in.URI
	res, err := c.client.ReadResource(ctx, req)
	if err != nil {
		return capability.Result{Untrusted: true}, failed(s.spec, c.explain(ctx, err))
	}
	r := readingFor(m.offers, call)
	r.out.Untrusted = true
	for i, part := range res.Contents {
		r.resource(ctx, i, part)
	}
	if r.out.Text = strings.Join(r.text, "\n"); r.out.Text == "" && len(r.out.Images) == 0 {
		return r.out, failed(s.spec, errors.New("the resource is empty"))
	}
	return r.out, nil
}

// firstLine is the beginning of what a server says about something.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}

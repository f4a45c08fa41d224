package builder

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// Parts are what an agent is made of. Only Model must be given.
type Parts struct {
	// Instructions are added to the prompt.
	Instructions string
	// Model answers. [Offline] and [Open] make one.
	Model provider.Model
	// Functions are single tools, see [capability.Func].
	Functions []capability.Capability
	// Capabilities are definitions and references, in the order in which the
	// model is told of their tools.
	Capabilities []capability.Part
	// Base are tools that the program has anyway: nothing else may take their
	// names. The bridges to tools that are left out of requests belong here.
	Base []capability.Capability
	// Approve agrees to calls of tools that are not read-only, by returning nil.
	// It must be given when there is one.
	Approve capability.Approver
	// Redact hides secrets in what tools return; nil hides none.
	Redact func(string) string

	// Journal keeps conversations; nil keeps them in memory.
	Journal   agent.Journal
	Workspace string // absolute folder of the conversations; may be empty
	Locale    string // BCP 47 tag; empty means English
}

// An Agent is built and ready. Its methods may be called from several
// goroutines.
type Agent struct {
	*agent.Agent

	parts Parts

	mu       sync.Mutex
	waiting  map[string]capability.Reference // by id, those to what is not our own
	provided map[string]bool                 // ids of those that have been provided
	prompts  sync.Map                        // id of a definition → its part of the prompt
}

// Build makes an agent of parts, or says everything that is wrong with them:
// one or more [capability.InvalidError], joined. Then nothing was made.
func Build(p Parts) (*Agent, error) {
	plan := newPlan(p)
	if err := plan.check(); err != nil {
		return nil, err
	}
	if p.Journal == nil {
		p.Journal = &memory{}
	}
	registry := &capability.Registry{}
	a := &Agent{parts: p, waiting: map[string]capability.Reference{}, provided: map[string]bool{}}
	a.Agent = &agent.Agent{
		Registry: registry,
		Runner:   &capability.Runner{Registry: registry, Approve: careful(p.Approve), Redact: p.Redact},
		Journal:  p.Journal, Hub: &agent.Hub{Journal: p.Journal},
		Models: func(context.Context, string, string) ([]agent.Choice, error) {
			return []agent.Choice{{Model: p.Model}}, nil
		},
		Facts: a.facts,
	}
	if err := registry.RegisterAll(plan.tools...); err != nil {
		return nil, err
	}
	for _, d := range plan.definitions {
		a.prompts.Store(d.ID(), d.Prompt())
	}
	for _, r := range plan.references {
		if err := a.settle(r); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// careful asks about calls that may change something, and about no other.
func careful(approve capability.Approver) capability.Approver {
	if approve == nil {
		return nil
	}
	return func(ctx context.Context, c *capability.Capability, call capability.Call, p capability.Preview) error {
		if c.Class == capability.ReadOnly {
			return nil
		}
		return approve(ctx, c, call, p)
	}
}

// settle applies a reference to a part of our own, or keeps it.
func (a *Agent) settle(r capability.Reference) error {
	b, ok := find(r.ID())
	if !ok {
		a.waiting[r.ID()] = r
		return nil
	}
	config, err := r.Settings()
	if err != nil {
		return err
	}
	return b.apply(a.Agent, config)
}

// facts adds the instructions to the prompt: of the definitions, those whose
// tools the turn is offered.
func (a *Agent) facts(turn capability.Turn) agent.Facts {
	var f agent.Facts
	if a.parts.Instructions != "" {
		f.Extra = append(f.Extra, a.parts.Instructions)
	}
	told := map[string]bool{}
	for _, c := range a.Registry.List(capability.Filter{Turn: turn}) {
		id := capability.DefinitionOf(c)
		if id == "" || told[id] {
			continue
		}
		told[id] = true
		if text, ok := a.prompts.Load(id); ok && text != "" {
			f.Extra = append(f.Extra, text.(string)) // only strings are stored
		}
	}
	return f
}

// Waiting lists the references whose capability nothing has provided yet.
func (a *Agent) Waiting() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.waiting)), func(id string) bool { return a.provided[id] })
}

// A Maker makes the definition that a reference names, of its configuration,
// which is a JSON object. Its error means that the configuration is refused.
type Maker func(config json.RawMessage) (capability.Definition, error)

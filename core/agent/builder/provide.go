package builder

import (
	"errors"

	"github.com/hobkin/hobkin/core/capability"
)

// Provide gives the agent what a reference names. The tools come in together,
// for turns that begin later and for the next step of those under way. Where
// nothing refers to id it does nothing and reports false. Provided again, the
// new tools replace the old ones at once. The error, an
// [capability.InvalidError], leaves everything as it was.
func (a *Agent) Provide(id string, build Maker) (used bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.waiting[id]
	if !ok {
		return false, nil
	}
	config, err := r.Settings()
	if err != nil {
		return false, err
	}
	d, err := build(config)
	if err != nil {
		return false, &capability.InvalidError{ID: id, Reason: capability.ConfigRefused, Detail: "the configuration was refused: " + err.Error()}
	}
	if d.ID() != id {
		return false, &capability.InvalidError{ID: id, Reason: capability.BadID, Detail: "what is provided has the id " + d.ID()}
	}
	bundle, err := d.Bundle()
	if err != nil {
		return false, err
	}
	p := newPlan(a.parts)
	p.take(id, bundle)
	p.approver(bundle, id)
	if err := errors.Join(p.faults...); err != nil {
		return false, err
	}
	before, had := a.prompts.Load(id)
	a.prompts.Store(id, d.Prompt()) // it is told only beside the tools
	if err := a.Registry.Replace(capability.KindBuiltin, capability.Family(id), deferrable(bundle)...); err != nil {
		a.prompts.Delete(id)
		if had {
			a.prompts.Store(id, before)
		}
		return false, &capability.InvalidError{ID: id, Reason: capability.DuplicateTool, Detail: err.Error()}
	}
	a.provided[id] = true
	return true, nil
}

// Withdraw takes back what was provided. The reference waits again. It reports
// whether there was something.
func (a *Agent) Withdraw(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.provided[id] {
		return false
	}
	delete(a.provided, id)
	n := a.Registry.UnregisterWhere(capability.KindBuiltin, capability.Family(id))
	a.prompts.Delete(id)
	return n > 0
}

package capability

import "slices"

// A Filter says which capabilities a caller sees. The zero Filter is a guest
// that narrows nothing.
type Filter struct {
	Kind               Kind     // "" means all kinds
	Turn               Turn     // trust and availability are judged for it
	Policy             *Policy  // nil means the trust's default
	Allowed            []string // names or aliases; nil means all, empty means none
	ExcludedNames      []string // names or aliases
	ExcludedCategories []Category
	IncludeHidden      bool
	Deferrable         bool // only those whose schemas may be left out
}

// prepared is a Filter whose names are resolved and whose policy is worked out.
type prepared struct {
	Filter
	policy   Policy
	allowed  map[string]bool // nil: no narrowing
	excluded map[string]bool
}

func (s *snapshot) prepare(f Filter) prepared {
	p := prepared{Filter: f, policy: EffectivePolicy(f.Turn.Trust, f.Policy), excluded: s.names(f.ExcludedNames)}
	if f.Allowed != nil {
		p.allowed = s.names(f.Allowed)
	}
	return p
}

// names resolves aliases, so that a list may hold either.
func (s *snapshot) names(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, n := range list {
		if c := s.byName[n]; c != nil {
			n = c.Name
		}
		set[n] = true
	}
	return set
}

// shows applies the rules in their fixed order: kind, policy, allow-list, bounds,
// excluded names, excluded categories, hidden, availability.
func (p *prepared) shows(c *Capability) bool {
	switch {
	case p.Kind != "" && c.Kind != p.Kind:
		return false
	case !p.policy.Allows(c.Class):
		return false
	case c.OwnerData && p.Turn.Trust != Operator:
		return false
	case p.allowed != nil && !p.allowed[c.Name], !p.Turn.lets(c):
		return false
	case p.excluded[c.Name]:
		return false
	case slices.Contains(p.ExcludedCategories, c.Category):
		return false
	case c.Hidden && !p.IncludeHidden:
		return false
	case p.Deferrable && !c.Deferrable:
		return false
	}
	return c.Available == nil || c.Available(p.Turn)
}

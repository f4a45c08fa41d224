package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// Budgets bound what of the memory stands in a prompt, in bytes.
type Budgets struct{ User, Memory int }

// Views are the two parts of a prompt: what is known of the person, and of the
// work. Either may be empty.
type Views struct{ User, Memory string }

// The categories of each view. A correction stands where what it corrects
// stood: with the person when it is about them.
var (
	userCategories   = []string{Identity, Preference, Goal, Interest, Correction}
	memoryCategories = []string{Instruction, Correction, Project, Environment}
)

// newest bounds how many of a category are weighed for a view.
const newest = 300

// maxViews is how many sessions' views are kept.
const maxViews = 512

// View returns what stands in the prompt of a session. It is made when the
// session first asks and stays the same then, so that the prompt can be cached;
// only what the owner changes by hand has it made anew.
func (b *Book) View(ctx context.Context, p Place) (Views, error) {
	b.mu.Lock()
	v, ok := b.views[p.Session]
	b.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := b.render(ctx, p)
	if err != nil {
		return Views{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.views == nil {
		b.views = map[string]Views{}
	}
	if _, ok := b.views[p.Session]; !ok {
		b.order = append(b.order, p.Session)
	}
	b.views[p.Session] = v
	if len(b.order) > maxViews {
		delete(b.views, b.order[0])
		b.order = b.order[1:]
	}
	return v, nil
}

// forgetViews has the views made anew, after the owner changed something.
func (b *Book) forgetViews() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.views)
	b.order = nil
}

func (b *Book) budgets() Budgets {
	if b.Budgets == nil {
		return Budgets{User: 4096, Memory: 8192}
	}
	return b.Budgets()
}

func (b *Book) render(ctx context.Context, p Place) (v Views, err error) {
	budgets, owner, agent := b.budgets(), p.places()[:1], p.places()[1:2]
	user, err := b.ranked(ctx, userCategories, owner)
	if err != nil {
		return Views{}, err
	}
	var rest []Row
	for _, part := range []struct {
		categories []string
		places     []store.MemoryPlace
	}{
		{Categories(), p.places()[2:]}, // of this very conversation or job
		{memoryCategories, agent},
		{without(memoryCategories, Correction), owner}, // those stand with the person
		{without(userCategories, Correction), agent},   // those stand above
	} {
		list, err := b.ranked(ctx, part.categories, part.places)
		if err != nil {
			return Views{}, err
		}
		rest = append(rest, list...)
	}
	slices.SortStableFunc(rest, func(x, y Row) int { return cmp.Compare(weight(x), weight(y)) })
	return Views{User: fit(user, budgets.User), Memory: fit(rest, budgets.Memory)}, nil
}

func without(list []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == one })
}

// weight orders what stands of the work: what belongs here before what is
// everywhere, then by category.
func weight(m Row) int {
	n := slices.Index(Categories(), m.Category)
	if m.Subject == "" {
		n += len(Categories())
	}
	return n
}

// ranked are the memories of categories, in the order of their weight: by
// category, and in it what is surest and newest.
func (b *Book) ranked(ctx context.Context, categories []string, places []store.MemoryPlace) (out []Row, err error) {
	for _, category := range categories {
		var list []Row
		for _, place := range places {
			part, err := b.Store.Memories(ctx, store.MemoryQuery{State: store.MemoryActive, Places: []store.MemoryPlace{place}, Categories: []string{category}, Limit: newest})
			if err != nil {
				return nil, err
			}
			list = append(list, part...)
		}
		slices.SortStableFunc(list, func(x, y Row) int { return cmp.Or(cmp.Compare(y.Confidence, x.Confidence), y.At.Compare(x.At)) })
		out = append(out, list...)
	}
	return out, nil
}

// fit writes down as many memories as there is room for. They stand by category
// and key, so that little moves when one comes or goes.
func fit(list []Row, budget int) string {
	var fits []Row
	for _, m := range list {
		if n := len(line(m)); n <= budget {
			fits = append(fits, m)
			budget -= n
		}
	}
	slices.SortStableFunc(fits, func(x, y Row) int {
		return cmp.Or(cmp.Compare(slices.Index(Categories(), x.Category), slices.Index(Categories(), y.Category)), cmp.Compare(x.Key, y.Key), cmp.Compare(x.Scope, y.Scope))
	})
	var out strings.Builder
	for _, m := range fits {
		out.WriteString(line(m))
	}
	return out.String()
}

// line is a memory in a prompt: on one line, and without anything that looks
// like a mark of the conversation.
func line(m Row) string {
	value, _ := capability.Defang(strings.Join(strings.Fields(m.Value), " "))
	key, _ := capability.Defang(m.Key)
	return "- " + m.Category + ", " + key + ": " + value + "\n"
}

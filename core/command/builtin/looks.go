package builtin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// looks are the commands that show what there is.
func (h host) looks() []command.Command {
	return []command.Command{
		{Name: "tools", Hint: "[NAME|WORDS]", Summary: "List the tools, or show the page of one", Do: h.tools},
		{Name: "memory", Hint: "[WORDS]", Summary: "See what is remembered", Do: h.memory},
		{Name: "jobs", Summary: "See the jobs and when they run next", Do: h.jobs},
		{Name: "cost", Hint: "[DAYS]", Summary: "See what models have used, and how the budgets stand", Do: h.cost},
		{Name: "doctor", Summary: "Try every part and say what is wrong", Do: h.doctor},
		{Name: "whoami", Summary: "See whose conversation this is, and what holds in it", Open: true, Do: h.whoami},
	}
}

func (h host) tools(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest != "" {
		if one, err := h.Tools(ctx, control.ToolQuery{Name: g.Rest, All: true}); err == nil && len(one) == 1 {
			page, err := h.ToolHelp(ctx, one[0].Name)
			return command.Reply{Parts: []command.Part{{Markdown: page}}}, err
		}
	}
	list, err := h.Tools(ctx, control.ToolQuery{Search: g.Rest})
	rows := &command.Rows{Head: []string{"Tool", "What it does"}}
	for _, t := range list {
		rows.Rows = append(rows.Rows, []string{t.Name, brief(t.Description)})
	}
	return table("There is no such tool.", rows), err
}

func (h host) memory(ctx context.Context, g command.Given) (command.Reply, error) {
	list, err := h.Memories(ctx, control.MemoryQuery{Search: g.Rest, Limit: mostListed})
	rows := &command.Rows{Head: []string{"Key", "Value", "Category"}}
	for _, m := range list.Memories {
		rows.Rows = append(rows.Rows, []string{brief(m.Key), brief(m.Value), m.Category})
	}
	r := table("Nothing of that is remembered.", rows)
	if list.Held > 0 {
		r.Parts = append(r.Parts, command.Sentence("{{.N}} more wait for your word.", "N", strconv.Itoa(list.Held)))
	}
	return r, err
}

func (h host) jobs(ctx context.Context, _ command.Given) (command.Reply, error) {
	list, err := h.Jobs(ctx)
	rows := &command.Rows{Head: []string{"Job", "State", "When", "Next run"}}
	for _, j := range list.Jobs {
		rows.Rows = append(rows.Rows, []string{brief(j.Name), j.State, j.Meaning, j.NextTextOr("")})
	}
	r := table("There are no jobs.", rows)
	if len(list.Jobs) > 0 && !list.Running {
		r.Parts = append(r.Parts, command.Sentence("No program runs the jobs now: they run while the desktop does."))
	}
	return r, err
}

// costDays is how many days are told when none are named.
const costDays = 7

func (h host) cost(ctx context.Context, g command.Given) (command.Reply, error) {
	days := costDays
	if g.Rest != "" {
		if _, err := fmt.Sscanf(g.Rest, "%d", &days); err != nil || days < 1 {
			return command.Reply{}, command.BadUse.Becausef("%q is no number of days", g.Rest)
		}
	}
	report, err := h.Usage(ctx, control.UsageQuery{Days: days})
	rows := &command.Rows{Head: []string{"Day", "Tokens in", "Of them cached", "Tokens out", "Cost"}}
	var sum control.DayUsage
	add := func(name string, u control.DayUsage) {
		rows.Rows = append(rows.Rows, []string{name, strconv.Itoa(u.Input), strconv.Itoa(u.Cached), strconv.Itoa(u.Output), fmt.Sprintf("$%.4f", u.CostUSD)})
	}
	for _, u := range report.Days {
		if u.Input+u.Output == 0 {
			continue
		}
		add(u.Day.Format(time.DateOnly), u)
		sum.Input, sum.Cached, sum.Output, sum.CostUSD = sum.Input+u.Input, sum.Cached+u.Cached, sum.Output+u.Output, sum.CostUSD+u.CostUSD
	}
	if len(rows.Rows) > 1 {
		add("Σ", sum)
	}
	r := table("No model was used in this time.", rows)
	for _, b := range report.Budgets {
		r.Parts = append(r.Parts, command.Sentence("The budget “{{.Name}}” is at {{.Spent}} of {{.Limit}}.", "Name", b.Scope, "Spent", b.Spent, "Limit", b.Limit))
	}
	return r, err
}

func (h host) doctor(ctx context.Context, _ command.Given) (command.Reply, error) {
	list, err := h.Doctor(ctx)
	marks := map[string]string{"passed": "✓", "warning": "!", "failed": "✗", "not_applicable": "–"}
	rows := &command.Rows{Head: []string{"", "Check", "Result"}}
	for _, c := range list {
		detail := c.Detail
		if c.Fix != "" {
			detail += " → " + c.Fix
		}
		rows.Rows = append(rows.Rows, []string{marks[c.Status], c.Name, detail})
	}
	return table("Nothing was checked.", rows), err
}

func (h host) whoami(ctx context.Context, g command.Given) (command.Reply, error) {
	info, err := h.Info(ctx)
	if err != nil {
		return command.Reply{}, err
	}
	rows := &command.Rows{Head: []string{"", ""}, Ours: []int{0}}
	row := func(name, value string) {
		if value != "" {
			rows.Rows = append(rows.Rows, []string{name, value})
		}
	}
	row("You are", string(g.Trust))
	row("Place", g.Channel)
	if g.Trust == "operator" { // a guest is told nothing of the owner's machine
		mode, model, err := h.current(ctx, g)
		if err != nil {
			return command.Reply{}, err
		}
		row("Conversation", g.Session)
		row("Folder", or(g.Workspace, info.Workspace))
		row("Mode", mode)
		row("Model", model)
		row("Sandbox", info.Sandbox)
	}
	row("Hobkin", info.Version)
	return table("", rows), nil
}

package capability

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// The steps that keep a result small in the chat. What they leave out is saved
// before, and the result says where.

// distill replaces a long result by a shorter one that says the same, once the
// original is saved.
func distill(ctx context.Context, f *flow) error {
	r := &f.out.Result
	if f.Distill == nil || f.Save == nil || !f.distillable() {
		return nil
	}
	short, how := f.distilled(ctx, r.Text)
	if how == "" || len(short)+distillNote >= len(r.Text) {
		return nil
	}
	if note := f.save(ctx, f.framed(ctx, r.Text)); f.out.SavedAs != "" {
		f.tail = fmt.Sprintf("\n(distilled from %d bytes: %s)", len(r.Text), how) + note + f.tail
		r.Text = short
	}
	return nil
}

// distillNote is room for the lines that say that and how a result was
// distilled: what saves less is not worth it.
const distillNote = 512

// exact are the kinds of work whose results are copied or named again.
var exact = map[Category]bool{CategoryFile: true, CategoryGit: true, CategorySystem: true, CategoryComputer: true, CategorySkillAdmin: true}

// distillable reports whether the result is one that may be distilled: no
// command, whose output is persisted, and nothing that is read to be copied.
func (f *flow) distillable() bool {
	tool, n := f.out.Tool, len(f.out.Result.Text)
	switch {
	case f.out.Err != nil || !f.ran || n < f.limits.Distill || n > f.limits.Whole:
		return false
	case tool.Hints.PersistOutput, tool.Hints.Exact, exact[tool.Category]:
		return false
	}
	return true
}

// distilled calls Distill. Where that itself fails the result stays whole.
func (f *flow) distilled(ctx context.Context, text string) (short, how string) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "capability: distilling", "tool", f.out.Tool.Name, "error", p)
			short, how = "", ""
		}
	}()
	return f.Distill(strings.ToValidUTF8(text, "\ufffd"))
}

// persist puts what a command printed behind the text, cut to what stays in
// the chat, and saves the whole.
func persist(ctx context.Context, f *flow) error {
	r := &f.out.Result
	if len(r.Streams) == 0 {
		return nil
	}
	most := f.limits.Success
	if r.Failing || f.out.Err != nil {
		most = f.limits.Failure
	}
	size := 0
	for _, s := range r.Streams {
		size += len(s.Text)
	}
	whole, shown := r.printed(size), r.printed(most)
	r.Text, r.Streams = shown, nil
	if len(shown) < len(whole) {
		f.tail = f.save(ctx, f.framed(ctx, whole)) + f.tail
	}
	return nil
}

// printed is the text with its streams, of which at most so many bytes are
// shown. The last stream, which says what went wrong, has a third of them at
// least.
func (r *Result) printed(most int) string {
	var b strings.Builder
	b.WriteString(r.Text)
	last := len(r.Streams) - 1
	for i, s := range r.Streams {
		share := most
		if i < last {
			share = most - min(len(r.Streams[last].Text), max(most/3, most-len(s.Text)))
		}
		cut := CutMiddle(s.Text, share)
		most -= min(len(s.Text), share)
		if s.Text == "" {
			continue
		}
		endLine(&b)
		b.WriteString("--- " + s.Name + "\n" + cut)
		endLine(&b)
	}
	return b.String()
}

func endLine(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}

// limit cuts a long result to head and tail and saves the whole.
func limit(ctx context.Context, f *flow) error {
	r := &f.out.Result
	r.Text = strings.ToValidUTF8(r.Text, "\ufffd")
	if len(r.Text) > f.limits.Inline {
		if f.out.SavedAs == "" {
			f.tail = f.save(ctx, r.Text) + f.tail
		}
		r.Text = CutMiddle(r.Text, min(f.limits.Inline, f.limits.Hard-len(f.tail)-cutNote))
	}
	r.Text = CutText(r.Text, f.limits.Hard-len(f.tail))
	r.Diff = CutText(r.Diff, f.limits.Data)
	if len(r.Data) > f.limits.Data {
		slog.WarnContext(ctx, "capability: structured data left out", "tool", f.req.Name, "bytes", len(r.Data))
		r.Data = nil
	}
	return nil
}

// maxNote bounds what a tool says beside its text, in bytes.
const maxNote = 4 << 10

// note puts what a tool itself says behind its text, out of its frame.
func note(_ context.Context, f *flow) error {
	if n := f.out.Result.Note; n != "" && f.out.Err == nil {
		f.tail = "\n" + CutText(strings.ToValidUTF8(n, "\ufffd"), maxNote) + f.tail
	}
	return nil
}

// closeText ends the result with the lines of ours.
func closeText(_ context.Context, f *flow) error {
	if r := &f.out.Result; f.tail != "" {
		r.Text = strings.TrimSuffix(r.Text, "\n") + f.tail
	}
	return nil
}

// save keeps a whole text and returns the line that says where.
func (f *flow) save(ctx context.Context, text string) string {
	if f.Save == nil {
		return ""
	}
	saved, err := f.Save(context.WithoutCancel(ctx), f.out.Call, text)
	if err != nil {
		slog.WarnContext(ctx, "capability: saving a long output", "tool", f.out.Call.Name, "error", err)
		return "\n(the whole output could not be saved)"
	}
	f.out.SavedAs = saved
	return "\n(whole output: " + saved + f.recall() + ")"
}

// framed is what is saved of a text that is framed in the chat: it is still
// from outside when it is read back.
func (f *flow) framed(ctx context.Context, text string) string {
	shown := f.out.Result.Text
	defer func() { f.out.Result.Text = shown }()
	f.out.Result.Text = text
	_ = frame(ctx, f) // never fails
	return f.out.Result.Text
}

// recall says how a saved output is read back where the caller can do that.
func (f *flow) recall() string {
	c, ok := f.Registry.Find(f.Recall)
	if !ok || f.out.Call.ID == "" {
		return ""
	}
	if p := f.Registry.load().prepare(f.req.Filter); !p.shows(c) {
		return ""
	}
	return fmt.Sprintf("; search it with %s, call_id %s", c.Name, f.out.Call.ID)
}

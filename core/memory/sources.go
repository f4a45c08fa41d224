package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// A Reader reads the text of a file, see [ReadFile].
type Reader func(ctx context.Context, path string) (text string, err error)

// Bounds of the owner's sources.
const (
	maxSources  = 64
	maxPassages = 4000 // of one source
	passageLen  = 1200 // bytes, about
)

// The failures of adding a source.
var (
	BadSource      = &capability.Failure{Code: "bad_source", When: "the file cannot be read as text", Try: "name a text, Markdown or PDF file by its whole path"}
	TooManySources = &capability.Failure{Code: "too_many_sources", When: "there are as many sources as are taken", Try: "remove one that is no longer needed"}
	NoSource       = &capability.Failure{Code: "no_source", When: "the file is no source", Try: "list the sources"}
)

// AddSource reads a file and lets recall look into it.
func (b *Book) AddSource(ctx context.Context, path string) (store.MemorySource, error) {
	list, err := b.Store.MemorySources(ctx)
	switch {
	case err != nil:
		return store.MemorySource{}, err
	case !filepath.IsAbs(path):
		return store.MemorySource{}, BadSource.Becausef("%s is not a whole path", path)
	case len(list) >= maxSources:
		return store.MemorySource{}, TooManySources.Becausef("there are %d sources, which is the most", len(list))
	}
	x, passages, err := b.readSource(ctx, filepath.Clean(path))
	if err != nil {
		return store.MemorySource{}, BadSource.Becausef("%s cannot be a source: %v", path, err)
	}
	return b.Store.PutMemorySource(ctx, x, passages)
}

// RemoveSource has recall no longer look into a file. The file stays.
func (b *Book) RemoveSource(ctx context.Context, path string) error {
	err := b.Store.RemoveMemorySource(ctx, filepath.Clean(path))
	if errors.Is(err, store.ErrNotFound) {
		return NoSource.Becausef("%s is no source", path)
	}
	return err
}

// Sources lists the sources, read again where their files changed.
func (b *Book) Sources(ctx context.Context) ([]store.MemorySource, error) {
	list, err := b.Store.MemorySources(ctx)
	if err != nil {
		return nil, err
	}
	for i, x := range list {
		if list[i], err = b.fresh(ctx, x); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fresh reads a source again when its file changed. One that cannot be read any
// more keeps its text and says so.
func (b *Book) fresh(ctx context.Context, x store.MemorySource) (store.MemorySource, error) {
	info, err := os.Stat(x.Path)
	if err == nil && info.Size() == x.Bytes && info.ModTime().Truncate(time.Microsecond).Equal(x.Modified) {
		return x, nil
	}
	if err == nil {
		var passages []string
		var again store.MemorySource
		if again, passages, err = b.readSource(ctx, x.Path); err == nil {
			return b.Store.PutMemorySource(ctx, again, passages)
		}
	}
	if ctx.Err() != nil {
		return x, ctx.Err()
	}
	x.Problem = fmt.Sprintf("it cannot be read any more (%v); its text is as of %s", err, x.Read.Local().Format(time.DateTime))
	return x, nil
}

func (b *Book) readSource(ctx context.Context, path string) (x store.MemorySource, passages []string, err error) {
	if b.Read == nil {
		return x, nil, errors.New("no files can be read here")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return x, nil, err
	case !info.Mode().IsRegular():
		return x, nil, errors.New("it is no file")
	}
	text, err := b.Read(ctx, path)
	if err != nil {
		return x, nil, err
	}
	x = store.MemorySource{Path: path, Bytes: info.Size(), Modified: info.ModTime().Truncate(time.Microsecond)}
	if passages = split(text); len(passages) > maxPassages {
		passages = passages[:maxPassages]
		x.Problem = "it is too long; only its beginning is looked into"
	}
	if len(passages) == 0 {
		return x, nil, errors.New("there is no text in it")
	}
	return x, passages, nil
}

// split cuts a text into passages at the ends of paragraphs, else of lines,
// words or, at last, characters.
func split(text string) (out []string) {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\ufffd"))
	for len(text) > passageLen {
		at := 0
		for _, sep := range []string{"\n\n", "\n", " "} {
			if at = strings.LastIndex(text[:passageLen], sep); at > passageLen/4 {
				break
			}
		}
		if at <= 0 {
			at = len(capability.CutText(text, passageLen))
		}
		if one := strings.TrimSpace(text[:at]); one != "" {
			out = append(out, one)
		}
		text = strings.TrimSpace(text[at:])
		if len(out) > maxPassages {
			return out
		}
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// files finds passages of the owner's sources.
func (b *Book) files(ctx context.Context, q Question) (out []Hit, err error) {
	words := or(q.Search, q.Key)
	if words == "" {
		return nil, nil
	}
	if _, err := b.Sources(ctx); err != nil { // read again what changed
		return nil, err
	}
	list, err := b.Store.SearchPassages(ctx, words, q.Limit)
	for _, p := range list {
		out = append(out, Hit{From: SourceFiles, Where: fmt.Sprintf("%s, passage %d", p.Path, p.Place), Title: filepath.Base(p.Path), Text: p.Text})
	}
	return out, err
}

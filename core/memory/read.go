package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hobkin/hobkin/core/leash"
	"github.com/hobkin/hobkin/core/pdftext"
	"github.com/hobkin/hobkin/core/textfile"
)

// Bounds of one file that is read.
const (
	maxFile  = 32 << 20 // bytes
	readTime = 30 * time.Second
	maxText  = 8 << 20 // bytes of a PDF's text
)

// Files reads the owner's sources. Parsers of PDFs that do not end are left
// behind, a few at the most.
type Files struct{ parsers leash.Leash }

// Read is a [Reader] of text in any encoding, Markdown and PDF.
func (f *Files) Read(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxFile:
		return "", fmt.Errorf("it has more than %d MB", maxFile>>20)
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return f.pdf(ctx, data)
	case textfile.IsBinary(data) && !textfile.HasBOM(data):
		return "", errors.New("it is no text")
	}
	enc := textfile.Detect(data)
	if enc == nil {
		return "", errors.New("it is no text")
	}
	return enc.DecodeString(bytes.TrimPrefix(data, enc.BOM)), nil
}

func (f *Files) pdf(ctx context.Context, data []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	x, err := leash.Do(ctx, &f.parsers, func(ctx context.Context) (*pdftext.Extract, error) {
		return pdftext.Read(ctx, data, pdftext.Range{Bytes: maxText})
	})
	if err != nil {
		return "", fmt.Errorf("the PDF cannot be read: %w", err)
	}
	return x.Text, nil
}

// Package pdftexttest makes small PDF files for tests.
package pdftexttest

import (
	"bytes"
	"fmt"
	"strings"
)

// Font is the object number of the Helvetica that pages of [Make] call F1.
const Font = 3

// Make writes a PDF with a page for each content stream. extra are further
// objects; the first has the number [Font] + 1 + 2·len(contents). resources is
// put into each page's resources.
func Make(contents []string, resources string, extra ...string) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	out.WriteString("%PDF-1.4\n")
	kids := make([]string, len(contents))
	for i := range contents {
		kids[i] = fmt.Sprintf("%d 0 R", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(contents)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, stream := range contents {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> %s >> >>", 5+2*i, resources))
		object(Stream("", stream))
	}
	for _, body := range extra {
		object(body)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, off := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return out.Bytes()
}

// Stream is the body of a stream object; dict is put into its dictionary.
func Stream(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// Text is a content stream that shows one line of plain text.
func Text(line string) string { return "BT /F1 12 Tf 20 200 Td (" + line + ") Tj ET" }

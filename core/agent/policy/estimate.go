package policy

import "github.com/hobkin/hobkin/core/provider"

// What a token is taken for. Providers count differently; this is on the safe
// side for English and code.
const (
	bytesPerToken  = 4
	tokensPerImage = 1500
	bytesPerPart   = 16 // frame around a part
)

// Fixed estimates the tokens of what every request of a turn carries.
func Fixed(system string, tools []provider.Tool) int {
	n := len(system)
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters) + bytesPerPart
	}
	return n / bytesPerToken
}

// Tokens estimates the tokens of messages.
func Tokens(history []provider.Message) int {
	bytes, images := 0, 0
	for _, m := range history {
		for _, p := range m.Parts {
			b, im := weigh(p)
			bytes, images = bytes+b, images+im
		}
	}
	return bytes/bytesPerToken + images*tokensPerImage
}

// Bytes estimates the size of messages on the wire, images in base64.
func Bytes(history []provider.Message) int {
	n := 0
	for _, m := range history {
		for _, p := range m.Parts {
			b, _ := weigh(p)
			n += b
			switch p := p.(type) {
			case provider.Image:
				n += len(p.Data) * 4 / 3
			case provider.ToolResult:
				for _, im := range p.Images {
					n += len(im.Data) * 4 / 3
				}
			case provider.Text, provider.Reasoning, provider.ToolCall:
			}
		}
	}
	return n
}

// weigh returns the bytes of a part's text and the number of its images.
func weigh(p provider.Part) (bytes, images int) {
	switch p := p.(type) {
	case provider.Text:
		return len(p.Text) + bytesPerPart, 0
	case provider.Image:
		return bytesPerPart, 1
	case provider.Reasoning:
		return len(p.Text) + len(p.Encrypted) + len(p.Signature) + len(p.Block) + bytesPerPart, 0
	case provider.ToolCall:
		return len(p.Name) + len(p.Args) + len(p.Signature) + bytesPerPart, 0
	case provider.ToolResult:
		return len(p.Name) + len(p.Text) + bytesPerPart, len(p.Images)
	}
	return 0, 0
}

package picture

import (
	"encoding/binary"
	"image"
	"runtime"
	"sync"

	"golang.org/x/image/draw"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Scale returns the picture in exactly that size. A smaller one takes all
// pixels into account, each by the area that it covers, so that thin lines and
// small text stay readable.
func Scale(pix *image.RGBA, to wire.Size) *image.RGBA {
	w, h := pix.Bounds().Dx(), pix.Bounds().Dy()
	if w == to.W && h == to.H {
		return pix
	}
	out := image.NewRGBA(image.Rect(0, 0, to.W, to.H))
	if to.W > w || to.H > h {
		draw.CatmullRom.Scale(out, out.Bounds(), pix, pix.Bounds(), draw.Src, nil)
		return out
	}
	s := shrink{pix, out, covers(w, to.W), covers(h, to.H)}
	var work sync.WaitGroup
	n := min(runtime.GOMAXPROCS(0), to.H)
	for i := range n {
		work.Go(func() { s.rows(i*to.H/n, (i+1)*to.H/n) })
	}
	work.Wait()
	return out
}

// A cover is which pixels of the source one of the result covers along an
// axis, and by how much of whole.
type cover struct {
	from    int
	weights []uint64
}

// whole is the sum of weights. With it a colour times a weight takes 16 bits,
// so that the four of a pixel are computed as one number of 64.
const whole = 256

func covers(from, to int) []cover {
	list := make([]cover, to)
	for i := range list {
		// In units of 1/to of a pixel of the source, to be exact; rounded as a
		// running sum, so that the weights make the whole.
		start, end := i*from, (i+1)*from
		c := cover{from: start / to}
		for p, done := c.from, 0; p*to < end; p++ {
			upTo := (min(end, (p+1)*to) - start) * whole / from
			c.weights, done = append(c.weights, uint64(upTo-done)), upTo
		}
		list[i] = c
	}
	return list
}

// A shrink makes a picture smaller.
type shrink struct {
	from, to     *image.RGBA
	across, down []cover
}

const (
	lanes = 0x00ff00ff00ff00ff
	half  = 0x0080008000800080
)

// spread gives each of a pixel's four bytes 16 bits.
func spread(p uint32) uint64 {
	v := uint64(p)
	v = (v | v<<16) & 0x0000ffff0000ffff
	return (v | v<<8) & lanes
}

// pack is the reverse.
func pack(v uint64) uint32 {
	v = (v | v>>8) & 0x0000ffff0000ffff
	return uint32(v | v>>16)
}

func (s *shrink) rows(first, end int) {
	w := s.from.Bounds().Dx()
	line := make([]uint64, w)
	for y := first; y < end; y++ {
		clear(line)
		for i, weight := range s.down[y].weights {
			at := (s.down[y].from + i) * s.from.Stride
			row := s.from.Pix[at : at+4*w]
			for x := range line {
				line[x] += spread(binary.LittleEndian.Uint32(row[4*x:])) * weight
			}
		}
		for x := range line {
			line[x] = (line[x] + half) >> 8 & lanes
		}
		out := s.to.Pix[y*s.to.Stride:]
		for x := range s.across {
			c := &s.across[x]
			var sum uint64
			for i, weight := range c.weights {
				sum += line[c.from+i] * weight
			}
			binary.LittleEndian.PutUint32(out[4*x:], pack((sum+half)>>8&lanes))
		}
	}
}

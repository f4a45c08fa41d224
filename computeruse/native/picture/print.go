package picture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// tile is the side of the squares that a print tells apart, in pixels.
const tile = 16

// A Print stands for the pixels of a picture, so that another one can be
// compared with it when the pixels are gone: a sum for each tile.
type Print struct {
	w, h    int // pixels
	sums    []uint64
	ignored map[int]bool // tiles
}

// Two sums with different polynomials, which processors compute by themselves,
// make one of 64 bits.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// PrintOf takes the print of a picture.
func PrintOf(pix *image.RGBA) Print {
	w, h := pix.Bounds().Dx(), pix.Bounds().Dy()
	p := Print{w: w, h: h}
	across := p.across()
	p.sums = make([]uint64, across*((h+tile-1)/tile))
	for y := range h {
		row := pix.Pix[y*pix.Stride : y*pix.Stride+4*w]
		sums := p.sums[y/tile*across:]
		for i := 0; len(row) > 0; i++ {
			n := min(len(row), 4*tile)
			a, b := uint32(sums[i]>>32), uint32(sums[i])
			sums[i] = uint64(crc32.Update(a, castagnoli, row[:n]))<<32 | uint64(crc32.Update(b, crc32.IEEETable, row[:n]))
			row = row[n:]
		}
	}
	return p
}

func (p Print) across() int { return (p.w + tile - 1) / tile }

// Hash is one word for the whole picture.
func (p Print) Hash() string {
	raw := make([]byte, 0, 8*len(p.sums)+8)
	raw = binary.BigEndian.AppendUint64(raw, uint64(p.w)<<32|uint64(p.h))
	for _, s := range p.sums {
		raw = binary.BigEndian.AppendUint64(raw, s)
	}
	return fmt.Sprintf("%08x%08x", crc32.Checksum(raw, castagnoli), crc32.ChecksumIEEE(raw))
}

// Ignore leaves a part of the picture out of comparisons.
func (p *Print) Ignore(b wire.Box) {
	if p.ignored == nil {
		p.ignored = map[int]bool{}
	}
	across := p.across()
	for y := max(b.Y, 0) / tile; y*tile < min(b.Y+b.H, p.h); y++ {
		for x := max(b.X, 0) / tile; x*tile < min(b.X+b.W, p.w); x++ {
			p.ignored[y*across+x] = true
		}
	}
}

// Diff tells where two prints differ, joined to at most that many boxes, in
// pixels of the picture. Of pictures of different sizes all does.
func (p Print) Diff(now Print, most int) []wire.Box {
	if p.w != now.w || p.h != now.h {
		return []wire.Box{{W: now.w, H: now.h}}
	}
	var boxes []wire.Box
	across := p.across()
	for i, s := range p.sums {
		if s == now.sums[i] || p.ignored[i] || now.ignored[i] {
			continue
		}
		b := wire.Box{X: i % across * tile, Y: i / across * tile, W: tile, H: tile}
		b.W, b.H = min(b.W, p.w-b.X), min(b.H, p.h-b.Y)
		boxes = join(boxes, b, most)
	}
	return boxes
}

// join adds a box: to one that it touches, or to the one that grows least when
// there are enough.
func join(boxes []wire.Box, b wire.Box, most int) []wire.Box {
	best, least := -1, 0
	for i, o := range boxes {
		u := union(o, b)
		grows := u.W*u.H - o.W*o.H - b.W*b.H
		if best < 0 || grows < least {
			best, least = i, grows
		}
	}
	if best >= 0 && (least <= 0 || len(boxes) >= most || near(boxes[best], b)) {
		boxes[best] = union(boxes[best], b)
		return boxes
	}
	return append(boxes, b)
}

// near reports whether boxes are at most a tile apart.
func near(a, b wire.Box) bool {
	return a.X-tile <= b.X+b.W && b.X-tile <= a.X+a.W && a.Y-tile <= b.Y+b.H && b.Y-tile <= a.Y+a.H
}

func union(a, b wire.Box) wire.Box {
	u := wire.Box{X: min(a.X, b.X), Y: min(a.Y, b.Y)}
	u.W, u.H = max(a.X+a.W, b.X+b.W)-u.X, max(a.Y+a.H, b.Y+b.H)-u.Y
	return u
}

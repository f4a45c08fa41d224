package wire

// Contains reports whether p lies in b.
func (b Box) Contains(p Point) bool {
	return p.X >= b.X && p.Y >= b.Y && p.X < b.X+b.W && p.Y < b.Y+b.H
}

// Within reports whether all of b lies in outer.
func (b Box) Within(outer Box) bool {
	return b.W > 0 && b.H > 0 && outer.Contains(Point{b.X, b.Y}) && outer.Contains(Point{b.X + b.W - 1, b.Y + b.H - 1})
}

// Pixel is the pixel of a picture of b, of that size, in which a point of the
// desktop lies. With [Box.Point] it is the only transform between the two:
// what is drawn into a picture and what is clicked in it use the same.
func (b Box) Pixel(p Point, picture Size) Point {
	return Point{middle(p.X-b.X, b.W, picture.W), middle(p.Y-b.Y, b.H, picture.H)}
}

// Point is the point of the desktop in the middle of a picture's pixel. Where
// the picture is no larger than b, Pixel of it is that pixel again; where it
// is larger, one point has several pixels, and the point is the same again.
func (b Box) Point(px Point, picture Size) Point {
	return Point{b.X + middle(px.X, picture.W, b.W), b.Y + middle(px.Y, picture.H, b.H)}
}

// middle takes the middle of the unit at v of a length of from units to one of
// to units, and rounds down, also below zero.
func middle(v, from, to int) int {
	if from <= 0 {
		return 0
	}
	n, d := (2*v+1)*to, 2*from
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

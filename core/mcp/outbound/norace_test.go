//go:build !race

package outbound

// hugeResult is what a result may be long, in bytes.
const hugeResult = 20 << 20

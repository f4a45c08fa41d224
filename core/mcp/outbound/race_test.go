//go:build race

package outbound

// hugeResult is what a result may be long: less than without the race detector,
// under which twenty passes over 20 MB take half a minute.
const hugeResult = 4 << 20

//go:build !race

package capability

const raced = false

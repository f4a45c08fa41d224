package browser

import (
	"bytes"
	"os"
	"strconv"

	"github.com/hobkin/hobkin/core/process"
)

// memory adds up what the processes of a browser hold, where /proc tells. Those
// of its pages write over their environment, so a mark there does not find them.
func memory(pid int) (total int64) {
	for _, one := range process.InSession(pid) {
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(one) + "/status"); err == nil {
			total += residentOf(b)
		}
	}
	return total
}

// residentOf reads what a process holds for itself from its status in /proc:
// the memory of programs and libraries, which all share, does not count.
func residentOf(status []byte) (total int64) {
	for line := range bytes.Lines(status) {
		name, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok || string(name) != "RssAnon" && string(name) != "RssShmem" {
			continue
		}
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		if n, err := strconv.ParseInt(string(fields[0]), 10, 64); err == nil {
			total += n << 10
		}
	}
	return total
}

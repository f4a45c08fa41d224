package process

import "os"

// readNow has nothing to do here: a pipe has no deadline, its readers end when
// the job does.
func readNow(*os.File, []byte) int { return 0 }

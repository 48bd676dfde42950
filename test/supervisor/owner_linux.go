package supervisor

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByMe keeps the reaper away from directories that another user made.
func ownedByMe(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

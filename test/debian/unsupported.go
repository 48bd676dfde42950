package debian

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Unsupported returns what this machine lacks for Install, as the end of a sentence, or
// nothing when it has all: Debian or Ubuntu, root, apt-get.
func Unsupported() string {
	release, err := os.Open("/etc/os-release")
	if err != nil {
		return unsupported(nil, os.Geteuid(), exec.LookPath)
	}
	defer release.Close()
	return unsupported(release, os.Geteuid(), exec.LookPath)
}

func unsupported(release io.Reader, uid int, look func(string) (string, error)) string {
	_, err := look("apt-get")
	switch {
	case release == nil || !debianLike(release):
		return "this needs Debian or Ubuntu"
	case err != nil:
		return "this needs apt-get"
	case uid != 0:
		return "this needs root"
	}
	return ""
}

// debianLike reads os-release(5). Derivatives name what they derive from in ID_LIKE, but their
// package versions are their own, so only the two distributions themselves count.
func debianLike(release io.Reader) bool {
	for lines := bufio.NewScanner(release); lines.Scan(); {
		value, found := strings.CutPrefix(lines.Text(), "ID=")
		if found {
			return slices.Contains([]string{"debian", "ubuntu"}, strings.Trim(value, `"'`))
		}
	}
	return false
}

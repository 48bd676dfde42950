package openstack

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Unsupported returns one line that says why this machine cannot run the bed and what to do
// instead, or nothing when it can: Debian or Ubuntu, root, apt-get.
func Unsupported() string {
	release, err := os.Open("/etc/os-release")
	if err != nil {
		return unsupported(nil, os.Geteuid(), exec.LookPath)
	}
	defer release.Close()
	return unsupported(release, os.Geteuid(), exec.LookPath)
}

func unsupported(release io.Reader, uid int, look func(string) (string, error)) string {
	const instead = "; set OS_CLOUD (with a clouds.yaml) to point the tests at any OpenStack instead"
	_, err := look("apt-get")
	switch {
	case release == nil || !debianLike(release):
		return "the OpenStack test bed needs Debian or Ubuntu" + instead
	case err != nil:
		return "the OpenStack test bed needs apt-get" + instead
	case uid != 0:
		return "the OpenStack test bed needs root" + instead
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

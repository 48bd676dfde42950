// Command leap is a child that takes as much memory at once as it is told, and touches none of it.
package main

import (
	"os"
	"runtime"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
)

func main() {
	code, _ := confine.Child(os.Args, map[string]confine.Job{"leap": func(t confine.Task) []byte {
		size, _ := strconv.Atoi(t.Arguments[0])
		taken := make([]byte, size)
		runtime.KeepAlive(taken)
		return []byte("taken")
	}})
	os.Exit(code)
}

//go:build !linux

package confine

import (
	"os"
	"time"
)

func executable() (string, error) { return os.Executable() }

// limit has nothing to add here to the watch over memory and the parent's clock.
func limit(Limits, int64) error { return nil }

// processorTime cannot be told here: what takes long ends by the parent's clock.
func processorTime() time.Duration { return 0 }

func peak() int64 { return 0 }

// text cannot be told either: the least that is taken for it has to do.
func text() int64 { return 0 }

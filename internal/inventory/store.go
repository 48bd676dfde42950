package inventory

import (
	"context"
	"errors"
)

// ErrConflict says that a shard is not what it was when it was read.
var ErrConflict = errors.New("the inventory was changed by somebody else")

// Shard is one stored piece.
type Shard struct {
	Data    []byte
	Version string
}

// Store keeps shards by name.
type Store interface {
	// Load returns every shard; none when nothing was ever stored.
	Load(ctx context.Context) (map[string]Shard, error)
	// Put stores a shard if it still has that version ("" if there is none yet) and returns the
	// new version. It fails with ErrConflict when it has another one. After any other error it is
	// open whether the shard was stored.
	Put(ctx context.Context, name string, data []byte, version string) (string, error)
}

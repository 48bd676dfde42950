package openstack

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
)

// record is all that another process must know to use or stop a bed. It lies in the bed's
// directory from before the first process starts until after the last one has ended.
type record struct {
	Dir     string `json:"dir"`
	Scratch string `json:"scratch"` // short-lived data, in memory where possible; gone after Stop
	Cache   string `json:"cache"`
	// Computes is the number of compute hosts.
	Computes int   `json:"computes"`
	Ports    ports `json:"ports"`
}

// ports are all TCP ports of a bed. MariaDB has none: it listens on a socket.
type ports struct {
	Identity, Image, Placement, Network, Compute, Volume int
	Memcached, Broker, PortMapper, Distribution          int // the last two are Erlang's
}

const (
	recordFile = "openstack.json"
	// ownerFile in a scratch directory names the bed's directory.
	ownerFile     = "owner"
	scratchPrefix = "kupenstack-openstack-"
)

// newRecord chooses ports and a scratch directory for a bed, without making anything.
func newRecord(options Options, free *freeport.Allocator) (record, error) {
	p, err := free.Take(10)
	if err != nil {
		return record{}, err
	}
	return record{
		Dir: options.Dir, Cache: options.Cache, Computes: options.Computes,
		Scratch: filepath.Join(scratchParent(), fmt.Sprintf("%s%d-%s", scratchPrefix, os.Getuid(), rand.Text()[:10])),
		Ports: ports{
			Identity: p[0], Image: p[1], Placement: p[2], Network: p[3], Compute: p[4], Volume: p[5],
			Memcached: p[6], Broker: p[7], PortMapper: p[8], Distribution: p[9],
		},
	}, nil
}

// scratchParent prefers memory over disk: the databases of a fresh cloud take a few hundred
// megabytes. Containers often have a tiny /dev/shm.
func scratchParent() string {
	const memory, needed = "/dev/shm", 2 << 30
	var stat unix.Statfs_t
	if err := unix.Statfs(memory, &stat); err == nil && stat.Bavail*uint64(stat.Bsize) >= needed {
		return memory
	}
	return os.TempDir()
}

func loadRecord(dir string) (record, error) {
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, fmt.Errorf("record of the bed in %s: %w", dir, err)
	}
	return r, nil
}

// save writes the record in one step, so that no reader sees half of it.
func (r record) save() error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(r.Dir, recordFile)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (r record) remove() error {
	err := os.Remove(filepath.Join(r.Dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// makeScratch makes the empty scratch directory.
func (r record) makeScratch() error {
	if err := r.removeScratch(); err != nil {
		return err
	}
	for _, dir := range []string{r.Scratch, r.temporary()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.Scratch, ownerFile), []byte(r.Dir), 0o600)
}

func (r record) removeScratch() error {
	if !strings.HasPrefix(filepath.Base(r.Scratch), scratchPrefix) {
		return fmt.Errorf("%s is not a scratch directory of a bed", r.Scratch)
	}
	return os.RemoveAll(r.Scratch)
}

// sweepScratch removes scratch directories below parent whose bed is gone: its directory was
// removed after somebody had killed its processes without Stop.
func sweepScratch(parent string) error {
	scratches, err := filepath.Glob(filepath.Join(parent, fmt.Sprintf("%s%d-*", scratchPrefix, os.Getuid())))
	if err != nil {
		return err
	}
	var failures []error
	for _, scratch := range scratches {
		info, err := os.Lstat(scratch)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
			continue // gone already, or just in the making
		}
		if owner, err := os.ReadFile(filepath.Join(scratch, ownerFile)); err == nil {
			if r, err := loadRecord(string(owner)); err == nil && r.Scratch == scratch {
				continue
			}
		}
		failures = append(failures, os.RemoveAll(scratch))
	}
	return errors.Join(failures...)
}

// Paths and addresses that follow from the record.

func (r record) runDir() string           { return filepath.Join(r.Dir, "run") }
func (r record) etc(name string) string   { return filepath.Join(r.Dir, "etc", name) }
func (r record) state(name string) string { return filepath.Join(r.Dir, "state", name) }
func (r record) home() string             { return filepath.Join(r.Dir, "home") }
func (r record) cloudsYAML() string       { return filepath.Join(r.Dir, "clouds.yaml") }
func (r record) temporary() string        { return filepath.Join(r.Scratch, "tmp") } // of the database
func (r record) socket() string           { return filepath.Join(r.Scratch, "mysql.sock") }
func (r record) authURL() string          { return loopback(r.Ports.Identity) + "/v3" }

func loopback(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// computeName is the name of the n-th compute host, counted from one.
func computeName(n int) string { return fmt.Sprintf("compute-%d", n) }

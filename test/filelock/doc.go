// Package filelock locks files among the processes of the test beds: builds, installations and
// snapshots that must not happen twice at once, directories and ports that have an owner. The
// kernel releases a lock when its process dies, so none is ever stale.
package filelock

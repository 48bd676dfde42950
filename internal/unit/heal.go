package unit

import "time"

// Healing is what is on record of the attempts to heal something that failed by itself.
type Healing struct {
	// For is the digest of what was wanted: for anything else, attempts begin anew.
	For string `json:"for"`
	// Attempts are those that were begun, the last one Last, in seconds since 1970.
	Attempts int   `json:"attempts"`
	Last     int64 `json:"last"`
}

// Heal is what counts of that now.
type Heal struct {
	Attempts int
	// Pause is until when the next attempt has to wait; zero for not at all.
	Pause time.Time
}

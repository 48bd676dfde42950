package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// examineEvery is how often files are looked at that may be exchanged while the daemon runs: who puts there what is of no use is to
// hear of it before a forge has something to tell, or a certificate has expired.
const examineEvery = time.Minute

// examineFiles tells what is wrong with such files, until ctx ends.
func (d *Daemon) examineFiles(ctx context.Context) {
	for pause(ctx, examineEvery) {
		d.examineFilesOnce()
	}
}

func (d *Daemon) examineFilesOnce() {
	if d.Certificate != nil {
		d.tellFile("certificate", "the one before it stays in use", d.Certificate.Examine())
	}
	if d.Hooks == nil {
		return
	}
	if d.Hooks.Certificate != nil {
		d.tellFile("certificate for webhooks", "the one before it stays in use", d.Hooks.Certificate.Examine())
	}
	_, _ = d.hookSecret() // told by that
}

// hookSecret returns what requests of webhooks are signed with now, and tells where it cannot be read.
func (d *Daemon) hookSecret() (redact.Secret, error) {
	secret, err := d.Hooks.Secret()
	d.tellFile("secret for webhooks", "no push is heard of, and polls alone find them", err)
	return secret, err
}

// tellFile has /readyz tell what is wrong with a file, and the log once, however often it is found. Reports say nothing of it: what they
// are about goes on.
func (d *Daemon) tellFile(file, meanwhile string, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	before, told := d.files[file]
	switch {
	case err == nil && told:
		delete(d.files, file)
		d.Log.Info().Str("of", file).Msg("what was put into a file can be used again")
	case err != nil && (!told || before != err.Error()):
		if d.files == nil {
			d.files = map[string]string{}
		}
		d.files[file] = err.Error()
		d.Log.Warn().Str("of", file).Err(err).Msg("what was put into a file is of no use; " + meanwhile)
	}
}

// unready is what /readyz says, a line each, without what looks like a credential, as reports have it.
func (d *Daemon) unready() []string {
	lines := d.problems()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for file, text := range d.files {
		lines = append(lines, fmt.Sprintf("%s: %s", file, d.mask(text)))
	}
	for i := range lines {
		lines[i] = report.Line(lines[i], mostShown)
	}
	slices.Sort(lines)
	return lines
}

package kube

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

const (
	// MaxLogLines bounds how many lines of a log are shown.
	MaxLogLines = 20
	// moreLogLines are read beside those that are shown: a secret of several lines is only known as a whole.
	moreLogLines = 200
	// maxLogBytes bounds what is read of a log. What says more in its last lines is not shown.
	maxLogBytes = 1 << 20
	// excerptAge is how long an excerpt is shown before the log is read again.
	excerptAge = 10 * time.Minute
	// excerptLife is how long one is kept that nobody asks for.
	excerptLife = time.Hour
)

// log returns the last lines of the log of the container that the most telling cause names, where they are
// wanted. They stay the same for some minutes while the cause does, and for longer while only numbers in them
// change, so that a report does not become another one each time somebody looks.
func (x *explanation) log(found []cause.Finding) []string {
	if x.cluster.logLines <= 0 {
		return nil
	}
	at := slices.IndexFunc(found, func(f cause.Finding) bool { return f.Container != "" })
	if at < 0 {
		return nil
	}
	f := &found[at]
	key := x.ref.String() + "\n" + f.Text
	now := time.Now()
	if lines, fresh := x.cluster.excerpts.get(key, now); fresh {
		return x.shown(f, lines)
	}
	lines, err := x.read(f)
	if err != nil {
		x.quietly("the log of container "+f.Container, err)
		return nil
	}
	return x.shown(f, x.cluster.excerpts.put(key, lines, now))
}

// shown hides what was learnt to be secret since the log was read.
func (x *explanation) shown(f *cause.Finding, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	shown := []string{fmt.Sprintf("log of container %s, its last lines:", f.Container)}
	for _, line := range lines {
		shown = append(shown, "| "+x.show(line))
	}
	return shown
}

// read returns the last lines that a container said, before its last restart where that is told of.
func (x *explanation) read(f *cause.Finding) ([]string, error) {
	tail := int64(x.cluster.logLines + moreLogLines)
	options := &corev1.PodLogOptions{Container: f.Container, Previous: f.Previous, TailLines: &tail}
	pods := x.cluster.core.Pods(f.Pod.Namespace)
	stream, err := pods.GetLogs(f.Pod.Name, options).Stream(x.ctx)
	if err != nil && f.Previous { // what it said before the restart is not always kept
		options.Previous = false
		stream, err = pods.GetLogs(f.Pod.Name, options).Stream(x.ctx)
	}
	if err != nil {
		return nil, x.cluster.explainError(err, "read the log")
	}
	defer stream.Close()
	text, err := io.ReadAll(io.LimitReader(stream, maxLogBytes))
	switch {
	case err != nil:
		return nil, x.cluster.explainError(err, "read the log")
	case len(text) == maxLogBytes:
		return nil, fmt.Errorf("its last %d lines are longer than %d bytes", tail, maxLogBytes)
	}
	lines := strings.Split(strings.TrimRight(withoutKeysOfCeph(x.masked(string(text))), "\n"), "\n")
	lines = lines[max(0, len(lines)-x.cluster.logLines):]
	return slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" }), nil
}

// withoutKeysOfCeph takes keys of Ceph out of a text by how they look: 28 bytes, which begin with a version and a time.
// Jobs of charts that make or fetch them say each of their commands, and nobody else knows these keys.
func withoutKeysOfCeph(text string) string {
	return regexp.MustCompile(`\bAQ[A-Za-z0-9+/]{36,40}={0,2}`).ReplaceAllString(text, redact.Mask)
}

// excerpts keep what was read of logs.
type excerpts struct {
	mu    sync.Mutex
	byKey map[string]*excerpt
}

type excerpt struct {
	lines []string
	read  time.Time
	asked time.Time
}

func newExcerpts() *excerpts { return &excerpts{byKey: map[string]*excerpt{}} }

func (e *excerpts) get(key string, now time.Time) (lines []string, fresh bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	kept := e.byKey[key]
	if kept == nil || now.Sub(kept.read) > excerptAge {
		return nil, false
	}
	kept.asked = now
	return kept.lines, true
}

// put keeps what was read, and returns what is to be shown: the lines from before, where they differ in
// nothing but numbers.
func (e *excerpts) put(key string, lines []string, now time.Time) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for other, kept := range e.byKey {
		if now.Sub(kept.asked) > excerptLife {
			delete(e.byKey, other)
		}
	}
	if kept := e.byKey[key]; kept != nil && withoutNumbers(kept.lines) == withoutNumbers(lines) {
		lines = kept.lines
	}
	e.byKey[key] = &excerpt{lines: lines, read: now, asked: now}
	return lines
}

// withoutNumbers makes those lines the same that differ in times, counters and ids.
func withoutNumbers(lines []string) string {
	return regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f]*`).ReplaceAllString(strings.Join(lines, "\n"), "#")
}

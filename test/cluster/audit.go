package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Event is one request to the API server. Every request has exactly one event: of a watch
// and of other long-running requests it is written when they are answered, of all others
// when they are done.
type Event struct {
	ID        string    // unique for each request
	Time      time.Time // when the request arrived
	User      string
	As        string // whom the user impersonated, "" for nobody
	UserAgent string
	Verb      string // as RBAC names it: get, list, watch, create, update, patch, delete, deletecollection
	URI       string // path and query
	Object    ObjectRef
	Code      int // HTTP status of the answer
}

// ObjectRef names what a request was about. It is empty for requests such as /readyz.
type ObjectRef struct {
	APIGroup    string `json:"apiGroup"`
	APIVersion  string `json:"apiVersion"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
}

// auditLine is the part of an audit.k8s.io/v1 Event that an Event is made of.
type auditLine struct {
	AuditID                  string    `json:"auditID"`
	RequestReceivedTimestamp time.Time `json:"requestReceivedTimestamp"`
	User                     struct {
		Username string `json:"username"`
	} `json:"user"`
	ImpersonatedUser struct {
		Username string `json:"username"`
	} `json:"impersonatedUser"`
	UserAgent      string    `json:"userAgent"`
	Verb           string    `json:"verb"`
	RequestURI     string    `json:"requestURI"`
	ObjectRef      ObjectRef `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// AuditOffset returns the present end of the audit log, for a later call of Events. Requests
// whose answer has been read lie before it.
func (c *Cluster) AuditOffset() (int64, error) {
	file, err := os.Open(c.AuditLog)
	if err != nil {
		return 0, fmt.Errorf("audit log: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("audit log: %w", err)
	}
	offset, err := lastLineEnd(file, info.Size())
	if err != nil {
		return 0, fmt.Errorf("audit log: %w", err)
	}
	return offset, nil
}

// lastLineEnd returns the offset behind the last line break before size. The server writes for others, too:
// a file grows while a line is written, and what begins in the middle of one cannot be read.
func lastLineEnd(file io.ReaderAt, size int64) (int64, error) {
	chunk := make([]byte, 32<<10)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(chunk)))
		part := chunk[:end-begin]
		if _, err := file.ReadAt(part, begin); err != nil {
			return 0, err
		}
		if at := bytes.LastIndexByte(part, '\n'); at >= 0 {
			return begin + int64(at) + 1, nil
		}
		end = begin
	}
	return 0, nil
}

// Events returns the requests in the audit log from an offset on, in the order in which they
// were answered, and the offset after the last of them. Offset 0 is the cluster's start.
func (c *Cluster) Events(since int64) ([]Event, int64, error) {
	file, err := os.Open(c.AuditLog)
	if err != nil {
		return nil, since, fmt.Errorf("audit log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(since, io.SeekStart); err != nil {
		return nil, since, fmt.Errorf("audit log: %w", err)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, since, fmt.Errorf("audit log: %w", err)
	}
	events, length, err := parseEvents(data)
	if err != nil {
		return nil, since, fmt.Errorf("audit log %s after offset %d: %w", c.AuditLog, since, err)
	}
	return events, since + int64(length), nil
}

// parseEvents also returns how many bytes it used: a last line without its end is still
// being written.
func parseEvents(data []byte) ([]Event, int, error) {
	var events []Event
	used := 0
	for {
		end := bytes.IndexByte(data[used:], '\n')
		if end < 0 {
			return events, used, nil
		}
		var line auditLine
		if err := json.Unmarshal(data[used:used+end], &line); err != nil {
			return nil, 0, fmt.Errorf("line at %d: %w", used, err)
		}
		if line.AuditID == "" {
			return nil, 0, errors.New("a line has no auditID")
		}
		events = append(events, Event{
			ID:        line.AuditID,
			Time:      line.RequestReceivedTimestamp,
			User:      line.User.Username,
			As:        line.ImpersonatedUser.Username,
			UserAgent: line.UserAgent,
			Verb:      line.Verb,
			URI:       line.RequestURI,
			Object:    line.ObjectRef,
			Code:      line.ResponseStatus.Code,
		})
		used += end + 1
	}
}

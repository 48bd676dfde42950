package report

import (
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// serviceRows are what the configuration says of a service beside its numbers and its pods, as titles and texts.
func serviceRows(c *model.Cloud, s *model.Service) [][2]string {
	var rows [][2]string
	add := func(title, text string) {
		if text != "" {
			rows = append(rows, [2]string{title, text})
		}
	}
	add("Storage size", s.StorageSize)
	add("Storage", s.Storage)
	add("Virt type", s.VirtType)
	for i := range s.Backends {
		b := &s.Backends[i]
		add("Backend "+b.Name, backendText(c, b, s.DefaultBackend()))
	}
	if s.RollBack {
		add("On failure", "rollback")
	}
	add("Retry", s.Retry)
	var rules []string
	for _, r := range s.IgnoreDrift {
		of := r.Kind
		if r.Name != "" {
			of += " " + r.Name
		}
		rules = append(rules, of+": "+r.Path)
	}
	add("Ignored drift", strings.Join(rules, "; "))
	return rows
}

// backendText says what a backend keeps its volumes in.
func backendText(c *model.Cloud, b *model.Backend, fallback string) string {
	parts := []string{b.Type + b.Driver} // it has one of them
	for _, part := range []struct{ what, text string }{{"pool", c.PoolOf(b)}, {"volume group", b.GroupOf()}, {"share", b.Share}} {
		if part.text != "" {
			parts = append(parts, part.what+" "+part.text)
		}
	}
	if b.ISCSI {
		parts = append(parts, "reached by iSCSI")
	}
	if b.Name == fallback {
		parts = append(parts, "the default")
	}
	return strings.Join(parts, ", ")
}

package revision

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// codeCharts is about charts that should lie beside the configuration and do not.
const codeCharts diag.Code = "revision.charts"

// checkCharts tells when the charts should be in the tree and there is no such directory: what the
// driver would find out only when it installs the first one. Without a model, as the configuration
// has other mistakes, it tells so of a path that is written as plain text.
func checkCharts(tree fs.FS, cfg *config.Config, m *model.Model) diag.Diagnostics {
	if cfg.Cloud == nil {
		return nil
	}
	if m != nil {
		if found := checkChartBlocks(tree, m); found != nil {
			return found
		}
	}
	for _, charts := range cfg.Cloud.Nested("charts") {
		written := charts.Attribute("repository")
		if written == nil {
			continue
		}
		repository, known := written.Text()
		shown := fmt.Sprintf("%q", repository)
		if !known {
			shown = "that this leads to" // the value of a variable is not told
		}
		if m != nil && m.Cloud.Charts != nil {
			repository, known = m.Cloud.Charts.Repository, true
		}
		if !known || written.Schema.Check(cty.StringVal(repository)) != "" || strings.Contains(repository, "://") {
			continue
		}
		if d, wrong := missingCharts(tree, repository, shown, written.Range); wrong {
			return diag.Diagnostics{d}
		}
	}
	return nil
}

// checkChartBlocks does the same for the chart blocks with a path of their own.
func checkChartBlocks(tree fs.FS, m *model.Model) diag.Diagnostics {
	var found diag.Diagnostics
	for i := range m.Resources {
		r := &m.Resources[i]
		if r.Kind != schema.ChartKind {
			continue
		}
		v, _ := r.Desired.GetAttr("repository").Unmark()
		if v.IsNull() || !v.IsKnown() || strings.Contains(v.AsString(), "://") {
			continue
		}
		if d, wrong := missingCharts(tree, v.AsString(), fmt.Sprintf("%q", v.AsString()), r.Ranges["repository"]); wrong {
			d.Address = r.Address
			found = append(found, d)
		}
	}
	return found
}

func missingCharts(tree fs.FS, repository, shown string, where diag.Range) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{
		Code: codeCharts, Subject: &where, Summary: "no charts there",
		Hint: "write the path from the top of the repository, or the address of a repository of charts, which begins with oci:// or https://, or with git+https:// or git+ssh:// for one of Git",
	}
	info, err := fs.Stat(tree, path.Clean(repository))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Detail = fmt.Sprintf("there is no directory %s in this revision", shown)
	case err != nil:
		d.Detail = fmt.Sprintf("the directory %s cannot be read: %v", shown, reason(err))
	case !info.IsDir():
		d.Detail = fmt.Sprintf("the path %s is a file, and charts are in a directory", shown)
	default:
		return d, false
	}
	return d, true
}

// reason takes the path out of an error.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

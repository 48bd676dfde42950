package revision

import (
	"io/fs"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// codeContent is about files that are to become what is in an object and cannot.
const codeContent diag.Code = "revision.content"

// checkContents tells of files that are to become what is in objects, such as images, and are not in the tree, or too large:
// what the driver would find out only when it makes the object.
func checkContents(tree fs.FS, dir string, m *model.Model) diag.Diagnostics {
	if m == nil {
		return nil
	}
	var found diag.Diagnostics
	for i := range m.Resources {
		r := &m.Resources[i]
		block := m.Language.Resource(r.Kind)
		name, written := block.ContentOf(r.Desired)
		if !written {
			continue
		}
		_, err := config.Within(dir, name)
		if err == nil {
			err = unit.NewContent(tree, dir, name).Check()
		}
		if err != nil {
			where := r.Ranges[block.Content().Name]
			found = append(found, diag.Diagnostic{
				Code: codeContent, Subject: &where, Address: r.Address, Summary: "no such content", Detail: err.Error(),
				Hint: "write the path of a file from the directory of the configuration; what is large is for source or web_download",
			})
		}
	}
	return found
}

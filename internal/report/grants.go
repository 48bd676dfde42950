package report

import (
	"cmp"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// grantDoc is a role that our user has given itself in a project.
type grantDoc struct {
	Project string `json:"project"`
	Role    string `json:"role"`
	User    string `json:"user"`
}

func newGrants(list []unit.Grant, l limits) (docs []grantDoc, leftOut int) {
	for _, g := range list {
		if len(docs) == l.list {
			return docs, len(list) - len(docs)
		}
		docs = append(docs, grantDoc{Project: line(g.Project, nameText), Role: line(cmp.Or(g.RoleName, g.Role), nameText), User: line(g.User, nameText)})
	}
	return docs, 0
}

// grants lists the roles that our user has given itself.
func (p *page) grants(d *document) {
	if len(d.Grants) == 0 {
		return
	}
	p.line("## Roles of our own user")
	p.line("KupenStack's user has given itself these roles, to create there what is created in the project of a token. They are taken back when nothing needs them any more.")
	var rows [][]string
	for _, g := range d.Grants {
		rows = append(rows, []string{cell(g.Project), cell(g.Role), cell(g.User)})
	}
	p.table(maxTrouble, rows, "Project", "Role", "User")
	p.more(d.GrantsLeftOut)
}

package unit

// Grant is a role that our user has given itself in a project of ours, so that it gets sessions there. No block
// wants it.
type Grant struct {
	User    string `json:"user"` // an id, as the two that follow
	Project string `json:"project"`
	Role    string `json:"role"`
	// RoleName is for people. The name of the project is not here: it may be sensitive.
	RoleName string `json:"roleName,omitempty"`
}

// Same tells whether two are one assignment, whatever its parts are called.
func (g Grant) Same(other Grant) bool {
	return g.User == other.User && g.Project == other.Project && g.Role == other.Role
}

package diag

// VerdictVersion is the version of the JSON of [Verdict]: fields may be added to it, and none changes its
// meaning.
const VerdictVersion = "1.0"

// Verdict is what a command that checks files prints for programs.
type Verdict struct {
	FormatVersion string  `json:"format_version"`
	Valid         bool    `json:"valid"`
	Errors        int     `json:"error_count"`
	Warnings      int     `json:"warning_count"`
	Diagnostics   Sourced `json:"diagnostics"`
}

// VerdictOf returns the verdict on findings.
func VerdictOf(found Sourced) Verdict {
	v := Verdict{FormatVersion: VerdictVersion, Diagnostics: found}
	for _, d := range found.Diagnostics {
		if d.Severity == Error {
			v.Errors++
		} else {
			v.Warnings++
		}
	}
	v.Valid = v.Errors == 0
	return v
}

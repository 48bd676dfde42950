package convert

import "github.com/kupenstack/kupenstack-sync/internal/config"

// Limits bound what is converted at once. Every excess is a diagnostic that names the limit.
type Limits struct {
	FileBytes   int // the size of one file
	TotalBytes  int // the size of all files
	Documents   int // in all files, elements of a List included
	Nodes       int // keys, values and elements in all documents; what an alias stands for counts each time
	Depth       int // mappings and lists inside each other
	ScalarBytes int // the size of one text
	TextBytes   int // the size of all texts; what an alias stands for counts each time
	OutputBytes int // the size of one file of the result
	Errors      int // mistakes that are told
}

// DefaultLimits are far above what people write. What comes out within them can be loaded again.
func DefaultLimits() Limits {
	loads := config.DefaultLimits()
	return Limits{
		FileBytes:   256 << 10,
		TotalBytes:  1 << 20,
		Documents:   1000,
		Nodes:       50_000,
		Depth:       32,
		ScalarBytes: 64 << 10,
		TextBytes:   1 << 20,
		OutputBytes: int(loads.FileBytes),
		Errors:      200,
	}
}

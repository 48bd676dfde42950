// Package chartlock is the lock file of charts and images: for each chart of a repository that the configuration asks
// for, the version that its range stands for, and the digest of what was packed as that version. Of a chart of a Git
// repository it has the commit, and the digest of the chart's files there. For each image that is locked it has the digest that its
// tag stood for.
//
// In come the bytes of the file, or what was found in repositories; out go entries, or the bytes to write.
// [ParseGit] reads how Git repositories are written.
// The package is pure: it reads no file and reaches no repository.
package chartlock

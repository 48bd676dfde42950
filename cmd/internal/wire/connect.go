package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
)

// Source opens the configuration's source. may is asked before anything is sent there; nil allows everything.
func (f *Flags) Source(ctx context.Context, may func() error) (*gitrepo.Source, error) {
	if f.Repo == "" {
		return nil, fmt.Errorf("%w: say where the configuration is with --repo or KUPENSTACK_REPO", ErrUsage)
	}
	cache, err := f.cache("git")
	if err != nil {
		return nil, err
	}
	files := gitrepo.CredentialFiles{
		Password: f.GitPassword, SSHKey: f.SSHKey, Passphrase: f.SSHPassphrase, KnownHosts: f.KnownHosts, CABundle: f.GitCA,
	}
	source, err := gitrepo.Open(ctx, gitrepo.Options{URL: f.Repo, Ref: f.Ref, CacheDir: cache, May: may, Credentials: func(ctx context.Context) (gitrepo.Credentials, error) {
		credentials, err := files.Read(ctx)
		credentials.Username = f.GitUsername
		return credentials, err
	}})
	if gitrepo.KindOf(err) == gitrepo.Invalid {
		err = fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return source, err
}

// cache returns a directory for one use.
func (f *Flags) cache(use string) (string, error) {
	dir := f.CacheDir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: give --cache-dir: %w", ErrUsage, err)
		}
		dir = filepath.Join(base, "kupenstack")
	}
	return filepath.Join(dir, use), nil
}

// Reports returns where reports go; nil for nowhere. The guard of the system is asked before each push. It says with them of which installation they are.
func (f *Flags) Reports(source *gitrepo.Source, system *System) (daemon.StatusBranch, error) {
	if source.IsDirectory() {
		if f.ReportDir == "" {
			return nil, nil
		}
		directory, err := statusbranch.NewDirectory(f.ReportDir, source)
		return reports{directory}, err
	}
	if f.StatusBranch == "" {
		return nil, nil
	}
	sign, err := f.sign()
	if err != nil {
		return nil, err
	}
	branch, err := statusbranch.New(source, statusbranch.Options{Branch: f.StatusBranch, Path: f.Path, Guard: system.rights.Write, Sign: sign, Installation: system.InstallationName, Count: system.Count})
	if err == nil {
		system.Counted, system.Remembered = branch.Counted, branch.Remembered
	}
	return branchReports{reports{branch}, branch}, err
}

// ReportsFit makes sure that reports could go beside the branch that is watched, as far as names tell. It connects to nothing.
func (f *Flags) ReportsFit(source *gitrepo.Source) error {
	if source.IsDirectory() || f.StatusBranch == "" {
		return nil
	}
	if _, err := statusbranch.New(source, statusbranch.Options{Branch: f.StatusBranch}); err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return nil
}

// Plans returns where plans of reviews go: to the branch that reports go to. Where the configuration has
// mistakes, no cluster is asked whose they are.
func (f *Flags) Plans(source *gitrepo.Source) (*statusbranch.Branch, error) {
	switch {
	case source.IsDirectory():
		return nil, fmt.Errorf("%w: --publish needs a repository: a local directory has no branch that the plan could go to", ErrUsage)
	case f.StatusBranch == "":
		return nil, fmt.Errorf("%w: --publish needs a branch: give --status-branch", ErrUsage)
	}
	sign, err := f.sign()
	if err != nil {
		return nil, err
	}
	branch, err := statusbranch.New(source, statusbranch.Options{Branch: f.StatusBranch, Path: f.Path, Sign: sign})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return branch, err
}

// branchReports are those that go to a branch, beside which a heartbeat has its place.
type branchReports struct {
	reports
	branch *statusbranch.Branch
}

func (r branchReports) Beat(ctx context.Context, until time.Time) error {
	return r.branch.Beat(ctx, until)
}

// reports are a branch or a directory as the daemon wants them.
type reports struct {
	target interface {
		Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (statusbranch.Result, error)
		Plans(ctx context.Context, merged []string) ([]report.OpenPlan, error)
		Read(ctx context.Context) (map[string][]byte, gitrepo.Commit, error)
		Moved() bool
	}
}

func (r reports) Read(ctx context.Context) (map[string][]byte, error) {
	files, _, err := r.target.Read(ctx)
	return files, err
}

func (r reports) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	result, err := r.target.Publish(ctx, files, message, merged)
	return result.Foreign, err
}

func (r reports) Plans(ctx context.Context, merged []string) ([]report.OpenPlan, error) {
	return r.target.Plans(ctx, merged)
}

func (r reports) Moved() bool { return r.target.Moved() }

package helm

import (
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// seen is what was observed of a release, as far as it decides where that stands.
type seen struct {
	status   release.Status // of the newest revision, "" when there is none
	deleting bool           // it goes, or begins to
	returned bool           // the newest revision was made in place of what is wanted
	failed   bool           // a step failed, and was not done since
	outdated bool           // something else is wanted than what was applied
	hooks    bool           // all hooks of the newest revision are done
	drifted  bool           // objects are not as Helm left them
}

// standing says where a release stands.
func (v *view) standing() unit.ReleaseState {
	s := seen{deleting: v.deleting, hooks: v.hooks.done, drifted: v.strays()}
	if v.newest != nil {
		s.status, s.returned = v.newest.status, v.returned()
		s.failed = v.hooks.failed || v.before.failed || v.failure.stays != "" || v.failure.back != nil || v.failure.late != ""
		s.outdated = v.want != nil && v.outdated()
	}
	return s.standing()
}

func (s seen) standing() unit.ReleaseState {
	switch {
	case s.status == "", s.status == release.StatusUninstalled && !s.deleting:
		return unit.ReleaseAbsent
	case s.deleting, s.status == release.StatusUninstalling, s.status == release.StatusUninstalled:
		return unit.ReleaseUninstalling
	case s.status.IsPending():
		return unit.ReleasePending
	case s.status != release.StatusDeployed:
		return unit.ReleaseFailed
	case s.returned:
		return unit.ReleaseRolledBack
	case s.failed:
		return unit.ReleaseFailed
	case s.outdated:
		return unit.ReleaseOutdated
	case !s.hooks:
		return unit.ReleasePending
	case s.drifted:
		return unit.ReleaseDrifted
	default:
		return unit.ReleaseDeployed
	}
}

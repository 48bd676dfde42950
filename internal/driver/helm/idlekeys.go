package helm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// judgeLimit is for how long a chart is rendered for one specification to learn which of its keys change nothing, where all else
// that is looked at waits for it.
const judgeLimit = 20 * time.Second

// judgeAgain is after which time what took longer than that is looked at once more: not with each look, as it takes its time, nor
// never, as it may be that all else was at work.
const judgeAgain = 10 * time.Minute

// maxJudged is how many answers about keys of specifications are remembered for each chart.
const maxJudged = 16

// judgement is what was found out of the keys of a specification.
type judgement struct {
	found []chartkeys.Unknown
	until time.Time // for as long as it counts where there is a limit, as it took longer than that; zero is for good
}

// drawnByLot is where charts of OpenStack-Helm draw a key at each rendering that nobody gave them.
func drawnByLot() []string { return []string{"endpoints", "oslo_cache", "auth", "memcache_secret_key"} }

// idle are the keys of a release at some paths that change nothing of what the chart is rendered to. It is found out once for
// the same chart, specification and values of the configuration; nothing is asked for, as what is in Secrets
// is taken for any text. What takes longer than a limit, 0 for none, passes for a while. The error is the context's: nothing is kept
// then.
func (s *source) idle(ctx context.Context, limit time.Duration, spec *unit.Release, paths [][]string) ([]chartkeys.Unknown, error) {
	return s.judge(ctx, limit, s.idOf(spec, paths), func(ctx context.Context) []chartkeys.Unknown {
		values, err := valuesToTry(spec)
		if err != nil {
			return nil // it is told where the values are filled
		}
		return s.keys().Idle(ctx, paths, values, func(values map[string]any) (map[string]string, error) {
			return s.tried(spec, values)
		})
	})
}

// judge returns what is found out of the keys of a specification, once for each id. What looks stops when its context ends, which it
// does after a limit, 0 for none; what was found by then counts for a while. The error is the context's: nothing is kept then.
func (s *source) judge(ctx context.Context, limit time.Duration, id string, look func(context.Context) []chartkeys.Unknown) ([]chartkeys.Unknown, error) {
	s.judging.Lock()
	defer s.judging.Unlock()
	if known, ok := s.judged[id]; ok && (known.until.IsZero() || limit > 0 && time.Now().Before(known.until)) {
		return known.found, nil
	}
	limited, cancel := ctx, func() {}
	if limit > 0 {
		limited, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	found := look(limited)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	judged := judgement{found: found}
	if limited.Err() != nil {
		judged.until = time.Now().Add(judgeAgain)
	}
	if len(s.judged) >= maxJudged {
		clear(s.judged)
	}
	if s.judged == nil {
		s.judged = map[string]judgement{}
	}
	s.judged[id] = judged
	return found, nil
}

func (s *source) idOf(spec *unit.Release, paths [][]string) string {
	texts := []string{spec.Digest()}
	for _, path := range paths {
		texts = append(texts, hashOf(path...))
	}
	for _, secret := range spec.Secrets {
		texts = append(texts, secret.Given.Reveal())
	}
	return hashOf(texts...)
}

// valuesToTry are those of a release, with a text for each that is in a Secret.
func valuesToTry(spec *unit.Release) (map[string]any, error) {
	values, _ := copied(spec.Values).(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	for _, secret := range spec.Secrets {
		var plain any = placeholder
		if secret.Name == "" {
			var err error
			if plain, err = plainOf(secret, secret.Given); err != nil {
				return nil, err
			}
		}
		if err := set(values, secret.Path, plain); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// tried returns what a chart is rendered to, by template, without anything of a cluster.
func (s *source) tried(spec *unit.Release, values map[string]any) (map[string]string, error) {
	loaded, err := s.chart()
	if err != nil {
		return nil, err
	}
	KeepNames(loaded, spec.Drawn)
	values, _ = copied(values).(map[string]any)
	if given, there := lookup(values, drawnByLot()); !there || given == nil {
		if err := set(values, drawnByLot(), placeholder); err != nil {
			return nil, err
		}
	}
	leaveAway(values, loaded, spec)
	if err := chartutil.ProcessDependenciesWithMerge(loaded, values); err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: spec.Name, Namespace: spec.Namespace, Revision: 1, IsInstall: true}
	toRender, err := chartutil.ToRenderValues(loaded, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", spec.Chart.Name, err)
	}
	return engine.Engine{}.Render(loaded, toRender)
}

// below tells whether a path leads to one of others, or into it.
func below(path []string, others [][]string) bool {
	return slices.ContainsFunc(others, func(other []string) bool {
		return len(path) >= len(other) && slices.Equal(path[:len(other)], other)
	})
}

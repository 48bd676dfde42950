package helm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Labels of a release. Helm keeps them on the Secret of each revision, where they can be read
// without its content.
const (
	labelSpec   = "kupenstack.io/spec"       // the digest of the specification
	labelWish   = "kupenstack.io/wish"       // the same without where the chart comes from
	labelChart  = "kupenstack.io/chart"      // the digest of the chart's files
	labelValues = "kupenstack.io/values"     // the keyed digest of the secret values
	labelMark   = "kupenstack.io/mark"       // names the unit that the release belongs to
	labelGone   = "kupenstack.io/cleaned-up" // what it had in other services and is taken away, with dots between
	labelRun    = "kupenstack.io/run"        // names the run of hooks that belongs to the revision
	labelOurs   = "kupenstack.io/revision"   // the number of the revision, and its run; those of the commands of Helm have the label of another one
	labelBack   = "kupenstack.io/back"       // names the input that the revision was made in place of, as that failed
)

// noLabel takes a label away that the revision before has: an upgrade of Helm's keeps what it is not given.
const noLabel = "null"

// maxLabel is the length of a label's value that Kubernetes takes.
const maxLabel = 63

// wanted is what a release shall be made of.
type wanted struct {
	spec   *unit.Release
	source *source
	values map[string]any // with the secrets
	labels map[string]string
	needs  error              // what is null that the chart needs as far as can be told without a cluster; told where it cannot be rendered in fact
	kept   []unit.ValueSecret // the release has other values for these than their Secrets, and keeps them
}

// missingSecretError says that a Secret or its key is not there yet.
type missingSecretError struct{ secret unit.ValueSecret }

func (e *missingSecretError) Error() string {
	return fmt.Sprintf("Secret %s/%s has no key %q yet", e.secret.Namespace, e.secret.Name, e.secret.Key)
}

// prepare finds the chart and fills the values, and makes the secret values known to the masker.
// The error is a [unit.BlockedError] for a wrong chart or path, and for a Secret of somebody else's that
// cannot be read, and a [missingSecretError] for a key that is not there. Before that it is one for a key of the
// values that the chart does not know or cannot do without, and for a chart of a version that is not known, unless a revision was made with it already.
//
// While the specification is the one that newest was made from, so are the values that were generated:
// they are in databases and brokers as well, where a new revision would not change them. newest is the last revision of ours.
func (d *Driver) prepare(ctx context.Context, target unit.Target, spec *unit.Release, newest *revision, masker *redact.Masker) (*wanted, error) {
	source, err := d.charts.find(ctx, spec.Chart)
	if err != nil {
		return nil, err
	}
	var needs error
	if !newest.consistsOf(spec, source) {
		if err := source.fits(spec); err != nil {
			return nil, err
		}
		if err := source.knows(ctx, spec); err != nil {
			return nil, err
		}
		if needs = source.leaves(ctx, spec); needs != nil && !unit.IsBlocked(needs) {
			return nil, needs
		}
	}
	values, _ := copied(spec.Values).(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	redirect(values, source, spec)
	pin(values, source, spec)
	keeps := newest.madeFrom(spec, source)
	var kept []unit.ValueSecret
	var digests []string
	for _, secret := range spec.Secrets {
		value, err := d.valueOf(ctx, secret)
		if missing := (*missingSecretError)(nil); needs != nil && errors.As(err, &missing) {
			return nil, needs // what is in the Secret may change that, but seldom does
		}
		if err != nil {
			return nil, err
		}
		plain, err := plainOf(secret, value)
		if err != nil {
			return nil, unit.Blocked(err.Error())
		}
		d.learn(masker, maskable(plain)...)
		if own, ok := newest.textAt(secret.Path); ok && keeps && !secret.Follows() && !own.Equal(value) {
			kept = append(kept, secret)
			value, plain = own, own.Reveal()
			d.learn(masker, own)
		}
		if err := set(values, secret.Path, plain); err != nil {
			return nil, unit.Blocked(err.Error())
		}
		digests = append(digests, strings.Join(secret.Path, "."), d.options.Digester.Digest(value))
	}
	if keeps {
		if err := newest.valuesKnown(spec, short(hashOf(digests...))); err != nil {
			return nil, err
		}
	}
	noteSensitive(values, spec.Secrets)
	labels := map[string]string{
		labelSpec: short(digestOfSpec(spec, source)), labelWish: wishOf(spec, source), labelChart: short(source.digest), labelValues: short(hashOf(digests...)),
	}
	if keeps { // the chart may have moved, and nothing else
		labels[labelSpec] = newest.labels[labelSpec]
	}
	if target.Mark != "" {
		labels[labelMark] = markOf(target)
	}
	return &wanted{spec: spec, source: source, values: values, labels: labels, needs: needs, kept: kept}, nil
}

// madeFrom tells whether a revision, which may be nil, is there and was made from a specification, with the images
// of a chart. Where the same chart came from then does not matter: a mirror, or another directory.
func (r *revision) madeFrom(spec *unit.Release, source *source) bool {
	if r == nil || r.status == release.StatusUninstalling || r.status == release.StatusUninstalled {
		return false
	}
	return r.labels[labelSpec] == short(digestOfSpec(spec, source)) ||
		r.labels[labelChart] == short(source.digest) && r.labels[labelWish] == wishOf(spec, source)
}

// wishOf is the digest of a specification without where its chart comes from.
func wishOf(spec *unit.Release, source *source) string {
	wish := *spec
	wish.Chart.Repository, wish.Chart.Digest = "", ""
	return short(digestOfSpec(&wish, source))
}

// ours is the label of the next revision, which belongs to a run.
func (v *view) ours(run string) string { return strconv.Itoa(v.nextVersion()) + "." + run }

// foreign tells whether somebody else has made a revision, by the commands of Helm: these hand on the labels of ours. Of one that
// comes after one of an older program nobody knows. Older programs hand this label on as well, but name a run of their own.
func (s stored) foreign() bool {
	version, run, known := strings.Cut(s.labels[labelOurs], ".")
	return known && run == s.labels[labelRun] && version != strconv.Itoa(s.version)
}

// consistsOf tells whether a revision, which may be nil, was made from a specification and from the files of a
// chart.
func (r *revision) consistsOf(spec *unit.Release, source *source) bool {
	return r.madeFrom(spec, source) && r.labels[labelChart] == short(source.digest)
}

// textAt returns the text that a revision, which may be nil, was made with at a path.
func (r *revision) textAt(path []string) (redact.Secret, bool) {
	if r == nil {
		return redact.Secret{}, false
	}
	value, _ := lookup(r.config, path)
	text, _ := value.(string)
	return redact.NewSecret(strings.Clone(text)), text != ""
}

// keeps says which keys of Secrets the release does not follow, "" for none.
func (w *wanted) keeps() string {
	if w == nil || len(w.kept) == 0 {
		return ""
	}
	var keys []string
	for _, secret := range w.kept {
		keys = append(keys, fmt.Sprintf("%s/%s[%s]", secret.Namespace, secret.Name, secret.Key))
	}
	slices.Sort(keys)
	return "other values are in Secret " + strings.Join(slices.Compact(keys), ", ") + ": the release keeps those that it was installed with"
}

// markOf returns the mark as a label can hold it.
func markOf(target unit.Target) string { return short(hashOf(target.Mark)) }

func short(digest string) string { return digest[:min(len(digest), maxLabel)] }

// copied returns a value that shares no map or list with v. Numbers keep their types: a whole
// number that became a float would be printed as 1e+06.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		result := make(map[string]any, len(v))
		for key, element := range v {
			result[key] = copied(element)
		}
		return result
	case []any:
		result := make([]any, len(v))
		for i, element := range v {
			result[i] = copied(element)
		}
		return result
	default:
		return v
	}
}

// set puts a value at a path of the values, and makes the maps on the way.
func set(values map[string]any, path []string, value any) error {
	if len(path) == 0 {
		return fmt.Errorf("a secret has no place in the values")
	}
	var at any = values
	for i, step := range path {
		last := i == len(path)-1
		switch node := at.(type) {
		case map[string]any:
			if last {
				node[step] = value
				return nil
			}
			if node[step] == nil {
				node[step] = map[string]any{}
			}
			at = node[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(node) {
				return fmt.Errorf("the values have no element %q in the list at %s", step, strings.Join(path[:i], "."))
			}
			if last {
				node[n] = value
				return nil
			}
			at = node[n]
		default:
			return fmt.Errorf("the values have no map at %s for a secret", strings.Join(path[:i], "."))
		}
	}
	return nil
}

// lookup returns what the values have at a path.
func lookup(values map[string]any, path []string) (any, bool) {
	var at any = values
	for _, step := range path {
		switch node := at.(type) {
		case map[string]any:
			next, ok := node[step]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(node) {
				return nil, false
			}
			at = node[n]
		default:
			return nil, false
		}
	}
	return at, true
}

// secretName matches the names of values that are secrets in charts, and not of those that name a
// Secret or a label.
var secretName = regexp.MustCompile(`(?i)(password|passphrase|token|cookie|secret|secret_key|hash_key)$`)

// minGuessed is the length from which a value with such a name is masked: shorter ones are words.
const minGuessed = 8

// guessedSecrets returns the texts in a release's values that are secrets by their names. It is for
// paths that no specification names any more.
func guessedSecrets(values any) []redact.Secret {
	var found []redact.Secret
	switch v := values.(type) {
	case map[string]any:
		for key, element := range v {
			if text, ok := element.(string); ok && len(text) >= minGuessed && secretName.MatchString(key) {
				found = append(found, redact.NewSecret(text))
			}
			found = append(found, guessedSecrets(element)...)
		}
	case []any:
		for _, element := range v {
			found = append(found, guessedSecrets(element)...)
		}
	}
	return found
}

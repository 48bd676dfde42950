package helm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// neededKey is a key that somebody took away with null, and that the chart cannot be rendered without.
type neededKey struct {
	unit.WrittenKey
	hint string
}

// needed are the keys of a release that are null and that the chart cannot be rendered without, in their order: with all others
// as they are, it can once these are as the chart has them. There are none where it cannot be rendered even so, which is told where
// that is tried. It takes a rendering where anything is null, and some more where that fails, for as long as limit says, 0 for
// any time. The error is the context's.
func (s *source) needed(ctx context.Context, limit time.Duration, spec *unit.Release) ([]neededKey, error) {
	values, err := valuesToTry(spec)
	if err != nil {
		return nil, nil //nolint:nilerr // it is told where the values are filled
	}
	var paths [][]string
	var places []int
	for i, key := range spec.Written {
		if v, there := lookup(values, key.Path); there && v == nil {
			paths, places = append(paths, key.Path), append(places, i)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	found, err := s.judge(ctx, limit, hashOf("needed", s.idOf(spec, paths)), func(ctx context.Context) []chartkeys.Unknown {
		return s.blamed(ctx, spec, values, paths)
	})
	if err != nil {
		return nil, err
	}
	var needed []neededKey
	for _, one := range found {
		needed = append(needed, neededKey{spec.Written[places[one.Index]], one.Hint})
	}
	return needed, nil
}

// blamed are those of the paths to what is null without which the chart can be rendered, and with which it cannot.
func (s *source) blamed(ctx context.Context, spec *unit.Release, values map[string]any, paths [][]string) []chartkeys.Unknown {
	fails := func(values map[string]any) bool {
		_, err := s.tried(spec, values)
		return err != nil
	}
	if !fails(values) {
		return nil
	}
	values, _ = copied(values).(map[string]any)
	for _, path := range paths {
		drop(values, path)
	}
	loaded, err := s.chart()
	if err != nil || fails(values) {
		return nil
	}
	var found []chartkeys.Unknown
	for i, path := range paths {
		if ctx.Err() != nil {
			break
		}
		_ = set(values, path, nil) // its maps are there
		if !fails(values) {
			continue
		}
		drop(values, path)
		hint := "take it out, or write a value"
		if inside, _ := lookup(loaded.Values, path); !isEmpty(inside) {
			hint = "take it out, and write null for those keys inside of it that are to go"
		}
		found = append(found, chartkeys.Unknown{Index: i, Hint: hint})
	}
	return found
}

// isEmpty tells of anything but a map with something in it.
func isEmpty(v any) bool {
	inside, _ := v.(map[string]any)
	return len(inside) == 0
}

// drop takes what is at a path through maps out of values.
func drop(values map[string]any, path []string) {
	for _, step := range path[:len(path)-1] {
		values = tableAt(values, step)
	}
	delete(values, path[len(path)-1])
}

// leaves returns a [unit.BlockedError] for what somebody took away and the chart cannot be rendered without. Any other error is the
// context's.
func (s *source) leaves(ctx context.Context, spec *unit.Release) error {
	all, err := s.needed(ctx, judgeLimit, spec)
	if err != nil || len(all) == 0 {
		return err
	}
	var told []string
	for _, key := range all[:min(len(all), maxUnknown)] {
		text := key.Text
		if key.Range != (diag.Range{}) {
			text += " (" + key.Range.String() + ")"
		}
		told = append(told, text+", "+key.hint)
	}
	if more := len(all) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return unit.Blocked(fmt.Sprintf("chart %s cannot be rendered without what is null: %s", spec.Chart.Name, strings.Join(told, "; ")))
}

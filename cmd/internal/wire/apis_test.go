package wire

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
)

func TestWhichAPIsAreAsked(t *testing.T) {
	for given, want := range map[string]compose.Checks{
		"all": {}, "none": {Off: true}, "nova": {Only: []string{"nova"}}, "nova,glance": {Only: []string{"nova", "glance"}},
	} {
		got, err := (&Flags{APIChecks: given}).checks()
		if err != nil || got.Off != want.Off || !slices.Equal(got.Only, want.Only) {
			t.Errorf("%s: %+v, %v", given, got, err)
		}
	}
	for _, given := range []string{"mariadb", "nova,", "nova, glance", "all,nova"} {
		_, err := Open(&Flags{APIChecks: given}, "test", nil, zerolog.Nop())
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--api-checks "+given) || !strings.Contains(err.Error(), "barbican,cinder") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

package engine_test

import (
	"fmt"
	"maps"
	"strings"
	"testing/synctest"
)

// onRecord is about an engine without a revision.
//
//	observe-only       sighted ADDRESS STANDING [PART OF THE REASON]       sighted none
//	untouched: nothing was written to the inventory since observe-only was said last
func (s *scenario) onRecord(command string, args []string) (bool, error) {
	switch command {
	case "observe-only":
		s.versions = s.store.versions()
		err := s.engine.ObserveOnly(s.t.Context())
		synctest.Wait()
		return true, err
	case "sighted":
		synctest.Wait()
		return true, s.sighted(args)
	case "untouched":
		if now := s.store.versions(); !maps.Equal(now, s.versions) {
			return true, fmt.Errorf("the inventory was %v, and is %v", s.versions, now)
		}
		return true, nil
	}
	return false, nil
}

func (s *scenario) sighted(args []string) error {
	all := s.engine.Snapshot().Sightings
	if args[0] == "none" {
		if len(all) > 0 {
			return fmt.Errorf("got %v", all)
		}
		return nil
	}
	for _, one := range all {
		if one.Address.String() != args[0] {
			continue
		}
		if why := strings.Join(args[2:], " "); string(one.Standing) != args[1] || !strings.Contains(one.Why, why) || (why == "") != (one.Why == "") {
			return fmt.Errorf("got %q %q", one.Standing, one.Why)
		}
		return s.heard()
	}
	return fmt.Errorf("it was not seen among %v", all)
}

func (s *store) versions() map[string]string {
	all := map[string]string{}
	for name, shard := range s.shards {
		all[name] = shard.Version
	}
	return all
}

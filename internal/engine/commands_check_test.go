package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// check compares.
//
//	expect ADDRESS PHASE [PART OF THE REASON]    waits|causes|did|healed ADDRESS ...
//	repaired ADDRESS PATH BEFORE AFTER: the difference that was repaired last
//	calls none|OP ADDRESS, OP ADDRESS; OP ADDRESS: what changed the world since the last time: a comma
//	  stands between those that may come in any order, a semicolon before those that come later
//	attempts ADDRESS MIN MAX   decided|drifts ADDRESS true|false   most N: calls at once
//	objects ADDRESS...   entries ADDRESS:PHASE...   quiet|retries DURATION   refused CODE|none
//	suspended ADDRESS|the-whole-cloud...
//	shows ADDRESS [PATH BEFORE]...: the fields in the plan
//	claims NAME...: those that are there
//	tried ADDRESS N [M]: how often its driver was called to change or delete it since the last time, from N to M times
//	attempted ADDRESS true|false: whether the last step was told of an attempt to create it before
//	asked ADDRESS true|false: whether the last step was told that somebody asks to try again
//	looked true|false: whether all was looked at that somebody has asked for last
//	observed DRIVER N: how often it was since the last time
//	anew ADDRESS...: what was to be observed as if nothing was known of it since the last time
//	details ADDRESS PART: of what is said of it
//	blind none|DRIVER PART: what keeps a driver from looking
//	settled true|false   unseen true|false   looks N   recorded RELEASE   planned ADDRESS ACTION [REASON]   moved FROM TO: by the plan   id ADDRESS ID: on record
func (s *scenario) check(command string, args []string) (bool, error) {
	switch command {
	case "expect":
		return true, s.expect(args[0], engine.Phase(args[1]), strings.Join(args[2:], " "))
	case "waits", "causes", "did", "healed", "attempts", "decided", "drifts":
		return true, s.checkUnit(command, args)
	case "calls":
		return true, s.checkCalls(strings.Join(args, " "))
	case "repaired":
		u, err := s.unit(args[0])
		if f := (unit.Field{Path: args[1], Before: args[2], After: args[3]}); err == nil && !slices.Contains(u.Healed, f) {
			err = fmt.Errorf("got %v", u.Healed)
		}
		return true, err
	case "most":
		return true, differ("at once", []string{fmt.Sprint(s.world.most)}, args)
	case "objects":
		return true, differ("objects", s.world.list(), args)
	case "attempted":
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		return true, differ("attempted", []string{fmt.Sprint(s.world.attempted[args[0]])}, args[1:])
	case "asked":
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		return true, differ("asked", []string{fmt.Sprint(s.world.asked[args[0]])}, args[1:])
	case "looked":
		synctest.Wait()
		return true, differ("looked", []string{fmt.Sprint(closed(s.looked))}, args)
	case "tried":
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		got := s.world.tried[args[0]]
		delete(s.world.tried, args[0])
		if len(args) > 2 && got >= atoi(args[1]) && got <= atoi(args[2]) {
			return true, nil
		}
		return true, differ("tried", []string{fmt.Sprint(got)}, args[1:])
	case "claims":
		return true, differ("claims", s.claimsLeft(), args)
	case "shows":
		var got []string
		if c := s.plan.Change(addr.MustParseObject(args[0])); c != nil {
			for _, f := range c.Fields {
				got = append(got, strings.Fields(f.Path+" "+f.Before)...)
			}
		}
		return true, differ("fields", got, args[1:])
	case "entries":
		var got []string
		for _, e := range s.inventory.Entries() {
			got = append(got, e.Address.String()+":"+string(e.Phase))
		}
		return true, differ("entries", got, args)
	case "quiet":
		d, err := time.ParseDuration(args[0])
		return true, errors.Join(err, s.quiet(d))
	case "retries":
		d, err := time.ParseDuration(args[0])
		return true, errors.Join(err, s.retries(d))
	case "suspended":
		var got []string
		for _, one := range s.engine.Snapshot().Suspensions {
			got = append(got, strings.ReplaceAll(one.Name(), " ", "-"))
		}
		return true, errors.Join(s.heard(), differ("suspended", got, args))
	case "refused":
		got := "none"
		if refused := s.engine.Snapshot().Refused; len(refused) > 0 {
			got = string(refused[0].Code)
		}
		return true, differ("refused", []string{got}, args)
	case "details":
		u, err := s.unit(args[0])
		if part := strings.Join(args[1:], " "); err == nil && !strings.Contains(strings.Join(u.Details, "\n"), part) {
			err = fmt.Errorf("got %q", u.Details)
		}
		return true, err
	case "blind":
		blind := strings.Join(s.engine.Snapshot().Blind, "\n")
		if args[0] == "none" {
			return true, differ("blind", []string{blind}, []string{""})
		}
		if !strings.Contains(blind, "observe "+args[0]) || !strings.Contains(blind, strings.Join(args[1:], " ")) {
			return true, fmt.Errorf("got %q", blind)
		}
		return true, s.heard()
	case "unseen":
		return true, differ("unseen", []string{fmt.Sprint(s.engine.Snapshot().Unseen)}, args)
	case "observed":
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		got := s.world.observed[unit.DriverName(args[0])]
		delete(s.world.observed, unit.DriverName(args[0]))
		return true, differ("observed", []string{fmt.Sprint(got)}, args[1:])
	case "anew":
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		got := slices.Sorted(maps.Keys(s.world.anew))
		clear(s.world.anew)
		return true, differ("observed anew", got, args)
	case "looks":
		return true, differ("looks", []string{fmt.Sprint(s.engine.Snapshot().Looks)}, args)
	case "settled":
		synctest.Wait()
		return true, differ("settled", []string{fmt.Sprint(s.engine.Snapshot().Settled)}, args)
	case "recorded":
		d := s.inventory.Deployment()
		if d == nil {
			d = &inventory.Deployment{}
		}
		return true, differ("recorded", []string{d.Release}, args)
	case "id":
		e, _ := s.inventory.Entry(addr.MustParseObject(args[0]))
		return true, differ("id", []string{e.ID}, args[1:])
	case "moved":
		c := s.plan.Change(addr.MustParseObject(args[1]))
		if c == nil || c.From.String() != args[0] || !c.Changes() {
			return true, fmt.Errorf("got %+v", c)
		}
		return true, nil
	case "planned":
		c := s.plan.Change(addr.MustParseObject(args[0]))
		if c == nil || c.Action != unit.Action(args[1]) || !strings.Contains(c.Reason, strings.Join(args[2:], " ")) {
			return true, fmt.Errorf("got %+v", c)
		}
		return true, nil
	}
	return false, nil
}

func (s *scenario) checkCalls(wanted string) error {
	got := s.world.takeTrace()
	rest := slices.Clone(got)
	if wanted == "none" {
		return differ("calls", got, nil)
	}
	for group := range strings.SplitSeq(wanted, ";") {
		want := strings.Split(strings.TrimSpace(group), ", ")
		n := min(len(want), len(rest))
		have := slices.Sorted(slices.Values(rest[:n]))
		slices.Sort(want)
		if !slices.Equal(have, want) {
			return fmt.Errorf("calls: got %q", got)
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("calls: got %q", got)
	}
	return nil
}

func (s *scenario) expect(a string, phase engine.Phase, reason string) error {
	synctest.Wait()
	u, err := s.unit(a)
	if err := errors.Join(err, s.heard()); err != nil {
		return err
	}
	if u.Phase != phase || !strings.Contains(u.Reason, reason) || strings.HasSuffix(strings.TrimSpace(u.Reason), ":") {
		return fmt.Errorf("it is %s: %q", u.Phase, u.Reason)
	}
	return nil
}

func (s *scenario) checkUnit(command string, args []string) error {
	u, err := s.unit(args[0])
	if err != nil {
		return err
	}
	var got []string
	switch command {
	case "waits":
		got = texts(u.Waits)
	case "causes":
		got = texts(u.Causes)
	case "did":
		for _, a := range u.Did {
			got = append(got, string(a))
		}
	case "healed":
		for _, f := range u.Healed {
			got = append(got, orWhole(f.Path))
		}
	case "decided":
		got = []string{fmt.Sprint(u.Decided)}
	case "drifts":
		got = []string{fmt.Sprint(u.Drift)}
	case "attempts":
		if u.Attempts < atoi(args[1]) || u.Attempts > atoi(args[2]) {
			return fmt.Errorf("%d attempts", u.Attempts)
		}
		return nil
	}
	return differ(command, got, args[1:])
}

// closed tells whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// orWhole stands for a field without a path, which is about all of a unit.
func orWhole(path string) string {
	if path == "" {
		return "whole"
	}
	return path
}

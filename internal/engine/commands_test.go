package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// run carries out one line of a script.
func (s *scenario) run(line string) error {
	words := strings.Fields(line)
	s.unheard = words[0] == "unheard"
	if s.unheard {
		words = words[1:]
	}
	args := words[1:]
	for _, group := range []func(string, []string) (bool, error){s.drive, s.disturb, s.check, s.onRecord} {
		if known, err := group(words[0], args); known {
			return err
		}
	}
	return errors.New("unknown command")
}

// drive has the engine do something.
//
//	submit REVISION [FALLBACK]      settle      wait DURATION      resync
//	converge REVISION [TIMEOUT]: with an engine of its own    plan REVISION [DURATION PART OF THE ERROR]
//	restart              lose [SHARD]: restart without an inventory, or without a piece of it
//	retry|pass-beside ADDRESS|all: as somebody asks, or as a pass beside a daemon does
//	suspend|resume ADDRESS|all [DURATION]
//	apis DRIVER: each kind of it is of another one   parallel N   concurrency N   resync-every DURATION   pace DRIVER DURATION   max-deletes LIMITS (before a restart)
//	unkept N: so often that list cannot be changed by the engine
//	clock DURATION: so far ahead is the clock that suspensions end by
//	budget DRIVER N: the driver may be called N times an hour; 0 for no bound
func (s *scenario) drive(command string, args []string) (bool, error) {
	switch command {
	case "submit":
		r := *s.revisions[args[0]]
		if len(args) > 1 {
			r.Fallback = s.revisions[args[1]]
		}
		s.world.witness.submits(s.engine.Snapshot().Revision, r.ID)
		err := s.engine.Submit(s.t.Context(), &r)
		synctest.Wait()
		return true, err
	case "settle":
		return true, s.settle()
	case "wait":
		d, err := time.ParseDuration(args[0])
		time.Sleep(d)
		synctest.Wait()
		return true, err
	case "resync":
		err := s.engine.ResyncNow(s.t.Context())
		synctest.Wait()
		return true, err
	case "converge":
		return true, s.converge(args)
	case "plan":
		begun := time.Now()
		p, err := s.engine.Plan(s.t.Context(), s.revisions[args[0]])
		s.plan = p
		if len(args) == 1 {
			return true, err
		}
		if text := strings.Join(args[2:], " "); err == nil || !strings.Contains(err.Error(), text) || time.Since(begun).String() != args[1] {
			return true, fmt.Errorf("after %v: %w", time.Since(begun), err)
		}
		return true, nil
	case "restart":
		s.stop()
		s.start()
		return true, nil
	case "lose":
		s.stop()
		if len(args) > 0 {
			delete(s.store.shards, args[0])
		} else {
			s.store.shards = map[string]inventory.Shard{}
		}
		s.start()
		return true, nil
	case "save":
		s.backup, _ = s.store.Load(s.t.Context()) // it never fails
		return true, nil
	case "restore":
		s.stop()
		s.counted, s.store.shards = s.inventory.Count(), maps.Clone(s.backup)
		s.start()
		return true, nil
	case "newest": // of the revisions that there are from now on, in place of each
		s.newest.Store(&args[0])
		return true, nil
	case "retry", "pass-beside":
		asked := map[string]string{"retry": "somebody"}[command]
		target, err := addr.ParseTarget(strings.TrimPrefix(args[0], "all"))
		if err == nil {
			s.looked, err = s.engine.Retry(s.t.Context(), asked, target)
		}
		synctest.Wait()
		return true, err
	case "max-deletes":
		limits, err := plan.ParseLimits(strings.Split(args[0], ","))
		s.options.MaxDeletes = limits
		return true, err
	case "suspend", "resume":
		return true, s.suspend(command == "suspend", args)
	case "unkept":
		s.unkept = atoi(args[0])
		return true, nil
	case "clock":
		d, err := time.ParseDuration(args[0])
		s.ahead.Store(int64(d))
		return true, err
	case "budget":
		return true, s.budget(unit.DriverName(args[0]), atoi(args[1]))
	case "concurrency":
		s.options.Concurrency = atoi(args[0])
		return true, nil
	case "parallel":
		s.options.Parallel = atoi(args[0])
		return true, nil
	case "apis":
		s.options.APIs = map[unit.DriverName]func(string) string{unit.DriverName(args[0]): func(kind string) string { return kind }}
		return true, nil
	case "pace":
		d, err := time.ParseDuration(args[1])
		s.options.Paces = map[unit.DriverName]time.Duration{unit.DriverName(args[0]): d}
		return true, err
	case "resync-every":
		d, err := time.ParseDuration(args[0])
		s.options.Resync = d
		return true, err
	}
	return false, nil
}

// budget bounds the calls of a driver, each of which counts as one request.
func (s *scenario) budget(name unit.DriverName, perHour int) error {
	s.world.mutex.Lock()
	defer s.world.mutex.Unlock()
	s.world.budgets[name] = budget.New(perHour)
	return nil
}

// now is the time by the clock that suspensions end by.
func (s *scenario) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// suspend gives the engine another list of suspensions by command.
func (s *scenario) suspend(begin bool, args []string) error {
	target, err := addr.ParseTarget(strings.TrimPrefix(args[0], "all"))
	if err != nil {
		return err
	}
	s.keeping.Lock()
	if begin {
		one := suspension.Suspension{Target: target, By: "alice", Reason: "disks are replaced"}
		if len(args) > 1 {
			d, err := time.ParseDuration(args[1])
			if err != nil {
				s.keeping.Unlock()
				return err
			}
			one.Until = s.now().Add(d)
		}
		s.suspended = suspension.With(s.suspended, one)
	} else {
		s.suspended, _ = suspension.Without(s.suspended, target)
	}
	err = s.engine.Suspend(s.t.Context(), s.suspended)
	s.keeping.Unlock()
	synctest.Wait()
	return err
}

// resuspend is how an engine changes that list.
func (s *scenario) resuspend(ctx context.Context, e func() *engine.Engine, change func([]suspension.Suspension) []suspension.Suspension) error {
	if err := s.world.point(ctx); err != nil {
		return err
	}
	s.keeping.Lock()
	defer s.keeping.Unlock()
	if s.unkept > 0 {
		s.unkept--
		return errors.New("the list of suspensions cannot be written")
	}
	s.suspended = change(suspension.Standing(s.now(), s.suspended))
	if err := s.world.point(ctx); err != nil {
		return err
	}
	return e().Suspend(ctx, s.suspended)
}

func (s *scenario) converge(args []string) error {
	s.stop()
	s.build()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	if len(args) > 1 {
		d, err := time.ParseDuration(args[1])
		if err != nil {
			return err
		}
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	} else {
		ctx, cancel = context.WithTimeout(ctx, 5*time.Hour)
		defer cancel()
	}
	err := s.engine.Converge(ctx, s.revisions[args[0]], time.Second)
	s.calm()
	if len(args) > 1 {
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("it ended with %w", err)
		}
		return nil
	}
	return err
}

// disturb changes the world.
//
//	fail apply|mend|delete|observe ADDRESS N      block|unblock [delete:]ADDRESS [REASON]
//	give-up ADDRESS: its driver refuses all steps until one is told that somebody asks
//	clash [delete:|mend:]ADDRESS OTHER [FIELD VALUE]: it is refused as long as the other one is there, or has that value
//	edit ADDRESS FIELD VALUE   erase ADDRESS   break ADDRESS REASON   mend ADDRESS: and tell the engine
//	hide|show ADDRESS|DRIVER|SERVICE with parts   hang|unhang DRIVER|ADDRESS|hosts   hold|release ADDRESS
//	store fail|lose N          hosts NAME N      slow-delete ADDRESS N
//	fade ADDRESS N: one step deletes it, which takes until it was observed that often
//	hold-back|await ADDRESS [REASON]: its driver refuses a change that is due, or waits for one that was begun
//	occupy ADDRESS [REASON]: it takes no changes for now
//	remark ADDRESS [TEXT]: somebody should see to something, though it works
//	roll ADDRESS [REASON]: what it consists of is replaced bit by bit, while it works
//	service NODE up|down|REASON: its compute service stands so, or is disabled for that reason
//	arrive NODE N: so many instances run there once its compute service is disabled
//	late ADDRESS DURATION: the next request that creates it is given up, and it comes that much later
//	put ADDRESS [ID] [MARK], theirs NAME: somebody else creates one       notify ADDRESS
//	claim ADDRESS NAME SIZE: a service makes a claim to a volume
//	pass NAME: Kubernetes deletes a Job of a set, whose time is over; fail make|prune object.NAME N: of objects in sets
//	unheard COMMAND: one of these, and the engine is not told
//	lose-lease: another process is in charge, until this one is started anew
func (s *scenario) disturb(command string, args []string) (bool, error) {
	w := s.world
	w.mutex.Lock()
	var told string
	known := true
	switch command {
	case "fail":
		w.failures[args[0]+" "+args[1]] = atoi(args[2])
	case "late":
		later, err := time.ParseDuration(args[1])
		if err != nil {
			panic(err)
		}
		w.late[args[0]] = later
	case "block":
		w.blocked[args[0]] = strings.Join(args[1:], " ")
	case "give-up":
		w.givenUp[args[0]] = true
	case "clash":
		w.clashes[args[0]] = args[1:]
	case "hold-fast":
		w.fast[args[0]] = w.at(addr.MustParseObject(args[1])).id
	case "unblock":
		delete(w.blocked, args[0])
	case "edit":
		w.at(addr.MustParseObject(args[0])).fields[args[1]] = args[2]
		told = args[0]
	case "erase":
		w.objects = slices.DeleteFunc(w.objects, func(o *object) bool { return o.address.String() == args[0] })
		told = args[0]
	case "break":
		w.at(addr.MustParseObject(args[0])).broken = strings.Join(args[1:], " ")
		told = args[0]
	case "mend":
		w.at(addr.MustParseObject(args[0])).broken = ""
		told = args[0]
	case "hold-back":
		w.at(addr.MustParseObject(args[0])).held = strings.Join(args[1:], " ")
		told = args[0]
	case "await":
		w.at(addr.MustParseObject(args[0])).waits = strings.Join(args[1:], " ")
		told = args[0]
	case "roll":
		w.at(addr.MustParseObject(args[0])).rolls = strings.Join(args[1:], " ")
		told = args[0]
	case "remark":
		w.at(addr.MustParseObject(args[0])).notice = strings.Join(args[1:], " ")
		told = args[0]
	case "occupy": // which nobody tells the engine of
		w.at(addr.MustParseObject(args[0])).busy = strings.Join(args[1:], " ")
	case "slow-delete":
		w.at(addr.MustParseObject(args[0])).going = atoi(args[1])
	case "fade":
		w.at(addr.MustParseObject(args[0])).fades = atoi(args[1])
	case "squat": // something of somebody else's is in its place
		w.objects = slices.DeleteFunc(w.objects, func(o *object) bool { return o.address.String() == args[0] })
		w.objects = append(w.objects, &object{address: addr.MustParseObject(args[0]), id: args[1], mark: "theirs", strange: true})
		told = args[0]
	case "put":
		o := &object{address: addr.MustParseObject(args[0]), mark: "theirs", fields: map[string]string{}}
		if len(args) > 1 {
			o.id, o.mark = args[1], strings.Join(args[2:], "")
		}
		w.objects = append(w.objects, o)
	case "theirs":
		w.objects = append(w.objects, &object{
			address: addr.MustParseObject("resource.theirs"), id: "theirs", unsigned: true, fields: map[string]string{"name": args[0], "v": "1"},
		})
	case "hide", "show":
		w.hidden[args[0]] = command == "hide"
	case "hang", "unhang":
		w.hanging[args[0]] = command == "hang"
	case "crash", "uncrash":
		w.crashing[args[0]] = command == "crash"
	case "hold":
		w.holds[args[0]] = make(chan struct{})
	case "release":
		close(w.holds[args[0]])
		delete(w.holds, args[0])
	case "pass":
		if err := w.pass(args[0]); err != nil {
			panic(err)
		}
	case "claim":
		a := addr.MustParseObject(args[0])
		w.claims[a] = append(w.claims[a], claimOf(args[1], args[2]))
	case "lose-lease":
		w.displaced = true
	case "service", "arrive":
		w.serve(command, args)
	case "hosts":
		s.hosts[args[0]] = atoi(args[1])
	case "store":
		if args[0] == "fail" {
			s.store.fail = atoi(args[1])
		} else {
			s.store.lose = atoi(args[1])
		}
	case "notify":
		told = args[0]
	default:
		known = false
	}
	w.mutex.Unlock()
	if told != "" && !s.unheard {
		s.notify(addr.MustParseObject(told))
	}
	if known {
		synctest.Wait()
	}
	return known, nil
}

package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
)

func TestCheckTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*options)
		says   string // "" for nothing
	}{
		"the defaults":         {func(*options) {}, ""},
		"a short resync":       {func(o *options) { o.Resync = time.Second }, ""},
		"no pause":             {func(o *options) { o.Resync = 1 }, "--resync 1ns is too short: one second is the least"},
		"no resync":            {func(o *options) { o.Resync = 0 }, "--resync 0s is too short"},
		"a resync of the past": {func(o *options) { o.Resync = -5 * time.Minute }, "--resync -5m0s is too short"},
		"hasty polls":          {func(o *options) { o.interval = 0 }, "--interval 0s is too short"},
		"no heartbeat":         {func(o *options) { o.heartbeat = 0 }, ""},
		"a hasty heartbeat":    {func(o *options) { o.heartbeat = time.Second }, "--heartbeat 1s is too short"},
		"no looks between":     {func(o *options) { o.OpenStackInterval = 0 }, ""},
		"hasty looks":          {func(o *options) { o.OpenStackInterval = -1 }, "--openstack-interval -1ns is too short"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options{interval: 30 * time.Second, heartbeat: time.Hour}
			o.Resync, o.OpenStackInterval = 5*time.Minute, 30*time.Second
			c.change(&o)
			err := o.checkTimes()
			switch {
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says != "" && (!errors.Is(err, wire.ErrUsage) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

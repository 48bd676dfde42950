package main

import (
	"os"
	"testing"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestMain(m *testing.M) {
	if code, is := wire.Child(schema.New(), os.Args); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

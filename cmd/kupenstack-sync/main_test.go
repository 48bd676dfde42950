package main

import (
	"os"
	"testing"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
)

func TestMain(m *testing.M) {
	if code, is := wire.Child(os.Args); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

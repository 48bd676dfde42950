//go:build beds

package crash_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/crash"
)

// The test binary is the program under test as well, when programVariable is set: that
// spares building another one.
const programVariable = "KUPENSTACK_CRASH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVariable); name != "" {
		if err := program(name, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// self returns the program that does what program says for name.
func self(name string, args ...string) crash.Program {
	// Under the race detector a program waits for a second before it exits, unless told not to.
	environment := append(os.Environ(), programVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	return crash.Program{Path: os.Args[0], Args: args, Env: environment}
}

// program creates objects in a store. "careful" looks each up first, "blind" does not,
// "daemon" is careful and then runs on, "idle" only runs, "broken" fails.
func program(name string, args []string) error {
	switch name {
	case "idle":
		fmt.Println("idling")
		time.Sleep(time.Hour) // stays until it is killed: that is what it is for
		return nil
	case "broken":
		return fmt.Errorf("out of order")
	}
	server := args[0]
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		key := "object-" + strconv.Itoa(i)
		if name != "blind" {
			found, err := call(http.MethodGet, server, key)
			if err != nil {
				return err
			}
			if found == "true" {
				continue
			}
		}
		if _, err := call(http.MethodPost, server, key); err != nil {
			return err
		}
	}
	fmt.Println("all there")
	if name == "daemon" {
		time.Sleep(time.Hour) // stays until it is stopped, as a daemon does
	}
	return nil
}

func call(method, server, key string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, server+"/objects?key="+url.QueryEscape(key), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(body)), err
}

// store keeps objects under keys and, as many APIs do, takes one key twice.
type store struct {
	*httptest.Server
	mu       sync.Mutex
	objects  map[string]int // how often each key was created
	requests []string
}

func startStore(t testing.TB) *store {
	s := &store{objects: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		key := r.URL.Query().Get("key")
		s.requests = append(s.requests, r.Method+" "+key)
		if r.Method == http.MethodPost {
			s.objects[key]++
		}
		fmt.Fprintln(w, s.objects[key] > 0)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *store) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *store) world(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	facts := map[string]string{}
	for key := range maps.Keys(s.objects) {
		facts[key] = fmt.Sprintf("%d of it", s.objects[key])
	}
	return facts, nil
}

// Package crash kills a program at chosen points, starts it again, and compares the world
// that it leaves with the world of a run that nobody disturbed.
//
// The program talks to its servers through proxies of package faultproxy, and a point is a
// request: the program is killed (SIGKILL, with its whole process group) right before request
// n is forwarded, or right after the target answered it and before the program learns that.
// Run does this once; Sweep does it for every point, or for a sample that the seed chooses:
//
//	crash.Sweep(t, crash.Options{Scene: func(t testing.TB, control *faultproxy.Control) crash.Scene {
//		store := startStore(t)
//		proxy := faultproxy.Start(t, faultproxy.Options{Target: store.URL, Control: control})
//		return crash.Scene{
//			Program: crash.Program{Path: binary, Args: []string{"-server", proxy.URL()}},
//			Match:   faultproxy.Match{Verb: "POST"},
//			World:   store.Snapshot, // named facts, for example "network/web": "mtu=1500"
//		}
//	}})
//
// Facts must be the same for every undisturbed run: leave out ids and times, and count what
// must not be there twice. World must ask the servers directly, not through the proxies: a
// kill resets every connection to them.
//
// What goes in: a program, a scene in which it runs, the points. What comes out: how each of
// its lives ended, and the difference between the worlds. The package never kills a process
// that it did not start, and leaves none running, not even when the test binary itself dies.
// It works on Linux.
package crash

// Package engine brings the world to what a revision asks for.
//
// A revision comes in as units; the engine observes, makes a plan, admits or refuses it, and then
// runs one loop per unit. What a loop does next follows from what it sees and from the loops it
// depends on, so that independent units go on in parallel and a failure holds back only what
// needs it. Deletions and replacements happen only as the admitted plan has them; everything else
// is decided anew from the newest state. Each change is recorded in the inventory before it is
// made. A plan waits for what is being observed, but not for an API that hangs: what lies behind that is
// unknown to it, so that nothing there is deleted, and all else goes on.
//
// A replacement that is to be created first is, from one write of the inventory on, an object that is
// to be created beside a former one, which goes once everything that uses it has moved. So it needs
// no state of its own, and a killed process goes on with it as with any creation.
//
// What becomes of an object when something comes between it and what is being done to it is written in
// testdata/matrix/README.md, with a scenario for each case.
//
// One goroutine owns all loops and never does anything that could block; what drivers do runs
// beside it. The engine knows no Kubernetes, no Helm and no OpenStack, only [Driver].
package engine

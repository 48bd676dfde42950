package contain

import (
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// Panic is what is told of a panic. As an error, and as the value of another panic, it does not tell with what.
type Panic struct {
	What  string // what the Go runtime said, such as that an index is out of range, or the type of the value
	Where string // the function and the line
	Stack string // that of the goroutine; arguments of functions are numbers in there
}

// Error implements [error].
func (p *Panic) Error() string {
	return fmt.Sprintf("a mistake of this program, %s in %s; please report it", p.What, p.Where)
}

// Of returns what is told of a value that was recovered, nil for none. It is called by the function that recovers.
func Of(value any) *Panic {
	if value == nil {
		return nil
	}
	switch known := value.(type) {
	case *Panic:
		return known // of another goroutine, which was waited for
	case last:
		return known.Panic
	}
	what := fmt.Sprintf("a panic with a %T", value)
	if of, ok := value.(runtime.Error); ok {
		what = of.Error()
	}
	return &Panic{What: what, Where: origin(), Stack: string(debug.Stack())}
}

// Do does some work; a panic in it is its error.
func Do(work func() error) (err error) {
	if p := caught(func() { err = work() }); p != nil {
		return p
	}
	return err
}

// Unsaid does some work for a library that would tell the value of a panic in it: it is another one then.
func Unsaid(work func()) {
	if p := caught(work); p != nil {
		panic(p) // here, where the first one is over: Go tells those that are not as well
	}
}

// Callback is some work for a library that does it in a goroutine of its own, such as [time.AfterFunc] and [context.AfterFunc].
func Callback(work func()) func() {
	return func() { ending(work) }
}

// End ends the process as a panic does that nobody recovers. It is for who recovers one, and may not go on: were that one to
// panic anew, Go would tell the first value as well.
func (p *Panic) End() {
	go panic(last{p})
	select {}
}

// last is a panic that ends the process. Go tells what it says as an error, and of its stack only what is above who panicked
// last.
type last struct{ *Panic }

func (l last) Error() string { return l.Panic.Error() + "\n" + l.Stack }

// ending does some work; a panic in it ends the process, unless a library recovers it.
func ending(work func()) {
	if p := caught(work); p != nil {
		panic(last{p})
	}
}

func caught(work func()) (p *Panic) {
	defer func() { p = Of(recover()) }()
	work()
	return nil
}

// origin is where the panic was that is being recovered: the first function above that is not of Go itself.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return fmt.Sprintf("%s at %s:%d", path.Base(frame.Function), path.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

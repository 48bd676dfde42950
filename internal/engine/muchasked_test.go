package engine

import "testing"

// TestManyAskForMuch: who asks for most of a large cloud while that is looked at for others waits with them beyond the bound, so that
// nobody is left out, and what each step looks through stays within it.
func TestManyAskForMuch(t *testing.T) {
	loops := make([]*loop, 10_000)
	for n := range loops {
		loops[n] = &loop{}
	}
	const askers = 30
	e := &Engine{}
	for n := range askers {
		one := &asked{left: map[*loop]bool{}, done: []chan struct{}{make(chan struct{})}}
		for _, l := range loops {
			one.left[l] = true
		}
		e.join(one)
		for _, waiting := range e.asked {
			delete(waiting.left, loops[n]) // which is looked at meanwhile
		}
	}
	told, left := 0, 0
	for _, one := range e.asked {
		told, left = told+len(one.done), left+len(one.left)
	}
	if told != askers || left > mostLeft+len(loops) {
		t.Errorf("of %d who asked %d are told once %d were looked at", askers, told, left)
	}
}

package openstack

import "github.com/kupenstack/kupenstack-sync/internal/contain"

// answer is what came of one of several questions.
type answer[T any] struct {
	value T
	err   error
}

// abreast asks n questions, as many at a time as kinds are listed, and returns the answers in the order of the questions. It
// is for what no list says. What is done with the answers is left to the caller, as two of them may be about one object.
func abreast[T any](n int, ask func(i int) (T, error)) []answer[T] {
	answers := make([]answer[T], n)
	group := contain.AtOnce(listsAtOnce)
	for i := range n {
		group.Go(func() { answers[i].value, answers[i].err = ask(i) })
	}
	group.Wait()
	return answers
}

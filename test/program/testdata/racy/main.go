// Command racy has a race.
package main

import "fmt"

func main() {
	n, done := 0, make(chan struct{})
	go func() {
		n++
		close(done)
	}()
	n++
	<-done
	fmt.Println(n)
}

// Package memory decides how much memory a process of ours takes beside what it needs, and when the system gets that back.
//
// Nearly all of the time nothing happens, and processor time is plentiful then; memory is held all the while. So garbage
// is collected earlier than Go does by itself, and memory is returned at once when work is over and not bit by bit.
// Who sets GOGC decides otherwise.
package memory

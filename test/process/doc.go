// Package process starts the servers of the test beds and stops them by identity.
//
// Every process runs in a session of its own, writes its output to a log file and
// leaves a record in the bed's directory: process id, start time in the kernel's
// clock ticks, command line. The record, not the parent, is what owns a process: any
// program that can read the directory can stop, inspect or start it again, and a
// process id that the kernel gave to somebody else in the meantime is never signalled.
// A process can be bound to the program that starts it besides, and is killed when that ends.
//
// Listeners tells on which addresses processes listen, for tests that nothing but loopback is
// served.
//
// It works on Linux, because identity comes from /proc.
package process

// Package confine does work on files that somebody hostile may have written in a process of its
// own, so that what the work costs cannot hurt the one that asked for it.
//
// In go the name of a job, a tree of files and a few arguments. A [Runner] starts its own
// executable again as a child, serves it the files that the job asks for, and returns an
// [Outcome]: the job's short answer, or what ended it: memory, processor time, the stack, or a
// crash. The parent then does the same work itself, knowing that it fits, or tells the user.
//
// The child gets no environment, no descriptors beside its pipes and no directory. What is secret for the
// job, such as values of variables and the keys of encrypted files, stands in its argument, which goes
// through a pipe and is seen by nobody else. The child limits itself before it reads the first byte, and a
// goroutine of it watches what it uses: what there is of the program itself counts as well. Garbage is collected between the phases of a job, when there is
// much, and else only as memory runs short. On Linux the kernel holds the limits as well, RLIMIT_DATA for
// memory and RLIMIT_CPU for time, and so also against what grows in one step. On other systems there are
// the watch over memory, the limit on the stack, and the parent's clock in place of processor time.
//
// A program takes part by calling [Child] first of all in its main function.
package confine

// Command confined is a child that reads and evaluates configurations, as the commands start it to
// try one, and tells the findings. Tests start it in place of themselves, as the race detector takes
// many times the memory and time that the limits are about.
package main

// Package budget counts the requests that go to an API, and tells when those that it may have are spent.
//
// A budget fills up all the time, so that no hour begins with a burst for which all have waited. What was begun is
// never cut short: its requests are counted as debt, and nothing new begins before that is made up for.
package budget

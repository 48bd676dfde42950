// Package web asks pages whether they answer.
//
// In: the gates of a release that are URLs. Out: whether each answers as it should, in words that stay the same while
// the cause does. It only sends GETs, follows no redirect, and reads no answer but its status: what a page says never
// gets into a report.
package web

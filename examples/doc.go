// Package examples holds configurations to start from: minimal is the least that makes a cloud,
// demo has a resource of every kind. Tests load and resolve all of them, so they stay true.
package examples

// Package request says what somebody wants looked at again.
//
// A request has what it names observed at once, with the newest commit, and what failed or was refused there
// tried again without the rest of its pause. Requests are kept in the cluster until whoever is in charge has looked at
// what they name, and those whose outcome is awaited until whoever asked has read that.
//
// In: the document that the cluster keeps, or nothing. Out: requests, and that document. The package knows neither
// a cluster nor a clock.
package request

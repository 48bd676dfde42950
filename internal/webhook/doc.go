// Package webhook hears from forges that somebody has pushed.
//
// In come requests of GitHub, GitLab, Gitea, Forgejo, Bitbucket, or anybody who signs in their way or as Standard Webhooks do; out goes one
// word: look at the repository now. Nothing of what a request says is taken for true or looked at but its
// signature, so that all a request can do is to have a poll happen sooner. A [Receiver] answers requests and
// bounds how many it looks at; [Certificate] is for serving it over TLS with files that may be exchanged.
package webhook

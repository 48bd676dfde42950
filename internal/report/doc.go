// Package report turns how things stand into the files of the status branch, and into what a
// terminal shows while a pass is running.
//
// In: an [Input] of values: commits, the model in force, a snapshot of the engine. Out: [Render]
// returns files by their names and a [Verdict]; [Lines] and [Table] return text. The same input
// gives the same bytes. Only the history has times in it that pass by themselves, so a world that
// stays as it is gives files that stay as they are, and nothing has to be committed.
//
//	README.md                for people
//	status.json              the same and more for programs; schema/status.schema.json defines it
//	services/<name>.md       one service: its unit, its settings, what was found changed
//	nodes/<name>.md          one node: roles, profile, agents, effective configuration
//	resources/<kind>.json    the resources of one kind inside OpenStack
//	plans/<ref>.md, .json    what a review would change; [RenderPlan] makes them, who reports only lists them
//	history/<YYYY-MM>.jsonl  one line per revision, of two years; lines are added and never changed
//
// Names, messages and subjects come from users and servers. Before they are shown, credentials are
// taken out of URLs, control characters are made visible, long texts are cut, and what means
// something to Markdown, HTML or Mermaid is escaped. Lists are cut, too, so that every file has a
// bound.
//
// The package does no input or output, asks no clock, and decides nothing about the world. It
// masks what has the form of a credential, but it knows no secrets: texts that may hold one are
// masked by who makes them.
package report

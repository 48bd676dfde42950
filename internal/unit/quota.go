package unit

// Quota is a limit of a project, and how much is taken of it already. A negative limit has no end.
type Quota struct{ Limit, Used int64 }

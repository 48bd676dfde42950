// Package statusbranch publishes reports where people and programs read them: as commits on a
// branch of the repository that holds the configuration, or, when that is a plain directory, as
// files in another directory.
//
// In go the files of one report by their paths, and a message. [Branch.Publish] drafts the
// commit in memory on top of the remote's newest one, see [gitrepo.Draft], and pushes it, if the
// branch still is where it was; otherwise it builds again on what is there now. So the branch only
// ever moves forward, and commits of others stay. A report that is there already makes no commit:
// this is also how a push whose answer was lost is recognised.
//
// [Branch.Beat] leaves word under another ref, one for each status branch, that the world is still being
// observed, though there is nothing to report.
//
// [Branch.PublishPlan] commits the plan of a review, and leaves all else as it is; so does a report leave
// plans. [Branch.Plans] lists them, and [Branch.Publish] removes those of refs that are gone or merged, by
// the refs as they were listed for that very push. Their files are named after their refs, see [PlanFile].
//
// Which files are ours is written in [Manifest], and which cloud's the report is. The report of another
// cloud is left alone, see [TakenError]; one that does not say whose it is belongs to whoever comes first,
// and one whose list cannot be read stays as well.
// Files of ours that a later report lacks are removed; a file at a path of ours is overwritten whoever wrote
// it; all other files are kept.
//
// What it never does: check out files, force a push to a branch, write to the branch that holds the
// configuration, or mask secrets: reports come without any.
package statusbranch

// Package gitrepo is where configurations come from: one ref of a Git repository behind https, http,
// ssh or a file URL, or a plain local directory.
//
// In go [Options]; [Open] checks them and reaches nothing. [Source.Head] tells the present [Revision]
// at the price of one ls-remote. [Source.Fetch] returns its [Tree], which is read through [fs.FS]
// right from the object store: there is no work tree, so no file of a repository is ever written
// under its own name. [Source.Cached] returns the last tree that was fetched, without the network.
// [Source.Keep] has one outlive what is fetched later, [Source.Earlier] brings one back from the history,
// [Source.Exactly] fetches one by its hash, and [Source.Since] tells what has come since one.
// [Source.Refs], [Source.Seen], [Source.Branch] and [Source.Push] are for the package that commits reports, and
// so is [Draft], the commit that is pushed: nobody else knows Git's objects.
//
// Of a commit that follows what the cache has only what changed is transferred, whatever became of the history between them:
// a server is told which commit is here, and may send a thin pack, one that tells objects as changes of some it leaves out. These are
// added to it from the cache, as every pack there stands by itself.
//
// The cache on disk holds the newest commits of one ref, without their history unless one was looked for
// in it. It may be deleted at any time, and shared by processes on one machine.
//
// What it never does: run hooks, follow submodules or fetch Git LFS content, leave a tree through a
// symbolic link, ask a person or an agent for credentials, read the user's Git or SSH configuration,
// accept an SSH server whose key is not known, or name a credential in an error.
package gitrepo

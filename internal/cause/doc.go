// Package cause finds out why the pods of a workload are not ready, in words for people.
//
// In come pods, what their nodes are like, and what was found out about the things that they wait for.
// Out come findings, the most telling one first: one for all pods that have the same cause. The words stay
// the same as long as the cause does: counts are coarse, and names that change with each pod are left out.
//
// It asks nobody and knows no client. What pods do not tell themselves, such as events and whether a Job
// is complete, is for a driver to ask; a finding says whether that is worth it. Texts may have secrets in
// them: whoever shows one masks it first and cuts it after that.
package cause

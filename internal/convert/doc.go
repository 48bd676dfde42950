// Package convert turns the YAML of the documents that this project comes from into the language
// of this project: KupenstackConfiguration, OpenstackNode and OpenStackCloudConfigurationProfile of
// kupenstack.io, and OpenStackControlPlane with the kinds of its services of openstack.k8s.io.
//
// In come files of YAML, each of any number of documents. Out go files of HCL, formatted, and
// diagnostics. An error among them says that something was lost: it has no home in the language, it
// contradicts something else, or it is no value that the field can have. A warning says what was
// assumed, because the YAML does not tell it, or left out, because it is not a wish: a status. What
// every field becomes is written down in FIELDS.md beside this file, which a test compares with the
// code.
//
// The result is a configuration that loads, even when something was lost, unless the documents
// describe no cloud but only nodes or profiles for one. Comments are kept beside what they were
// written for.
//
// The YAML can come from strangers. It is read within [Limits], whose excess is an ordinary
// diagnostic; what aliases stand for counts as often as they are used. When a file cannot be read to
// its end, there is no result at all, since half of a cloud is none.
//
// The package reads and writes no files and asks no server.
package convert

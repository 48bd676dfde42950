package resolve_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/resolve"
)

const page = "../../schema/reference/functions.md"

// TestFunctionsPage holds the page about functions to what the code says. With -update it writes
// the page.
func TestFunctionsPage(t *testing.T) {
	got := functionsPage()
	if *update {
		if err := os.MkdirAll("../../schema/reference", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run make generate", page)
	}
}

func functionsPage() []byte {
	var b bytes.Buffer
	b.WriteString(`# Functions

<!-- Generated from internal/resolve/reference.go by ` + "`make generate`" + `. -->

The functions have the names and the meaning that they have in Terraform 1.9. Those that need a
clock, random numbers, the network or the machine (timestamp, plantimestamp, uuid, bcrypt,
rsadecrypt, abspath, pathexpand) are not there: a revision always means the same.

` + differences + `
What is made from a sensitive value is sensitive, and no error quotes it. What is made from a value
that is not known yet is not known yet. What one expression costs is bounded: about 250,000 steps
and 8 MiB of text.

`)
	signatures := resolve.Signatures()
	for _, group := range resolve.Reference() {
		fmt.Fprintf(&b, "## %s\n\n", group.Title)
		if group.Title == "Files" {
			b.WriteString(filesNote)
		}
		if group.Title == "Secrets" {
			b.WriteString(secretsNote)
		}
		b.WriteString("| Function | | Example | gives |\n| --- | --- | --- | --- |\n")
		for _, f := range group.Functions {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(signatures[f.Name]), strings.ReplaceAll(f.Doc, "*", `\*`), code(f.Example), code(f.Result))
		}
		b.WriteString("\n")
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

const differences = "They differ from Terraform's in these points:\n\n" +
	"- `format` and `formatlist` write a number for `%v` with all its digits, where Terraform has `1e+21`.\n" +
	"- Numbers in an address of IPv4 have no zeros in front, which Terraform passes over.\n" +
	"- A network of IPv4-mapped addresses, such as `::ffff:10.0.0.0/104`, is one of IPv6 and stays that.\n" +
	"- `element` takes a negative index and counts from the end then, as Terraform does from 1.10 on.\n" +
	"- `templatestring` takes any text, also one that is written as its argument.\n" +
	"- `yamldecode` takes no anchors and aliases, by which a short document can stand for an enormous value.\n" +
	"- What `base64gzip` returns unpacks to the same text, and may be compressed to other bytes.\n"

const filesNote = "Files are read from the repository, at the commit that is applied, and from nowhere else. A path\n" +
	"begins at the configuration's directory (`--path`), which is `path.root`, in a module as well, and may go\n" +
	"up with `..` as far as the top of the repository; links are followed within it. `path.module` is the\n" +
	"directory of the module that the expression stands in, from there on: `modules/edge`, and `.` at the\n" +
	"root. So a module finds what lies beside it by `${path.module}/x`, and what its caller names by the\n" +
	"path that it is given. A file can have at most 1 MiB, a template 256 KiB, and\n" +
	"all that are read together 8 MiB. A template sees the values that it is given and all functions but\n" +
	"`templatefile` and `templatestring`. The examples read `hello.txt`, which holds `Hello!`, and\n" +
	"`motd.tpl`, which holds `Welcome to ${name}`.\n\n"

const secretsNote = "Nothing that comes from one of these is ever shown. `secret` reads from the cloud's namespace, or from\n" +
	"that of the inventory for a cloud without one, and only Secrets with the label\n" +
	"`kupenstack.io/readable: \"true\"`. While the configuration is loaded its value is not known, so it can\n" +
	"be used in every attribute of a resource that is not needed then, also as a part of a text, and in\n" +
	"`conf` and `values` of a service alone as the value of a key. Its arguments have to be known, and\n" +
	"`nonsensitive` does not take what is made from it.\n\n" +
	"`sops` reads a file of the repository that ends in `.yaml`, `.yml`, `.json` or `.env`. The key of the\n" +
	"file has to be encrypted for age; PGP, the key services of clouds, groups of keys and rules about\n" +
	"comments are refused. The identity comes from the file that `--sops-age-key-file` names. Without it\n" +
	"`validate`, `explain` and `graph` take the values for unknown, with a warning; `plan` and whatever\n" +
	"applies fail. A file that was changed after it was encrypted is an error.\n\n"

// code is a text in a cell of a table, as it stands.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

package revision_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"
)

// killer is input that takes minutes or gigabytes, or ends the process, when nothing stands before it.
type killer struct {
	files fstest.MapFS
	path  string
	// fine says that it is odd, but may be a configuration.
	fine bool
	// long says that it takes all the time that there is, however much that is; so the test gives it less.
	long bool
	// heavy says that it takes most of the time that there is and ends by itself, so the test gives it more:
	// other work of the machine makes that longer.
	heavy bool
	// job is what is done with it; "" for reading and composing it.
	job string
	// want is part of what is said of it; "" for anything.
	want string
}

const reachOnly = "cloud \"test\" {\n  openstack {\n    cloud = \"test\"\n  }\n}\n"

// single is a killer in one file beside a cloud.
func single(text string) killer {
	return killer{files: fstest.MapFS{"cloud.hcl": {Data: []byte(reachOnly)}, "main.hcl": {Data: []byte(text)}}, path: "."}
}

// chain is locals that are made from each other: a0 is the first, and each other follows from next,
// in which %[2]s is the one before.
func chain(n int, first, next string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "locals {\n  a0 = %s\n", first)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  a%[1]d = "+next+"\n", i, fmt.Sprintf("local.a%d", i-1))
	}
	return b.String() + "}\n"
}

func value(text string) killer { return single("locals {\n  a = " + text + "\n}\n") }

// lines repeats a line with its number over as many files as it takes.
func lines(n int, head, line, tail string) killer {
	const each = 5000
	k := single("")
	for file := 0; file*each < n; file++ {
		var b strings.Builder
		b.WriteString(head)
		for i := file * each; i < min(n, (file+1)*each); i++ {
			fmt.Fprintf(&b, line, i)
		}
		k.files[fmt.Sprintf("f%d.hcl", file)] = &fstest.MapFile{Data: []byte(b.String() + tail)}
	}
	return k
}

// killers are known ways to do harm. The ones that are deep in their syntax are tested in package
// config in all their forms; here are some, to see that they end the same way.
func killers() map[string]killer {
	times := strings.Repeat
	found := map[string]killer{
		"deep parentheses":     value(times("(", 100_000) + "1" + times(")", 100_000)),
		"deep lists":           value(times("[", 100_000) + times("]", 100_000)),
		"deep blocks":          single(times("a {\n", 50_000) + times("}\n", 50_000)),
		"deep templates":       value(times(`"${`, 40_000) + "1" + times(`}"`, 40_000)),
		"unary run":            value(times("!", 200_000) + "true"),
		"deep JSON":            value(`jsondecode("` + times("[", 100_000) + `")`),
		"deep YAML":            value(`yamldecode("` + times("[", 60_000) + `")`),
		"many that differ":     value(`distinct(flatten([for a in range(20) : [for b in range(500) : a * 500 + b]]))`),
		"YAML aliases":         value(`yamldecode("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n")`),
		"doubling strings":     single(chain(60, `"xxxxxxxxxxxxxxxx"`, `"${%[2]s}${%[2]s}"`)),
		"doubling lists":       single(chain(60, `[1]`, `concat(%[2]s, %[2]s)`)),
		"doubling tuples":      single(chain(60, `[1]`, `[%[2]s, %[2]s]`)),
		"doubling objects":     single(chain(60, `{ a = 1 }`, `{ a = %[2]s, b = %[2]s }`)),
		"doubling, reversed":   single(chain(60, `"ab"`, `strrev("${%[2]s}${%[2]s}")`)),
		"doubling by join":     single(chain(60, `"ab"`, `join(%[2]s, [%[2]s, %[2]s])`)),
		"doubling by replace":  single(chain(60, `"aa"`, `replace(%[2]s, "/a/", "aa")`)),
		"doubling by format":   single(chain(60, `"aa"`, `format("%%[1]s%%[1]s", %[2]s)`)),
		"doubling by JSON":     single(chain(60, `"\""`, `jsonencode(%[2]s)`)),
		"doubling by products": single(chain(60, `["a", "b"]`, `[for p in setproduct(%[2]s, %[2]s) : join("", p)]`)),
		"squared numbers":      single(chain(60, `9999999999`, `%[2]s * %[2]s`)),
		"divided numbers":      single(chain(60, `3`, `1 / (%[2]s * %[2]s * 7)`)),
		"long template":        single(chain(18, `"xxxxxxxx"`, `"${%[2]s}${%[2]s}"`) + "locals {\n  b = \"" + times("${local.a17}", 4000) + "\"\n}\n"),
		"huge range":           value("range(1000000000)"),
		"range by fractions":   value("range(0, 1, 0.000000001)"),
		"wide format":          value(`format("%1000000000d", 1)`),
		"starred format":       value(`format("%*d", 1000000000, 1)`),
		"precise format":       value(`format("%.1000000000f", 1)`),
		"huge indent":          value(`indent(1000000000, "a\nb")`),
		"long join":            value(`join(format("%1000s", "x"), [for a in range(1000) : join(format("%1000s", "y"), range(1000))])`),
		"replace each":         value(`replace(format("%1000s", "x"), " ", replace(format("%1000s", "x"), " ", format("%1000s", "x")))`),
		"replace by regex":     value(`replace(format("%1000s", "x"), "/( *)*x?/", format("%1000s", "$1$1$1$1$1$1$1$1$1"))`),
		"regex of repeats":     value(`regex("((((a{1,100}){1,100}){1,100}){1,100}){1,100}", "a")`),
		"many subnets":         value(`cidrsubnets("::/0", [for a in range(1000) : 64]...)`),
		"many products":        value("setproduct(range(1000), range(1000), range(1000), range(1000))"),
		"nested for":           value("[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : [for d in range(1000) : 1]]]]"),
		"flat for":             value("flatten([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]])"),
		"grouped for":          value(`{ for a in flatten([for a in range(1000) : range(1000)]) : "x" => a... }`),
		"for template":         value(`"%{ for a in range(1000) }%{ for b in range(1000) }%{ for c in range(1000) }x%{ endfor }%{ endfor }%{ endfor }"`),
		"quadratic distinct":   value("distinct(flatten([for a in range(40) : [for b in range(1000) : a * 1000 + b]]))"),
		"quadratic sets":       single(`locals {` + "\n" + `  a = [for a in range(80) : range(1000)]` + "\n" + `  b = distinct(flatten(local.a))` + "\n" + `  c = [for a in range(100) : distinct(flatten(local.a))]` + "\n}\n"),
		"large for_each":       single("network \"n\" {\n  for_each = toset([for p in setproduct(range(1000), range(1000)) : \"${p[0]}-${p[1]}\"])\n  name     = each.key\n}\n"),
		"local cycle":          single("locals {\n  a = local.b\n  b = local.a\n}\n"),
		"profile cycle":        single("profile \"a\" {\n  from = profile.b\n}\nprofile \"b\" {\n  from = profile.a\n}\n"),
		"resource cycle":       single("network \"a\" {\n  description = network.b.id\n}\nnetwork \"b\" {\n  description = network.a.id\n}\n"),
		"file outside":         value(`file("../../../../etc/passwd")`),
		"absolute file":        value(`file("/etc/passwd")`),
		"template outside":     value(`templatefile("../secret", {})`),
		"NUL":                  value("\"\x00\""),
		"invalid UTF-8":        value("\"\xff\xfe\""),
		"BOM":                  single("\xef\xbb\xbflocals {}\n"),
		"huge exponent":        value("1e999999999"),
		"huge number in text":  value(`tonumber("1e999999999") + 1`),
		"huge number, printed": value(`"${tonumber("1e99999999")}"`),
		"huge parseint":        value(`parseint("` + times("z", 200_000) + `", 36)`),
		"power of ten":         value("1" + times("0", 200_000)),
		"many blocks":          lines(13_000, "", "network \"n%d\" {}\n", ""),
		"long chain":           lines(45_000, "locals {\n  z = 1\n", "  a%[1]d = local.a%[1]d_\n", "}\n"),
	}
	found["many attributes"] = lines(60_000, "locals {\n", "  a%d = 1\n", "}\n")
	for _, name := range []string{"many subnets", "huge number in text", "replace by regex", "BOM"} {
		k := found[name]
		k.fine = true
		found[name] = k
	}
	link := single("")
	link.files["link.hcl"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
	found["link out of the tree"] = link
	above := single("")
	above.path = "../.."
	found["path above the tree"] = above
	absolute := single("")
	absolute.path = "/etc"
	found["absolute path"] = absolute
	return found
}

package revision_test

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math/bits"
	"strings"
	"testing/fstest"
)

// with adds files to a killer.
func (k killer) with(files map[string]string) killer {
	for name, text := range files {
		k.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return k
}

// moduleKillers do harm by modules that multiply.
func moduleKillers() map[string]killer {
	call := func(name, source, more string) string {
		return fmt.Sprintf("module %q {\n  source = %q\n%s}\n", name, source, more)
	}
	tenfold := func(n int) string { return fmt.Sprintf("  for_each = toset([for i in range(%d) : tostring(i)])\n", n) }
	found := map[string]killer{
		"module that calls the root":   single(call("m", "./m", "")).with(map[string]string{"m/m.hcl": call("back", "../", "")}),
		"module that calls itself":     single(call("m", "./m", "")).with(map[string]string{"m/m.hcl": call("again", "../m", "")}),
		"modules in a circle":          single(call("a", "./a", "")).with(map[string]string{"a/a.hcl": call("b", "../b", ""), "b/b.hcl": call("a", "../a", "")}),
		"modules by modules":           single(call("a", "./a", tenfold(1000))).with(map[string]string{"a/a.hcl": call("b", "../b", tenfold(1000)), "b/b.hcl": "network \"n\" {\n  name = \"n\"\n}\n"}),
		"objects by modules":           single(call("a", "./a", tenfold(1000))).with(map[string]string{"a/a.hcl": "network \"n\" {\n" + tenfold(1000) + "  name     = each.key\n}\n"}),
		"products in modules":          single(call("a", "./a", tenfold(900))).with(map[string]string{"a/a.hcl": "locals {\n  a = setproduct(range(100), range(99))\n  b = flatten([for x in local.a : [for y in local.a : x]])\n}\n"}),
		"module out of the tree":       single(call("a", "../../etc", "")),
		"module at an absolute path":   single(call("a", "/etc", "")),
		"large values through modules": single(call("a", "./a", tenfold(900)+"  text = join(\"\", [for i in range(1000) : format(\"%1000d\", i)])\n")).with(map[string]string{"a/a.hcl": "variable \"text\" {}\nlocals {\n  b = \"${var.text}${var.text}${var.text}\"\n  c = jsonencode([local.b])\n}\n"}),
	}
	rows, below := map[string]string{}, map[string]string{}
	directory := "d"
	for i := range 1000 {
		rows[fmt.Sprintf("a%d/a.hcl", i)] = call("next", fmt.Sprintf("../a%d", i+1), "")
		below[directory+"/a.hcl"] = call("next", "./d", "")
		directory += "/d"
	}
	rows["a1000/a.hcl"] = "locals {}\n"
	below[directory+"/a.hcl"] = "locals {}\n"
	found["modules in a row"] = single(call("a", "./a0", "")).with(rows)
	found["modules below each other"] = single(call("a", "./d", "")).with(below)
	// Each calls the next one twice.
	double := map[string]string{}
	for i := range 40 {
		source := fmt.Sprintf("../a%d", i+1)
		double[fmt.Sprintf("a%d/a.hcl", i)] = call("x", source, "") + call("y", source, "")
	}
	double["a40/a.hcl"] = "locals {}\n"
	found["doubling modules"] = single(call("a", "./a0", "")).with(double)
	return found
}

// fileKillers do harm by files that functions read.
func fileKillers() map[string]killer {
	times := strings.Repeat
	read := func(expression, content string) killer {
		return value(expression).with(map[string]string{"t.txt": content})
	}
	found := map[string]killer{
		"template that renders itself": read(`templatefile("t.txt", {})`, `${templatefile("t.txt", {})}`),
		"deep template in a file":      read(`templatefile("t.txt", {})`, times(`${"`, 40_000)+times(`"}`, 40_000)),
		"deep directives in a file":    read(`templatefile("t.txt", {})`, times(`%{ if true }`, 40_000)+times(`%{ endif }`, 40_000)),
		"loops in a template":          read(`templatefile("t.txt", { l = range(1000) })`, times(`%{ for a in l }`, 4)+"x"+times(`%{ endfor }`, 4)),
		"templates in a loop":          read(`[for a in range(1000) : templatefile("t.txt", { a = a })]`, times("${a}", 50_000)),
		"deep JSON in a file":          read(`jsondecode(file("t.txt"))`, times("[", 200_000)),
		"wide JSON in a file":          read(`jsondecode(file("t.txt"))`, "["+times("{},", 300_000)+"{}]"),
		"decoded over and over":        read(`[for a in range(1000) : jsondecode(file("t.txt"))]`, "["+times("[],", 9_000)+"[]]"),
		"YAML aliases in a file":       read(`yamldecode(file("t.txt"))`, "a: &a [x,x]\nb: &b [*a,*a]\n"),
		"YAML merges in a file":        read(`yamldecode(file("t.txt"))`, "a: &a {x: 1}\nb: {<<: *a}\n"),
		"wide YAML in a file":          read(`[for a in range(1000) : yamldecode(file("t.txt"))]`, times("- {a: b}\n", 7_000)),
		"wide CSV in a file":           read(`csvdecode(file("t.txt"))`, times("a,", 100_000)+"b\n"+times("1,", 100_000)+"2\n"),
		"file of NUL":                  read(`file("t.txt")`, "\x00\xff"),
		"large file":                   read(`file("t.txt")`, times("x", 2<<20)),
		"nothing but matches":          read(`regexall("", file("t.txt"))`, times("x", 1<<20)),
		"regex of alternatives":        read(`regexall("(x|xx|xxx|(x*)*y|(x?){500})*z", file("t.txt"))`, times("x", 1<<20)),
		"regex of nested repeats":      read(`[for a in range(1000) : regexall("((x{1,30}){1,30})+y", file("t.txt"))]`, times("x", 1<<20)),
		"replaced over and over":       read(`[for a in range(1000) : replace(file("t.txt"), "/(x+x+)+y/", "")]`, times("x", 1<<20)),
		"hashed over and over":         read(`[for a in range(1000) : [for b in range(90) : filesha512("t.txt")]]`, times("x", 1<<20)),
	}
	many := map[string]string{}
	for i := range 3000 {
		many[fmt.Sprintf("files/%s%d.txt", times("d/", i%50), i)] = ""
	}
	for name, expression := range map[string]string{
		"many files":                 `fileset(".", "**")`,
		"many files over and over":   `[for a in range(1000) : fileset(".", "**/*")]`,
		"stars over many files":      `[for a in range(1000) : fileset(".", "` + times("**/", 300) + `x")]`,
		"braces over many files":     `fileset(".", "` + times("{a,b,{c,d,*}}", 200) + `")`,
		"deep braces":                `fileset(".", "` + times("{", 4000) + times("}", 90) + `")`,
		"asterisks over many files":  `[for a in range(1000) : fileset("files", "**/` + times("*?", 500) + `x")]`,
		"files out of the tree":      `fileset("../..", "**")`,
		"files by an absolute path":  `fileset("/etc", "*")`,
		"files by a pattern outside": `fileset(".", "../../*")`,
	} {
		k := value(expression).with(many)
		found[name] = k
	}
	for _, name := range []string{"many files", "braces over many files", "YAML merges in a file", "hashed over and over"} {
		k := found[name]
		k.fine = true
		found[name] = k
	}
	for name, to := range map[string]string{"file by a link out of the tree": "../../../../etc/passwd", "file by an absolute link": "/etc/passwd"} {
		k := value(`file("t.txt")`)
		k.files["t.txt"] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
		found[name] = k
	}
	round := value(`fileset(".", "**/*.txt")`)
	round.files["a/b"] = &fstest.MapFile{Data: []byte(".."), Mode: fs.ModeSymlink | 0o777}
	round.fine = true
	found["links in a circle"] = round
	return found
}

// valueKillers do harm by what variables are given, and by sets.
func valueKillers() map[string]killer {
	times := strings.Repeat
	given := func(text string) killer {
		return single("variable \"a\" {}\nlocals {\n  b = var.a\n}\n").with(map[string]string{"kupenstack.hclvars": text})
	}
	found := map[string]killer{
		"deep given value":       given("a = " + times("[", 60_000) + times("]", 60_000) + "\n"),
		"deep given parentheses": given("a = " + times("(", 100_000) + "1" + times(")", 100_000) + "\n"),
		"given signs":            given("a = " + times("-", 200_000) + "1\n"),
		"given loops":            given("a = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]]\n"),
		"given NUL":              given("a = \"\x00\"\n"),
		"given invalid UTF-8":    given("a = \"\xff\xfe\"\n"),
		"given huge number":      given("a = 1e999999999\n"),
		"given template":         given("a = \"" + times(`${"`, 10_000) + times(`"}`, 10_000) + "\"\n"),
		"given blocks":           given(times("a {\n", 20_000) + times("}\n", 20_000)),
		"many given values":      given("a = 1\n" + manyValues(20_000)),
		"given link": func() killer {
			k := given("")
			k.files["kupenstack.hclvars"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
			return k
		}(),
		"set of two types":     value("toset(concat([for a in range(45000) : a], [\"x\"]))"),
		"set of many objects":  value("toset([for a in range(4500) : { (format(\"k%d\", a)) = a }])"),
		"list of two types":    value("tolist(concat([for a in range(45000) : a], [true, \"x\"]))"),
		"large set":            value("toset(flatten([for a in range(90) : [for b in range(1000) : \"${a}-${b}\"]]))"),
		"merged over and over": value("merge([for a in range(1000) : { for b in range(90) : \"${a}-${b}\" => b }]...)"),
	}
	colliding := single("")
	words := collisions(12_000)
	for file := 0; file < 4; file++ {
		part := words[file*len(words)/4 : (file+1)*len(words)/4]
		colliding.with(map[string]string{fmt.Sprintf("w%d.hcl", file): fmt.Sprintf("locals {\n  w%d = [\"%s\"]\n}\n", file, strings.Join(part, "\", \""))})
	}
	found["set of colliding texts"] = colliding.with(map[string]string{"main.hcl": "locals {\n  all = toset(concat(local.w0, local.w1, local.w2, local.w3))\n}\n"})
	for _, name := range []string{"large set"} {
		k := found[name]
		k.fine = true
		found[name] = k
	}
	return found
}

func manyValues(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v%d = 1\n", i)
	}
	return b.String()
}

// collisions are different texts with the same checksum, by which sets tell their elements apart: the
// checksum of texts that differ in the same places as others differs by the same bits, so those
// places can be combined until nothing is left of the difference.
func collisions(n int) []string {
	const length = 48
	base := []byte(strings.Repeat("a", length))
	none := crc32.ChecksumIEEE([]byte(`"` + string(base) + `"`))
	pivots := map[int][2]uint64{} // by the highest bit of the difference: difference, places
	var free []uint64             // places that make no difference together
	for i := range length {
		other := []byte(string(base))
		other[i] = 'b'
		difference, places := uint64(crc32.ChecksumIEEE([]byte(`"`+string(other)+`"`))^none), uint64(1)<<i
		for difference != 0 {
			pivot, known := pivots[bits.Len64(difference)]
			if !known {
				pivots[bits.Len64(difference)] = [2]uint64{difference, places}
				break
			}
			difference, places = difference^pivot[0], places^pivot[1]
		}
		if difference == 0 {
			free = append(free, places)
		}
	}
	var texts []string
	for i := range min(n, 1<<len(free)) {
		var places uint64
		for k, p := range free {
			if i>>k&1 == 1 {
				places ^= p
			}
		}
		text := []byte(string(base))
		for k := range text {
			if places>>k&1 == 1 {
				text[k] = 'b'
			}
		}
		texts = append(texts, string(text))
	}
	return texts
}

// allKillers are all of them by name.
func allKillers() map[string]killer {
	all := killers()
	for _, more := range []map[string]killer{moduleKillers(), fileKillers(), valueKillers(), wideKillers()} {
		maps.Copy(all, more)
	}
	for _, name := range []string{"products in modules", "large values through modules", "many that differ", "set of colliding texts", "stars over many files"} {
		k := all[name]
		k.long = true
		all[name] = k
	}
	return all
}

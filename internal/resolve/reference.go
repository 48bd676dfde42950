package resolve

import (
	"fmt"
	"strings"
)

// Function describes a function of the language to people. The example's result is what the
// function returns for it.
type Function struct {
	Name    string
	Doc     string
	Example string
	Result  string
}

// FunctionGroup is a chapter of the reference.
type FunctionGroup struct {
	Title     string
	Functions []Function
}

// Reference returns the description of every function of the language, by subject. The examples
// with files read hello.txt, which holds Hello!, motd.tpl, which holds Welcome to ${name}, and
// site.sops.yaml, an encrypted file with a region.
func Reference() []FunctionGroup {
	return []FunctionGroup{
		{"Numbers", numberReference()},
		{"Text", textReference()},
		{"Collections", collectionReference()},
		{"Types", typeReference()},
		{"Encoding", encodingReference()},
		{"Files", fileReference()},
		{"Secrets", secretReference()},
		{"Checksums", checksumReference()},
		{"Dates", dateReference()},
		{"Addresses", addressReference()},
	}
}

func numberReference() []Function {
	return []Function{
		{"abs", "The number without its sign.", `abs(-3)`, `3`},
		{"ceil", "The next whole number that is not smaller.", `ceil(1.2)`, `2`},
		{"floor", "The next whole number that is not larger.", `floor(1.8)`, `1`},
		{"log", "The logarithm of a number to a base.", `log(8, 2)`, `3`},
		{"max", "The largest of some numbers.", `max(1, 5, 3)`, `5`},
		{"min", "The smallest of some numbers.", `min(4, 2)`, `2`},
		{"parseint", "The whole number that a text means in a base from 2 to 62.", `parseint("ff", 16)`, `255`},
		{"pow", "A number to the power of another.", `pow(2, 10)`, `1024`},
		{"signum", "-1, 0 or 1, as the number is negative, zero or positive.", `signum(-4)`, `-1`},
	}
}

func textReference() []Function {
	return []Function{
		{"chomp", "The text without newlines at its end.", `chomp("a\n")`, `"a"`},
		{"endswith", "Whether a text ends with another.", `endswith("abc", "bc")`, `true`},
		{"format", "A text with values in place of verbs such as %s, %d and %05.2f.", `format("%s-%03d", "web", 7)`, `"web-007"`},
		{"formatlist", "What format makes, for each element of the lists that are given.", `formatlist("%s!", ["a", "b"])`, `["a!", "b!"]`},
		{"indent", "The text with blanks in front of every line but the first.", `indent(2, "a\nb")`, `"a\n  b"`},
		{"join", "The elements of lists as one text, with a separator between them.", `join("-", ["a", "b"])`, `"a-b"`},
		{"lower", "The text in small letters.", `lower("AB")`, `"ab"`},
		{"regex", "What a pattern matches first: a text, or a list or object of its groups. No match is an error.", `regex("[a-z]+", "53abc")`, `"abc"`},
		{"regexall", "Everything that a pattern matches.", `regexall("[a-z]+", "ab1c")`, `["ab", "c"]`},
		{"replace", "The text with another in place of each part, or of each match of a pattern between slashes.", `replace("10.0.0.1", "/[0-9]+$/", "9")`, `"10.0.0.9"`},
		{"split", "The parts of a text between separators.", `split(",", "a,b")`, `["a", "b"]`},
		{"startswith", "Whether a text begins with another.", `startswith("abc", "bc")`, `false`},
		{"strcontains", "Whether a text is part of another.", `strcontains("abc", "b")`, `true`},
		{"strrev", "The text backwards.", `strrev("abc")`, `"cba"`},
		{"substr", "A part of a text, from an offset and of a length; -1 means to the end.", `substr("hello", 1, 3)`, `"ell"`},
		{"templatestring", "A template given as text, rendered with the values of a map or object.", `templatestring("Hello $${name}", { name = "Ada" })`, `"Hello Ada"`},
		{"title", "The text with a capital in front of each word.", `title("hello world")`, `"Hello World"`},
		{"trim", "The text without any of some characters at both ends.", `trim("?a!", "!?")`, `"a"`},
		{"trimprefix", "The text without a prefix, if it has it.", `trimprefix("abc", "a")`, `"bc"`},
		{"trimspace", "The text without blanks and newlines at both ends.", `trimspace(" a\n")`, `"a"`},
		{"trimsuffix", "The text without a suffix, if it has it.", `trimsuffix("abc", "c")`, `"ab"`},
		{"upper", "The text in capitals.", `upper("ab")`, `"AB"`},
	}
}

func collectionReference() []Function {
	return []Function{
		{"alltrue", "Whether every element is true; so it is when there is none.", `alltrue([true, false])`, `false`},
		{"anytrue", "Whether any element is true.", `anytrue([true, false])`, `true`},
		{"chunklist", "The list cut into lists of at most so many elements.", `chunklist(["a", "b", "c"], 2)`, `[["a", "b"], ["c"]]`},
		{"coalesce", "The first argument that is neither null nor an empty text.", `coalesce("", "b")`, `"b"`},
		{"coalescelist", "The first list that is not empty.", `coalescelist([], ["a"])`, `["a"]`},
		{"compact", "The list without empty texts and nulls.", `compact(["a", "", "b"])`, `["a", "b"]`},
		{"concat", "The elements of several lists in one.", `concat(["a"], ["b"])`, `["a", "b"]`},
		{"contains", "Whether a list or set has an element.", `contains(["a", "b"], "b")`, `true`},
		{"distinct", "The list with each element once.", `distinct(["a", "b", "a"])`, `["a", "b"]`},
		{"element", "The element at a place, counted around in circles.", `element(["a", "b"], 3)`, `"b"`},
		{"flatten", "The list with the elements of lists in place of these.", `flatten([["a"], ["b", "c"]])`, `["a", "b", "c"]`},
		{"index", "The place of a value in a list, from 0.", `index(["a", "b"], "b")`, `1`},
		{"keys", "The keys of a map or object in order.", `keys({ b = 1, a = 2 })`, `["a", "b"]`},
		{"length", "The number of elements, or of the characters of a text.", `length("héllo")`, `5`},
		{"lookup", "The value of a key in a map or object, or a default.", `lookup({ a = "x" }, "b", "y")`, `"y"`},
		{"matchkeys", "The elements of a list whose partners in a second list are in a third.", `matchkeys(["i-1", "i-2"], ["a", "b"], ["b"])`, `["i-2"]`},
		{"merge", "One map or object of several; later ones win.", `merge({ a = 1 }, { b = 2 })`, `{ a = 1, b = 2 }`},
		{"one", "The only element of a list or set, or null when it is empty.", `one(["a"])`, `"a"`},
		{"range", "The numbers from a start (0) up to a limit, by a step (1); at most 1024.", `range(3)`, `[0, 1, 2]`},
		{"reverse", "The list from its end to its beginning.", `reverse([1, 2])`, `[2, 1]`},
		{"setintersection", "The elements that all sets have.", `setintersection(["a", "b"], ["b"])`, `["b"]`},
		{"setproduct", "Every combination of an element of each.", `setproduct(["a"], ["b", "c"])`, `[["a", "b"], ["a", "c"]]`},
		{"setsubtract", "The elements of the first set that the second does not have.", `setsubtract(["a", "b"], ["b"])`, `["a"]`},
		{"setunion", "The elements that any of the sets has.", `setunion(["a"], ["b"])`, `["a", "b"]`},
		{"slice", "The elements from a place up to another.", `slice(["a", "b", "c"], 1, 2)`, `["b"]`},
		{"sort", "The texts of a list in order.", `sort(["b", "a"])`, `["a", "b"]`},
		{"sum", "The sum of the numbers of a list or set.", `sum([1, 2.5])`, `3.5`},
		{"transpose", "The map turned around: from the texts in its lists to the keys that have them.", `transpose({ a = ["x"], b = ["x"] })`, `{ x = ["a", "b"] }`},
		{"values", "The values of a map or object in the order of its keys.", `values({ b = 1, a = 2 })`, `[2, 1]`},
		{"zipmap", "A map or object of a list of keys and a list of values.", `zipmap(["a"], [1])`, `{ a = 1 }`},
	}
}

func typeReference() []Function {
	return []Function{
		{"can", "Whether an expression has a value rather than an error; sensitive where that depends on something sensitive. A reference that leads nowhere is told all the same.", `can(tonumber("x"))`, `false`},
		{"issensitive", "Whether a value is sensitive.", `issensitive(sensitive("a"))`, `true`},
		{"nonsensitive", "The value, shown from here on. Use it only for what is no secret; what is made from secret() stays sensitive.", `nonsensitive(sensitive("a"))`, `"a"`},
		{"sensitive", "The value, never shown, nor anything that is made from it.", `nonsensitive(sensitive("a"))`, `"a"`},
		{"tobool", "The value as true or false.", `tobool("true")`, `true`},
		{"tolist", "The value as a list, its elements of one type.", `tolist(["a", 1])`, `["a", "1"]`},
		{"tomap", "The value as a map, its values of one type.", `tomap({ a = 1, b = "x" })`, `{ a = "1", b = "x" }`},
		{"tonumber", "The value as a number.", `tonumber("1.5")`, `1.5`},
		{"toset", "The value as a set: in order, each element once.", `toset(["b", "a", "b"])`, `["a", "b"]`},
		{"tostring", "The value as a text.", `tostring(1000000)`, `"1000000"`},
		{"try", "The value of the first expression that has one; sensitive where one before it may have failed by something sensitive. A reference that leads nowhere is told all the same.", `try(tonumber("x"), 5)`, `5`},
	}
}

func encodingReference() []Function {
	return []Function{
		{"base64decode", "The text of its Base64 form. It must be UTF-8.", `base64decode("aGk=")`, `"hi"`},
		{"base64encode", "The Base64 form of a text.", `base64encode("hi")`, `"aGk="`},
		{"base64gzip", "The Base64 form of a text that was compressed with gzip.", `substr(base64gzip("hi"), 0, 4)`, `"H4sI"`},
		{"csvdecode", "The rows of a CSV document as objects, named by its first row.", `csvdecode("a,b\n1,2")`, `[{ a = "1", b = "2" }]`},
		{"jsondecode", "The value of a JSON document.", `jsondecode("{\"a\":1}")`, `{ a = 1 }`},
		{"jsonencode", "A value as a JSON document.", `jsonencode({ a = [1, true] })`, `"{\"a\":[1,true]}"`},
		{"textdecodebase64", "The text of the Base64 form of another encoding, by its IANA name.", `textdecodebase64("aABpAA==", "UTF-16LE")`, `"hi"`},
		{"textencodebase64", "The Base64 form of a text in another encoding, by its IANA name.", `textencodebase64("hi", "UTF-16LE")`, `"aABpAA=="`},
		{"urlencode", "A text as it can stand in the query of a URL.", `urlencode("a b/c")`, `"a+b%2Fc"`},
		{"yamldecode", "The value of a YAML document, which must not use anchors.", `yamldecode("a: [1, b]")`, `{ a = [1, "b"] }`},
		{"yamlencode", "A value as a YAML document.", `yamlencode({ a = 1 })`, `"\"a\": 1\n"`},
	}
}

func fileReference() []Function {
	return []Function{
		{"basename", "The last part of a path.", `basename("a/b.txt")`, `"b.txt"`},
		{"dirname", "A path without its last part.", `dirname("a/b.txt")`, `"a"`},
		{"file", "The text of a file, which must be UTF-8.", `file("hello.txt")`, `"Hello!"`},
		{"filebase64", "The Base64 form of a file of any content.", `filebase64("hello.txt")`, `"SGVsbG8h"`},
		{"fileexists", "Whether there is a file.", `fileexists("other.txt")`, `false`},
		{"fileset", "The paths of the files below a directory that a pattern matches: * and ? within a name, ** for any directories, [a-z], {a,b}. A link to a directory that the pattern reaches into is an error, as no links are followed there, and so is a submodule. Functions look at 20,000 files and directories in all, at most.", `fileset(path.module, "*.{txt,md}")`, `["hello.txt"]`},
		{"templatefile", "A template file, rendered with the values of a map or object.", `templatefile("${path.module}/motd.tpl", { name = "Mars" })`, `"Welcome to Mars"`},
	}
}

func secretReference() []Function {
	return []Function{
		{"secret", "A key of a Kubernetes Secret, named as name or namespace/name. It is read only when something is made from it, and what that is stays sensitive: the Secret is somebody else's, who opened it to be read and not to be shown.", `issensitive(secret("db", "password"))`, `true`},
		{"sops", "The values in a file that SOPS encrypted for age, by their keys. All of them are sensitive; nonsensitive() shows one that is encrypted only because it stands beside secrets.", `nonsensitive(sops("site.sops.yaml").region)`, `"RegionOne"`},
	}
}

func checksumReference() []Function {
	return []Function{
		{"base64sha256", "The SHA-256 checksum of a text in Base64.", `base64sha256("a")`, `"ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="`},
		{"base64sha512", "The SHA-512 checksum of a text in Base64.", `substr(base64sha512("a"), 0, 8)`, `"H0D8ktok"`},
		{"filebase64sha256", "The SHA-256 checksum of a file in Base64.", `filebase64sha256("hello.txt")`, `"M00Bb3Vc1txYxTqG4YOIL47BT1L7BTRYh8il7dQsh7c="`},
		{"filebase64sha512", "The SHA-512 checksum of a file in Base64.", `filebase64sha512("hello.txt") == base64sha512("Hello!")`, `true`},
		{"filemd5", "The MD5 checksum of a file.", `filemd5("hello.txt")`, `"952d2c56d0485958336747bcdd98590d"`},
		{"filesha1", "The SHA-1 checksum of a file.", `filesha1("hello.txt") == sha1("Hello!")`, `true`},
		{"filesha256", "The SHA-256 checksum of a file.", `substr(filesha256("hello.txt"), 0, 8)`, `"334d016f"`},
		{"filesha512", "The SHA-512 checksum of a file.", `filesha512("hello.txt") == sha512("Hello!")`, `true`},
		{"md5", "The MD5 checksum of a text.", `md5("a")`, `"0cc175b9c0f1b6a831c399e269772661"`},
		{"sha1", "The SHA-1 checksum of a text.", `sha1("a")`, `"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"`},
		{"sha256", "The SHA-256 checksum of a text.", `substr(sha256("a"), 0, 8)`, `"ca978112"`},
		{"sha512", "The SHA-512 checksum of a text.", `substr(sha512("a"), 0, 8)`, `"1f40fc92"`},
		{"uuidv5", "A UUID made from a namespace (dns, url, oid, x500 or a UUID) and a name: always the same for the same.", `uuidv5("dns", "www.example.com")`, `"2ed6657d-e927-568b-95e1-2665a8aea6a2"`},
	}
}

func dateReference() []Function {
	return []Function{
		{"formatdate", "A time in another form.", `formatdate("DD MMM YYYY", "2026-01-31T12:00:00Z")`, `"31 Jan 2026"`},
		{"timeadd", "A time so much later, or earlier when it is negative.", `timeadd("2026-01-31T12:00:00Z", "90m")`, `"2026-01-31T13:30:00Z"`},
		{"timecmp", "-1, 0 or 1, as the first time is before, at or after the second.", `timecmp("2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00")`, `0`},
	}
}

func addressReference() []Function {
	return []Function{
		{"cidrhost", "The address of a number in a network; negative numbers count from its end.", `cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`},
		{"cidrnetmask", "The netmask of a network of IPv4.", `cidrnetmask("172.16.0.0/12")`, `"255.240.0.0"`},
		{"cidrsubnet", "The network of a number among those that are some bits smaller.", `cidrsubnet("172.16.0.0/12", 4, 2)`, `"172.18.0.0/16"`},
		{"cidrsubnets", "Networks one behind the other, each some bits smaller than the whole.", `cidrsubnets("10.1.0.0/16", 4, 8)`, `["10.1.0.0/20", "10.1.16.0/24"]`},
	}
}

// Signatures returns how each function is called, by its name: cidrhost(prefix, hostnum).
func Signatures() map[string]string {
	none := &scope{e: &Evaluator{functions: functions()}}
	signatures := map[string]string{}
	for name, f := range none.toolbox() {
		var parameters []string
		for _, p := range f.Params() {
			parameters = append(parameters, p.Name)
		}
		if p := f.VarParam(); p != nil {
			parameters = append(parameters, p.Name+"...")
		}
		signatures[name] = fmt.Sprintf("%s(%s)", name, strings.Join(parameters, ", "))
	}
	return signatures
}

package resolve

import (
	"path"

	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// functions returns the functions of the language: those that Terraform users know, with their
// names and meaning, as far as they need no clock, random number, network or program. Those that
// use the files or the budget of one evaluation are made for it; see [scope.toolbox].
func functions() map[string]function.Function {
	all := map[string]function.Function{}
	for _, group := range []map[string]function.Function{
		numberFunctions(), stringFunctions(), collectionFunctions(), encodingFunctions(), conversionFunctions(),
		addressFunctions(), hashFunctions(), dateFunctions(), pathFunctions(),
	} {
		for name, f := range group {
			all[name] = concealing(f)
		}
	}
	for name, f := range markFunctions() {
		all[name] = f
	}
	return all
}

func numberFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs":      stdlib.AbsoluteFunc,
		"ceil":     stdlib.CeilFunc,
		"floor":    stdlib.FloorFunc,
		"log":      logarithm(),
		"max":      stdlib.MaxFunc,
		"min":      stdlib.MinFunc,
		"parseint": bounded(stdlib.ParseIntFunc, parseIntBound),
		"pow":      power(),
		"signum":   stdlib.SignumFunc,
	}
}

func stringFunctions() map[string]function.Function {
	return map[string]function.Function{
		"chomp":       stdlib.ChompFunc,
		"endswith":    endsWith(),
		"format":      wholeNumbers(bounded(stdlib.FormatFunc, formatBound)),
		"formatlist":  wholeNumbers(bounded(stdlib.FormatListFunc, formatBound)),
		"indent":      bounded(stdlib.IndentFunc, indentBound),
		"join":        bounded(stdlib.JoinFunc, joinBound),
		"lower":       stdlib.LowerFunc,
		"split":       stdlib.SplitFunc,
		"startswith":  startsWith(),
		"strcontains": strContains(),
		"strrev":      stdlib.ReverseFunc,
		"substr":      stdlib.SubstrFunc,
		"title":       stdlib.TitleFunc,
		"trim":        stdlib.TrimFunc,
		"trimprefix":  stdlib.TrimPrefixFunc,
		"trimspace":   stdlib.TrimSpaceFunc,
		"trimsuffix":  stdlib.TrimSuffixFunc,
		"upper":       stdlib.UpperFunc,
	}
}

func collectionFunctions() map[string]function.Function {
	return map[string]function.Function{
		"alltrue":         allTrue(),
		"anytrue":         anyTrue(),
		"chunklist":       stdlib.ChunklistFunc,
		"coalesce":        coalesce(),
		"coalescelist":    stdlib.CoalesceListFunc,
		"compact":         stdlib.CompactFunc,
		"concat":          stdlib.ConcatFunc,
		"contains":        contains(),
		"distinct":        stdlib.DistinctFunc,
		"element":         stdlib.ElementFunc,
		"flatten":         stdlib.FlattenFunc,
		"index":           index(),
		"keys":            stdlib.KeysFunc,
		"length":          length(),
		"lookup":          lookup(),
		"matchkeys":       matchKeys(),
		"merge":           stdlib.MergeFunc,
		"one":             one(),
		"range":           countUp(),
		"reverse":         stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc,
		"setproduct":      bounded(stdlib.SetProductFunc, productBound),
		"setsubtract":     stdlib.SetSubtractFunc,
		"setunion":        stdlib.SetUnionFunc,
		"slice":           stdlib.SliceFunc,
		"sort":            stdlib.SortFunc,
		"sum":             sum(),
		"transpose":       transpose(),
		"values":          stdlib.ValuesFunc,
		"zipmap":          stdlib.ZipmapFunc,
	}
}

func encodingFunctions() map[string]function.Function {
	return map[string]function.Function{
		"base64decode":     base64Decode(),
		"base64encode":     base64Encode(),
		"base64gzip":       base64Gzip(),
		"csvdecode":        bounded(stdlib.CSVDecodeFunc, csvBound),
		"jsondecode":       bounded(stdlib.JSONDecodeFunc, jsonBound),
		"jsonencode":       stdlib.JSONEncodeFunc,
		"textdecodebase64": textDecodeBase64(),
		"textencodebase64": textEncodeBase64(),
		"urlencode":        urlEncode(),
		"yamldecode":       bounded(ctyyaml.YAMLDecodeFunc, yamlBound),
		"yamlencode":       ctyyaml.YAMLEncodeFunc,
	}
}

func conversionFunctions() map[string]function.Function {
	return map[string]function.Function{
		"can":      config.CanFunction(),
		"tobool":   stdlib.MakeToFunc(cty.Bool),
		"tolist":   stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap":    stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
		"tonumber": stdlib.MakeToFunc(cty.Number),
		"toset":    stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"tostring": stdlib.MakeToFunc(cty.String),
		"try":      config.TryFunction(),
	}
}

// markFunctions decide themselves about marks.
func markFunctions() map[string]function.Function {
	return map[string]function.Function{
		"issensitive":  isSensitive(),
		"nonsensitive": nonsensitive(),
		"sensitive":    sensitive(),
	}
}

func addressFunctions() map[string]function.Function {
	return map[string]function.Function{
		"cidrhost":    cidrHost(),
		"cidrnetmask": cidrNetmask(),
		"cidrsubnet":  cidrSubnet(),
		"cidrsubnets": cidrSubnets(),
	}
}

func dateFunctions() map[string]function.Function {
	return map[string]function.Function{
		"formatdate": stdlib.FormatDateFunc,
		"timeadd":    stdlib.TimeAddFunc,
		"timecmp":    timeCompare(),
	}
}

func pathFunctions() map[string]function.Function {
	return map[string]function.Function{
		"basename": textFunction(func(s string) (string, error) { return path.Base(s), nil }),
		"dirname":  textFunction(func(s string) (string, error) { return path.Dir(s), nil }),
	}
}

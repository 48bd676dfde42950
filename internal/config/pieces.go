package config

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// pieceTokens is how many tokens the pieces of a file have, unless what stands between two lines at the
// top has more. The parser makes a list of all tokens first, each of which is many times as long as what
// it stands for, and copies the list to a larger place whenever it outgrows the one it has. A list that
// just fits into what Go's runtime takes for a small object, of 32 KiB, takes the least.
const pieceTokens = 330

// parsePieces parses a file in the pieces that [quick] found, and returns what parsing it at once would.
// It returns nil when there is one piece only, or anything to tell: that takes the whole.
func parsePieces(src []byte, name string, cuts []hcl.Pos) *hclsyntax.Body {
	if len(cuts) == 0 {
		return nil
	}
	whole := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, Blocks: hclsyntax.Blocks{}}
	from := hcl.InitialPos
	for i := range len(cuts) + 1 {
		to := len(src)
		if i < len(cuts) {
			to = cuts[i].Byte
		}
		file, diags := hclsyntax.ParseConfig(src[from.Byte:to], name, from)
		body, is := file.Body.(*hclsyntax.Body)
		if !is || len(diags) > 0 {
			return nil
		}
		for key := range body.Attributes {
			if whole.Attributes[key] != nil {
				return nil // there twice
			}
		}
		maps.Copy(whole.Attributes, body.Attributes)
		whole.Blocks = append(whole.Blocks, body.Blocks...)
		if i == 0 {
			whole.SrcRange = body.SrcRange
		}
		whole.SrcRange, whole.EndRange = hcl.RangeBetween(whole.SrcRange, body.SrcRange), body.EndRange
		if i < len(cuts) {
			from = cuts[i]
		}
	}
	return whole
}

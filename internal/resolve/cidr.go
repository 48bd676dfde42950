package resolve

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"regexp"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

func prefixParameter() function.Parameter {
	return function.Parameter{Name: "prefix", Type: cty.String}
}

// cidrHost returns the address of a number within a network; negative numbers count from its end.
func cidrHost() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{prefixParameter(), {Name: "hostnum", Type: cty.Number}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix, err := parsePrefix(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			number, err := wholeNumber(args[1], 1)
			if err != nil {
				return cty.NilVal, err
			}
			hosts := new(big.Int).Lsh(big.NewInt(1), uint(prefix.Addr().BitLen()-prefix.Bits()))
			at := number
			if number.Sign() < 0 {
				at = new(big.Int).Add(hosts, number)
			}
			if at.Sign() < 0 || at.Cmp(hosts) >= 0 {
				return cty.NilVal, function.NewArgErrorf(1, "the network has only %s addresses", hosts)
			}
			return cty.StringVal(offset(prefix.Addr(), at).String()), nil
		},
	})
}

func cidrNetmask() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{prefixParameter()},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix, err := parsePrefix(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			if !prefix.Addr().Is4() {
				return cty.NilVal, function.NewArgErrorf(0, "only networks of IPv4 have a netmask")
			}
			mask := netip.PrefixFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), prefix.Bits()).Masked().Addr()
			return cty.StringVal(mask.String()), nil
		},
	})
}

// cidrSubnet returns the network of a number among those that are some bits smaller.
func cidrSubnet() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{prefixParameter(), {Name: "newbits", Type: cty.Number}, {Name: "netnum", Type: cty.Number}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix, err := parsePrefix(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			bits, err := newBits(prefix, args[1], 1)
			if err != nil {
				return cty.NilVal, err
			}
			number, err := wholeNumber(args[2], 2)
			if err != nil {
				return cty.NilVal, err
			}
			count := new(big.Int).Lsh(big.NewInt(1), uint(bits))
			if number.Sign() < 0 || number.Cmp(count) >= 0 {
				return cty.NilVal, function.NewArgErrorf(2, "%d more bits make %s networks, with numbers from 0", bits, count)
			}
			length := prefix.Bits() + bits
			at := new(big.Int).Lsh(number, uint(prefix.Addr().BitLen()-length))
			return cty.StringVal(netip.PrefixFrom(offset(prefix.Addr(), at), length).String()), nil
		},
	})
}

// cidrSubnets returns networks one behind the other, each some bits smaller than the whole.
func cidrSubnets() function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{prefixParameter()},
		VarParam: &function.Parameter{Name: "newbits", Type: cty.Number},
		Type:     function.StaticReturnType(cty.List(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix, err := parsePrefix(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			if len(args) == 1 {
				return cty.ListValEmpty(cty.String), nil
			}
			width := prefix.Addr().BitLen()
			end := new(big.Int).Lsh(big.NewInt(1), uint(width-prefix.Bits()))
			at := new(big.Int)
			var networks []cty.Value
			for i, arg := range args[1:] {
				bits, err := newBits(prefix, arg, i+1)
				if err != nil {
					return cty.NilVal, err
				}
				if bits < 1 {
					return cty.NilVal, function.NewArgErrorf(i+1, "must add at least one bit")
				}
				length := prefix.Bits() + bits
				size := new(big.Int).Lsh(big.NewInt(1), uint(width-length))
				// A network begins at a multiple of its size.
				at = new(big.Int).Mul(size, ceilQuotient(at, size))
				next := new(big.Int).Add(at, size)
				if next.Cmp(end) > 0 {
					return cty.NilVal, function.NewArgErrorf(i+1, "there is no room left for a network of %d bits", length)
				}
				networks = append(networks, cty.StringVal(netip.PrefixFrom(offset(prefix.Addr(), at), length).String()))
				at = next
			}
			return cty.ListVal(networks), nil
		},
	})
}

func ceilQuotient(a, b *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}

// leadingZero matches a network of IPv4 in which a number begins with a zero.
var leadingZero = regexp.MustCompile(`^[0-9.]*\b0[0-9][0-9.]*/`)

// parsePrefix takes a network as Terraform does: bits behind the prefix are dropped.
func parsePrefix(v cty.Value) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(v.AsString())
	if err != nil {
		if leadingZero.MatchString(v.AsString()) {
			return netip.Prefix{}, function.NewArgError(0, errors.New("must be written without zeros in front of its numbers, which some take for octal, such as 192.0.2.0/24"))
		}
		return netip.Prefix{}, function.NewArgError(0, errors.New("must be a network in CIDR notation, such as 192.0.2.0/24"))
	}
	return prefix.Masked(), nil
}

func wholeNumber(v cty.Value, arg int) (*big.Int, error) {
	f := v.AsBigFloat()
	if !f.IsInt() || f.MantExp(nil) > 129 {
		return nil, function.NewArgErrorf(arg, "must be a whole number within the network")
	}
	i, _ := f.Int(nil)
	return i, nil
}

func newBits(prefix netip.Prefix, v cty.Value, arg int) (int, error) {
	bits, err := wholeNumber(v, arg)
	if err != nil {
		return 0, err
	}
	room := prefix.Addr().BitLen() - prefix.Bits()
	if bits.Sign() < 0 || bits.Cmp(big.NewInt(int64(room))) > 0 {
		return 0, function.NewArgError(arg, fmt.Errorf("must be from 0 to %d, as a /%d has no more bits", room, prefix.Bits()))
	}
	return int(bits.Int64()), nil
}

// offset adds a number to an address; the caller has made sure that there is such an address.
func offset(a netip.Addr, n *big.Int) netip.Addr {
	sum := new(big.Int).Add(new(big.Int).SetBytes(a.AsSlice()), n)
	if a.Is4() {
		return netip.AddrFrom4([4]byte(sum.FillBytes(make([]byte, 4))))
	}
	return netip.AddrFrom16([16]byte(sum.FillBytes(make([]byte, 16))))
}

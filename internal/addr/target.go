package addr

import "fmt"

// ParseTarget reads what a command is about: the address of a managed object, of a block with all its objects, or
// of a module with all that is in it. "" and the address of the cloud, such as cloud.prod, stand for everything: the
// root module. An error is of type *[ParseError], or says that what is written is nothing that is managed.
func ParseTarget(s string) (Address, error) {
	if s == "" {
		return Module{}, nil
	}
	a, err := Parse(s)
	if err != nil {
		return nil, err
	}
	switch a := a.(type) {
	case Module:
		return a, nil
	case Object:
		switch {
		case a.Mode() != Managed:
			return nil, fmt.Errorf("%s is only looked up: nothing is ever done about it", a)
		case a.Kind() == "cloud":
			return Module{}, nil
		}
		return a, nil
	}
	return nil, fmt.Errorf("%s is no address of an object or a module", s)
}

package openstack

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// kind knows one kind of objects. Its methods may be called at the same time.
type kind interface {
	// name is the kind's name in the schema.
	name() string

	// marks tells whether objects of the kind can bear a mark.
	marks() bool

	// list returns every object of the kind that our user may see, of all projects, in as few
	// requests as the API needs for that: never one per object.
	list(ctx context.Context, s *session) ([]*object, error)

	// get returns one object. The error matches notFound when there is none.
	get(ctx context.Context, s *session, id string) (*object, error)

	// create makes the object, mark included, with its last request, and does nothing after
	// it that can fail: what the creating request does not take is left to update. It must not
	// send the creating request twice.
	create(ctx context.Context, s *session, w wanted) (*object, error)

	// update brings the named attributes to what is wanted, and writes the mark where the object
	// lacks it. It may stop half way: every step can be taken again.
	update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error

	// remove begins to delete the object. What is gone already is not an error. lasting says that
	// the object goes on existing for a while. It must refuse, with a blocked error, when
	// something would go along that others have made.
	remove(ctx context.Context, s *session, o *object) (lasting bool, err error)

	// cost is what replacing an object costs, in a few words.
	cost() string
}

// completer is a kind whose list lacks a part of its objects; for what their ports tell see [portOwner].
type completer interface {
	// complete fills in that part of the objects that matter, with a number of requests that does
	// not depend on how many there are, except where the API leaves no other way. What it could not see
	// is unseen in the objects. It returns why, by whose object it concerns.
	complete(ctx context.Context, s *session, found []found) map[addr.Object]error
}

// seldom is a completer that leaves most objects as they are.
type seldom interface {
	completes(want cty.Value, o *object) bool
}

// comparer is a kind with attributes that are not compared by the rules of the schema.
type comparer interface {
	// compare tells whether the object is as wanted; handled is false for all other attributes.
	compare(attribute string, want cty.Value, o *object) (same, handled bool)
}

// trimming is a kind whose service keeps some texts without the blanks and line breaks at their ends.
type trimming interface {
	trims(attribute string) bool
}

// maker is a kind of which not every block that is allowed says enough to make an object, or something that may be.
type maker interface {
	// makeable returns "" or a sentence that says what is missing and what to do. It is asked before an object is
	// made, made anew, or what its making has left undone is done.
	makeable(want cty.Value) string
}

// adopter is a kind that does not take over just any object of the right name.
type adopter interface {
	// adoptable returns "" or a sentence that says what is in the way.
	adoptable(want cty.Value, o *object) string
}

// unripe is a kind of which some objects cannot be taken over as they are, and may be later.
type unripe interface {
	unfit(o *object) bool
}

// concealer is a kind of which some objects are put out of sight.
type concealer interface {
	// conceals tells whether the object is out of sight, and so not meant by what is wanted of its name.
	conceals(want cty.Value, o *object) bool
}

// keyed is a kind whose objects have no name of their own, such as a role of a user in a project: they are told
// apart by what they connect, of which there is at most one each.
type keyed interface {
	// key is the title of the object that is wanted, wherever it lives; "" while a part of what it is made of is
	// not known.
	key(want cty.Value) string
}

// unsigned is a kind whose creating request takes no mark, because its objects bear none or get theirs later. What
// has its name counts only as far as it could have been created as what is wanted, and what was there before is
// recorded ahead of the request: when the answer is lost, the one that has come since is ours.
type unsigned interface {
	unsigned()
}

// holder is a kind whose objects go only once nothing of others is left in them.
type holder interface {
	// holds returns "" or a sentence that says what others have put into the object, given what we have set of
	// it by the names of the attributes.
	holds(o *object, set map[string][]string) string
}

// graded is a kind of whose attributes some values can be changed to in place, and others not.
type graded interface {
	// effect is what it takes to bring an attribute that differs to what is wanted.
	effect(attribute string, want cty.Value, o *object, usual unit.Effect) unit.Effect
}

// restoring is a kind whose service takes back what a block may not change, but somebody else did.
type restoring interface {
	restores(attribute string) bool
}

// telling is a kind of which one value cannot always say what an object has.
type telling interface {
	// tells says what the object has of an attribute, "" where its value does.
	tells(attribute string, o *object) string
}

// hindered is a kind whose service refuses some changes as long as something stands in their way.
type hindered interface {
	// hindrance returns "" or a sentence that says what stands in the way of changes and what to do, and the
	// attributes that it holds back. It tells only of what the object's detail has.
	hindrance(want cty.Value, o *object, fields []unit.Field) (problem string, held []string)
}

// awaiting is a kind of which some changes wait for what goes on by itself, or what others have to do, while an object
// takes all else.
type awaiting interface {
	// awaits returns "" or a sentence that says what is waited for, and the attributes that have to wait. One of which
	// a part can be done now does not. It tells only of what the object's detail has.
	awaits(o *object, fields []unit.Field) (why string, held []string)
}

// homely is a kind of which all that we make is in our user's own project.
type homely interface {
	homely()
}

// sealable is a kind of which some objects take no mark for a while.
type sealable interface {
	// stays is added to the sentence that says that one without a mark is not deleted; it is "" for one that takes a mark.
	stays(o *object) string
}

// withholding is a kind whose service refuses some changes of what has failed. What is ours is healed, or looked at by people, but
// what would be taken over with such a change would fail at it again and again.
type withholding interface {
	// withholds returns "" or a sentence that says what stands in the way of changes, and what to do.
	withholds(o *object, fields []unit.Field) string
}

func withheld(k kind, o *object, fields []unit.Field) string {
	if by, ok := k.(withholding); ok {
		return by.withholds(o, fields)
	}
	return ""
}

// sparing is a kind whose service takes things along as an object goes that have to outlive it.
type sparing interface {
	// spare sees to it that they do, before remove is called for the target.
	spare(ctx context.Context, s *session, o *object, t unit.Target) error
}

// lingering is a kind whose service may keep for a while what was deleted.
type lingering interface {
	// hasten sees to it that it does not keep what bears our mark and is to go.
	hasten(ctx context.Context, s *session, o *object) error
}

// resigning is a kind whose service may give up a change that it has taken on.
type resigning interface {
	// gaveUp returns the attribute whose change was given up, and why; that is "" where none was.
	gaveUp(o *object) (attribute, why string)
}

// consequent is a kind of which some changes bring others along that nobody has written.
type consequent interface {
	// consequences returns what changes besides the fields.
	consequences(want cty.Value, o *object, fields []unit.Field) []unit.Field
}

// serving is a kind of which some objects do all that is wanted while something is still to be taken away.
type serving interface {
	// serves tells whether one does, given what differs.
	serves(want cty.Value, o *object, fields []unit.Field) bool
}

// object is one thing as an API showed it. It is not changed once it is in a state.
type object struct {
	id, title string
	project   string // that it lives in, "" for kinds that live in none
	user      string // that it belongs to, for a kind that is [personal]
	scope     string // within which names tell objects apart: the project, or the domain of a project
	mark      string // anybody's of our kind, "" without
	values    traits // the attributes of the schema

	health  unit.Health // "" is ready: most kinds are as soon as they exist
	message string
	lame    string // why nothing new can be made of it, though what was made works; "" where it can
	after   time.Duration
	// pending says what is left to do for us although no attribute differs.
	pending string
	// busy says what goes on with the object, whoever began it: meanwhile it takes no requests. "" is nothing.
	busy string
	// byHand says that what goes on ends only by what somebody does.
	byHand bool
	// sealed says why its service changes nothing of it now. Without a mark it is ours by its record alone until then.
	sealed string
	// unseen are the services that keep a part of the object which could not be seen; obscured says why.
	unseen   []string
	obscured string
	// partial says that what it consists of comes, or goes, by itself: what was seen of it is not all.
	partial bool
	// going says that it is being deleted already.
	going bool
	// recalled says that a part of it was not asked for now, but is what a service told before: see [memory].
	recalled bool

	raw    map[string]any
	detail any // of its kind
}

// found is an object together with what is wanted of it.
type found struct {
	object  *object
	want    cty.Value // cty.NilVal when nothing is
	address addr.Object
	// set is what of it is on record as ours, as in [unit.Target].
	set map[string][]string
	// whole says that all of it is wanted to be known, as for an export.
	whole bool
	// looked is what of it others refer to when it is looked up; nil for all else.
	looked *lookedUp
	// unserved are the services that are not up yet, and keep a part of it that was never written.
	unserved []string
	// memory is what is known of the target from before, nil for none.
	memory *memory
}

// wanted is what an object should be.
type wanted struct {
	value   cty.Value // wholly known and without marks of sensitivity
	mark    string
	project string // the project, or for a project the domain, that it belongs to, by id
	named   string // the name that it has
	address addr.Object
	// drop are keys of maps and elements of sets to take away, by the names of the attributes.
	drop map[string][]string
	// unserved is as in found.
	unserved []string
	// keeps is the Secret that a part of it is kept in.
	keeps unit.ObjectRef
	// again is as in the target.
	again bool
	// content is the file that becomes what is in it; nil without one.
	content *unit.Content
}

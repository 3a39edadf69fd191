package citations

// Label says how well the cited passages carry a claim.
type Label string

// The labels, best first. Without a [Judge] a claim is quoted, partial,
// unsupported or unchecked; only a judge whose span was found in the archived
// text can make it supported or contradicted.
const (
	Quoted       Label = "quoted"       // at least 60 % quotation; numbers, dates, names and negations stand in the quote
	Supported    Label = "supported"    // a judge said so and its span was found
	Partial      Label = "partial"      // a part stands in the sources, or a number differs
	Unsupported  Label = "unsupported"  // the cited sources do not speak of it
	Contradicted Label = "contradicted" // a judge said so and its span was found
	Unchecked    Label = "unchecked"    // nothing but a lexical match, or no mark
)

// Claim is a sentence of the report with its marks. Its JSON form is one entry
// of the structured result's "claims".
type Claim struct {
	Text   string `json:"text"`   // without marks
	Marks  []int  `json:"marks"`  // numbers of sources, in order
	Label  Label  `json:"label"`  // see Label
	Reason string `json:"reason"` // why, for a reader
	Judge  string `json:"judge"`  // name of the model that judged, or empty

	// Cites are the ids that the claim rests on: quotes, or sources cited as a
	// whole where a report written elsewhere names no passage.
	Cites []string `json:"cites,omitempty"`

	// Context is what a reader knows before the claim: the sentence before it,
	// or the heads of its table row and column. A judge reads it for pronouns.
	Context string `json:"-"`

	// Missing are the numbers, dates and quotations of the claim that stand in no
	// cited passage, as the claim writes them.
	Missing []string `json:"-"`
}

// The reasons that other packages may compare with.
const (
	ReasonMatched = "matched"         // words of the claim stand in its sources, nothing more was checked
	ReasonUncited = "no source found" // the claim carries no mark
)

// Claims lists the claims of a draft in report order as [Render] would number
// them, so that they can be verified before the report is final.
func (d Draft) Claims(l *Ledger) []Claim { return resolve(d, l, RenderOptions{}).claims }

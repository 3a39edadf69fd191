// Package citations leads every sentence of a report back to a passage that was
// stored, and says how well the passage carries the sentence.
//
// Begin with [NewLedger]. A page that was archived enters with
// [Ledger.AddSource]; a passage of it enters with [Ledger.Quote], only as a
// verbatim span of the archived text. A writer, human-made template or model,
// produces a [Draft] whose sentences name quotes by opaque ids; [Render] turns
// the ids into marks [1]..[k] and adds the list of sources. [Verify] checks each
// claim against the archived text, [Repair] mends what did not hold, and
// [HTML], [CSL], [BibTeX], [RIS] and [Bibliography] export the result.
// [ParseReport] reads reports that other systems wrote.
//
// The package never fetches a page, never calls a model (a [Judge] is handed
// in), and never stores anything (an [Archive] is handed in). It takes texts,
// spans and metadata, not pages. The independent checker of what it writes is
// package citations/check, which shares no code with it.
package citations

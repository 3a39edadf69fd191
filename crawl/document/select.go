package document

// selectBlocks says for each block whether it belongs to the main content.
func selectBlocks(t *tree) []bool {
	keep := make([]bool, len(t.blocks))
	for i := range keep {
		keep[i] = true
	}
	return keep
}

package document

import (
	"github.com/tidwall/gjson"

	"deepresearch/internal/safe"
)

// Bounds of a list of objects that is read as a table.
const (
	maxJSONColumns = 30
	maxCellBytes   = 400
)

// jsonRows reads a list of flat objects that name the same fields as a table; nil
// for any other JSON.
func jsonRows(in Input) *Document {
	if !gjson.ValidBytes(in.Body) {
		return nil
	}
	list := gjson.ParseBytes(in.Body)
	if !list.IsArray() {
		return nil
	}
	columns, rows, ok := flatObjects(list)
	if !ok {
		return nil
	}
	var d draft
	var removed safe.Removed
	for i, row := range append([][]string{columns}, rows...) {
		for k, cell := range row {
			var r safe.Removed
			row[k], r = safe.Text(cell)
			removed.ZeroWidth += r.Hidden()
			removed.Invalid += r.Invalid
		}
		d.row(row, 1, i == 0)
	}
	return d.file(in, removed)
}

// flatObjects reads the fields of the first object from each: all must be objects
// of short strings, numbers and booleans, and most fields must be there.
func flatObjects(list gjson.Result) (columns []string, rows [][]string, ok bool) {
	at := map[string]int{}
	ok = true
	list.ForEach(func(_, o gjson.Result) bool {
		if ok = o.IsObject(); !ok {
			return false
		}
		row := make([]string, len(columns), maxJSONColumns)
		o.ForEach(func(key, v gjson.Result) bool {
			i, known := at[key.Str]
			if !known {
				i = len(columns)
				at[key.Str] = i
				columns = append(columns, key.Str)
				row = append(row, "")
			}
			ok = i < maxJSONColumns && !v.IsObject() && !v.IsArray() && len(v.Raw) <= maxCellBytes
			if ok && v.Type != gjson.Null {
				row[i] = v.String()
			}
			return ok
		})
		rows = append(rows, row)
		return ok
	})
	return columns, rows, ok && len(rows) > 1 && len(columns) > 1
}

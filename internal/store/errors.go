package store

import (
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
)

// What can be wrong with the file, each with what to do about it. What was committed before is not lost.
var (
	ErrFull       = errors.New("the disk or the store's size limit is full: free space or raise the limit, then resume")
	ErrCorrupt    = errors.New("the file is damaged: move it away to start anew, or restore a copy")
	ErrUnwritable = errors.New("the folder or file cannot be written: choose another --data-dir or correct its permissions")
	ErrNewer      = errors.New("the file was written by a newer version of this program: update it, or choose another --data-dir")
	ErrForeign    = errors.New("the file belongs to another program: choose another --data-dir")
	ErrBusy       = errors.New("another process keeps the file locked: try again")
	ErrClosed     = errors.New("the store is closed")
)

// Primary result codes, https://www.sqlite.org/rescode.html.
var resultCodes = map[int]error{
	5: ErrBusy, 6: ErrBusy, 8: ErrUnwritable, 10: ErrUnwritable, 11: ErrCorrupt, 13: ErrFull, 14: ErrUnwritable, 26: ErrCorrupt,
}

// explain adds what to do to what SQLite or the file system says.
func explain(err error) error {
	var code *sqlite.Error
	switch {
	case err == nil:
		return nil
	case explained(err):
	case errors.As(err, &code):
		if known := resultCodes[code.Code()&0xff]; known != nil {
			return fmt.Errorf("%w (%w)", known, err)
		}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrUnwritable, err)
	}
	return err
}

func explained(err error) bool {
	for _, known := range resultCodes {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

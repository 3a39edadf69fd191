package runs

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/store"
)

// Claim implements [graph.Journal].
func (s *Store) Claim(ctx context.Context, id string) (lease graph.Lease, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		var owner string
		var fence int64
		var status graph.Status
		err := tx.QueryRow(`SELECT owner, fence, status FROM run WHERE id=?`, []any{id}, &owner, &fence, &status)
		switch {
		case store.IsNoRows(err):
			return fmt.Errorf("%w: %s", graph.ErrNotFound, id)
		case err != nil:
			return err
		case owner != s.db.Owner() && s.db.Alive(owner):
			return graph.ErrOwned
		case status == graph.StatusDone:
			return graph.ErrDone
		}
		clear(tx.Known)
		lease = graph.Lease{Run: id, Fence: fence + 1}
		_, err = tx.Exec(`UPDATE run SET owner=?, fence=?, status=?, reason='' WHERE id=?`, s.db.Owner(), lease.Fence, graph.StatusRunning, id)
		return err
	})
	return lease, err
}

// Load implements [graph.Journal].
func (s *Store) Load(ctx context.Context, id string) (saved graph.Saved, err error) {
	tx, err := s.db.Reader().BeginTx(ctx, nil) // one moment for all tables
	if err != nil {
		return saved, err
	}
	defer tx.Rollback()
	r, err := s.find(ctx, tx, id)
	if err != nil {
		return saved, err
	}
	if err := s.answers(ctx, tx, r); err != nil {
		return saved, err
	}
	saved.Run = r.Run
	var frontier, state []byte
	err = tx.QueryRowContext(ctx, `SELECT run.events, step.step, step.frontier, snapshot.step, snapshot.state
		FROM run JOIN step ON step.run=run.n AND step.step=run.step JOIN snapshot ON snapshot.run=run.n WHERE run.n=?`, r.n).
		Scan(&saved.Events, &saved.Step, &frontier, &saved.At, &state)
	if err != nil {
		return saved, fmt.Errorf("run %s: %w: its frontier or state: %w", id, store.ErrCorrupt, err)
	}
	saved.Frontier, saved.State = frontier, state
	if saved.Branches, err = branches(ctx, tx, r.n, saved.At); err != nil {
		return saved, err
	}
	saved.Calls, err = s.calls(ctx, tx, `run=? AND step=?`, r.n, saved.Step)
	return saved, err
}

func branches(ctx context.Context, q queryer, n int64, from int) (list []graph.BranchRow, err error) {
	rows, err := q.QueryContext(ctx, `SELECT step, idx, result FROM branch WHERE run=? AND step>=? ORDER BY step, idx`, n, from)
	err = each(rows, err, func() error {
		var b graph.BranchRow
		var result []byte
		err := rows.Scan(&b.Step, &b.Index, &result)
		b.Result = result
		list = append(list, b)
		return err
	})
	return list, err
}

// Calls returns every call a run ever made, in branch order: its usage ledger and replay record.
func (s *Store) Calls(ctx context.Context, id string) ([]graph.CallRow, error) {
	r, err := s.find(ctx, s.db.Reader(), id)
	if err != nil {
		return nil, err
	}
	return s.calls(ctx, s.db.Reader(), `run=?`, r.n)
}

// Branches returns every finished branch of a run in merge order. With the first frontier they are all that Advance
// needs to come to the same state again.
func (s *Store) Branches(ctx context.Context, id string) ([]graph.BranchRow, error) {
	r, err := s.find(ctx, s.db.Reader(), id)
	if err != nil {
		return nil, err
	}
	return branches(ctx, s.db.Reader(), r.n, 0)
}

// packFrom is the length from which requests and results of calls are compressed.
const packFrom = 1 << 10

// zstdMagic begins every zstd frame (RFC 8878, 3.1.1) and no JSON.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

func (s *Store) pack(b json.RawMessage) []byte {
	if len(b) < packFrom {
		return b
	}
	return s.db.Pack(b)
}

func (s *Store) unpack(b []byte) (json.RawMessage, error) {
	if !bytes.HasPrefix(b, zstdMagic) {
		return b, nil
	}
	return s.db.Unpack(b)
}

func (s *Store) calls(ctx context.Context, q queryer, where string, args ...any) (list []graph.CallRow, err error) {
	rows, err := q.QueryContext(ctx, `SELECT step, idx, hash, occurrence, try, kind, request, state, usage, result, err, at, seconds
		FROM call WHERE `+where+` ORDER BY step, idx, rowid`, args...)
	err = each(rows, err, func() error {
		var c graph.CallRow
		var at int64
		var request, usage, result []byte
		if err := rows.Scan(&c.Step, &c.Index, &c.Hash, &c.Occurrence, &c.Try, &c.Kind, &request, &c.State, &usage, &result, &c.Err, &at, &c.Seconds); err != nil {
			return err
		}
		var errs [3]error
		c.At = moment(at)
		c.Request, errs[0] = s.unpack(request)
		c.Result, errs[1] = s.unpack(result)
		errs[2] = json.Unmarshal(usage, &c.Usage)
		list = append(list, c)
		return errors.Join(errs[:]...)
	})
	return list, err
}

// Commit implements [graph.Journal].
func (s *Store) Commit(ctx context.Context, l graph.Lease, b graph.Batch) error {
	usage, err := json.Marshal(b.Usage)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		n, known := tx.Known[l]
		if !known || b.Step != nil || b.Status != nil || len(b.Events) > 0 {
			if n, err = s.touch(tx, l, usage, len(b.Events)); err != nil {
				return err
			}
		}
		return s.put(tx, n, b)
	})
}

// touch checks a lease and notes the run's usage. Commits that share a transaction do it once: the next one's usage
// follows soon.
func (s *Store) touch(tx *store.Tx, l graph.Lease, usage []byte, events int) (n int64, err error) {
	err = tx.QueryRow(`UPDATE run SET updated=?, usage=?, events=events+? WHERE id=? AND owner=? AND fence=? RETURNING n`,
		[]any{micros(s.db.Now()), usage, events, l.Run, s.db.Owner(), l.Fence}, &n)
	if store.IsNoRows(err) {
		return 0, fmt.Errorf("run %s: %w", l.Run, graph.ErrFenced)
	}
	tx.Known[l] = n
	return n, err
}

func (s *Store) put(tx *store.Tx, n int64, b graph.Batch) error {
	if b.Version != "" {
		if _, err := tx.Exec(`UPDATE run SET version=? WHERE n=?`, b.Version, n); err != nil {
			return err
		}
	}
	for _, c := range b.Calls {
		if err := s.putCall(tx, n, c); err != nil {
			return err
		}
	}
	for _, r := range b.Branches {
		if _, err := tx.Exec(`INSERT OR REPLACE INTO branch(run, step, idx, result) VALUES (?,?,?,?)`, n, r.Step, r.Index, []byte(r.Result)); err != nil {
			return err
		}
	}
	for _, e := range b.Events {
		if _, err := tx.Exec(`INSERT INTO event(run, seq, at, step, idx, node, kind, body) VALUES (?,?,?,?,?,?,?,?)`,
			n, e.Seq, micros(e.Time), e.Step, e.Index, e.Node, e.Kind, []byte(e.Body)); err != nil {
			return err
		}
	}
	if b.Step != nil {
		if err := putStep(tx, n, *b.Step); err != nil {
			return err
		}
	}
	if b.Status != nil {
		return putStatus(tx, n, *b.Status)
	}
	return nil
}

func (s *Store) putCall(tx *store.Tx, n int64, c graph.CallRow) error {
	usage, err := json.Marshal(c.Usage)
	if err != nil {
		return err
	}
	if c.State != graph.CallReserved {
		_, err = tx.Exec(`UPDATE call SET state=?, usage=?, result=?, err=?, seconds=? WHERE run=? AND step=? AND idx=? AND hash=? AND occurrence=? AND try=?`,
			c.State, usage, s.pack(c.Result), c.Err, c.Seconds, n, c.Step, c.Index, c.Hash, c.Occurrence, c.Try)
		return err
	}
	_, err = tx.Exec(`INSERT INTO call(run, step, idx, hash, occurrence, try, kind, request, state, usage, err, at, seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		n, c.Step, c.Index, c.Hash, c.Occurrence, c.Try, c.Kind, s.pack(c.Request), c.State, usage, c.Err, micros(c.At), c.Seconds)
	return err
}

// putStep writes a step; a state replaces the one before it.
func putStep(tx *store.Tx, n int64, s graph.StepRow) error {
	if _, err := tx.Exec(`INSERT OR REPLACE INTO step(run, step, frontier) VALUES (?,?,?)`, n, s.Step, []byte(s.Frontier)); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE run SET step=? WHERE n=?`, s.Step, n); err != nil {
		return err
	}
	if s.State == nil {
		return nil
	}
	_, err := tx.Exec(`INSERT OR REPLACE INTO snapshot(run, step, state) VALUES (?,?,?)`, n, s.Step, []byte(s.State))
	return err
}

func putStatus(tx *store.Tx, n int64, s graph.StatusRow) error {
	asks := s.Asks
	if asks == nil {
		asks = []graph.Question{}
	}
	raw, err := json.Marshal(asks)
	if err != nil {
		return err
	}
	clear(tx.Known)
	_, err = tx.Exec(`UPDATE run SET status=?, reason=?, asks=?, owner='', command='', why='' WHERE n=?`, s.Status, s.Reason, raw, n)
	return err
}

// Post implements [graph.Mailbox].
func (s *Store) Post(ctx context.Context, id string, m graph.Message) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		n, err := number(tx, id)
		if err != nil {
			return err
		}
		if m.Hold != nil {
			if err := putHold(tx, n, *m.Hold, s.db.Now()); err != nil {
				return err
			}
		}
		if m.Answer != nil {
			if _, err := tx.Exec(`INSERT OR IGNORE INTO answer(run, ask, value) VALUES (?,?,?)`, n, m.Answer.ID, []byte(m.Answer.Value)); err != nil {
				return err
			}
		}
		switch m.Command {
		case "":
			return nil
		case graph.CommandResume:
			m.Command = ""
		}
		_, err = tx.Exec(`UPDATE run SET command=?, why=? WHERE n=? AND command<>?`, m.Command, m.Reason, n, graph.CommandCancel)
		return err
	})
}

// putHold replaces a hold, and forgets the run's holds that are over.
func putHold(tx *store.Tx, n int64, h graph.Hold, now time.Time) error {
	if _, err := tx.Exec(`INSERT OR REPLACE INTO hold(run, id, until) VALUES (?,?,?)`, n, h.ID, micros(h.Until)); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM hold WHERE run=? AND until<?`, n, micros(now))
	return err
}

// Inbox implements [graph.Mailbox].
func (s *Store) Inbox(ctx context.Context, ids ...string) (map[string]graph.Inbox, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	posted := map[string]graph.Inbox{}
	rows, err := s.db.Reader().QueryContext(ctx, `SELECT run.id, command, why, (SELECT max(until) FROM hold WHERE hold.run=n)
		FROM json_each(?) JOIN run ON run.id=json_each.value`, string(wanted))
	err = each(rows, err, func() error {
		var id string
		var in graph.Inbox
		var held sql.NullInt64
		err := rows.Scan(&id, &in.Command, &in.Reason, &held)
		in.Held = moment(held.Int64)
		posted[id] = in
		return err
	})
	return posted, err
}

package store

import (
	"database/sql"
	"slices"
)

// collect reads all rows and closes them. With an error come the rows before it.
func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// bothEnds reads rows in the order of their keys. Where the database is damaged
// on the way it reads from the other end too ("DESC"), and lost tells of it.
func bothEnds[T any](query func(order string) (*sql.Rows, error), scan func(*sql.Rows) (T, error), key func(T) int64) (list []T, lost, err error) {
	read := func(order string) ([]T, error) {
		rows, err := query(order)
		if err != nil {
			return nil, err
		}
		return collect(rows, scan)
	}
	list, err = read("")
	if !isDamaged(err) {
		return list, nil, err
	}
	rest, back := read("DESC")
	if back != nil && !isDamaged(back) {
		return list, err, back
	}
	last := int64(-1)
	if len(list) > 0 {
		last = key(list[len(list)-1])
	}
	for _, v := range slices.Backward(rest) {
		if key(v) > last {
			list = append(list, v)
		}
	}
	return list, err, nil
}

// one makes a statement that hit nothing into [sql.ErrNoRows].
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return sql.ErrNoRows
}

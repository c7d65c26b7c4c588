package klatency

// A row is one sample of a measured thread, as it put it itself.
type row struct {
	due, late, missed int64
}

// A join pairs the samples of one thread with its wake-ups by their due times,
// which agree to half a period: timerlat's are only known to a microsecond.
// Both come in order, and a sample is always put before its wake-up ends.
type join struct {
	half int64 // of a period
	rows []row
}

func (j *join) add(r row) { j.rows = append(j.rows, r) }

// behind tells whether the sample of a wake-up due then may be among those
// that have not been read yet.
func (j *join) behind(due int64) bool {
	return len(j.rows) == 0 || j.rows[len(j.rows)-1].due < due-j.half
}

// take returns the sample of the wake-up due then. The samples before it have
// no wake-up: alone is called with each.
func (j *join) take(due int64, alone func(row)) (row, bool) {
	for i, r := range j.rows {
		if r.due >= due-j.half {
			found := r.due <= due+j.half
			if found {
				i++
			}
			j.rows = j.rows[i:]
			return r, found
		}
		alone(r)
	}
	j.rows = j.rows[:0]
	return row{}, false
}

// rest gives up on all that are left.
func (j *join) rest(alone func(row)) {
	for _, r := range j.rows {
		alone(r)
	}
	j.rows = nil
}

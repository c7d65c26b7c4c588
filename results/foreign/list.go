package foreign

import "iter"

// A List grows without moving what it holds: pointers into it stay good, and it
// takes no more memory than its elements and a chunk. The zero value is empty.
type List[T any] struct {
	chunks [][]T
	n      int
}

// maxChunk bounds the elements of a chunk. The first has eight, each further one
// twice as many as that before it.
const maxChunk = 1024

// Append adds v, and returns where it is.
func (l *List[T]) Append(v T) *T {
	last := len(l.chunks) - 1
	if last < 0 || len(l.chunks[last]) == cap(l.chunks[last]) {
		size := 8
		if last >= 0 {
			size = min(2*cap(l.chunks[last]), maxChunk)
		}
		l.chunks = append(l.chunks, make([]T, 0, size))
		last++
	}
	l.chunks[last] = append(l.chunks[last], v)
	l.n++
	return &l.chunks[last][len(l.chunks[last])-1]
}

// Len is the number of elements.
func (l *List[T]) Len() int { return l.n }

// First is the first element, nil when there is none.
func (l *List[T]) First() *T { return l.At(0) }

// At is element i, nil when there is none.
func (l *List[T]) At(i int) *T {
	for k, v := range l.All() {
		if k == i {
			return v
		}
	}
	return nil
}

// All yields every element's place in the list and where it is, in order.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		i := 0
		for _, chunk := range l.chunks {
			for k := range chunk {
				if !yield(i, &chunk[k]) {
					return
				}
				i++
			}
		}
	}
}

// Package foreign holds what the readers of other tools' files share: a run as
// such a file tells it, with every figure unknown until the file gives it, and
// the lines, cells, numbers and loose JSON that these files are made of.
//
// No input makes it panic, and it keeps memory in proportion to the input.
package foreign

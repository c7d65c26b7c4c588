// Package worstcase is a suite that finds out how late a Linux machine can be,
// says why, and says whether one kernel is really better than another. The
// commands are under cmd; README.md is where to begin.
package worstcase

"""The peers. Each function takes the arrays of a row and a stopwatch, and returns arrays."""

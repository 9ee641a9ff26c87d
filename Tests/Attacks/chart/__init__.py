"""The comparison of sign-in methods, measured: each cell is an attack on a running service, or a person who uses it."""

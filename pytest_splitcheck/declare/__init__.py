"""What an author declares; input is checked and coerced here, once."""

"""What was measured, kept from one run of the tests to the next."""

"""What takes part in a run of pytest: checks, and plugins that are registered where they are wanted."""

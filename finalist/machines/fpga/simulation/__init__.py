"""The emitted text, executed by the simulators of its languages."""

"""The version of Finalist."""

VERSION = "0.1.0"

"""Designs placed and routed on parts and boards that one can buy."""

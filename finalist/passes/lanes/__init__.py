"""What vectors want, whose lanes hold a block each: small tables, narrow or halved words."""

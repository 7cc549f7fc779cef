"""Software pipelining of loops on processors whose pipeline shows."""

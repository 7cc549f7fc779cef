"""What makes code on single words shorter, or lets it wait less."""

"""The results that the ledger of claims reads: those of the pages, as data in the package."""

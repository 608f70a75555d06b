"""Types of table rows, and of the rows of some joins, which prepared
queries return (svc.store.queries).
"""

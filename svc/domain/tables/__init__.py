"""Types of table rows, and of the rows of some joins; ``svc.domain.rows`` makes rows of them."""

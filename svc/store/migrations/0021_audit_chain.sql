-- The audit log becomes a chain, which the first entry after this begins: see svc/domain/audit_chain.py.
ALTER TABLE audit ADD COLUMN salt BLOB;
ALTER TABLE audit ADD COLUMN content_hash BLOB;
ALTER TABLE audit ADD COLUMN hash BLOB;
ALTER TABLE audit ADD COLUMN seal BLOB;
ALTER TABLE audit ADD COLUMN key_version INTEGER;
ALTER TABLE audit ADD COLUMN redacted_at INTEGER;

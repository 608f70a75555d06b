-- How an account's videos show its logo.
ALTER TABLE accounts ADD COLUMN logo_style TEXT NOT NULL DEFAULT 'mark' CHECK (logo_style IN ('mark', 'watermark'));

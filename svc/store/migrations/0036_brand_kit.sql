-- How an account's videos show its logo, and whether they show name and role of the presenter.
ALTER TABLE accounts ADD COLUMN logo_style TEXT NOT NULL DEFAULT 'mark' CHECK (logo_style IN ('mark', 'watermark'));
ALTER TABLE accounts ADD COLUMN lower_third INTEGER NOT NULL DEFAULT 0;

-- rolling
-- Each address of SVC_ALERT_URLS has its own mark on an alert, so that one that is dead holds up none of the others.
ALTER TABLE alerts ADD COLUMN told TEXT;

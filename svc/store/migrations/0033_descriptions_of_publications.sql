-- The text that stands beside the video on each platform.
ALTER TABLE publications ADD COLUMN description TEXT;

-- What this server's own pages say of a publication, such as an episode of a podcast.
ALTER TABLE publications ADD COLUMN details TEXT;

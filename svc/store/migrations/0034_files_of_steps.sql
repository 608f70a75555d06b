-- What a step did to the work folder, which is carried through a bucket; NULL: there is none.
ALTER TABLE production_steps ADD COLUMN files TEXT;

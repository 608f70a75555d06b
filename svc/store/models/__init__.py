"""The tables of ``schema.sql`` as peewee's models, a module for each subject;
a test compares them with both databases.
"""

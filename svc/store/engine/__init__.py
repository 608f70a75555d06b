"""What the engines of both databases share."""

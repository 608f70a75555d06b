"""The partner API over HTTP: thin views, one blueprint a resource."""

"""PDF and office files. Their bytes are checked before any library reads them."""

"""BM25 on an OpenSearch or Elasticsearch server, over HTTP; no client library."""

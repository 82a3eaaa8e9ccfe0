from __future__ import annotations

from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.sample import SampleSource


def test_the_sample_is_there_and_free() -> None:
    source = SampleSource(SourceSettings(source="sample"))
    assert (source.name, source.licence) == ("sample", "CC0-1.0")


def test_the_passages_have_unique_ids_a_title_and_a_domain() -> None:
    documents = list(SampleSource(SourceSettings(source="sample")).documents(BadRows()))
    assert len(documents) > 100
    assert len({document.id for document in documents}) == len(documents)
    assert all(document.title and document.metadata["domain"] for document in documents)


def test_the_queries_have_unique_ids() -> None:
    queries = list(SampleSource(SourceSettings(source="sample")).queries())
    assert len({query.id for query in queries}) == len(queries) > 20


def test_the_order_is_that_of_the_files() -> None:
    documents = list(SampleSource(SourceSettings(source="sample")).documents(BadRows()))
    domains = [document.metadata["domain"] for document in documents]
    assert domains == sorted(domains)

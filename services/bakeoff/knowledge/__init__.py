"""The knowledge service: builds knowledge bases, opens them and searches them.

Its core needs no server::

    from pathlib import Path
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.recipe import BuildPart, QueryMode
    from bakeoff.knowledge.build import build_knowledge_base
    from bakeoff.knowledge.parsing import SourceDocument
    from bakeoff.knowledge.search import open_knowledge_base

    documents = [
        SourceDocument("mole", b"The harbour is closed by a mole of granite."),
        SourceDocument("light", b"The light on the pier is green."),
    ]
    build_knowledge_base(documents, BuildPart(), Path("kb"))
    mode = QueryMode("words", ComponentSpec("full_text_search"), top_k=5)
    [passages] = open_knowledge_base(Path("kb")).search(["Which colour has the light?"], mode, text_ranks=1)
    assert passages[0].document_id == "light"
"""

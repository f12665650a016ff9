"""The order of the stages: read, chunk, index, embed, extract, resolve, store."""

from mcp_graphrag.pipeline.pipeline import Pipeline, make_pipeline

__all__ = ["Pipeline", "make_pipeline"]

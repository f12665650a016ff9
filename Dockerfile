# glibc, as DuckDB's extension and onnxruntime have no wheels for musl.
FROM python:3.12-slim AS build
COPY . /src
RUN python -m venv /opt/graphrag && /opt/graphrag/bin/pip install --no-cache-dir "/src[docs]"

FROM python:3.12-slim
COPY --from=build /opt/graphrag /opt/graphrag
RUN useradd --create-home --uid 10001 graphrag && install -d -o graphrag -g graphrag -m 700 /data
USER graphrag
ENV PATH=/opt/graphrag/bin:$PATH MCP_GRAPHRAG_DB=/data/graph.duckdb MCP_GRAPHRAG_HOST=0.0.0.0
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["mcp-graphrag"]
# Needs MCP_GRAPHRAG_HTTP_TOKEN and MCP_GRAPHRAG_ALLOWED_HOSTS. Over stdio: docker run -i IMAGE serve
CMD ["serve", "--http"]

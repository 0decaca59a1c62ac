# Everything of requirements.lock and this repository, to run as a user who is not root:
#   docker build --tag wsd .
#   docker run --rm --volume wsd-results:/opt/wsd/results wsd --cores all --configfile config/quickstart.yaml
# Linted, but never built: see docs/how-to/cluster.md.
FROM python:3.11.13-slim-bookworm

# The CPU build of torch; with an empty TORCH_INDEX the default index's, which brings CUDA.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

RUN useradd --create-home --uid 1000 wsd
WORKDIR /opt/wsd
COPY requirements.lock ./
RUN if [ -n "$TORCH_INDEX" ]; then \
      pip install "$(grep '^torch==' requirements.lock)" --index-url "$TORCH_INDEX"; \
    fi \
    && pip install --requirement requirements.lock

COPY --chown=wsd . .
# Snakemake works in .snakemake; its notes on results lie beside these, in results/.state.
RUN pip install --no-deps --editable . && chown wsd . && mkdir --parents results && chown wsd results

USER 1000
ENTRYPOINT ["snakemake"]
CMD ["--cores", "all", "--configfile", "config/quickstart.yaml"]

# anonaudit as a command that reads what is mounted at /data and needs no network:
#   docker build -t anonaudit .
#   docker run --rm --network none -v "$PWD:/data:ro" anonaudit audit release.csv policy.toml
# To write a report, mount a folder for it that user 1000 may write to:
#   docker run --rm --network none -v "$PWD:/data:ro" -v "$PWD/out:/out" \
#     anonaudit audit release.csv policy.toml --format html -o /out/report.html

FROM python:3.11-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir -c constraints.txt .

FROM python:3.11-slim
RUN useradd --uid 1000 --create-home anonaudit
COPY --from=build /venv /venv
# Copies of compressed input and what does not fit into memory go to TMPDIR, as /data is read-only.
ENV PATH="/venv/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    MPLCONFIGDIR=/tmp/matplotlib \
    TMPDIR=/tmp
USER 1000
WORKDIR /data
ENTRYPOINT ["anonaudit"]
CMD ["--help"]

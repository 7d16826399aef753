# anonaudit as a command that reads what is mounted at /data and needs no network. Files are read and
# written as you, so that what is yours alone can be read, and reports are yours:
#
#   docker build -t anonaudit .
#   docker run --rm --network none --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" \
#     -v "$PWD:/data:ro" anonaudit audit release.csv policy.toml
#
# A report goes to a second folder: -v "$PWD/out:/out" ... --format html -o /out/report.html
# Without --user it is user 1000, who is not root either.

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

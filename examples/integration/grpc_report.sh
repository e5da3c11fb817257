#!/bin/sh
# Fetch a file of a report with grpcurl: JSON, HTML, CSV, PARQUET or TREC.
#
#   BAKEOFF_SERVER=host:7601 [BAKEOFF_TOKEN=…] ./grpc_report.sh EVALUATION FORMAT FILE
set -eu
id=$1 format=$2 file=$3

# shellcheck source=examples/integration/grpc_call.sh
. "$(dirname "$0")/grpc_call.sh"

# It comes in pieces of at most 1 MiB, each in base64.
pieces=$(mktemp)
trap 'rm -f "$pieces" "$pieces.whole"' EXIT
printf '{"evaluationId": "%s", "format": "REPORT_FORMAT_%s"}' "$id" "$format" | call ReportService/GetReport >"$pieces"
sed -n 's/.*"data": *"\([^"]*\)".*/\1/p' "$pieces" | while read -r piece; do printf '%s' "$piece" | base64 -d; done \
  >"$pieces.whole"
mv "$pieces.whole" "$file"

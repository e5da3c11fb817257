#!/bin/sh
# Ask for an evaluation with grpcurl, follow it to its end, and fetch its report.
#
#   BAKEOFF_SERVER=host:7601 [BAKEOFF_TOKEN=…] [GRPCURL="grpcurl -cacert ca.pem"] ./grpc_request.sh request.json report.html
#
# grpcurl learns the messages from the server's reflection. The request is the JSON of bakeoff.v1.EvaluationRequest.
set -eu
request=$1 report=$2
here=$(dirname "$0")

# shellcheck source=examples/integration/grpc_call.sh
. "$here/grpc_call.sh"

answer=$(printf '{"request": %s}' "$(cat "$request")" | call EvaluationService/SubmitEvaluation)
id=$(printf '%s' "$answer" | sed -n 's/.*"evaluation_*[iI]d": *"\([^"]*\)".*/\1/p' | head -n 1)
test -n "$id" || exit 1 # grpcurl has said why
echo "$id"

# One message a change, the last one when it ended; their states, each once.
printf '{"evaluationId": "%s"}' "$id" | call EvaluationService/WatchEvaluation |
  sed -n 's/.*"state": *"EVALUATION_STATE_\([^"]*\)".*/\1/p' | uniq >&2

"$here/grpc_report.sh" "$id" HTML "$report"

# Read by the scripts beside it: calls a method of the platform with the message that comes in.

call() {
  ${GRPCURL:-grpcurl -plaintext} -max-msg-sz 67108864 \
    ${BAKEOFF_TOKEN:+-H "authorization: Bearer $BAKEOFF_TOKEN"} \
    -d @ "$BAKEOFF_SERVER" "bakeoff.v1.$1"
}

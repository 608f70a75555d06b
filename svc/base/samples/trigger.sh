#!/bin/sh
# Triggers a production and follows it until its files are there. Needs curl and jq.
# BASE_URL=http://127.0.0.1:8080 API_KEY=<API_KEY> sh trigger.sh
set -eu
call() { curl --silent --show-error --fail-with-body --header "X-API-Key: $API_KEY" "$@"; }

account=$(call "$BASE_URL/v1/accounts?limit=1" | jq '.data[0]')
language=$(call "$BASE_URL/v1/languages" | jq --raw-output '.data[] | select(.code == "en").languageId')
country=$(call "$BASE_URL/v1/countries" | jq --raw-output '.data[] | select(.code == "US").countryId')
brief=$(echo "$account" | jq --arg language "$language" --arg country "$country" \
  '{topic: "How tides work", languageId: $language, countryId: $country, avatarId: .avatars[0].avatarId}')

# The Idempotency-Key makes it safe to send again when no answer came.
production=$(call "$BASE_URL/v1/accounts/$(echo "$account" | jq --raw-output .accountId)/productions" \
  --header "Content-Type: application/json" --header "Idempotency-Key: order-$$" --data "$brief")
id=$(echo "$production" | jq --raw-output .productionId)

while :; do
  production=$(call "$BASE_URL/v1/productions/$id")
  echo "$production" | jq --raw-output '"\(.status) \(.progressPercent)%"'
  case $(echo "$production" | jq --raw-output .status) in
    Failed | Cancelled) echo "$production" | jq --raw-output .errorMessage >&2; exit 1 ;;
    AwaitingApproval | Distributing | Published) break ;;
  esac
  sleep "$(echo "$production" | jq .pollAfterSeconds)"
done
call "$BASE_URL/v1/productions/$id/deliverables" | jq --raw-output '.data[] | "\(.type) \(.format) \(.sasUrl)"'

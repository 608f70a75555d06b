#!/bin/sh
# Triggers a production and follows it until its files are there. Needs curl 7.71 or newer and jq.
# BASE=http://127.0.0.1:8080 KEY=<API_KEY> sh trigger.sh
set -eu

# Prints the body of an answer. What never arrived is sent again, up to five times; a refusal is shown and ends the program.
call() {
  answer=$(curl --silent --show-error --max-time 30 --retry 5 --retry-all-errors --write-out '\n%{http_code}' \
    --header "X-API-Key: $KEY" "$@")
  status=$(printf '%s\n' "$answer" | tail -n 1)
  body=$(printf '%s\n' "$answer" | sed '$d')
  if [ "$status" -ge 400 ]; then
    printf '%s\n' "$body" | jq --raw-output '"\(.error): \(.message) (\(.correlationId))"' >&2
    exit 1
  fi
  printf '%s\n' "$body"
}

accounts=$(call "$BASE/v1/accounts?limit=1")
languages=$(call "$BASE/v1/languages")
countries=$(call "$BASE/v1/countries")
account=$(echo "$accounts" | jq '.data[0]')
language=$(echo "$languages" | jq --raw-output '.data[] | select(.code == "en").languageId')
country=$(echo "$countries" | jq --raw-output '.data[] | select(.code == "US").countryId')
brief=$(echo "$account" | jq --arg language "$language" --arg country "$country" \
  '{topic: "How tides work", languageId: $language, countryId: $country, avatarId: .avatars[0].avatarId}')

# One Idempotency-Key for each intention: sent again with it, the trigger happens once.
once=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n' | sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)/\1-\2-4\3-8\4-/')
production=$(call "$BASE/v1/accounts/$(echo "$account" | jq --raw-output .accountId)/productions" \
  --header "Content-Type: application/json" --header "Idempotency-Key: $once" --data "$brief")
id=$(echo "$production" | jq --raw-output .productionId)

while :; do
  production=$(call "$BASE/v1/productions/$id")
  echo "$production" | jq --raw-output '"\(.status) \(.progressPercent)%"'
  case $(echo "$production" | jq --raw-output .status) in
    Failed | Cancelled) echo "$production" | jq --raw-output .errorMessage >&2; exit 1 ;;
    AwaitingApproval | Distributing | Published) break ;;
  esac
  sleep "$(echo "$production" | jq .pollAfterSeconds)"
done
deliverables=$(call "$BASE/v1/productions/$id/deliverables")
echo "$deliverables" | jq --raw-output '.data[] | "\(.type) \(.format) \(.sasUrl)"'

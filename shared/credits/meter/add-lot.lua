-- Adds a lot of paid or granted credits. Begins with change.lua.
-- ARGV[5] paid|granted  ARGV[6] reason  ARGV[7] credits  ARGV[8] expires (ms, 0 = never)  ARGV[9] lot id
-- Returns as change.lua, and { 'lots', redis ms } when the account holds too many.

local MOST_LOTS = 100

if #lots >= MOST_LOTS then return { 'lots', clock } end
local bucket, reason, credits = ARGV[5], ARGV[6], tonumber(ARGV[7])
add_lot(string.sub(bucket, 1, 1), ARGV[9], tonumber(ARGV[8]), credits, reason)
return finish(credits, bucket, reason)

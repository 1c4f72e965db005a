-- Adds a lot of paid or granted credits. Lots that have expired make room for it; of an account that holds as many lots as it
-- may, the credits join a lot of the same bucket and expiry. Credits that never expire always have a place: they may be paid
-- for, and need one lot of each bucket at most. Begins with change.lua.
-- ARGV[5] paid|granted  ARGV[6] reason  ARGV[7] credits  ARGV[8] expires (ms, 0 = never)  ARGV[9] lot id
-- Returns as change.lua, and { 'lots', redis ms } when there is no room.

local MOST_LOTS = 100

lots = expire_lots(lots, now, rows)
local bucket, reason, credits, expires = ARGV[5], ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local kind = string.sub(bucket, 1, 1)
local is_full = #lots >= MOST_LOTS
for _, lot in ipairs(lots) do
  if is_full and lot.kind == kind and lot.expires == expires then
    lot.left = lot.left + credits
    rows[#rows + 1] = row(bucket, credits, reason, nil, lot)
    return finish(credits, bucket, reason)
  end
end
if is_full and expires ~= 0 then return { 'lots', clock } end
add_lot(kind, ARGV[9], expires, credits, reason)
return finish(credits, bucket, reason)

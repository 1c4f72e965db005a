-- Ends the open reservations of an API key, of a user, in a budget: one step of many, each short.
-- ARGV[1] cursor, '0' at first  ARGV[2] API key  ARGV[3] user  ARGV[4] budget; '' = any
-- Returns { 'shut', redis ms } or { 'released', redis ms, next cursor ('0': done), how many were open }.

-- Reservations that one step reads.
local MOST_READ = 200

local now = redis_ms()
if not is_open(identity()) then return { 'shut', now } end

local function matches(reservation)
  return (ARGV[2] == '' or reservation.key_id == ARGV[2])
    and (ARGV[3] == '' or reservation.user == ARGV[3])
    and (ARGV[4] == '' or string.find(reservation.keys, ARGV[4] .. ':', 1, true) ~= nil)
end

local scanned = redis.call('HSCAN', KEYS[3], ARGV[1], 'COUNT', MOST_READ)
local cursor, found = scanned[1], scanned[2]
local count = 0
for index = 1, #found, 2 do
  local reservation = parse_reservation(found[index + 1])
  if matches(reservation) and release(found[index], reservation, now) then count = count + 1 end
end
return { 'released', now, cursor, int(count) }

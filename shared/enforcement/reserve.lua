-- Reserves an amount in every budget that it counts in, or in none.
-- KEYS[5] idempotency record
-- ARGV[1] identity of the data beside which the amounts were read  ARGV[2] redis ms before they were read
-- ARGV[3] how often usage had been counted by then                 ARGV[4] amount
-- ARGV[5] ms to hold it  ARGV[6] id of the reservation             ARGV[7] fingerprint of the request ('' = no key)
-- ARGV[8] '' or 'last': do not ask for later amounts, refuse
-- ARGV[9], ARGV[10] … key and room of each budget: what usage leaves of it. '' as key: a budget of something else than
-- cost, which holds nothing and needs room.
-- Returns { code, redis ms, … }:
--   shut                 refused, nothing written
--   replay   id, ends    this was answered before, and is still held
--   reused               the key was used for something else, which is still held
--   stale                call again with later amounts
--   refused  number      of the first budget without room, from 0
--   full                 as many are open as an organization may have
--   reserved id, ends

-- At 230 bytes each: what one organization reserves must leave memory for the spends of all.
local MOST_OPEN = 250000

local now, mine = redis_ms(), identity()
if not is_open(mine) then return { 'shut', now } end
if ARGV[7] ~= '' then
  local fingerprint, id, ends = string.match(redis.call('GET', KEYS[5]) or '', '^(%S+) (%S+) (%d+)$')
  -- One that was released or settled since holds nothing: its answer is no longer true.
  if id and tonumber(redis.call('ZSCORE', KEYS[4], id) or 0) > now then
    if fingerprint ~= ARGV[7] then return { 'reused', now } end
    return { 'replay', now, id, ends }
  end
end
local as_of, touches, amount = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[1] ~= mine or as_of > now or now - as_of > FRESH_MS then return { 'stale', now } end

local keys, ends = {}, int(now + tonumber(ARGV[5]))
for index = 9, #ARGV, 2 do
  if ARGV[index] ~= '' then keys[#keys + 1] = ARGV[index] end
end
local held = held_by(keys)

local function first_full(included)
  for index = 9, #ARGV, 2 do
    local key, room = ARGV[index], tonumber(ARGV[index + 1])
    if key == '' then
      if room <= 0 then return index end
    elseif held[key] - (included[key] or 0) + amount > room then
      return index
    end
  end
end

local full = first_full({})
if full then
  -- The cost of one that has ended is in the amounts, if these were read after it ended or after it was settled.
  local function is_included(reservation, ends)
    return ends <= as_of or reservation.touches ~= '' and tonumber(reservation.touches) <= touches
  end
  full = first_full(sum_ended(now, is_included))
  if full then
    local later = sum_ended(now, function(reservation, ends) return not is_included(reservation, ends) end)
    if later[ARGV[full]] and ARGV[8] == '' then return { 'stale', now } end
    return { 'refused', now, int((full - 9) / 2) }
  end
end

if redis.call('ZCARD', KEYS[4]) >= MOST_OPEN then return { 'full', now } end
write_reservation(ARGV[6], { amount = amount, touches = '', keys = table.concat(keys, ' ') })
redis.call('ZADD', KEYS[4], ends, ARGV[6])
for _, key in ipairs(keys) do held[key] = held[key] + amount end
write_held(held)
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
if ARGV[7] ~= '' then
  redis.call('SET', KEYS[5], ARGV[7] .. ' ' .. ARGV[6] .. ' ' .. ends, 'PX', ARGV[5])
end
-- Many at a time cost little more than one, and four can go for each that is made.
if seq % 16 == 0 then forget(now, 64) end
return { 'reserved', now, ARGV[6], ends }

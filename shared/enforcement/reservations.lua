-- Prelude of the scripts of reservations, behind identity.lua.
-- KEYS[1] state  KEYS[2] held  KEYS[3] reservations  KEYS[4] ends
--
-- A reservation: "amount|touches|key key …". `key` is a budget in one window. `touches` is empty until the reservation is
-- settled, and then how often usage had been counted when the real cost was in the amounts.
-- `held` sums reservations by key, those that have ended included until `forget` takes them out.

-- Older amounts decide nothing.
local FRESH_MS = 1000

local function is_open(mine)
  return redis.call('HGET', KEYS[1], 'epoch') == mine
end

local function read_reservation(id)
  local text = redis.call('HGET', KEYS[3], id)
  if not text then return nil end
  local amount, touches, keys = string.match(text, '^(%d+)|(%d*)|(.*)$')
  return { amount = tonumber(amount), touches = touches, keys = keys }
end

local function write_reservation(id, reservation)
  redis.call('HSET', KEYS[3], id, int(reservation.amount) .. '|' .. reservation.touches .. '|' .. reservation.keys)
end

-- It ends now, unless it has ended. Whoever has amounts from before this moment goes on counting it.
local function end_now(id, now)
  redis.call('ZADD', KEYS[4], 'XX', 'LT', int(now), id)
end

-- Takes out at most so many that ended so long ago that all amounts that may still decide hold what they cost.
local function forget(now, most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now - FRESH_MS), 'LIMIT', 0, most)) do
    local reservation = read_reservation(id)
    for key in string.gmatch(reservation and reservation.keys or '', '%S+') do
      local left = redis.call('HINCRBY', KEYS[2], key, int(-reservation.amount))
      if left <= 0 then redis.call('HDEL', KEYS[2], key) end
    end
    redis.call('HDEL', KEYS[3], id)
    redis.call('ZREM', KEYS[4], id)
  end
end

-- Sums of the reservations that have ended and pass a test, by key.
local function sum_ended(now, passes)
  local sums = {}
  local ended = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now), 'WITHSCORES')
  for index = 1, #ended, 2 do
    local reservation = read_reservation(ended[index])
    if reservation and passes(reservation, tonumber(ended[index + 1])) then
      for key in string.gmatch(reservation.keys, '%S+') do sums[key] = (sums[key] or 0) + reservation.amount end
    end
  end
  return sums
end

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

local function parse_reservation(text)
  local amount, touches, keys = string.match(text, '^(%d+)|(%d*)|(.*)$')
  return { amount = tonumber(amount), touches = touches, keys = keys }
end

local function read_reservation(id)
  local text = redis.call('HGET', KEYS[3], id)
  return text and parse_reservation(text) or nil
end

local function write_reservation(id, reservation)
  redis.call('HSET', KEYS[3], id, int(reservation.amount) .. '|' .. reservation.touches .. '|' .. reservation.keys)
end

-- It ends now, unless it has ended. Whoever has amounts from before this moment goes on counting it.
local function end_now(id, now)
  redis.call('ZADD', KEYS[4], 'XX', 'LT', int(now), id)
end

-- Lua hands a command so many arguments at a time.
local MOST_ARGUMENTS = 1000

-- Ended reservations that one call looks at, the oldest first: Redis does nothing else meanwhile. Others beyond them go on
-- counting until these are forgotten.
local MOST_ENDED = 5000

-- Visits those of these ids that are known, each with its place.
local function each_of(ids, visit)
  for first = 1, #ids, MOST_ARGUMENTS do
    local last = math.min(first + MOST_ARGUMENTS - 1, #ids)
    for index, text in ipairs(redis.call('HMGET', KEYS[3], unpack(ids, first, last))) do
      if text then visit(parse_reservation(text), first + index - 1) end
    end
  end
end

-- What is held by each of these keys.
local function held_by(keys)
  local sums = {}
  for first = 1, #keys, MOST_ARGUMENTS do
    local last = math.min(first + MOST_ARGUMENTS - 1, #keys)
    local amounts = redis.call('HMGET', KEYS[2], unpack(keys, first, last))
    for index = first, last do sums[keys[index]] = tonumber(amounts[index - first + 1] or 0) end
  end
  return sums
end

-- Writes what is held by each key from now on.
local function write_held(sums)
  local pairs_to_set, gone = {}, {}
  local function flush(command, list)
    if #list > 0 then redis.call(command, KEYS[2], unpack(list)) end
    return {}
  end
  for key, amount in pairs(sums) do
    if amount > 0 then
      pairs_to_set[#pairs_to_set + 1], pairs_to_set[#pairs_to_set + 2] = key, int(amount)
    else
      gone[#gone + 1] = key
    end
    if #pairs_to_set >= MOST_ARGUMENTS then pairs_to_set = flush('HSET', pairs_to_set) end
    if #gone >= MOST_ARGUMENTS then gone = flush('HDEL', gone) end
  end
  flush('HSET', pairs_to_set)
  flush('HDEL', gone)
end

-- Takes out at most so many that ended so long ago that all amounts that may still decide hold what they cost.
local function forget(now, most)
  local ids = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now - FRESH_MS), 'LIMIT', 0, most)
  if #ids == 0 then return end
  local amounts, keys = {}, {}
  each_of(ids, function(reservation)
    for key in string.gmatch(reservation.keys, '%S+') do
      if not amounts[key] then keys[#keys + 1] = key end
      amounts[key] = (amounts[key] or 0) + reservation.amount
    end
  end)
  local left = held_by(keys)
  for key, amount in pairs(amounts) do left[key] = left[key] - amount end
  write_held(left)
  redis.call('HDEL', KEYS[3], unpack(ids))
  redis.call('ZREM', KEYS[4], unpack(ids))
end

-- Sums of the reservations that have ended and pass a test, by key: at most `MOST_ENDED` of them.
local function sum_ended(now, passes)
  local sums, ids, ends = {}, {}, {}
  local ended = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, MOST_ENDED)
  for index = 1, #ended, 2 do
    ids[#ids + 1], ends[#ends + 1] = ended[index], tonumber(ended[index + 1])
  end
  each_of(ids, function(reservation, place)
    if passes(reservation, ends[place]) then
      for key in string.gmatch(reservation.keys, '%S+') do sums[key] = (sums[key] or 0) + reservation.amount end
    end
  end)
  return sums
end

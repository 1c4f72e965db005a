-- Prelude of the scripts of reservations, behind identity.lua.
-- KEYS[1] state  KEYS[2] held  KEYS[3] reservations  KEYS[4] ends  KEYS[5] people
--
-- A reservation: "amount|outcome|API key|user|key key …". `outcome` is empty at first, `released`, or once it is settled how
-- often usage had been counted when the real cost was in the amounts. A key is one of these:
--   bud_…:all        a budget, whatever its window; `held` sums the amounts
--   bud_…:user       a person's budget of a template; `held` sums the amounts
--   bud_…:people     all people of a template; `held` sums the amounts
--   bud_…:all/user   a person's share of a budget; `people` sums the amounts
--   /user            a person; `people` counts the reservations
-- Those that have ended are included until `forget` takes them out.

-- Older amounts decide nothing.
local FRESH_MS = 1000

local function is_open(mine)
  return redis.call('HGET', KEYS[1], 'epoch') == mine
end

local RELEASED = 'released'

-- The keys are long, so no pattern walks through them.
local function parse_reservation(text)
  local amount, outcome, key_id, user, first = string.match(text, '^(%d+)|(%w*)|([^|]*)|([^|]*)|()')
  local keys = string.sub(text, first)
  return { amount = tonumber(amount), outcome = outcome, key_id = key_id, user = user, keys = keys }
end

local function read_reservation(id)
  local text = redis.call('HGET', KEYS[3], id)
  return text and parse_reservation(text) or nil
end

local function write_reservation(id, reservation)
  local parts = { int(reservation.amount), reservation.outcome, reservation.key_id, reservation.user, reservation.keys }
  redis.call('HSET', KEYS[3], id, table.concat(parts, '|'))
end

-- How often usage had been counted when the cost of a reservation was in the amounts; never, unless it is settled.
local function settled_at(reservation)
  return tonumber(reservation.outcome) or math.huge
end

-- It ends now, unless it has ended. Processes with amounts from before this moment go on counting it.
local function end_now(id, now)
  redis.call('ZADD', KEYS[4], 'XX', 'LT', int(now), id)
end

-- Ends a reservation that is not used. Returns whether it was open.
local function release(id, reservation, now)
  if tonumber(redis.call('ZSCORE', KEYS[4], id) or 0) <= now then return false end
  reservation.outcome = RELEASED
  write_reservation(id, reservation)
  end_now(id, now)
  return true
end

local SLASH = string.byte('/')

-- True for a key that counts reservations; the others add up their amounts.
local function is_count(key)
  return string.byte(key) == SLASH
end

-- Visits each key of such a list.
local function each_key(keys, visit)
  local first = 1
  while first <= #keys do
    local space = string.find(keys, ' ', first, true) or #keys + 1
    visit(string.sub(keys, first, space - 1))
    first = space + 1
  end
end

-- Adds a reservation to those of the same keys: many have the same, so each key is read once for all of them.
local function add_to(lists, reservation)
  local list = lists[reservation.keys] or { amount = 0, count = 0 }
  lists[reservation.keys] = list
  list.amount, list.count = list.amount + reservation.amount, list.count + 1
end

-- Returns what such lists add to each key.
local function sums_of(lists)
  local sums = {}
  for keys, list in pairs(lists) do
    each_key(keys, function(key)
      sums[key] = (sums[key] or 0) + (is_count(key) and list.count or list.amount)
    end)
  end
  return sums
end

-- True when `people` has a key, and not `held`.
local function is_of_person(key)
  return string.find(key, '/', 1, true) ~= nil
end

-- Lua hands a command so many arguments at a time.
local MOST_ARGUMENTS = 1000

-- Ended reservations that one call reads, the oldest first: Redis does nothing else meanwhile. Others go on counting until
-- these are forgotten.
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

-- Returns the amount that each of these keys holds, and each of those beside them.
local function held_by(keys, beside)
  local sums, of_budgets, of_people = {}, {}, {}
  local function read(hash, list)
    for first = 1, #list, MOST_ARGUMENTS do
      local last = math.min(first + MOST_ARGUMENTS - 1, #list)
      local amounts = redis.call('HMGET', hash, unpack(list, first, last))
      for index = first, last do sums[list[index]] = tonumber(amounts[index - first + 1] or 0) end
    end
  end
  for _, key in ipairs(keys) do
    local list = is_of_person(key) and of_people or of_budgets
    list[#list + 1] = key
  end
  for _, key in ipairs(beside or {}) do of_budgets[#of_budgets + 1] = key end
  read(KEYS[2], of_budgets)
  read(KEYS[5], of_people)
  return sums
end

-- Writes what is held by each key from now on.
local function write_held(sums)
  local budgets, people = { set = {}, gone = {} }, { set = {}, gone = {} }
  for key, amount in pairs(sums) do
    local lists = is_of_person(key) and people or budgets
    local list = amount > 0 and lists.set or lists.gone
    list[#list + 1] = key
    if amount > 0 then list[#list + 1] = int(amount) end
  end
  local function write(command, hash, list)
    for first = 1, #list, MOST_ARGUMENTS do
      redis.call(command, hash, unpack(list, first, math.min(first + MOST_ARGUMENTS - 1, #list)))
    end
  end
  write('HSET', KEYS[2], budgets.set)
  write('HDEL', KEYS[2], budgets.gone)
  write('HSET', KEYS[5], people.set)
  write('HDEL', KEYS[5], people.gone)
end

local LOST = 'lost:'

-- True when it replaces what an earlier Redis held by a key.
local function is_lost(id)
  return string.sub(id, 1, #LOST) == LOST
end

-- Takes out at most so many that ended so long ago that all amounts that may still decide hold what they cost. Raises
-- `seq`, so that the record is written anew without them, and counts those that were neither settled nor released.
local function forget(now, most)
  local ids = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now - FRESH_MS), 'LIMIT', 0, most)
  if #ids == 0 then return end
  local lists, keys, unsettled = {}, {}, 0
  each_of(ids, function(reservation, place)
    if reservation.outcome == '' and not is_lost(ids[place]) then unsettled = unsettled + 1 end
    add_to(lists, reservation)
  end)
  local amounts = sums_of(lists)
  for key in pairs(amounts) do keys[#keys + 1] = key end
  local left = held_by(keys)
  for key, amount in pairs(amounts) do left[key] = left[key] - amount end
  write_held(left)
  redis.call('HDEL', KEYS[3], unpack(ids))
  redis.call('ZREM', KEYS[4], unpack(ids))
  redis.call('HINCRBY', KEYS[1], 'seq', 1)
  if unsettled > 0 then redis.call('HINCRBY', KEYS[1], 'unsettled', unsettled) end
end

-- Sums of the reservations that have ended, by key: at most `MOST_ENDED` of them. With a test only those that pass it.
local function sum_ended(now, passes)
  local lists, ids, ends = {}, {}, {}
  if passes then
    local ended = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, MOST_ENDED)
    for index = 1, #ended, 2 do
      ids[#ids + 1], ends[#ends + 1] = ended[index], tonumber(ended[index + 1])
    end
  else
    ids = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(now), 'LIMIT', 0, MOST_ENDED)
  end
  each_of(ids, function(reservation, place)
    if not passes or passes(reservation, ends[place]) then add_to(lists, reservation) end
  end)
  return sums_of(lists)
end

-- Reserves an amount in every budget that it counts in, or in none.
-- KEYS[6] idempotency record
-- ARGV[1] identity of the data beside which the amounts were read  ARGV[2] redis ms before they were read
-- ARGV[3] how often usage had been counted by then                 ARGV[4] amount
-- ARGV[5] ms to hold it  ARGV[6] id of the reservation             ARGV[7] fingerprint of the request ('' = no key)
-- ARGV[8] '' or 'last': do not ask for later amounts, refuse
-- ARGV[9] API key  ARGV[10] user ('' = none)                       ARGV[11] '' or 'bound': the API key is bound to the user
-- ARGV[12] … ARGV[16] and so on, of each budget: the key that holds the amount and counts, another that counts, another that
-- holds it ('' = none), its room, which is what usage leaves of it, and how much of that the user may hold ('' = all). '' as
-- key: a budget of another metric than cost, which holds nothing and needs room.
-- Returns { code, redis ms, … }:
--   shut                 refused, nothing written
--   replay   id, ends    this was answered before, and is still held
--   reused               the key was used for something else, which is still held
--   stale                call again with later amounts
--   refused  number, held, …  of each budget that refuses, from 0, and what the user holds of it already where that is
--                        too much, else ''
--   full                 as many are open as an organization may have
--   crowded              as many are open as a user may have
--   reserved id, ends

-- At 300 bytes each: what one organization reserves must leave memory for the spends of all.
local MOST_OPEN = 250000
-- No user takes more than a hundredth of these.
local MOST_OPEN_OF_USER = 2500
local FIRST_BUDGET = 12

local now, mine = redis_ms(), identity()
if not is_open(mine) then return { 'shut', now } end
if ARGV[7] ~= '' then
  local fingerprint, id, ends = string.match(redis.call('GET', KEYS[6]) or '', '^(%S+) (%S+) (%d+)$')
  -- One that was released or settled since holds nothing: its answer is no longer true.
  if id and tonumber(redis.call('ZSCORE', KEYS[4], id) or 0) > now then
    if fingerprint ~= ARGV[7] then return { 'reused', now } end
    return { 'replay', now, id, ends }
  end
end
local as_of, touches, amount = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[1] ~= mine or as_of > now or now - as_of > FRESH_MS then return { 'stale', now } end

local user = ARGV[10]
-- The keys that hold the amount, and those that only count.
local keys, beside = {}, {}
local budgets, ends = {}, int(now + tonumber(ARGV[5]))
for index = FIRST_BUDGET, #ARGV, 5 do
  local key, counted, also, share = ARGV[index], ARGV[index + 1], ARGV[index + 2], tonumber(ARGV[index + 4])
  local budget = { number = int(#budgets), keys = {}, room = tonumber(ARGV[index + 3]) }
  if key ~= '' then
    budget.keys = { key, counted }
    keys[#keys + 1], beside[#beside + 1] = key, counted
  end
  if also ~= '' then keys[#keys + 1] = also end
  if share then
    budget.share, budget.share_keys = share, { key .. '/' .. user }
    keys[#keys + 1] = budget.share_keys[1]
  end
  budgets[#budgets + 1] = budget
end
local of_user = ARGV[11] == 'bound' and '/' .. user or nil
if of_user then keys[#keys + 1] = of_user end
local held = held_by(keys, beside)

-- The budgets that refuse, each with the keys that are full, when what is included in the amounts is left out.
local function refusing(included)
  local function held_in(counted)
    local sum = 0
    for _, key in ipairs(counted) do sum = sum + held[key] - (included[key] or 0) end
    return sum
  end
  local found = {}
  for _, budget in ipairs(budgets) do
    local holds = #budget.keys > 0
    if holds and held_in(budget.keys) + amount > budget.room or not holds and budget.room <= 0 then
      found[#found + 1] = { number = budget.number, keys = budget.keys }
    elseif budget.share and held_in(budget.share_keys) + amount > budget.share then
      found[#found + 1] =
        { number = budget.number, keys = budget.share_keys, held = int(held_in(budget.share_keys)) }
    end
  end
  return found
end

if #refusing({}) > 0 then
  -- The cost of one that has ended is in the amounts, if these were read after it ended or after it was settled.
  local function is_included(reservation, ends)
    return ends <= as_of or settled_at(reservation) <= touches
  end
  local found = refusing(sum_ended(now, is_included))
  if #found > 0 then
    local later = sum_ended(now, function(reservation, ends) return not is_included(reservation, ends) end)
    local answer = { 'refused', now }
    for _, full in ipairs(found) do
      for _, key in ipairs(full.keys) do
        if later[key] and ARGV[8] == '' then return { 'stale', now } end
      end
      answer[#answer + 1], answer[#answer + 2] = full.number, full.held or ''
    end
    return answer
  end
end

if redis.call('ZCARD', KEYS[4]) >= MOST_OPEN then return { 'full', now } end
if of_user and held[of_user] >= MOST_OPEN_OF_USER then return { 'crowded', now } end
local reservation =
  { amount = amount, outcome = '', key_id = ARGV[9], user = user, keys = table.concat(keys, ' ') }
write_reservation(ARGV[6], reservation)
redis.call('ZADD', KEYS[4], ends, ARGV[6])
local now_held = {}
for _, key in ipairs(keys) do now_held[key] = held[key] + (is_count(key) and 1 or amount) end
write_held(now_held)
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
if ARGV[7] ~= '' then
  redis.call('SET', KEYS[6], ARGV[7] .. ' ' .. ARGV[6] .. ' ' .. ends, 'PX', ARGV[5])
end
-- Many at a time cost little more than one, and four can go for each that is made.
if seq % 16 == 0 then forget(now, 64) end
return { 'reserved', now, ARGV[6], ends }

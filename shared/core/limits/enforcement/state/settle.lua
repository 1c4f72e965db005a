-- Ends reservations whose real cost is in the amounts that were just read, and returns the open ones.
-- ARGV[1] how often usage had been counted by then  ARGV[2], ARGV[3] … ids, each with the user whose it must be ('' = anybody's);
-- unknown ones and those of others are ignored
-- Returns { 'shut', redis ms } or { 'settled', redis ms, seq, how many ended by themselves since the call before, "end key amount …"
-- of the open ones (ms) }. More than a few are summed by key, with the end of the last.

local FEW = 100

local now, mine = redis_ms(), identity()
if not is_open(mine) then return { 'shut', now } end
for index = 2, #ARGV, 2 do
  local reservation, user = read_reservation(ARGV[index]), ARGV[index + 1]
  local may_settle = reservation and (user == '' or reservation.user == user)
  if may_settle and tonumber(ARGV[1]) < settled_at(reservation) then
    reservation.outcome = ARGV[1]
    write_reservation(ARGV[index], reservation)
    end_now(ARGV[index], now)
  end
end
-- As many as one command takes, twice: they go faster than they may come.
for _ = 1, 2 do forget(now, 1000) end
local seq = redis.call('HGET', KEYS[1], 'seq') or '0'
local unsettled = redis.call('HGET', KEYS[1], 'unsettled') or '0'
redis.call('HDEL', KEYS[1], 'unsettled')
local texts = {}

local function add(ends, key, amount)
  if amount > 0 and not is_of_person(key) then texts[#texts + 1] = ends .. ' ' .. key .. ' ' .. int(amount) end
end

-- One text: a client reads thousands of values more slowly.
local function answer()
  return { 'settled', now, seq, unsettled, table.concat(texts, ' ') }
end

local open = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. int(now), '+inf', 'WITHSCORES', 'LIMIT', 0, FEW + 1)
if #open <= 2 * FEW then
  local ids, ends = {}, {}
  for index = 1, #open, 2 do ids[#ids + 1], ends[#ends + 1] = open[index], open[index + 1] end
  each_of(ids, function(reservation, place)
    each_key(reservation.keys, function(key) add(ends[place], key, reservation.amount) end)
  end)
  return answer()
end
local last = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]
local ended = sum_ended(now)
local held = redis.call('HGETALL', KEYS[2])
for index = 1, #held, 2 do
  add(last, held[index], tonumber(held[index + 1]) - (ended[held[index]] or 0))
end
return answer()

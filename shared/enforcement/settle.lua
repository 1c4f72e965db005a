-- Ends reservations whose real cost is in the amounts that were just read, and says what is held.
-- ARGV[1] how often usage had been counted by then  ARGV[2] … ids; of one that is not known nothing happens
-- Returns { 'shut', redis ms } or { 'settled', redis ms, seq, when the last one ends (ms), how many ended by themselves since
-- the call before, key, amount, … }.

local now, mine = redis_ms(), identity()
if not is_open(mine) then return { 'shut', now } end
for index = 2, #ARGV do
  local reservation = read_reservation(ARGV[index])
  if reservation and tonumber(ARGV[1]) < settled_at(reservation) then
    reservation.outcome = ARGV[1]
    write_reservation(ARGV[index], reservation)
    end_now(ARGV[index], now)
  end
end
-- As many as one command takes, twice: they go faster than they may come.
for _ = 1, 2 do forget(now, 1000) end
local ended = sum_ended(now, function() return true end)
local answer = { 'settled', now, redis.call('HGET', KEYS[1], 'seq') or '0',
  redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2] or '0', redis.call('HGET', KEYS[1], 'unsettled') or '0' }
redis.call('HDEL', KEYS[1], 'unsettled')
local held = redis.call('HGETALL', KEYS[2])
for index = 1, #held, 2 do
  local amount = tonumber(held[index + 1]) - (ended[held[index]] or 0)
  if amount > 0 then
    answer[#answer + 1] = held[index]
    answer[#answer + 1] = int(amount)
  end
end
return answer

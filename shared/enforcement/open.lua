-- Opens the reservations of an organization for the data that was looked at, and for no other.
-- ARGV[1] identity that was looked at  ARGV[2] seq, when this data has lost reservations, else ''
-- ARGV[3] when the last of what was lost ends (ms)  ARGV[4], ARGV[5] … key and amount that it held
-- Returns { 'open' or 'shut' (this is other data), redis ms }.

local now, mine = redis_ms(), identity()
if ARGV[1] ~= mine then return { 'shut', now } end
if is_open(mine) then return { 'open', now } end
if ARGV[2] ~= '' then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  for index = 4, #ARGV, 2 do
    local id = LOST .. ARGV[index]
    write_reservation(id, {
      amount = tonumber(ARGV[index + 1]), outcome = '', key_id = '', user = '', keys = ARGV[index],
    })
    redis.call('ZADD', KEYS[4], ARGV[3], id)
    redis.call('HSET', KEYS[2], ARGV[index], ARGV[index + 1])
  end
  redis.call('HSET', KEYS[1], 'seq', ARGV[2])
end
redis.call('HSET', KEYS[1], 'epoch', mine)
return { 'open', now }

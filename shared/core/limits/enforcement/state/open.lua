-- Opens the reservations of an organization for the data whose state was read, and for no other.
-- ARGV[1] identity that was read  ARGV[2] seq, when this data has lost reservations, else ''
-- ARGV[3], ARGV[4], ARGV[5] … of what was lost: when it ends (ms), its key, the amount that it held there
-- Returns { 'open' or 'shut' (this is other data), redis ms }.

local now, mine = redis_ms(), identity()
if ARGV[1] ~= mine then return { 'shut', now } end
if is_open(mine) then return { 'open', now } end
if ARGV[2] ~= '' then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  for index = 3, #ARGV, 3 do
    local ends, key, amount = ARGV[index], ARGV[index + 1], tonumber(ARGV[index + 2])
    local id = LOST .. int(index)
    write_reservation(id, { amount = amount, outcome = '', key_id = '', user = '', keys = key })
    redis.call('ZADD', KEYS[4], ends, id)
    redis.call('HINCRBY', KEYS[2], key, int(amount))
  end
  redis.call('HSET', KEYS[1], 'seq', ARGV[2])
end
redis.call('HSET', KEYS[1], 'epoch', mine)
return { 'open', now }

-- Ends a device: none of its tokens spends any more, and no late put-device.lua brings it back.
-- KEYS[1] epoch  KEYS[2] account
-- ARGV[1] device id
-- Returns { code, redis ms }: ok · paused · missing (no such account)

local clock = redis_ms()
if not is_open(KEYS[1]) then return { 'paused', clock } end
if redis.call('EXISTS', KEYS[2]) == 0 then return { 'missing', clock } end
local fields = redis.call('HGETALL', KEYS[2])
local mine = ARGV[1] .. ','
redis.call('HSET', KEYS[2], 'x:' .. ARGV[1], '1')
for index = 1, #fields, 2 do
  local is_device = string.sub(fields[index], 1, 2) == 'd:'
  if is_device and string.sub(fields[index + 1], 1, #mine) == mine then redis.call('HDEL', KEYS[2], fields[index]) end
end
return { 'ok', clock }

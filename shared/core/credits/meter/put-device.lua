-- Lets a device spend.
-- KEYS[1] epoch  KEYS[2] account
-- ARGV[1] token id  ARGV[2] device id  ARGV[3] HMAC of its token
-- Returns { code, redis ms }: ok · paused · missing (no such account) · revoked (the device is)

local clock = redis_ms()
if not is_open(KEYS[1]) then return { 'paused', clock } end
if redis.call('EXISTS', KEYS[2]) == 0 then return { 'missing', clock } end
if redis.call('HEXISTS', KEYS[2], 'x:' .. ARGV[2]) == 1 then return { 'revoked', clock } end
redis.call('HSET', KEYS[2], 'd:' .. ARGV[1], ARGV[2] .. ',' .. ARGV[3])
return { 'ok', clock }

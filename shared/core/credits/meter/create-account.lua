-- Creates an account's record. Nothing changes when it is there.
-- KEYS[1] epoch  KEYS[2] account
-- ARGV field, value, …
-- Returns { 'ok' or 'paused', redis ms }.

local clock = redis_ms()
if not is_open(KEYS[1]) then return { 'paused', clock } end
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('HSET', KEYS[2], unpack(ARGV)) end
return { 'ok', clock }

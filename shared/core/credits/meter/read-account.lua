-- Reads an account.
-- KEYS[1] epoch  KEYS[2] account
-- Returns { 'paused' or 'missing', redis ms } or { 'ok', redis ms, plan, anchor, seq, at, w, m, lots }.

local clock = redis_ms()
if not is_open(KEYS[1]) then return { 'paused', clock } end
local fields = redis.call('HMGET', KEYS[2], 'plan', 'anchor', 'seq', 'at', 'w', 'm', 'lots')
if not fields[3] then return { 'missing', clock } end
return { 'ok', clock, unpack(fields) }

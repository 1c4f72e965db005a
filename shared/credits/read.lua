-- Reads an account while its shard is open.
-- KEYS[1] gate  KEYS[2] account
-- Returns { 'gate' } or { 'ok', plan, anchor, seq, at, w, m, lots }, with nothing in place of what is not there.
if not gate_is_open(KEYS[1]) then return { 'gate' } end
local fields = redis.call('HMGET', KEYS[2], 'plan', 'anchor', 'seq', 'at', 'w', 'm', 'lots')
table.insert(fields, 1, 'ok')
return fields

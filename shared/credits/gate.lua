-- Looks at the gate of a shard, or opens it.
-- KEYS[1] gate  KEYS[2] outbox
-- ARGV[1] 'look'   returns { 1 (open), 0 (shut) or 2 (held), run id of this Redis }
--         'hold'   shuts it for ten minutes at most: who holds it opens it. Returns { 2, run id }
--         'renew'  another ten minutes for one that is held; any other is left as it is. Returns as 'look'
--         'open'   ARGV[2] the run id that was checked: opens for no other one. ARGV[3] '' or a stream id that the
--                  outbox must be beyond from now on. Returns { 1 or 0, run id }

local HOLD_S = 600
local run = run_id()
if ARGV[1] == 'look' or ARGV[1] == 'renew' then
  local gate = redis.call('GET', KEYS[1])
  if ARGV[1] == 'renew' and gate == 'held' then redis.call('EXPIRE', KEYS[1], HOLD_S) end
  return { gate == run and 1 or gate == 'held' and 2 or 0, run }
end
if ARGV[1] == 'hold' then
  redis.call('SET', KEYS[1], 'held', 'EX', HOLD_S)
  return { 2, run }
end
if ARGV[2] ~= run then return { 0, run } end
if ARGV[3] ~= '' then redis.call('XADD', KEYS[2], ARGV[3], 'rebuilt', '1') end
redis.call('SET', KEYS[1], run)
return { 1, run }

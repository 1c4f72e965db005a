-- Looks at the gate of a shard, or opens it.
-- KEYS[1] gate  KEYS[2] outbox
-- ARGV[1] 'look'   returns { 1 or 0 (open), run id of this Redis }
--         'open'   ARGV[2] the run id that was checked: opens for no other one. ARGV[3] '' or a stream id that the
--                  outbox must be beyond from now on. Returns { 1 or 0, run id }

local run = run_id()
if ARGV[1] == 'look' then return { gate_is_open(KEYS[1]) and 1 or 0, run } end
if ARGV[2] ~= run then return { 0, run } end
if ARGV[3] ~= '' then redis.call('XADD', KEYS[2], ARGV[3], 'rebuilt', '1') end
redis.call('SET', KEYS[1], run)
return { 1, run }

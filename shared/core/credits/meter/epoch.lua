-- Holds a shard for a rebuild, releases it, or opens it for the data that was checked and for no other.
-- KEYS[1] epoch  KEYS[2] ledger stream
-- ARGV[1] hold|renew|release|open  ARGV[2] the rebuild ('' = none)
-- ARGV[3] of hold and renew: lease in ms; of open: identity of the data that was checked
-- ARGV[4] of open: '' or a stream id that the stream must be beyond from now on
-- Returns { state, identity }: the state that the shard has now, or 'lost' when this rebuild does not hold it.

local command, holder, mine = ARGV[1], 'held:' .. ARGV[2], identity()
local state, epoch = epoch_state(KEYS[1], mine)
local is_holder = epoch == holder

if command == 'open' then
  if ARGV[3] ~= mine then return { 'paused', mine } end
  if state == 'open' then return { 'open', mine } end
  if ARGV[2] == '' and state == 'held' or ARGV[2] ~= '' and not is_holder then return { 'held', mine } end
  if ARGV[4] ~= '' then redis.call('XADD', KEYS[2], ARGV[4], 'rebuilt', '1') end
  redis.call('SET', KEYS[1], mine)
  return { 'open', mine }
end
if not is_holder and (command ~= 'hold' or state == 'held') then return { 'lost', mine } end
if command == 'release' then
  redis.call('DEL', KEYS[1])
  return { 'paused', mine }
end
redis.call('SET', KEYS[1], holder, 'PX', ARGV[3])
return { 'held', mine }

-- Opens a shard for the data that was checked, and for no other.
-- KEYS[1] epoch  KEYS[2] ledger stream
-- ARGV[1] identity that was checked  ARGV[2] '' or the rebuild that must hold the shard
-- ARGV[3] '' or a stream id that the stream must be beyond from now on
-- Returns { 'open', 'shut' (this is other data) or 'held' (another holds it), identity }.

local epoch, mine = redis.call('GET', KEYS[1]), identity()
if ARGV[1] ~= mine then return { 'shut', mine } end
if epoch == mine then return { 'open', mine } end
local is_held = epoch and string.sub(epoch, 1, 5) == 'held:'
if ARGV[2] == '' and is_held or ARGV[2] ~= '' and epoch ~= 'held:' .. ARGV[2] then return { 'held', mine } end
if ARGV[3] ~= '' then redis.call('XADD', KEYS[2], ARGV[3], 'rebuilt', '1') end
redis.call('SET', KEYS[1], mine)
return { 'open', mine }

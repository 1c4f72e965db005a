-- Shuts a shard for a rebuild, for a short time; or holds it for as long again.
-- KEYS[1] epoch
-- ARGV[1] the rebuild  ARGV[2] lease in ms  ARGV[3] 'renew' when it must hold the shard already, else ''
-- Returns { 'held' or 'lost' (another rebuild holds it; when renewing, this one does not), identity }.

local epoch, mine = redis.call('GET', KEYS[1]), 'held:' .. ARGV[1]
local is_held = epoch and string.sub(epoch, 1, 5) == 'held:'
if epoch ~= mine and (is_held or ARGV[3] == 'renew') then return { 'lost', identity() } end
redis.call('SET', KEYS[1], mine, 'PX', ARGV[2])
return { 'held', identity() }

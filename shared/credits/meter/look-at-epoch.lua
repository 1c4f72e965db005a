-- Looks at the epoch of a shard.
-- KEYS[1] epoch
-- Returns { 'open', 'shut' or 'held' (by a rebuild), identity of this Redis' data }.

local epoch, mine = redis.call('GET', KEYS[1]), identity()
if epoch == mine then return { 'open', mine } end
if epoch and string.sub(epoch, 1, 5) == 'held:' then return { 'held', mine } end
return { 'shut', mine }

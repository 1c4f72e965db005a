-- Reads the oldest entries of shards' streams.
-- KEYS epoch and stream of each
-- ARGV from (`-` or `(id`) and how many at most of each
-- Returns { identity of this Redis' data, { state of the shard, entries } of each }.

local mine = identity()
local reads = { mine }
for index = 1, #KEYS, 2 do
  local entries = redis.call('XRANGE', KEYS[index + 1], ARGV[index], '+', 'COUNT', ARGV[index + 1])
  reads[#reads + 1] = { (epoch_state(KEYS[index], mine)), entries }
end
return reads

-- Reads the oldest entries of a shard's stream.
-- KEYS[1] epoch, KEYS[2] stream
-- ARGV[1] from (`-` or `(id`), ARGV[2] how many at most
-- Returns { state of the shard, identity of this Redis' data, entries }.

local mine = identity()
return { epoch_state(KEYS[1], mine), mine, redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2]) }

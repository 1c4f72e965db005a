-- Lets go of a shard that a rebuild holds: it is shut then, and whoever finds it opens it.
-- KEYS[1] epoch
-- ARGV[1] the rebuild
-- Returns { 'shut' or 'lost' (it holds it no more), identity }.

if redis.call('GET', KEYS[1]) ~= 'held:' .. ARGV[1] then return { 'lost', identity() } end
redis.call('DEL', KEYS[1])
return { 'shut', identity() }

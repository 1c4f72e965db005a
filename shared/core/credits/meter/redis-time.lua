-- Reads the clock of the Redis that holds a shard.
-- KEYS[1] any key of the shard
-- Returns the time in ms. Begins with identity.lua.

return redis_ms()

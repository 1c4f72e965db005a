-- KEYS[1] any key of a shard. Returns the time of the Redis that holds it, in ms.
local time = redis.call('TIME')
return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

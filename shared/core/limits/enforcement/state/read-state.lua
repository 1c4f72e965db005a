-- Reads the state of an organization's reservations, before its amounts are read.
-- Returns { 'open' or 'shut' (they were opened for other data, or never), redis ms, identity of this Redis' data, seq }.

local mine = identity()
return { is_open(mine) and 'open' or 'shut', redis_ms(), mine, redis.call('HGET', KEYS[1], 'seq') or '0' }

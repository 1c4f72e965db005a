-- Reads the state of shards.
-- KEYS epoch and stream of each
-- Returns { state, identity of this Redis' data, entries in the stream, ms that the oldest has waited } of each.

local mine, now, states = identity(), redis_ms(), {}
for index = 1, #KEYS, 2 do
  local stream, waited = KEYS[index + 1], 0
  local length = redis.call('XLEN', stream)
  if length > 0 then
    local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1][1]
    waited = now - tonumber(string.match(oldest, '^%d+'))
  end
  states[#states + 1] = { (epoch_state(KEYS[index], mine)), mine, length, waited }
end
return states

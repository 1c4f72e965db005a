-- Counts distinct values, as many as there is room for. A HyperLogLog takes 12 KB however many it has counted.
-- KEYS[n] HyperLogLog of a field
-- ARGV[1] seconds for which a count is kept
-- ARGV[2...] per key: the most that it may count, how many values follow, the values (at most 1,000)
-- Returns per key the positions (from 0) of the values that found no room.

local lifetime = ARGV[1]
local at = 2
local refused = {}
for each, key in ipairs(KEYS) do
  local most, values = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local first, last = at + 2, at + 1 + values
  local full = {}
  if values > 0 and redis.call('PFCOUNT', key) + values <= most then
    redis.call('PFADD', key, unpack(ARGV, first, last))
  else
    for index = first, last do
      if #full == 0 and redis.call('PFCOUNT', key) < most then
        redis.call('PFADD', key, ARGV[index])
      else
        full[#full + 1] = index - first
      end
    end
  end
  if values > 0 then redis.call('EXPIRE', key, lifetime) end
  refused[each] = full
  at = last + 1
end
return refused

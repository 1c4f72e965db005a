-- Prelude of scripts that look at shards.

-- What a shard is for the data of this Redis, `mine`: 'open', 'shut' or 'held' (by a rebuild).
local function epoch_state(key, mine)
  local epoch = redis.call('GET', key)
  if epoch == mine then return 'open' end
  if epoch and string.sub(epoch, 1, 5) == 'held:' then return 'held' end
  return 'shut'
end

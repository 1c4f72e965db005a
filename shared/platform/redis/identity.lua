-- Prelude of scripts that must know whose data they meet, and when.

-- The data that this Redis holds: the replication history that it is in as a primary. Redis begins a new one whenever it
-- starts, and whenever a replica becomes a primary.
local function identity()
  local info = redis.call('INFO', 'replication')
  local history = string.find(info, '\nmaster_replid:', 1, true)
  return string.sub(info, history + 15, history + 54)
end

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Every digit of an integer: tostring() would keep 14.
local function int(number)
  return string.format('%.0f', number)
end

-- Prelude of scripts that must know whose data they meet, and when.

-- The data that this Redis holds: its process, and the replication history that the process is in. A restart changes
-- the first. A promotion changes the second, so that a process that was a replica in between is another one.
local function identity()
  local info = redis.call('INFO', 'server', 'replication')
  local process = string.find(info, '\nrun_id:', 1, true)
  local history = string.find(info, '\nmaster_replid:', 1, true)
  return string.sub(info, process + 8, process + 47) .. ' ' .. string.sub(info, history + 15, history + 54)
end

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Every digit of an integer: tostring() would keep 14.
local function int(number)
  return string.format('%.0f', number)
end

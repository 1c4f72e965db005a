-- Prelude of every script of an account: gate, time, and the account's state as it lies in its hash.
--
-- Account hash:
--   seq     number of ledger rows that this account has had; at: created_at of the last one (Unix s, never falls)
--   plan    name of the plan; anchor: where its months begin, for TypeScript to compute with
--   w, m    running window and month: "start,end,limit,left" (ms, ms, credits, credits); absent before the first spend
--   lots    paid and granted credits, next to be spent first: "p|g,left,expires_at ms or 0,lot id;" repeated
--   d:<token id>   "device id,HMAC of its token"; gone once revoked
--   x:<device id>  a revoked device, so that no late write brings it back

local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
end

-- A shard is open for the Redis process that it was opened for, and for no later one.
local function gate_is_open(key)
  return redis.call('GET', key) == run_id()
end

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Every digit of an integer: tostring() would keep 14.
local function int(number)
  return string.format('%.0f', number)
end

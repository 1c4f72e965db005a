-- Creates an account's record, changes its devices, or puts back what a Redis has lost.
-- KEYS[1] gate  KEYS[2] account
-- ARGV[1] operation:
--   'create'   ARGV[2..] field, value, …      nothing changes when the account is there
--   'device'   ARGV[2] token id  ARGV[3] device id  ARGV[4] HMAC of its token
--   'revoke'   ARGV[2] device id
--   'restore'  while the gate is shut only. ARGV[2] seq of the state, '' to keep the state that is there, 'force'
--              ARGV[3] number of fields and values that follow; then token id, device id, HMAC ('' = revoked) of each device
--              The first field is the plan, which is always set: a change may have left no row in stream and ledger.
-- Returns 'ok', or what is in the way: 'gate', 'missing' (no such account), 'revoked' (the device is).

local operation = ARGV[1]
local is_open = gate_is_open(KEYS[1])
if is_open == (operation == 'restore') then return 'gate' end

local exists = redis.call('EXISTS', KEYS[2]) == 1

local function put_device(token, device, hmac)
  if redis.call('HEXISTS', KEYS[2], 'x:' .. device) == 1 then return 'revoked' end
  redis.call('HSET', KEYS[2], 'd:' .. token, device .. ',' .. hmac)
  return 'ok'
end

if operation == 'create' then
  if not exists then redis.call('HSET', KEYS[2], unpack(ARGV, 2)) end
  return 'ok'
end

if operation == 'restore' then
  local count = tonumber(ARGV[3])
  local held = tonumber(redis.call('HGET', KEYS[2], 'seq') or '-1')
  local is_newer = ARGV[2] == 'force' or ARGV[2] ~= '' and tonumber(ARGV[2]) > held
  if not exists or is_newer then
    redis.call('HSET', KEYS[2], unpack(ARGV, 4, 3 + count))
  elseif redis.call('HGET', KEYS[2], ARGV[4]) ~= ARGV[5] then
    redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
  end
  for index = 4 + count, #ARGV, 3 do
    local token, device, hmac = ARGV[index], ARGV[index + 1], ARGV[index + 2]
    if hmac == '' then
      redis.call('HSET', KEYS[2], 'x:' .. device, '1')
      redis.call('HDEL', KEYS[2], 'd:' .. token)
    else
      put_device(token, device, hmac)
    end
  end
  return 'ok'
end

if not exists then return 'missing' end
if operation == 'device' then return put_device(ARGV[2], ARGV[3], ARGV[4]) end

if operation == 'revoke' then
  local fields = redis.call('HGETALL', KEYS[2])
  local mine = ARGV[2] .. ','
  redis.call('HSET', KEYS[2], 'x:' .. ARGV[2], '1')
  for index = 1, #fields, 2 do
    local is_device = string.sub(fields[index], 1, 2) == 'd:'
    if is_device and string.sub(fields[index + 1], 1, #mine) == mine then
      redis.call('HDEL', KEYS[2], fields[index])
    end
  end
  return 'ok'
end

return redis.error_reply('ERR no such operation')

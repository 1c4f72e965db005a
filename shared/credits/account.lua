-- Creates an account's record, or changes its devices.
-- KEYS[1] gate  KEYS[2] account
-- ARGV[1] operation:
--   'create'  ARGV[2..] field, value, …       nothing changes when the account is there
--   'device'  ARGV[2] token id  ARGV[3] device id  ARGV[4] HMAC of its token
--   'revoke'  ARGV[2] device id
-- Returns 'ok', or what is in the way: 'gate', 'missing' (no such account), 'revoked' (the device is).

if not gate_is_open(KEYS[1]) then return 'gate' end

local operation = ARGV[1]
local exists = redis.call('EXISTS', KEYS[2]) == 1

if operation == 'create' then
  if not exists then redis.call('HSET', KEYS[2], unpack(ARGV, 2)) end
  return 'ok'
end

if not exists then return 'missing' end

if operation == 'device' then
  if redis.call('HEXISTS', KEYS[2], 'x:' .. ARGV[3]) == 1 then return 'revoked' end
  redis.call('HSET', KEYS[2], 'd:' .. ARGV[2], ARGV[3] .. ',' .. ARGV[4])
  return 'ok'
end

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

-- Puts back an account that Redis has lost, while its shard is paused.
-- KEYS[1] epoch  KEYS[2] account
-- ARGV[1] '' or the rebuild that must hold the shard
-- ARGV[2] seq of the state: put when it is newer than what is there. '' keeps what is there and puts nothing in place of an
--         account that is missing, 'force' puts it always
-- ARGV[3] number of fields and values that follow. The first is the plan, which is always set: a change of it may have
--         left no row in stream and ledger
-- then token id, device id, HMAC of its token ('' = revoked) of each device
-- Returns 'ok', 'missing' (nothing was put: call again with the state of the ledger), or 'opened' when the shard is open or
-- another holds it.

local state, epoch = epoch_state(KEYS[1], identity())
if ARGV[1] == '' and state ~= 'paused' or ARGV[1] ~= '' and epoch ~= 'held:' .. ARGV[1] then return 'opened' end

local count = tonumber(ARGV[3])
local seq = redis.call('HGET', KEYS[2], 'seq')
if not seq and ARGV[2] == '' then return 'missing' end
local is_newer = ARGV[2] == 'force' or ARGV[2] ~= '' and tonumber(ARGV[2]) > tonumber(seq or '-1')
if not seq or is_newer then
  redis.call('HSET', KEYS[2], unpack(ARGV, 4, 3 + count))
elseif redis.call('HGET', KEYS[2], ARGV[4]) ~= ARGV[5] then
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
end
for index = 4 + count, #ARGV, 3 do
  local token, device, hmac = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  if hmac == '' then
    redis.call('HSET', KEYS[2], 'x:' .. device, '1')
    redis.call('HDEL', KEYS[2], 'd:' .. token)
  elseif redis.call('HEXISTS', KEYS[2], 'x:' .. device) == 0 then
    redis.call('HSET', KEYS[2], 'd:' .. token, device .. ',' .. hmac)
  end
end
return 'ok'

-- Prelude of every script that changes credits other than by a spend: their checks, and their writes at the end.
-- All checks come before the first write.
-- KEYS[1] epoch  KEYS[2] account  KEYS[3] idempotency record  KEYS[4] ledger stream
-- ARGV[1] now in ms, of a test clock only ('' = Redis TIME)
-- ARGV[2] hash of the idempotency key ('' = none)   ARGV[3] fingerprint   ARGV[4] s to keep the record
-- ARGV[5..] of the one script
-- Each returns { code, redis ms, … }:
--   paused · missing (no such account) · reused (the key, for something else) · none (nothing to change)
--   replay outcome · done outcome     "delta,bucket,reason,at"; '' without a key

local clock = redis_ms()
if not is_open(KEYS[1]) then return { 'paused', clock } end
local account = redis.call('HMGET', KEYS[2], 'seq', 'at', 'plan', 'w', 'm', 'lots')
if not account[1] then return { 'missing', clock } end

local now = ARGV[1] == '' and clock or tonumber(ARGV[1])
if ARGV[2] ~= '' then
  local fingerprint, known = read_record(KEYS[3], now)
  if fingerprint and fingerprint ~= ARGV[3] then return { 'reused', clock } end
  if fingerprint then return { 'replay', clock, known } end
end

local seq = tonumber(account[1])
local plan = account[3]
local window, month = account[4], account[5]
local lots = read_lots(account[6])
local rows = {}

local function add_lot(kind, id, expires, credits, reason)
  local lot = { kind = kind, left = credits, expires = expires, id = id }
  insert_lot(lots, lot)
  rows[#rows + 1] = row(BUCKET_OF[kind], credits, reason, nil, lot)
end

-- Writes the account as the script has changed it, with its rows. The outcome belongs to the idempotency key.
local function finish(delta, bucket, reason)
  if #rows == 0 and plan == account[3] then return { 'none', clock, '' } end
  -- A plan that changes no running period has no row, and so no time.
  local at = tonumber(account[2])
  if #rows > 0 then
    at = math.max(at, math.floor(now / 1000))
    local window_runs, window_left = read_period(window, now)
    local month_runs, month_left = read_period(month, now)
    local over = (window_runs and '' or 'window,') .. (month_runs and '' or 'monthly,')
    local balance = string.format('%.0f,%.0f,%.0f,%.0f', window_left, month_left, sum_lots(lots, 'p'), sum_lots(lots, 'g'))
    redis.call('XADD', KEYS[4], '*', 'account', string.match(KEYS[2], '[^:]+$'), 'seq', int(seq + 1), 'at', int(at),
      'rows', '[' .. table.concat(rows, ',') .. ']', 'idk', ARGV[2], 'fingerprint', ARGV[3], 'balance', balance, 'over', over)
  end
  local outcome = ''
  if ARGV[2] ~= '' then
    outcome = int(delta) .. ',' .. bucket .. ',' .. reason .. ',' .. int(at)
    write_record(KEYS[3], ARGV[3], at, ARGV[4], outcome)
  end
  redis.call('HSET', KEYS[2], 'seq', int(seq + #rows), 'at', int(at), 'plan', plan, 'w', window, 'm', month,
    'lots', write_lots(lots))
  return { 'done', clock, outcome }
end

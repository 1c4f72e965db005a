-- Changes an account's credits other than by a spend. All checks come before the first write.
-- KEYS[1] gate  KEYS[2] account  KEYS[3] answer of the idempotency key  KEYS[4] outbox
-- ARGV[1] now in ms, of a test clock only ('' = Redis TIME)
-- ARGV[2] hash of the idempotency key ('' = none)   ARGV[3] fingerprint   ARGV[4] ms to keep the answer
-- ARGV[5] operation:
--   'lot'     ARGV[6] paid|granted  ARGV[7] reason  ARGV[8] credits  ARGV[9] expires (ms, 0 = never)  ARGV[10] lot id
--   'refund'  ARGV[6] bucket of the spend  ARGV[7] start of its window or month  ARGV[8], ARGV[9] its lot: id, expires
--             ARGV[10] when that is over, a granted credit comes back that expires then (ms, 0 = never)
--   'expire'  takes out what has expired
--   'plan'    ARGV[6] name  ARGV[7] plans: what a running period has left follows the plan, what was used stays used
--   'adjust'  ARGV[6] bucket  ARGV[7] delta: a row that makes the ledger add up; no balance changes
-- Returns { code, redis ms, … }: gate · missing · reused · lots (too many) · none (nothing to change)
--   replay answer · done answer

local MOST_LOTS = 100

local clock = redis_ms()
if not gate_is_open(KEYS[1]) then return { 'gate', clock } end
local account = redis.call('HMGET', KEYS[2], 'seq', 'at', 'plan', 'w', 'm', 'lots')
if not account[1] then return { 'missing', clock } end

local now = ARGV[1] == '' and clock or tonumber(ARGV[1])
local stored = ARGV[2] ~= '' and redis.call('GET', KEYS[3])
if stored then
  local fingerprint, expires, answer = string.match(stored, '^([^\n]*)\n(%d+)\n(.*)$')
  if tonumber(expires) * 1000 > now then
    if fingerprint ~= ARGV[3] then return { 'reused', clock } end
    return { 'replay', clock, answer }
  end
end

local operation = ARGV[5]
local seq = tonumber(account[1])
local rows = {}
local plan = account[3]
local window, month = account[4], account[5]
local lots = read_lots(account[6])

local function add_lot(kind, id, expires, credits, reason)
  local lot = { kind = kind, left = credits, expires = expires, id = id }
  insert_lot(lots, lot)
  rows[#rows + 1] = row(BUCKET_OF[kind], credits, reason, nil, lot)
end

-- Into its own lot, else into one of the same expiry: a list of many lots would make every spend slow.
local function refund_lot(kind, id, expires)
  local found
  for _, lot in ipairs(lots) do
    if lot.kind == kind and (lot.id == id or not found and lot.expires == expires) then found = lot end
  end
  if not found then return add_lot(kind, id, expires, 1, 'credit.refund') end
  found.left = found.left + 1
  rows[#rows + 1] = row(BUCKET_OF[kind], 1, 'credit.refund', nil, found)
end

-- A running period under another limit: used stays used, also what is more than the new limit, and nothing falls below
-- 0. So limit - left is what was used, whatever plans came and went.
local function follow_limit(text, bucket, limit)
  local period = read_period(text, now)
  if not period then return text end
  local used = period.limit - period.left
  local left = math.max(0, limit - used)
  local delta = left - period.left
  if delta == 0 then return text end
  period.limit, period.left = used + left, left
  rows[#rows + 1] = row(bucket, delta, 'credit.adjust', period)
  return write_period(period)
end

-- Into the period that it came from while that runs.
local function refund_period(text, bucket)
  local period = read_period(text, now)
  if not period or int(period.from) ~= ARGV[7] or period.left >= period.limit then return nil end
  period.left = period.left + 1
  rows[#rows + 1] = row(bucket, 1, 'credit.refund')
  return write_period(period)
end

local bucket, delta = ARGV[6], nil
if operation == 'lot' then
  if #lots >= MOST_LOTS then return { 'lots', clock } end
  delta = tonumber(ARGV[8])
  add_lot(string.sub(bucket, 1, 1), ARGV[10], tonumber(ARGV[9]), delta, ARGV[7])
elseif operation == 'refund' then
  delta = 1
  local refunded
  if bucket == 'window' then
    refunded = refund_period(window, bucket)
    window = refunded or window
  elseif bucket == 'monthly' then
    refunded = refund_period(month, bucket)
    month = refunded or month
  elseif ARGV[9] == '0' or tonumber(ARGV[9]) > now then
    refund_lot(string.sub(bucket, 1, 1), ARGV[8], tonumber(ARGV[9]))
    refunded = true
  end
  if not refunded then
    bucket = 'granted'
    refund_lot('g', 'refund-' .. int(seq + 1), tonumber(ARGV[10]))
  end
elseif operation == 'expire' then
  lots = expire_lots(lots, now, rows)
elseif operation == 'plan' then
  local window_credits, _, monthly_credits = read_plan(ARGV[7], ARGV[6])
  plan = ARGV[6]
  window = follow_limit(window, 'window', window_credits)
  month = follow_limit(month, 'monthly', monthly_credits)
elseif operation == 'adjust' then
  delta = tonumber(ARGV[7])
  rows[#rows + 1] = row(bucket, delta, 'credit.adjust')
else
  return redis.error_reply('ERR no such operation')
end

if #rows == 0 and plan == account[3] then return { 'none', clock } end

-- A plan that changes no running period has no row, and so no time.
local at = tonumber(account[2])
if #rows > 0 then at = math.max(at, math.floor(now / 1000)) end
local answer, expires = '', '0'
if ARGV[2] ~= '' then
  local reason = operation == 'lot' and ARGV[7] or 'credit.' .. operation
  expires = int(math.floor((now + tonumber(ARGV[4])) / 1000))
  answer = '{"delta":' .. int(delta) .. ',"bucket":"' .. bucket .. '","reason":"' .. reason
    .. '","created_at":' .. int(at) .. '}'
end
if #rows > 0 then
  redis.call('XADD', KEYS[4], '*', 'account', string.match(KEYS[2], '[^:]+$'), 'seq', int(seq + 1), 'at', int(at),
    'rows', '[' .. table.concat(rows, ',') .. ']', 'idk', ARGV[2], 'fingerprint', ARGV[3], 'device', '',
    'answer', answer, 'expires', expires)
end
if ARGV[2] ~= '' then
  redis.call('SET', KEYS[3], ARGV[3] .. '\n' .. expires .. '\n' .. answer, 'PX', ARGV[4])
end
redis.call('HSET', KEYS[2], 'seq', int(seq + #rows), 'at', int(at), 'plan', plan, 'w', window, 'm', month,
  'lots', write_lots(lots))
return { 'done', clock, answer }

-- Spends one credit, or says why not. All checks come before the first write; the first write is the one that grows.
-- KEYS[1] epoch  KEYS[2] account  KEYS[3] idempotency record  KEYS[4] ledger stream
-- ARGV[1] now in ms, of a test clock only ('' = Redis TIME)      ARGV[2] refuse after this Redis time (ms)
-- ARGV[3] token id        ARGV[4] HMAC of the token
-- ARGV[5] fingerprint of the request                             ARGV[6] hash of the idempotency key
-- ARGV[7] bucket that the receipt names ('?' = none yet, ask which; '' = none to be had: answer repeats only)
-- ARGV[8] receipt         ARGV[9], ARGV[10] start and end of the present month ('' = not known)
-- ARGV[11] plans          ARGV[12] s to keep the record          ARGV[13] entries that the stream may hold
-- Returns { code, redis ms, … }:
--   late · shut · token                       refused, nothing written
--   replay   seq of its row, field, value …   this was answered before; without fields its entry is in the ledger
--   reused                                    the key was used for something else
--   unsigned                                  no receipt was given
--   month    anchor, device, org, user        call again with the present month
--   empty    window end, month end            no credits ('' where a bucket never has any)
--   full                                      the stream is
--   bucket   bucket, window end, month start, month end, anchor, device, org, user   the receipt must name this bucket
--   spent    balance, at, next bucket, window end, month start, month end       "window,monthly,paid,granted"; Unix s

local clock = redis_ms()
if clock > tonumber(ARGV[2]) then return { 'late', clock } end
if not is_open(KEYS[1]) then return { 'shut', clock } end

local account = redis.call('HMGET', KEYS[2], 'd:' .. ARGV[3], 'seq', 'at', 'plan', 'anchor', 'w', 'm', 'lots',
  'org', 'user')
local device, hmac = string.match(account[1] or '', '^([^,]+),(%x+)$')
if not device or hmac ~= ARGV[4] then return { 'token', clock } end

local now = ARGV[1] == '' and clock or tonumber(ARGV[1])
local fingerprint, known = read_record(KEYS[3], now)
if fingerprint then
  if fingerprint ~= ARGV[5] then return { 'reused', clock } end
  local seq, entry = string.match(known, '^(%d+),(.*)$')
  local found = entry ~= '' and redis.call('XRANGE', KEYS[4], entry, entry)[1]
  return { 'replay', clock, seq, unpack(found and found[2] or {}) }
end
if ARGV[7] == '' then return { 'unsigned', clock } end

-- What there is now: a period that is over counts as full again, an expired lot as gone.
local rows = {}
local anchor = account[5]
local window, window_rest = read_period(account[6], now)
local month, month_rest = read_period(account[7], now)
local window_credits, window_ms, monthly_credits
if not window or not month then window_credits, window_ms, monthly_credits = read_plan(ARGV[11], account[4]) end
if not window and (window_credits > 0 or window_rest > 0) then
  window = { from = now, to = now + window_ms, limit = window_credits, left = window_credits }
  rows[#rows + 1] = row('window', window.left - window_rest, 'window.reset', window)
end
if not month and (monthly_credits > 0 or month_rest > 0) then
  local from, to = tonumber(ARGV[9]), tonumber(ARGV[10])
  if not from or now < from or now >= to then return { 'month', clock, anchor, device, account[9], account[10] } end
  month = { from = from, to = to, limit = monthly_credits, left = monthly_credits }
  rows[#rows + 1] = row('monthly', month.left - month_rest, 'monthly.reset', month)
end
local resets = #rows
local lots = expire_lots(read_lots(account[8]), now, rows)
local has_expired = #rows > resets
local left = {
  window = window and window.left or 0,
  monthly = month and month.left or 0,
  paid = sum_lots(lots, 'p'),
  granted = sum_lots(lots, 'g'),
}

local function first_bucket()
  return left.window > 0 and 'window' or left.monthly > 0 and 'monthly' or left.paid > 0 and 'paid'
    or left.granted > 0 and 'granted' or nil
end

local window_end = window and int(window.to) or ''
local month_start = month and int(month.from) or ''
local month_end = month and int(month.to) or ''
local bucket = first_bucket()
if not bucket then return { 'empty', clock, window_end, month_end } end
if redis.call('XLEN', KEYS[4]) >= tonumber(ARGV[13]) then return { 'full', clock } end
if bucket ~= ARGV[7] then
  return { 'bucket', clock, bucket, window_end, month_start, month_end, anchor, device, account[9], account[10] }
end

-- Spend.
local lot
left[bucket] = left[bucket] - 1
if bucket == 'window' then
  window.left = window.left - 1
elseif bucket == 'monthly' then
  month.left = month.left - 1
else
  local kind = string.sub(bucket, 1, 1)
  local index = 1
  while lots[index].kind ~= kind do index = index + 1 end
  lot = lots[index]
  lot.left = lot.left - 1
  if lot.left == 0 then table.remove(lots, index) end
end
rows[#rows + 1] = row(bucket, -1, 'receipt', nil, lot)

local seq = tonumber(account[2])
local at = math.max(tonumber(account[3]), math.floor(now / 1000))
local balance = string.format('%.0f,%.0f,%.0f,%.0f', left.window, left.monthly, left.paid, left.granted)

local entry = redis.call('XADD', KEYS[4], '*', 'account', string.match(KEYS[2], '[^:]+$'), 'seq', int(seq + 1),
  'at', int(at), 'rows', '[' .. table.concat(rows, ',') .. ']', 'idk', ARGV[6], 'fingerprint', ARGV[5], 'device', device,
  'balance', balance, 'receipt', ARGV[8])
-- The receipt lies in the entry, and then in the ledger: a repeat finds it by these two.
write_record(KEYS[3], ARGV[5], at, ARGV[12], int(seq + #rows) .. ',' .. entry)
local fields = { 'seq', int(seq + #rows), 'at', int(at) }
local function put(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
end
if window and (bucket == 'window' or resets > 0) then put('w', write_period(window)) end
if month and (bucket == 'monthly' or resets > 0) then put('m', write_period(month)) end
if lot or has_expired then put('lots', write_lots(lots)) end
redis.call('HSET', KEYS[2], unpack(fields))
return { 'spent', clock, balance, int(at), first_bucket() or bucket, window_end, month_start, month_end }

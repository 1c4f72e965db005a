-- Spends one credit each for callers that ask at the same time, or answers why not. The spends are independent: all checks of
-- one come before its first write, which is the one that grows, and a failure there fails no other spend.
-- ARGV[1] now in ms, of a test clock only ('' = Redis TIME)      ARGV[2] plans
-- ARGV[3] s to keep a record                                     ARGV[4] entries that a stream may hold
-- Then 4 KEYS and 9 ARGV of each spend:
--   key      epoch, account, idempotency record, ledger stream
--   arg      refuse after this Redis time (ms), token id, HMAC of the token, fingerprint of the request,
--            hash of the idempotency key,
--            bucket that the receipt names ('?' = none yet, ask which; '' = none to be had: answer repeats only),
--            receipt, start and end of the present month ('' = not known)
-- Returns { redis ms, { code, … } of each spend }:
--   late · paused · token                       refused, nothing written
--   replay   seq of its row, field, value …   this was answered before; without fields its entry is in the ledger
--   reused                                    the key was used for something else
--   unsigned                                  no receipt was given
--   month    anchor, device, org, user        call again with the present month
--   empty    window end, month end            no credits ('' where the plan gives none)
--   full                                      the stream is
--   bucket   bucket, window end, month start, month end, anchor, device, org, user   the receipt must name this bucket
--   failed   why                              Redis refused to write it
--   spent    balance, at, next bucket, window end, month start, month end       "window,monthly,paid,granted"; Unix s

local clock, mine = redis_ms(), identity()
local now = ARGV[1] == '' and clock or tonumber(ARGV[1])
local plans, kept_s, most_entries = ARGV[2], ARGV[3], tonumber(ARGV[4])

-- The credits of an account now: a period that is over counts as full again, an expired lot as gone. Nil without the month.
local function credits_now(plan, window_text, month_text, lots_text, from, to)
  local rows = {}
  local window, window_rest = read_period(window_text, now)
  local month, month_rest = read_period(month_text, now)
  local window_credits, window_ms, monthly_credits
  if not window or not month then window_credits, window_ms, monthly_credits = read_plan(plans, plan) end
  if not window and (window_credits > 0 or window_rest > 0) then
    window = { from = now, to = now + window_ms, limit = window_credits, left = window_credits }
    rows[1] = row('window', window.left - window_rest, 'window.reset', window)
  end
  if not month and (monthly_credits > 0 or month_rest > 0) then
    if not from or now < from or now >= to then return nil end
    month = { from = from, to = to, limit = monthly_credits, left = monthly_credits }
    rows[#rows + 1] = row('monthly', month.left - month_rest, 'monthly.reset', month)
  end
  local resets = #rows
  local lots = expire_lots(read_lots(lots_text), now, rows)
  return {
    rows = rows, has_reset = resets > 0, has_expired = #rows > resets,
    period = { window = window, monthly = month }, lots = lots,
    window = window and window.left or 0, monthly = month and month.left or 0,
    paid = sum_lots(lots, 'p'), granted = sum_lots(lots, 'g'),
  }
end

local function first_bucket(credits)
  return credits.window > 0 and 'window' or credits.monthly > 0 and 'monthly' or credits.paid > 0 and 'paid'
    or credits.granted > 0 and 'granted' or nil
end

-- Takes one credit of a bucket that has one, with its row. Returns the lot that it came from.
local function take(credits, bucket)
  credits[bucket] = credits[bucket] - 1
  local period, lot = credits.period[bucket], nil
  if period then
    period.left = period.left - 1
  else
    local kind, index = string.sub(bucket, 1, 1), 1
    while credits.lots[index].kind ~= kind do index = index + 1 end
    lot = credits.lots[index]
    lot.left = lot.left - 1
    if lot.left == 0 then table.remove(credits.lots, index) end
  end
  credits.rows[#credits.rows + 1] = row(bucket, -1, 'receipt', nil, lot)
  return lot
end

-- The fields of an account that a spend has changed.
local function changed_fields(credits, bucket, lot, seq, at)
  local fields = { 'seq', seq, 'at', at }
  local function put(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  local window, month = credits.period.window, credits.period.monthly
  if window and (bucket == 'window' or credits.has_reset) then put('w', write_period(window)) end
  if month and (bucket == 'monthly' or credits.has_reset) then put('m', write_period(month)) end
  if lot or credits.has_expired then put('lots', write_lots(credits.lots)) end
  return fields
end

local function spend(key, arg)
  local epoch, account_key, record, stream = unpack(KEYS, key, key + 3)
  local deadline, token, token_hmac, fingerprint, idk, named, receipt, from, to = unpack(ARGV, arg, arg + 8)
  if clock > tonumber(deadline) then return { 'late' } end
  if redis.call('GET', epoch) ~= mine then return { 'paused' } end

  local account = redis.call('HMGET', account_key, 'd:' .. token, 'seq', 'at', 'plan', 'w', 'm', 'lots')
  local device, hmac = string.match(account[1] or '', '^([^,]+),(%x+)$')
  if not device or hmac ~= token_hmac then return { 'token' } end

  local known_fingerprint, known = read_record(record, now)
  if known_fingerprint then
    if known_fingerprint ~= fingerprint then return { 'reused' } end
    local seq, entry = string.match(known, '^(%d+),(.*)$')
    local found = entry ~= '' and redis.call('XRANGE', stream, entry, entry)[1]
    return { 'replay', seq, unpack(found and found[2] or {}) }
  end
  if named == '' then return { 'unsigned' } end

  local function with_identity(...)
    local reply = { ... }
    local identity = redis.call('HMGET', account_key, 'anchor', 'org', 'user')
    for _, value in ipairs({ identity[1], device, identity[2], identity[3] }) do reply[#reply + 1] = value end
    return reply
  end
  local credits = credits_now(account[4], account[5], account[6], account[7], tonumber(from), tonumber(to))
  if not credits then return with_identity('month') end
  local window, month = credits.period.window, credits.period.monthly
  local window_end = window and int(window.to) or ''
  local month_start, month_end = month and int(month.from) or '', month and int(month.to) or ''
  local bucket = first_bucket(credits)
  if not bucket then
    local window_credits, _, monthly_credits = read_plan(plans, account[4])
    return { 'empty', window_credits > 0 and window_end or '', monthly_credits > 0 and month_end or '' }
  end
  if redis.call('XLEN', stream) >= most_entries then return { 'full' } end
  if bucket ~= named then return with_identity('bucket', bucket, window_end, month_start, month_end) end

  local lot = take(credits, bucket)
  local first_seq, last_seq = int(account[2] + 1), int(account[2] + #credits.rows)
  local at = int(math.max(tonumber(account[3]), math.floor(now / 1000)))
  local balance = string.format('%.0f,%.0f,%.0f,%.0f', credits.window, credits.monthly, credits.paid, credits.granted)
  local entry = redis.call('XADD', stream, '*', 'account', string.match(account_key, '[^:]+$'), 'seq', first_seq, 'at', at,
    'rows', '[' .. table.concat(credits.rows, ',') .. ']', 'idk', idk, 'fingerprint', fingerprint, 'device', device,
    'balance', balance, 'receipt', receipt)
  -- The receipt lies in the entry, and then in the ledger: a repeat finds it by these two.
  write_record(record, fingerprint, at, kept_s, last_seq .. ',' .. entry)
  redis.call('HSET', account_key, unpack(changed_fields(credits, bucket, lot, last_seq, at)))
  return { 'spent', balance, at, first_bucket(credits) or bucket, window_end, month_start, month_end }
end

local replies = { clock }
for index = 0, #KEYS / 4 - 1 do
  local ok, reply = pcall(spend, 4 * index + 1, 9 * index + 5)
  replies[index + 2] = ok and reply or { 'failed', type(reply) == 'table' and reply.err or tostring(reply) }
end
return replies

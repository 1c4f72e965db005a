-- Prelude of every script of the meter, behind identity.lua: the shard epoch, and an account's state as it lies in its hash.
--
-- Account hash:
--   seq     number of ledger rows that this account has had; at: created_at of the last one (Unix s, never falls)
--   plan    name of the plan; anchor: where its months begin, for TypeScript to compute with
--   w, m    running window and month: "start,end,limit,left" (ms, ms, credits, credits); all 0 before the first spend
--   lots    paid and granted credits, next to be spent first: "p|g,left,expires_at ms or 0,lot id;" repeated
--   d:<token id>   "device id,HMAC of its token"; gone once revoked
--   x:<device id>  a revoked device, so that no late write brings it back

-- The state of a shard for the data of this Redis, `mine`: 'open', 'held' (by a rebuild) or 'paused'; and its epoch.
local function epoch_state(key, mine)
  local epoch = redis.call('GET', key)
  local is_held = epoch and string.sub(epoch, 1, 5) == 'held:'
  return epoch == mine and 'open' or is_held and 'held' or 'paused', epoch
end

local function is_open(key)
  return redis.call('GET', key) == identity()
end

-- A period "start,end,limit,left" that contains `now`, or nil when it is over or never began; and the credits left in it.
local function read_period(text, now)
  if not text then return nil, 0 end
  local from, to, limit, left = string.match(text, '(%d+),(%d+),(%d+),(%d+)')
  local period = { from = tonumber(from), to = tonumber(to), limit = tonumber(limit), left = tonumber(left) }
  if now >= period.to then return nil, period.left end
  return period, period.left
end

local function write_period(period)
  return string.format('%.0f,%.0f,%.0f,%.0f', period.from, period.to, period.limit, period.left)
end

local BUCKET_OF = { p = 'paid', g = 'granted' }

local function read_lots(text)
  local lots = {}
  for kind, left, expires, id in string.gmatch(text or '', '([pg]),(%d+),(%d+),([^;]+);') do
    lots[#lots + 1] = { kind = kind, left = tonumber(left), expires = tonumber(expires), id = id }
  end
  return lots
end

local function write_lots(lots)
  local parts = {}
  for index, lot in ipairs(lots) do
    parts[index] = lot.kind .. ',' .. int(lot.left) .. ',' .. int(lot.expires) .. ',' .. lot.id .. ';'
  end
  return table.concat(parts)
end

local function is_live(lot, now)
  return lot.expires == 0 or lot.expires > now
end

-- One ledger row as JSON. `period` for rows that open or change one, `lot` for rows of paid and granted credits.
local function row(bucket, delta, reason, period, lot)
  local text = '{"bucket":"' .. bucket .. '","delta":' .. int(delta) .. ',"reason":"' .. reason .. '"'
  if period then
    text = text .. ',"period":[' .. int(period.from) .. ',' .. int(period.to) .. ',' .. int(period.limit) .. ']'
  end
  if lot then text = text .. ',"lot":["' .. lot.id .. '",' .. int(lot.expires) .. ']' end
  return text .. '}'
end

-- Writes off the expired ones of `lots`, with their rows. Returns the lots that are left.
local function expire_lots(lots, now, rows)
  local kept = {}
  for _, lot in ipairs(lots) do
    if is_live(lot, now) then
      kept[#kept + 1] = lot
    else
      rows[#rows + 1] = row(BUCKET_OF[lot.kind], -lot.left, 'credit.expire', nil, lot)
    end
  end
  return kept
end

-- Soonest expiry first; of equals, the older first. As `insertLot` in replay.ts.
local function insert_lot(lots, lot)
  local index = 1
  while lots[index] and (lots[index].expires ~= 0 and (lot.expires == 0 or lots[index].expires <= lot.expires)
    or lots[index].expires == 0 and lot.expires == 0) do
    index = index + 1
  end
  table.insert(lots, index, lot)
end

local function sum_lots(lots, kind)
  local sum = 0
  for _, lot in ipairs(lots) do
    if lot.kind == kind then sum = sum + lot.left end
  end
  return sum
end

-- Credits and length of a plan: "free=20,18000000,200;team=…" (window credits, window ms, monthly credits).
local function read_plan(plans, name)
  local window, length, monthly = string.match(plans, name .. '=(%d+),(%d+),(%d+);')
  return tonumber(window), tonumber(length), tonumber(monthly)
end

-- The answer that an idempotency key had: fingerprint, outcome. Nil when there is none, or it has expired.
local function read_record(key, now)
  local record = redis.call('GET', key)
  if not record then return nil end
  local fingerprint, expires, outcome = string.match(record, '^([^\n]*)\n(%d+)\n(.*)$')
  if tonumber(expires) * 1000 <= now then return nil end
  return fingerprint, outcome
end

local function write_record(key, fingerprint, at, kept_s, outcome)
  redis.call('SET', key, fingerprint .. '\n' .. int(at + kept_s) .. '\n' .. outcome, 'EX', kept_s)
end

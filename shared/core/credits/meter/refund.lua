-- Gives one spent credit back: to where it came from while that runs, else as a granted one. Begins with change.lua.
-- ARGV[5] bucket of the spend   ARGV[6] start of its window or month (ms)
-- ARGV[7], ARGV[8] its lot: id, expires (ms, 0 = never)
-- ARGV[9] when that is over, the granted credit that comes back expires then (ms, 0 = never)
-- Returns as change.lua.

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

-- Into the period that it came from. Returns nil when that is over, or holds as much as it may.
local function refund_period(text, bucket)
  local period = read_period(text, now)
  if not period or int(period.from) ~= ARGV[6] or period.left >= period.limit then return nil end
  period.left = period.left + 1
  rows[#rows + 1] = row(bucket, 1, 'credit.refund')
  return write_period(period)
end

local bucket, lot_expires = ARGV[5], tonumber(ARGV[8])
local refunded
if bucket == 'window' then
  refunded = refund_period(window, bucket)
  window = refunded or window
elseif bucket == 'monthly' then
  refunded = refund_period(month, bucket)
  month = refunded or month
elseif lot_expires == 0 or lot_expires > now then
  refund_lot(string.sub(bucket, 1, 1), ARGV[7], lot_expires)
  refunded = true
end
if not refunded then
  bucket = 'granted'
  refund_lot('g', 'refund-' .. int(seq + 1), tonumber(ARGV[9]))
end
return finish(1, bucket, 'credit.refund')

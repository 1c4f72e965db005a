-- Puts an account on a plan: the credits left in a running period follow the plan, used credits stay used. Begins with
-- change.lua.
-- ARGV[5] name of the plan  ARGV[6] plans
-- Returns as change.lua.

-- A running period under another limit: used stays used, also beyond the new limit, and nothing falls below 0. So
-- limit - left is the used part, whatever plans came and went.
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

local window_credits, _, monthly_credits = read_plan(ARGV[6], ARGV[5])
plan = ARGV[5]
window = follow_limit(window, 'window', window_credits)
month = follow_limit(month, 'monthly', monthly_credits)
return finish()

-- Ends a reservation now; of one that is not known nothing happens.
-- ARGV[1] id
-- Returns { 'shut' or 'released', redis ms }.

local now = redis_ms()
if not is_open(identity()) then return { 'shut', now } end
end_now(ARGV[1], now)
return { 'released', now }

-- Ends a reservation that is not used; one that is unknown or has ended is ignored.
-- ARGV[1] id
-- Returns { 'shut' or 'released', redis ms }.

local now = redis_ms()
if not is_open(identity()) then return { 'shut', now } end
local reservation = read_reservation(ARGV[1])
if reservation then release(ARGV[1], reservation, now) end
return { 'released', now }

-- Ends a reservation that is not used; one that is unknown, has ended or is another user's is ignored.
-- ARGV[1] id
-- ARGV[2] the user whose it must be; empty: anybody's
-- Returns { 'shut', redis ms } or { 'released', redis ms, 'was open' or 'was not' }.

local now = redis_ms()
if not is_open(identity()) then return { 'shut', now } end
local reservation = read_reservation(ARGV[1])
local is_own = reservation and (ARGV[2] == '' or reservation.user == ARGV[2])
local was_open = is_own and release(ARGV[1], reservation, now)
return { 'released', now, was_open and 'was open' or 'was not' }

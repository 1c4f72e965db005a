-- Adds rows that make the ledger add up to the balance; the balance stays. Adds none when the account has changed since the
-- two were compared. Begins with change.lua.
-- ARGV[5] seq of the account when they were compared   ARGV[6..] bucket and delta of each row
-- Returns as change.lua.

if int(seq) == ARGV[5] then
  for index = 6, #ARGV, 2 do rows[#rows + 1] = row(ARGV[index], tonumber(ARGV[index + 1]), 'credit.adjust') end
end
return finish()

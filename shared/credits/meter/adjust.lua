-- Adds a row that makes the ledger add up to the balance; the balance stays. Begins with change.lua.
-- ARGV[5] bucket  ARGV[6] delta
-- Returns as change.lua.

rows[#rows + 1] = row(ARGV[5], tonumber(ARGV[6]), 'credit.adjust')
return finish()

-- Writes off the lots that have expired. Begins with change.lua. Returns as change.lua.

lots = expire_lots(lots, now, rows)
return finish()

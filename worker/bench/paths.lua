-- wrk: requests the paths bench-0, bench-1, … in turn, so that all of a large set is used.

local count, at = 1, 0

function init(args)
  count = tonumber(args[1])
end

function request()
  at = (at + 1) % count
  return wrk.format("GET", "/bench-" .. at .. "/item")
end

-- Sends a different token with each request: the lines of a file, in turn.

local tokens = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do tokens[#tokens + 1] = line end
end

function request()
  at = at % #tokens + 1
  return wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. tokens[at] })
end

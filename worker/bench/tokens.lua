-- Sends a different token with each request: the lines of a file, in turn. The next run goes on where this one ended,
-- so that a token comes back only after all others.

local tokens = {}
local threads = {}

function setup(thread) threads[#threads + 1] = thread end

function init(args)
  file = args[1]
  for line in io.lines(file) do tokens[#tokens + 1] = line end
  local position = io.open(file .. ".position")
  at = position and position:read("*n") or 0
  if position then position:close() end
end

function request()
  at = at % #tokens + 1
  return wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. tokens[at] })
end

function done()
  local position = io.open(threads[1]:get("file") .. ".position", "w")
  position:write(threads[1]:get("at"))
  position:close()
end

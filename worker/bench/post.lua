-- Sends the contents of a file as a JSON body.

function init(args)
  local file = io.open(args[1])
  wrk.body = file:read("*a")
  file:close()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
end

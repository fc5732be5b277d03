-- Creates keys, one per request.

function init()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = '{"alias":"bench","org_id":"bench","rate":1000,"per":1,"quota_max":100000,"quota_renewal_rate":3600,'
    .. '"tags":["bench"],"access_rights":{"bench-1":{"api_id":"bench-1","api_name":"Bench API 1","versions":["Default"]}}}'
end

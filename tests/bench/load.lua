-- wrk's part: takes turns over the requests of a file, and stops asking a little before wrk stops listening, so that
-- every request that was sent has its answer in the count.
local ffi = require("ffi")
ffi.cdef [[ typedef struct { long sec; long usec; } clock_now; int gettimeofday(clock_now *, void *); ]]
local clock = ffi.new("clock_now")
local requests, turn, stop_at, sent = {}, 0, nil, 0

local function now()
    ffi.C.gettimeofday(clock, nil)
    return tonumber(clock.sec) + tonumber(clock.usec) / 1e6
end

function init(args)
    local file = assert(io.open(args[1], "rb"))
    local text = file:read("*a")
    file:close()
    for request in text:gmatch("([^\30]+)\30") do requests[#requests + 1] = request end
    seconds = tonumber(args[2])
end

function delay()
    stop_at = stop_at or now() + seconds
    return now() < stop_at and 0 or 3600000
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format("RESULT %d %d %d %.3f %.3f\n", summary.requests, errors.status, failed,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end

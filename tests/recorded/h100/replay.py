"""Replays a trace through MXNet's own GPU pool. TRACE SCALE OUT [FREE_GB] ; settings by environment."""
import ctypes, gzip, json, os, sys, time
trace, scale, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
limit = float(sys.argv[4]) if len(sys.argv) > 4 else None
rt = ctypes.CDLL(os.environ['REAL_CUDART'])
def memory():
    f, t = ctypes.c_size_t(), ctypes.c_size_t(); rt.cudaMemGetInfo(ctypes.byref(f), ctypes.byref(t)); return f.value, t.value
import mxnet as mx
g = mx.gpu(0)
class C(ctypes.Structure): _fields_ = [(n, ctypes.c_uint64) for n in 'mallocs frees failed malloc_ns free_ns held'.split()]
c = C.in_dll(ctypes.CDLL(None), 'cuda_counters')
wait = mx.nd.waitall if os.environ.get('REPLAY_WAIT', '1') == '1' else (lambda: None)
first = mx.nd.empty((1,), dtype='uint8', ctx=g); del first; mx.nd.waitall()
before = memory(); hold = []
if limit:
    rest = before[0] - int(limit * 2**30)
    p = ctypes.c_void_p(); assert rt.cudaMalloc(ctypes.byref(p), ctypes.c_size_t(rest)) == 0, rest
events = [(w[0] == 'a', int(w[1]), int(w[2]) * scale if w[0] == 'a' else 0) for w in map(str.split, open(trace))]
live = peak_live = peak_held = 0; arrays = {}; sizes = {}; rows = []; failure = None; last = -1
start = time.perf_counter(); free0 = memory()[0]; low = free0; m0 = c.malloc_ns; f0 = c.free_ns; held0 = c.held; n0 = c.mallocs
for i, (alloc, k, n) in enumerate(events):
    try:
        if alloc:
            arrays[k] = mx.nd.empty((n,), dtype='uint8', ctx=g) if n < 2**31 else mx.nd.empty((n // 8 + 1,), dtype='float64', ctx=g); sizes[k] = n; live += n
        elif k in arrays:
            del arrays[k]; live -= sizes.pop(k); wait()
    except Exception as e:
        failure = dict(event=i, size=n, live=live, held=c.held, free=memory()[0], words=str(e).strip().splitlines()[-1]); break
    peak_live = max(peak_live, live); peak_held = max(peak_held, c.held)
    calls = c.mallocs * 10**9 + c.frees
    if calls != last or i % 500 == 0:
        f = memory()[0]; low = min(low, f); rows.append((i, live, c.held, c.mallocs, c.frees, c.failed, f)); last = calls
seconds = time.perf_counter() - start
mx.nd.waitall(); settings = {k: v for k, v in os.environ.items() if k.startswith('MXNET_')}
summary = dict(name=os.path.basename(out), waits=os.environ.get('REPLAY_WAIT', '1'), trace=os.path.basename(trace), scale=scale, limit_gb=limit, settings=settings, events=len(events), seconds=seconds,
  malloc_seconds=(c.malloc_ns - m0) / 1e9, free_seconds=(c.free_ns - f0) / 1e9, mallocs=c.mallocs, frees=c.frees, failed=c.failed, peak_live=peak_live, peak_held=peak_held,
  end_live=live, end_held=c.held, held_before=held0, mallocs_before=n0, free_before=free0, lowest_free=low, total=before[1], failure=failure)
json.dump(dict(summary, rows=rows), gzip.open(out + '.json.gz', 'wt'))
print(json.dumps(summary))

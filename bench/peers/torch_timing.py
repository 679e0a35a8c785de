"""What the PyTorch peers share: times that include the work of the device, peak memory, and the flags for where and how to run."""
import resource
import statistics
import time

import torch


def add_device_flags(parser):
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="default: float32, on a GPU bfloat16")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads (default: PyTorch's choice)")


def prepare(a):
    """Fills in what depends on the device, and makes the run repeatable."""
    a.dtype = a.dtype or ("bfloat16" if a.device == "cuda" else "float32")
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)


def autocast(a):
    return torch.autocast(a.device, torch.bfloat16, enabled=a.dtype == "bfloat16")


def seconds_of(step, device):
    """One call of step(), from an idle device to an idle device, as `yona bench` times it."""
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    wait()
    start = time.perf_counter()
    step()
    wait()
    return time.perf_counter() - start


def median_seconds(step, device, count, warmup):
    return statistics.median([seconds_of(step, device) for _ in range(warmup + count)][warmup:])


def peak_gb(device):
    """Of the GPU's memory what tensors took at most; on a CPU that of the process."""
    if device == "cuda":
        return round(torch.cuda.max_memory_allocated() / 2**30, 2)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


def run_facts(a):
    """The fields of every result that say what ran."""
    return dict(engine="pytorch " + torch.__version__, device=a.device, dtype=a.dtype,
                threads=torch.get_num_threads(), mem_gb=peak_gb(a.device))

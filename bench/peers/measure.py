"""Wall time, CPU time and memory of one piece of work in this process and its children, printed as JSON."""

import json
import resource
import time


def cpu_seconds():
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def measured(work):
    """`work` returns the number of rows that passed. Imports and reading the file are not counted."""
    before, began = cpu_seconds(), time.perf_counter()
    found = work()
    seconds = time.perf_counter() - began
    rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    used = {"found": found, "seconds": seconds, "cpuSeconds": cpu_seconds() - before, "rssMb": rss_mb}
    print("\nMEASURED " + json.dumps(used), flush=True)

# SPDX-License-Identifier: MIT
"""The model of Agile-SD against its goals, and against the same iteration with a dense matrix in GNU Octave."""
import os
import shutil
import subprocess

from rows import row

GOALS_MS = {"literal": 15.0, "renewal": 1.0}

# Eqs. 12-34 as `weir model throughput` takes them; prints milliseconds of CPU and the figure.
OCTAVE = """
W = 1254; N = W - 1; beta = .5; R = 1e-8; L = 5; I = 10000;
w = (1:N)' + 1; P = R * w .* exp(-R * w); P(N) = 1; T = zeros(N);
for i = 1:N
  T(i, max(floor(beta * i), 1)) += P(i);
  if (i < N) T(i, i + 1) += 1 - P(i); end
end
t = cputime; v = zeros(1, N); v(ceil(beta * N)) = 1; a = 0; b = 0;
for k = 1:I
  v = v * T; E = v * w; l = max(min(L * (W - E) / (W - beta * W), L), 1);
  a += E / l; b += 1 / l;
end
printf("%.3f %.6f\\n", (cputime - t) * 1000, a / b / 1250);
"""


def octave():
    """("GNU Octave, dense", ms), or None where it is not installed or gives something else."""
    program = shutil.which("octave-cli") or shutil.which("octave")
    if not program:
        print("model-literal against GNU Octave: skipped, octave is not installed")
        return None
    done = subprocess.run([program, "--quiet", "--norc", "--eval", OCTAVE], capture_output=True, text=True, timeout=300,
                          check=False)
    words = done.stdout.split()
    if done.returncode or len(words) != 2 or abs(float(words[1]) - .823313) > 1e-6:
        print(f"model-literal against GNU Octave: skipped, it said {done.stdout.strip()!r} {done.stderr.strip()!r}")
        return None
    return "GNU Octave, dense", float(words[0])


def model_rows(root):
    build = os.path.join(root, "build")
    subprocess.run(["ninja", "-C", build, "bench/bench-model"], check=True, stdout=subprocess.DEVNULL)
    out = subprocess.run([os.path.join(build, "bench", "bench-model")], check=True, capture_output=True, text=True).stdout
    peers = {"literal": octave()}
    return [row(f"model-{name}", float(ms), "ms of CPU", GOALS_MS.get(name), peers.get(name), False)
            for name, ms in (line.split() for line in out.splitlines())]

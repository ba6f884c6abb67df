# SPDX-License-Identifier: Apache-2.0
"""Every file of examples/ can be defined, shown as a command line and run; the demo runs to its end."""
import glob
import json
import os
import re
import shutil
import subprocess
import time

from harness import BUILD, SOURCE, Failed, Skip, contains, main, processes_of, same, test, until


def with_local_images(d, path):
    """The example with its images moved into our root, where they are made."""
    text = open(path).read()
    os.makedirs(f"{d.root}/images", exist_ok=True)
    for image in re.findall(r"/var/lib/domus/(images/[\w.-]+)", text):
        if image.endswith(".qcow2"):
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", f"{d.root}/{image}", "1M"], check=True)
        else:
            d.disk(image)
    return text.replace("/var/lib/domus/images", f"{d.root}/images")


@test()
def every_example_runs(d):
    files = sorted(glob.glob(f"{SOURCE}/examples/*.xml"))
    same(len(files) > 4, True, "there are examples")
    for path in files:
        name = re.search(r"<name>(.*)</name>", open(path).read()).group(1)
        said = d.run([f"{BUILD}/shell/domsh", "define", d.file("example.xml", with_local_images(d, path))])
        same(said.err, "", f"findings about {path}")
        contains(d.virsh("domxml-to-native", "qemu-argv", "--domain", name), "-machine")
        d.virsh("start", name)
        same(d.virsh("domstate", name).strip(), "running")


@test(daemon=False, limit=100)
def the_recipe_for_ci_runs_a_program_and_leaves_nothing(d):
    run = subprocess.run([f"{SOURCE}/examples/ci.sh", "/usr/bin/python3", f"{SOURCE}/examples/ci_program.py"], capture_output=True,
                         text=True, timeout=100, env=dict(os.environ, DOMUS_BUILD=BUILD, TMPDIR=d.root), check=False)
    if "No module named 'libvirt'" in run.stderr:
        raise Skip("libvirt's module for Python is not installed")
    same((run.returncode, run.stderr), (0, ""))
    contains(run.stdout, "a call that fails: ", "No space left on device", "a guest that panicked is gone: [5, ",
             "an emulator that died is told as a crash: [5, 3]")
    same(glob.glob(f"{d.root}/ci-*"), [], "what the recipe left")
    run = subprocess.run([f"{SOURCE}/examples/ci.sh", "false"], capture_output=True, text=True, timeout=100,
                         env=dict(os.environ, DOMUS_BUILD=BUILD, TMPDIR=d.root), check=False)
    same(run.returncode, 1, "the program's exit status is the recipe's")


def run_demo(d, *options, before=(), folder="/tmp"):
    """The demo with its root in the folder; `before` is a program that runs it."""
    run = subprocess.run([*before, f"{SOURCE}/examples/demo.sh", BUILD, *options], capture_output=True, text=True,
                         timeout=100, env=dict(d.environment(), TMPDIR=folder), stdin=subprocess.DEVNULL, check=False)
    if run.returncode:
        raise Failed(f"the demo failed:\n{run.stdout}\n{run.stderr}")
    same(re.sub(r"\S+: warning: .*\n", "", run.stderr), "")
    same(re.search(r"none.img +true +false\n.*\n?", run.stdout) is not None, True, "cache='none' is direct")
    contains(run.stdout, "writeback.img", "writethrough.img", "virtio-disk2: write-cache = \"off\"", "-blockdev",
             "domusd has stopped")
    left = processes_of(f"{folder}/demo-")
    same(left, {}, "what the demo left running")
    return run.stdout


@test(daemon=False, limit=100)
def the_demo_shows_one_round_trip_at_the_second_start(d):
    out = run_demo(d)
    contains(out.split("second one")[1].split("A part of")[0], "calls: 1\n", "round_trips: 1\n", "plan: warm\n")


@test(daemon=False, limit=100)
def the_demo_runs_on_qemu_too(d):
    out = run_demo(d, "--qemu")
    contains(out, "QEMU emulator version")
    if "method: qom-list/qom-get\n" in out:
        contains(out, "This QEMU is older than 10.1")


@test(daemon=False, limit=100)
def the_demo_goes_elsewhere_where_the_file_system_has_no_direct_io(d):
    folder = f"{d.root}/ram"
    os.mkdir(folder)
    # In a mount namespace of its own, so that the mount ends with it, whatever happens.
    mount = ["unshare", *([] if os.getuid() == 0 else ["-Ur"]), "-m", "sh", "-c",
             f'mount -t ramfs none {folder} && exec "$@"', "sh"]
    direct = subprocess.run([*mount, "dd", "if=/dev/zero", f"of={folder}/x", "bs=4096", "count=1", "oflag=direct"],
                            capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"), check=False)
    if not re.search(r"dd: .*: Invalid argument", direct.stderr):
        raise Skip(f"no file system without O_DIRECT can be mounted here: {direct.stderr.strip() or 'ramfs has it'}")
    out = run_demo(d, before=mount, folder=folder)
    contains(out, f"The file system of {folder}/demo-", "has no O_DIRECT, which cache='none' needs; trying /var/tmp.")
    elsewhere = re.search(r"(/var/tmp/demo-\w+)/none.img", out).group(1)
    same(os.path.exists(elsewhere), False, f"the demo leaves {elsewhere}")


@test(daemon=False)
def the_recipe_for_ci_needs_no_root(d):
    """As nobody, who may read copies of what it takes, and has a folder of his own."""
    os.chmod(d.root, 0o711)
    for program in ("daemon/domusd", "shell/domsh", "simvmm/simvmm"):
        os.makedirs(f"{d.root}/build/{os.path.dirname(program)}", exist_ok=True)
        shutil.copy(f"{BUILD}/{program}", f"{d.root}/build/{program}")
    for script in ("ci.sh", "ci_program.py"):
        shutil.copy(f"{SOURCE}/examples/{script}", f"{d.root}/build/{script}")
    os.mkdir(f"{d.root}/own")
    words = ["bash", f"{d.root}/build/ci.sh", "/usr/bin/python3", f"{d.root}/build/ci_program.py"]
    if os.getuid() == 0:
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]
        os.chown(f"{d.root}/own", 65534, 65534)
    run = subprocess.run(words, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL, check=False, cwd="/",
                         env={"PATH": os.environ["PATH"], "DOMUS_BUILD": f"{d.root}/build", "TMPDIR": f"{d.root}/own",
                              "HOME": f"{d.root}/own"})
    same(run.returncode, 0, run.stdout + run.stderr)


def client(path, *words, fails=False):
    run = subprocess.run([f"{SOURCE}/examples/qmp-client.py", path, *words], capture_output=True, text=True, timeout=60,
                         stdin=subprocess.DEVNULL, check=False)
    same(run.returncode != 0, fails, f"{words}: {run.stdout}{run.stderr}")
    return run.stderr if fails else run.stdout


@test(daemon=False, emulator=("sim", "qemu"))
def a_client_written_from_the_specification_alone_works(d):
    path = f"{d.root}/monitor"
    emulator = f"{BUILD}/simvmm/simvmm" if d.emulator == "sim" else d.emulator
    vmm = subprocess.Popen([emulator, "-M", "q35", "-m", "64", "-S", "-nodefaults", "-display", "none",
                            "-device", "virtio-balloon-pci,id=b0", "-qmp", f"unix:{path},server=on,wait=off"],
                           stdin=subprocess.DEVNULL)
    d.children.append(vmm)
    until(lambda: os.path.exists(path), "the monitor's socket is there")
    status = json.loads(client(path, "query-status"))
    same(status["status"], "prelaunch")
    client(path, "cont")
    same(json.loads(client(path, "query-status"))["running"], True)
    same(json.loads(client(path, "qom-get", '{"path": "/machine/peripheral/b0", "property": "type"}')), "virtio-balloon-pci")
    same(client(path, "nope", fails=True), "CommandNotFound: The command nope has not been found\n")
    watcher = subprocess.Popen([f"{SOURCE}/examples/qmp-client.py", path, "--events"], stdout=subprocess.PIPE, text=True)
    d.children.append(watcher)
    time.sleep(0.5)
    vmm.terminate()
    same(vmm.wait(60), 0, "exit status after SIGTERM")
    same(watcher.communicate(timeout=60)[0], 'SHUTDOWN {"guest": false, "reason": "host-signal"}\n')


main()

# SPDX-License-Identifier: Apache-2.0
"""What one does with disks, as sequences for operations.py."""


def node(name, file, driver="qcow2", more=""):
    """blockdev-add of a file and its format: NAME-storage and NAME."""
    return [f'blockdev-add {{"driver":"file","node-name":"{name}-storage","filename":"@/{file}","auto-read-only":true,"discard":"unmap"}}',
            f'blockdev-add {{"driver":"{driver}","node-name":"{name}","file":"{name}-storage"{more}}}']


def job_end(job):
    return [f"* JOB_STATUS_CHANGE concluded {job}", "query-jobs", f'job-dismiss {{"id":"{job}"}}', "query-jobs", "query-block-jobs"]


QUERIES = ["query-named-block-nodes", 'query-named-block-nodes {"flat":true}', "query-block"]
BASE = "$ qemu-img create -q -f qcow2 @/base.qcow2 8M"
FILLED = ["$ qemu-img create -q -f qcow2 @/base.qcow2 8M", "$ qemu-io -c 'write -P 17 0 1M' -c 'write -P 34 3M 512k' @/base.qcow2",
          "$ qemu-img create -q -f qcow2 -b base.qcow2 -F qcow2 @/mid.qcow2 8M", "$ qemu-io -c 'write -P 51 3M 64k' @/mid.qcow2",
          "$ qemu-img create -q -f qcow2 -b mid.qcow2 -F qcow2 @/top.qcow2 8M", "$ qemu-io -c 'write -P 68 5M 128k' @/top.qcow2"]
CHAIN = node("base", "base.qcow2", more=',"read-only":true') + node("mid", "mid.qcow2", more=',"read-only":true,"backing":"base"') + \
    node("top", "top.qcow2", more=',"backing":"mid"')
DEVICE = ['device_add {"driver":"virtio-blk-pci","id":"disk0","drive":"top"}']


def look(*files):
    return [f"$ qemu-img info -U --backing-chain {f}" for f in files]


def after(*files):
    """When the emulator has gone, all that it wrote is in the files."""
    return ["quit"] + [f"$ qemu-img info --backing-chain {f}" for f in files] + \
        [f"$ qemu-img check {f}" for f in files if "qcow2" in f] + [f"$ qemu-img convert -O raw {f} x && md5sum x" for f in files]


SEQUENCES = {
    "nodes": [*FILLED, "$ truncate -s 5M @/raw.img", *CHAIN, *node("r", "raw.img", "raw"), *QUERIES, *DEVICE, *QUERIES,
              "query-blockstats", 'query-blockstats {"query-nodes":true}',
              'blockdev-del {"node-name":"mid"}', 'blockdev-del {"node-name":"top"}', 'blockdev-del {"node-name":"r-storage"}',
              'blockdev-del {"node-name":"r"}', 'blockdev-del {"node-name":"nope"}', 'blockdev-del {"node-name":"r-storage"}'],
    "implicit backing": [*FILLED, *node("top", "top.qcow2"), "query-named-block-nodes", *DEVICE, "query-block", 'device_del {"id":"disk0"}'],
    "create": ["$ touch @/a.qcow2 @/b.raw",
               'blockdev-create {"job-id":"c0","options":{"driver":"file","filename":"@/c.img","size":1048576}}', *job_end("c0"),
               'blockdev-add {"driver":"file","node-name":"sa","filename":"@/a.qcow2"}',
               'blockdev-create {"job-id":"c1","options":{"driver":"qcow2","file":"sa","size":33554432,"cluster-size":65536}}',
               *job_end("c1"),
               'blockdev-add {"driver":"qcow2","node-name":"fa","file":"sa"}', "query-named-block-nodes",
               'blockdev-add {"driver":"file","node-name":"sb","filename":"@/b.raw"}',
               'blockdev-create {"job-id":"c2","options":{"driver":"raw","file":"sb","size":1000000}}', *job_end("c2"),
               'blockdev-create {"job-id":"c3","options":{"driver":"qcow2","file":"nope","size":1000000}}', *job_end("c3"),
               'blockdev-create {"job-id":"c4","options":{"driver":"qcow2","file":"sb","size":1000001}}', *job_end("c4"),
               'blockdev-create {"job-id":"c5","options":{"driver":"qcow2","file":"sb","size":4194304,"backing-file":"@/a.qcow2",'
               '"backing-fmt":"qcow2","cluster-size":4096,"lazy-refcounts":true,"version":"v3","preallocation":"metadata"}}', *job_end("c5"),
               'blockdev-create {"job-id":"c6","options":{"driver":"qcow2","file":"sb","size":4194304,"backing-file":"@/a.qcow2",'
               '"backing-fmt":"qcow2"}}',
               *job_end("c6"),
               'blockdev-create {"job-id":"c7","options":{"driver":"qcow2","file":"sb","size":4194304,"version":"v2"}}', *job_end("c7"),
               'blockdev-create {"job-id":"c8","options":{"driver":"qcow2","file":"sb","size":4194304,"cluster-size":1000}}', *job_end("c8"),
               'blockdev-create {"job-id":"c9","options":{"driver":"nope","file":"sb","size":4194304,"cluster-size":1000}}',
               'blockdev-create {"job-id":"9","options":{"driver":"qcow2","file":"sb","size":4194304}}',
               'blockdev-create {"job-id":"ca","options":{"driver":"qcow2","file":"sb","size":4194304,"zz":1}}',
               'blockdev-create {"job-id":"ca","options":{"driver":"qcow2","size":4194304}}',
               *after("a.qcow2", "b.raw", "c.img")],
    "snapshot": [*FILLED, *CHAIN, *DEVICE, "$ touch @/o.qcow2 @/o2.qcow2",
                 'blockdev-add {"driver":"file","node-name":"o-storage","filename":"@/o.qcow2","auto-read-only":true,"discard":"unmap"}',
                 'blockdev-create {"job-id":"c1","options":{"driver":"qcow2","file":"o-storage","size":8388608,"cluster-size":65536,'
                 '"backing-file":"@/top.qcow2","backing-fmt":"qcow2"}}', *job_end("c1"),
                 'blockdev-add {"node-name":"o","driver":"qcow2","file":"o-storage","backing":null}',
                 'transaction {"actions":[{"type":"blockdev-snapshot","data":{"node":"top","overlay":"o"}}]}', "query-block",
                 'blockdev-snapshot {"node":"nope","overlay":"o"}', 'blockdev-snapshot {"node":"o","overlay":"nope"}',
                 'blockdev-snapshot {"node":"o","overlay":"o"}', 'blockdev-snapshot {"node":"o","overlay":"top"}',
                 "query-named-block-nodes", *after("o.qcow2")],
    "snapshot sync": [*FILLED, *CHAIN, *DEVICE,
                      'blockdev-snapshot-sync {"node-name":"top","snapshot-file":"@/s.qcow2","snapshot-node-name":"snap"}', "query-block",
                      'blockdev-snapshot-sync {"node-name":"snap","snapshot-file":"@/s2.qcow2","format":"qcow2"}', "query-named-block-nodes",
                      'blockdev-snapshot-sync {"node-name":"nope","snapshot-file":"@/s2.qcow2","format":"qcow2"}',
                      'blockdev-snapshot-sync {"snapshot-file":"@/s3.qcow2"}',
                      'blockdev-snapshot-sync {"node-name":"snap","snapshot-file":"@/nope/s2.qcow2","snapshot-node-name":"zz"}',
                      'blockdev-snapshot-sync {"node-name":"snap","snapshot-file":"@/s4.qcow2","snapshot-node-name":"mid"}',
                      'blockdev-snapshot-sync {"node-name":"snap","snapshot-file":"@/s4.qcow2","format":"nope"}',
                      'blockdev-snapshot-sync {"node-name":"snap","snapshot-file":"@/s4.qcow2","mode":"existing"}',
                      *after("s.qcow2")],
    "commit": [*FILLED, *CHAIN, *DEVICE,
               'block-commit {"device":"top","job-id":"j0","top-node":"top","base-node":"base","auto-finalize":true,"auto-dismiss":false}',
               "* BLOCK_JOB_READY j0", "query-jobs", "query-block-jobs",
               'transaction {"actions":[{"type":"block-dirty-bitmap-add","data":{"node":"base","name":"b","persistent":false,"disabled":false}}]}',
               'job-complete {"id":"j0"}', *job_end("j0"), "query-block",
               'transaction {"actions":[{"type":"block-dirty-bitmap-remove","data":{"node":"base","name":"b"}}]}',
               'blockdev-del {"node-name":"top"}', 'blockdev-del {"node-name":"top-storage"}', 'blockdev-del {"node-name":"mid"}',
               'blockdev-del {"node-name":"mid-storage"}', "query-named-block-nodes", *after("base.qcow2")],
    "commit middle": [*FILLED, *CHAIN, *DEVICE,
                      'block-commit {"device":"top","job-id":"j0","top-node":"mid","base-node":"base","auto-dismiss":false}', *job_end("j0"),
                      "query-block", "query-named-block-nodes", *after("top.qcow2", "base.qcow2")],
    "commit refused": [*FILLED, *CHAIN, *DEVICE, 'block-commit {"device":"nope","job-id":"j0"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"base","base-node":"mid"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"base"}',
                       'block-commit {"device":"top","job-id":"j 0","top-node":"mid"}',
                       'block-commit {"device":"top","top-node":"mid"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"nope"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"mid","base-node":"nope"}',
                       'block-commit {"device":"top","job-id":"j0","top":"@/nope"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"top","backing-file":"x"}',
                       'block-commit {"device":"top","job-id":"j0","top-node":"mid","top":"@/mid.qcow2"}'],
    "stream": [*FILLED, *CHAIN, *DEVICE,
               'block-stream {"device":"top","job-id":"j0","base-node":"base","auto-finalize":true,"auto-dismiss":false}', *job_end("j0"),
               "query-block", "query-named-block-nodes", *look("top.qcow2"),
               'block-stream {"device":"top","job-id":"j1"}', "* BLOCK_JOB_COMPLETED", "* null", "query-block", "query-jobs", *look("top.qcow2"),
               'block-stream {"device":"top","job-id":"j2","base-node":"nope"}', 'block-stream {"device":"top","job-id":"j2","base":"nope"}',
               'block-stream {"device":"nope","job-id":"j2"}', 'block-stream {"device":"top","job-id":"j2","speed":-1}',
               *after("top.qcow2")],
    "mirror": [*FILLED, *CHAIN, *DEVICE, "$ qemu-img create -q -f qcow2 t.qcow2 8M", *node("t", "t.qcow2"),
               'blockdev-mirror {"job-id":"j0","device":"top","target":"t","replaces":"top","sync":"full","auto-finalize":true,"auto-dismiss":false}',
               "* BLOCK_JOB_READY", "query-block-jobs", "query-jobs", "query-block", 'block-job-complete {"device":"j0"}', *job_end("j0"), "query-block",
               'blockdev-del {"node-name":"top"}', *after("t.qcow2")],
    "mirror cancelled": [*FILLED, *CHAIN, *DEVICE, "$ qemu-img create -q -f qcow2 t.qcow2 8M", *node("t", "t.qcow2"),
                         'blockdev-mirror {"job-id":"j0","device":"top","target":"t","sync":"full","auto-dismiss":false}',
                         "* BLOCK_JOB_READY", 'block-job-cancel {"device":"j0"}', *job_end("j0"),
                         'blockdev-mirror {"job-id":"j1","device":"top","target":"t","sync":"top"}', "* BLOCK_JOB_READY",
                         'block-job-cancel {"device":"j1","force":true}', "* null", "query-jobs",
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"t","sync":"none"}', "* BLOCK_JOB_READY", 'job-cancel {"id":"j2"}', "* null",
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"top","sync":"none"}',
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"nope","sync":"none"}',
                         'blockdev-mirror {"job-id":"j2","device":"nope","target":"t","sync":"none"}',
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"t","sync":"zz"}',
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"t","sync":"full","granularity":100}',
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"t","sync":"full","replaces":"zz"}',
                         'blockdev-mirror {"job-id":"j2","device":"top","target":"t","sync":"incremental"}'],
    "backup": [*FILLED, *CHAIN, *DEVICE, "$ qemu-img create -q -f qcow2 t.qcow2 8M", *node("t", "t.qcow2"),
               'transaction {"actions":[{"type":"blockdev-backup","data":{"device":"top","job-id":"j0","target":"t","sync":"full",'
               '"auto-finalize":true,"auto-dismiss":false}}]}', *job_end("j0"), *look("t.qcow2"), "query-block", "query-named-block-nodes",
               'blockdev-backup {"device":"top","target":"t","sync":"full"}', 'blockdev-backup {"device":"top","target":"nope","job-id":"b","sync":"full"}',
               'blockdev-backup {"device":"top","target":"t","job-id":"b","sync":"top","auto-finalize":false}', "* pending", "query-jobs",
               'job-finalize {"id":"b"}', "* null",
               'blockdev-backup {"device":"top","target":"t","job-id":"b","sync":"incremental"}',
               'blockdev-backup {"device":"top","target":"t","job-id":"b","sync":"none"}', "query-jobs", 'job-cancel {"id":"b"}', "query-jobs", *after("t.qcow2")],
    "jobs": [*FILLED, *CHAIN, *DEVICE, "$ qemu-img create -q -f qcow2 t.qcow2 8M", *node("t", "t.qcow2"),
             *[f'job-{c} {{"id":"nope"}}' for c in ("pause", "resume", "cancel", "complete", "finalize", "dismiss")],
             *[f'block-job-{c} {{"device":"nope"}}' for c in ("pause", "resume", "cancel", "complete")],
             *[f'block-job-{c} {{"id":"nope"}}' for c in ("finalize", "dismiss")],
             'block-job-set-speed {"device":"nope","speed":1}', 'block-job-change {"id":"nope","type":"mirror","copy-mode":"background"}',
             'blockdev-backup {"job-id":"j0","device":"top","target":"t","sync":"full","speed":65536,"auto-dismiss":false}', "! 0.3",
             'blockdev-backup {"job-id":"j0","device":"top","target":"t","sync":"full"}',
             'blockdev-backup {"job-id":"j9","device":"top","target":"t","sync":"full"}',
             'job-complete {"id":"j0"}', 'job-finalize {"id":"j0"}', 'job-dismiss {"id":"j0"}', 'job-resume {"id":"j0"}',
             'job-pause {"id":"j0"}', "* paused", 'job-pause {"id":"j0"}', 'job-complete {"id":"j0"}', 'job-resume {"id":"j0"}', "* running",
             'block-job-pause {"device":"j0"}', "* paused", 'block-job-pause {"device":"j0"}', 'block-job-resume {"device":"j0"}', "* running",
             'block-job-set-speed {"device":"j0","speed":-1}', 'block-job-set-speed {"device":"j0","speed":0}', *job_end("j0"),
             'blockdev-backup {"job-id":"j1","device":"top","target":"t","sync":"full","speed":65536,"auto-dismiss":false}', "! 0.3",
             'job-cancel {"id":"j1"}', *job_end("j1"),
             'blockdev-backup {"job-id":"j2","device":"top","target":"t","sync":"full","speed":65536}', "! 0.3",
             'block-job-cancel {"device":"j2"}', "* null", "query-jobs",
             'blockdev-mirror {"job-id":"j3","device":"top","target":"t","sync":"full","auto-finalize":false,"auto-dismiss":false}',
             "* BLOCK_JOB_READY", 'job-pause {"id":"j3"}', "* standby", 'job-complete {"id":"j3"}', 'job-resume {"id":"j3"}', 'job-complete {"id":"j3"}',
             "* pending", "query-jobs", 'job-cancel {"id":"j3"}', "* concluded", 'block-job-dismiss {"id":"j3"}',
             'blockdev-del {"node-name":"top"}'],
}

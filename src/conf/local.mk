noinst_LIBRARIES += src/conf/libconf.a
src_conf_libconf_a_SOURCES = \
    src/conf/address.c src/conf/address.h src/conf/aliases.c src/conf/audio.c src/conf/audio.h \
    src/conf/chardev.c src/conf/chardev.h src/conf/clock.c src/conf/clock.h src/conf/controller.c \
    src/conf/controller.h src/conf/cpu.c src/conf/cpu.h src/conf/cpuset.c src/conf/cpuset.h \
    src/conf/default_devices.c src/conf/default_disks.c src/conf/defaults.c src/conf/defaults.h \
    src/conf/device.c src/conf/device.h src/conf/device_check.c src/conf/devices.c src/conf/devices.h src/conf/disk.c src/conf/disk.h \
    src/conf/disk_check.c src/conf/disk_check.h src/conf/disk_source.c src/conf/shmem.c src/conf/shmem.h src/conf/iommu.c src/conf/iommu.h src/conf/smartcard.c src/conf/smartcard.h src/conf/memory_device.c src/conf/memory_device.h src/conf/domain_check.c src/conf/domain_check.h \
    src/conf/domain_def.c src/conf/domain_def.h src/conf/features.c src/conf/features.h \
    src/conf/format.c src/conf/graphics.c src/conf/graphics.h src/conf/input.c src/conf/input.h \
    src/conf/interface.c src/conf/interface.h src/conf/kept.c src/conf/kept.h src/conf/kept_check.c \
    src/conf/known.c src/conf/known.h src/conf/machine.c src/conf/machine.h src/conf/memballoon.c \
    src/conf/memballoon.h src/conf/memory.c src/conf/memory.h src/conf/metadata.c src/conf/metadata.h src/conf/os.c src/conf/os.h \
    src/conf/pci.c src/conf/pci.h src/conf/pci_map.c src/conf/pci_map.h src/conf/rows.c \
    src/conf/rows.h src/conf/usb.c src/conf/usb.h src/conf/video.c src/conf/video.h src/conf/virtio.h \
    src/conf/hyperv.c src/conf/hyperv.h src/conf/iothreads.c src/conf/iothreads.h src/conf/memory_backing.c \
    src/conf/memory_backing.h src/conf/numa.c src/conf/numa.h src/conf/numatune.c src/conf/numatune.h \
    src/conf/passthrough.c src/conf/passthrough.h src/conf/seclabel.c src/conf/seclabel.h src/conf/sysinfo.c src/conf/sysinfo.h src/conf/tuning.c src/conf/tuning.h

# Devices beside disks, networks and screens.
src_conf_libconf_a_SOURCES += src/conf/filesystem.c src/conf/filesystem.h src/conf/hostdev.c src/conf/hostdev.h \
    src/conf/hub.c src/conf/hub.h src/conf/iotune.c src/conf/iotune.h src/conf/panic.c src/conf/panic.h src/conf/rng.c src/conf/rng.h src/conf/sound.c \
    src/conf/sound.h src/conf/tpm.c src/conf/tpm.h src/conf/virtio_serial.c src/conf/virtio_serial.h \
    src/conf/vsock.c src/conf/vsock.h src/conf/watchdog.c src/conf/watchdog.h

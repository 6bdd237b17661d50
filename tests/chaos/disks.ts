import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own; `null` instead of one where this machine lets us have none. */
export interface Disk {
  folder: string
  remove: () => void
}

const MIB = 1024 * 1024

/** Runs a program of the system; whether it did what it was told. One that is not there did not. */
function did(...command: string[]): boolean {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
  } catch {
    return false
  }
}

/** Makes an empty folder in which `mount` puts a file system. */
function mounted(mount: (folder: string) => boolean): Disk | null {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-disk-'))
  const isMounted = mount(folder)
  const remove = (): void => {
    if (isMounted) did('umount', '-l', folder)
    rmSync(folder, { recursive: true, force: true })
  }
  if (isMounted) return { folder, remove }
  remove()
  return null
}

/** A small file system in memory. */
export const smallDisk = (sizeMib: number): Disk | null =>
  mounted((folder) => did('mount', '-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder))

/** Makes a file system read-only of which no file is open. */
export function remountReadOnly({ folder }: Disk): void {
  if (!did('mount', '-o', 'remount,ro', folder))
    throw new Error(`${folder} cannot be made read-only`)
}

/**
 * A file system whose files `protect` makes unwritable for a process that has them open. The kernel
 * remounts nothing read-only while files are open for writing (EBUSY), but ext4 rejects each write
 * to an immutable file.
 */
export function protectableDisk(sizeMib: number): Disk | null {
  const image = join(tmpdir(), `switchboard-image-${crypto.randomUUID()}`)
  const disk = mounted((folder) => {
    writeFileSync(image, '')
    truncateSync(image, sizeMib * MIB)
    return did('mkfs.ext4', '-q', '-F', image) && did('mount', '-o', 'loop', image, folder)
  })
  // What is mounted keeps the file; without a name it goes with the file system.
  rmSync(image, { force: true })
  if (!disk || keepsWritersOut(disk.folder)) return disk
  disk.remove()
  return null
}

/** Whether a file that is open for writing cannot be written any more once it is immutable. */
function keepsWritersOut(folder: string): boolean {
  const path = join(folder, 'probe')
  const file = openSync(path, 'w')
  try {
    if (!did('chattr', '+i', path)) return false
    writeSync(file, 'x')
    return false
  } catch {
    return true
  } finally {
    did('chattr', '-i', path)
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/**
 * Lets nothing in a data folder be written, made or removed; returns how to let it again. The index
 * of the write-ahead log is left out: it is mapped into memory, and there the kernel answers a
 * write with a signal, which on a disk that is read-only it does not do.
 */
export function protect(dataFolder: string): () => void {
  const names = readdirSync(dataFolder).filter((name) => !name.endsWith('-shm'))
  const paths = names.map((name) => join(dataFolder, name))
  const release = (): void => {
    did('chattr', '-i', dataFolder)
    // Files that are swept while the program walks are none of its failures.
    for (const path of paths) did('chattr', '-R', '-i', path)
  }
  for (const path of paths) did('chattr', '-R', '+i', path)
  if (
    did('chattr', '+i', dataFolder) &&
    paths.filter((path) => path.endsWith('.sqlite') || path.endsWith('-wal')).every(isProtected)
  )
    return release
  release()
  throw new Error(`${dataFolder} cannot be made immutable`)
}

/** Whether a file cannot be opened for writing. */
function isProtected(path: string): boolean {
  try {
    closeSync(openSync(path, 'r+'))
    return false
  } catch {
    return true
  }
}

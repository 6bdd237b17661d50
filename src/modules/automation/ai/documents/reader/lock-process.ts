import { dlopen, FFIType, ptr } from 'bun:ffi'

/** Names of the C library: glibc, musl, macOS. */
const LIBRARIES = [
  'libc.so.6',
  `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`,
  'libSystem.B.dylib',
]

const IS_MAC = process.platform === 'darwin'

/** Numbers of the limits in `sys/resource.h`. */
const CPU_SECONDS = 0
const CORE_FILE_BYTES = 4
const OPEN_FILES = IS_MAC ? 8 : 7

/** Processor time after which the system ends the process, seconds. */
const MAX_CPU_S = 60

/**
 * Takes from this process the right to open anything: a file, a socket, a pipe. Standard input and
 * output stay open. It needs no privileges and cannot be undone. Throws where the system does not
 * allow it, because a document must not be read without it.
 */
export function lockProcess(): void {
  const library = openLibrary()
  const limit = (resource: number, value: number): void => {
    const both = BigInt(value)
    if (library.symbols.setrlimit(resource, ptr(new BigUint64Array([both, both]))) !== 0)
      throw new Error(`limit ${resource} could not be set`)
  }
  limit(CORE_FILE_BYTES, 0)
  limit(CPU_SECONDS, MAX_CPU_S)
  limit(OPEN_FILES, 0)
}

function openLibrary() {
  const symbols = {
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  } as const
  for (const name of LIBRARIES)
    try {
      return dlopen(name, symbols)
    } catch {
      continue
    }
  throw new Error('the C library was not found')
}

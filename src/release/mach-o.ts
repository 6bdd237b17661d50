/** Load commands of a Mach-O file, as `<mach-o/loader.h>` numbers them. */
const SEGMENT = 0x19
const CODE_SIGNATURE = 0x1d
const MAGIC = 0xfeedfacf
const HEADER_BYTES = 32

/** Parts of a signature, as `<kern/cs_blobs.h>` numbers them. */
const SUPER_BLOB = 0xfade0cc0
const CODE_DIRECTORY = 0xfade0c02
const CODE_DIRECTORY_VERSION = 0x20400
const AD_HOC = 0x2
const SHA256 = 2
const MAIN_BINARY = 1n
const INDEX_BYTES = 20
const DIRECTORY_BYTES = 88
const HASH_BYTES = 32
const PAGE_BITS = 12
const PAGE_BYTES = 1 << PAGE_BITS

/**
 * Returns an executable for macOS with a signature of nobody ("ad hoc"), which covers what is in the
 * file. The one that Bun leaves in executables for x64 is its own and does not cover the program that
 * was added. Throws when the file is no such executable.
 */
export function signAdHoc(executable: Uint8Array, identifier: string): Uint8Array {
  const head = new DataView(executable.buffer, executable.byteOffset, executable.byteLength)
  const { text, linkEdit, signature } = commandsOf(head)
  const start = head.getUint32(signature + 8, true)
  const name = new TextEncoder().encode(`${identifier}\0`)
  const pages = Math.ceil(start / PAGE_BYTES)
  const directoryBytes = DIRECTORY_BYTES + name.length + pages * HASH_BYTES
  const bytes = align(INDEX_BYTES + directoryBytes, 16)

  const signed = new Uint8Array(start + bytes)
  signed.set(executable.subarray(0, start))
  const view = new DataView(signed.buffer)
  view.setUint32(signature + 12, bytes, true)
  // The last segment ends with the signature.
  const inLinkEdit = BigInt(start + bytes) - view.getBigUint64(linkEdit + 40, true)
  view.setBigUint64(linkEdit + 32, BigInt(align(Number(inLinkEdit), 4 * PAGE_BYTES)), true)
  view.setBigUint64(linkEdit + 48, inLinkEdit, true)

  const directory = start + INDEX_BYTES
  const hashes = directory + DIRECTORY_BYTES + name.length
  const write = (at: number, ...words: number[]): void => {
    for (const [index, word] of words.entries()) view.setUint32(at + 4 * index, word)
  }
  write(start, SUPER_BLOB, INDEX_BYTES + directoryBytes, 1, 0, INDEX_BYTES)
  write(directory, CODE_DIRECTORY, directoryBytes, CODE_DIRECTORY_VERSION, AD_HOC)
  write(directory + 16, hashes - directory, DIRECTORY_BYTES, 0, pages, start)
  signed.set([HASH_BYTES, SHA256, 0, PAGE_BITS], directory + 36)
  // Where the code lies that runs first.
  view.setBigUint64(directory + 64, view.getBigUint64(text + 40, true))
  view.setBigUint64(directory + 72, view.getBigUint64(text + 48, true))
  view.setBigUint64(directory + 80, MAIN_BINARY)
  signed.set(name, directory + DIRECTORY_BYTES)
  for (let page = 0; page < pages; page += 1) {
    const from = page * PAGE_BYTES
    const content = signed.subarray(from, Math.min(from + PAGE_BYTES, start))
    signed.set(new Bun.CryptoHasher('sha256').update(content).digest(), hashes + page * HASH_BYTES)
  }
  return signed
}

/** Finds the places of the load commands that a signature concerns. */
function commandsOf(head: DataView): { text: number; linkEdit: number; signature: number } {
  const places = new Map<string, number>()
  const isExecutable = head.byteLength > HEADER_BYTES && head.getUint32(0, true) === MAGIC
  let at = HEADER_BYTES
  for (let left = isExecutable ? head.getUint32(16, true) : 0; left > 0; left -= 1) {
    const kind = head.getUint32(at, true)
    if (kind === CODE_SIGNATURE) places.set('signature', at)
    if (kind === SEGMENT) places.set(textAt(head, at + 8), at)
    at += head.getUint32(at + 4, true)
  }
  const placeOf = (name: string): number => {
    const place = places.get(name)
    if (place === undefined) throw new Error(`the executable for macOS has no ${name}`)
    return place
  }
  return {
    text: placeOf('__TEXT'),
    linkEdit: placeOf('__LINKEDIT'),
    signature: placeOf('signature'),
  }
}

/** Reads a name of 16 bytes that ends with zeros. */
const textAt = (view: DataView, at: number): string =>
  new TextDecoder()
    .decode(new Uint8Array(view.buffer, view.byteOffset + at, 16))
    .replace(/\0+$/, '')

const align = (bytes: number, to: number): number => Math.ceil(bytes / to) * to

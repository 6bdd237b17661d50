import { expect, test } from 'bun:test'

import { signAdHoc } from '../../src/release/mach-o'

const PAGE = 4_096

/**
 * An executable for macOS with the segments of its code and of its end, and a signature there that
 * covers something else.
 */
function executable(contentBytes: number): Uint8Array {
  const content = PAGE + contentBytes
  const bytes = new Uint8Array(content + 64).fill(7)
  const view = new DataView(bytes.buffer)
  const write = (at: number, ...words: number[]): void => {
    for (const [index, word] of words.entries()) view.setUint32(at + 4 * index, word, true)
  }
  const segment = (at: number, name: string, from: number, size: number): void => {
    write(at, 0x19, 72)
    bytes.set(new TextEncoder().encode(name.padEnd(16, '\0')), at + 8)
    for (const [index, word] of [from, size, from, size].entries())
      view.setBigUint64(at + 24 + 8 * index, BigInt(word), true)
  }
  // 64 bits, x64, an executable, with three commands
  write(0, 0xfeedfacf, 0x01000007, 3, 2, 3, 72 + 72 + 16, 0, 0)
  segment(32, '__TEXT', 0, PAGE)
  segment(104, '__LINKEDIT', PAGE, contentBytes + 64)
  write(176, 0x1d, 16, content, 64)
  return bytes
}

/** Reads a signature as the system does: the hash of each page up to it must be the one listed. */
function readSignature(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [start, size] = [view.getUint32(184, true), view.getUint32(188, true)]
  const [magic, length, count, slot, offset] = [0, 4, 8, 12, 16].map((at) =>
    view.getUint32(start + at),
  )
  const directory = start + (offset ?? 0)
  const [kind, ownLength, version, flags, hashes = 0, name = 0, special, pages = 0, limit = 0] = [
    0, 4, 8, 12, 16, 20, 24, 28, 32,
  ].map((at) => view.getUint32(directory + at))
  const listed = Array.from({ length: pages }, (_, page) =>
    Buffer.from(bytes.subarray(directory + hashes + 32 * page).subarray(0, 32)).toString('hex'),
  )
  const real = Array.from({ length: Math.ceil(limit / PAGE) }, (_, page) =>
    new Bun.CryptoHasher('sha256')
      .update(bytes.subarray(PAGE * page, Math.min(PAGE * (page + 1), limit)))
      .digest('hex'),
  )
  return {
    blob: { magic, count, slot, isInside: (length ?? Infinity) <= size },
    directory: { kind, version, flags, special, isInside: (ownLength ?? 0) + 20 === length },
    name: new TextDecoder().decode(bytes.subarray(directory + name, directory + hashes)),
    hashing: [...bytes.subarray(directory + 36, directory + 40)],
    code: [64, 72, 80].map((at) => Number(view.getBigUint64(directory + at))),
    covers: { limit, isAll: Bun.deepEquals(listed, real), start, end: start + size },
    linkEdit: [32, 40, 48].map((at) => Number(view.getBigUint64(104 + at, true))),
  }
}

test.each([0, 1, 3 * PAGE, 3 * PAGE + 1])(
  'a signature of nobody covers all that is before it, and the last segment ends with it (%p more bytes)',
  (more) => {
    const before = executable(more)
    const kept = before.slice()
    const signed = signAdHoc(before, 'switchboard')
    expect(before).toEqual(kept)
    const limit = PAGE + more
    const end = signed.length
    expect(readSignature(signed)).toEqual({
      blob: { magic: 0xfade0cc0, count: 1, slot: 0, isInside: true },
      directory: { kind: 0xfade0c02, version: 0x20400, flags: 2, special: 0, isInside: true },
      name: 'switchboard\0',
      hashing: [32, 2, 0, 12],
      code: [0, PAGE, 1],
      covers: { limit, isAll: true, start: limit, end },
      linkEdit: [Math.ceil((end - PAGE) / 0x4000) * 0x4000, PAGE, end - PAGE],
    })
    // what the signature is not about is as before
    expect(signed.subarray(192, limit)).toEqual(before.subarray(192, limit))
    expect(signAdHoc(signed, 'switchboard')).toEqual(signed)
  },
)

test('what is no executable for macOS is refused', () => {
  const without = executable(0)
  without[176] = 0x2a
  for (const bytes of [new Uint8Array(0), new Uint8Array(64), without])
    expect(() => signAdHoc(bytes, 'switchboard')).toThrow('the executable for macOS has no ')
})

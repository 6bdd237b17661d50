/**
 * Turns a recording of Opus sound in a WebM file, which Chromium makes, into an Ogg file, which the
 * platform takes for voice messages (RFC 7845, RFC 3533). The sound itself stays as it is.
 */

/** Elements of WebM that hold others, by their numbers; what they hold follows their head. */
const HOLDERS = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0])
const CODEC_PRIVATE = 0x63a2
const BLOCKS = new Set([0xa3, 0xa1])
const SAMPLES_PER_MS = 48
const MAX_SEGMENTS = 255
/** Packets of one page: about a second of sound. */
const PACKETS = 16
const FIRST_PAGE = 2
const LAST_PAGE = 4

interface Sound {
  head: Uint8Array
  packets: Uint8Array[]
}

/** Returns the length of a number of variable length, from its first byte. */
const lengthAt = (first: number): number => Math.clz32(first) - 23

/** Returns the number at a place; `keepsMark` for the names of elements. */
function numberAt(bytes: Uint8Array, at: number, keepsMark: boolean): number {
  const first = bytes[at] ?? 0
  const length = lengthAt(first)
  let value = keepsMark ? first : first & ((1 << (8 - length)) - 1)
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0)
  return value
}

/** Returns the head and the packets of the sound in a WebM file. */
function soundIn(bytes: Uint8Array): Sound {
  let head = new Uint8Array()
  const packets: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const name = numberAt(bytes, at, true)
    at += lengthAt(bytes[at] ?? 0)
    const size = numberAt(bytes, at, false)
    at += lengthAt(bytes[at] ?? 0)
    if (HOLDERS.has(name)) continue
    const body = bytes.subarray(at, at + size)
    if (name === CODEC_PRIVATE) head = new Uint8Array(body)
    // a block begins with its track, two bytes of time and one of marks
    if (BLOCKS.has(name)) packets.push(body.subarray(lengthAt(body[0] ?? 0) + 3))
    at += size
  }
  return { head, packets }
}

/** Returns how many samples a packet holds, which its first byte says. */
function samplesOf(packet: Uint8Array): number {
  const [first = 0, second = 0] = packet
  const kind = first >> 3
  const ms =
    kind < 12
      ? ([10, 20, 40, 60][kind & 3] ?? 20)
      : kind < 16
        ? ([10, 20][kind & 1] ?? 20)
        : ([2.5, 5, 10, 20][kind & 3] ?? 20)
  const frames = (first & 3) === 0 ? 1 : (first & 3) === 3 ? second & 63 : 2
  return ms * SAMPLES_PER_MS * frames
}

const CHECKS = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit += 1)
    value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

const checkOf = (bytes: Uint8Array): number => {
  let check = 0
  for (const byte of bytes) check = ((check << 8) ^ (CHECKS[(check >>> 24) ^ byte] ?? 0)) >>> 0
  return check
}

/** Returns the lengths of the parts that a packet is cut into. */
const partsOf = ({ length }: Uint8Array): number[] => [
  ...Array.from({ length: Math.floor(length / 255) }, () => 255),
  length % 255,
]

interface Page {
  packets: Uint8Array[]
  /** Samples until the end of the page. */
  samples: number
  number: number
  marks: number
}

function pageOf({ packets, samples, number, marks }: Page): Uint8Array {
  const parts = packets.flatMap(partsOf)
  const size = packets.reduce((sum, { length }) => sum + length, 0)
  const bytes = new Uint8Array(27 + parts.length + size)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OggS'))
  bytes[5] = marks
  view.setBigUint64(6, BigInt(samples), true)
  view.setUint32(14, 1, true) // the number of the stream, of which there is one
  view.setUint32(18, number, true)
  bytes[26] = parts.length
  bytes.set(parts, 27)
  let at = 27 + parts.length
  for (const packet of packets) {
    bytes.set(packet, at)
    at += packet.length
  }
  view.setUint32(22, checkOf(bytes), true)
  return bytes
}

/** `OpusTags`, the length of the name of the program, the name, and no tags. */
const TAGS = new Uint8Array([
  ...new TextEncoder().encode('OpusTags'),
  ...[11, 0, 0, 0],
  ...new TextEncoder().encode('Switchboard'),
  ...[0, 0, 0, 0],
])

/** Returns an Ogg file with the sound of a WebM file, or `null` if it has none. */
export async function oggOf(webm: Blob): Promise<Blob | null> {
  const { head, packets } = soundIn(new Uint8Array(await webm.arrayBuffer()))
  if (packets.length === 0) return null
  const pages = [
    pageOf({ packets: [head], samples: 0, number: 0, marks: FIRST_PAGE }),
    pageOf({ packets: [TAGS], samples: 0, number: 1, marks: 0 }),
  ]
  let samples = 0
  for (let at = 0; at < packets.length;) {
    const taken: Uint8Array[] = []
    let parts = 0
    for (let next = packets[at]; next && taken.length < PACKETS; next = packets[at]) {
      parts += partsOf(next).length
      if (taken.length > 0 && parts > MAX_SEGMENTS) break
      taken.push(next)
      samples += samplesOf(next)
      at += 1
    }
    const marks = at >= packets.length ? LAST_PAGE : 0
    pages.push(pageOf({ packets: taken, samples, number: pages.length, marks }))
  }
  return new Blob(pages as Uint8Array<ArrayBuffer>[], { type: 'audio/ogg' })
}

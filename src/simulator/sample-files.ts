import type { MediaKind } from './media-rules'

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
const bytesOf = (...parts: (string | number[] | Uint8Array)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
      ),
    ),
  )

const u32 = (value: number): number[] => [
  (value >>> 24) & 255,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
]
const u32le = (value: number): number[] => u32(value).toReversed()
const box = (name: string, ...content: (string | number[] | Uint8Array)[]): Uint8Array => {
  const inner = bytesOf(...content)
  return bytesOf(u32(inner.length + 8), name, inner)
}

/** A page of an Ogg stream (RFC 3533). Its checksum is wrong, which header parsers ignore. */
const oggPage = (
  flags: number,
  granule: number,
  sequence: number,
  packet: Uint8Array,
): Uint8Array =>
  bytesOf(
    'OggS',
    [0, flags],
    u32le(granule),
    [0, 0, 0, 0],
    u32le(1),
    u32le(sequence),
    [0, 0, 0, 0],
    [1, packet.length],
    packet,
  )

/**
 * Ogg Opus with this number of channels (RFC 7845), two seconds long according to its last page.
 */
export const oggOpus = (channels = 1): Uint8Array =>
  bytesOf(
    oggPage(2, 0, 0, bytesOf('OpusHead', [1, channels, 0, 0], u32le(48_000), [0, 0, 0])),
    oggPage(0, 0, 1, bytesOf('OpusTags', u32le(3), 'sim', u32le(0))),
    oggPage(4, 96_000, 2, bytesOf([0xfc, 0xff, 0xfe])),
  )

/** A 512 by 512 WebP image in extended format, animated or static, of at least this size. */
export const webp = ({ isAnimated = false, sizeBytes = 0 } = {}): Uint8Array => {
  const header = bytesOf(
    'WEBP',
    'VP8X',
    u32le(10),
    [isAnimated ? 2 : 0, 0, 0, 0],
    [255, 1, 0],
    [255, 1, 0],
  )
  const padding = new Uint8Array(Math.max(0, sizeBytes - header.length - 8))
  return bytesOf('RIFF', u32le(header.length + padding.length), header, padding)
}

/** Small valid files by type. */
export const SAMPLES = {
  'image/jpeg': base64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ),
  'image/png': base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  'image/gif': base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'image/webp': webp(),
  'video/mp4': bytesOf(
    box('ftyp', 'isom', u32(512), 'isomiso2avc1mp41'),
    box('free'),
    box('mdat', [0, 0, 0, 0]),
  ),
  'video/3gpp': bytesOf(box('ftyp', '3gp5', u32(0), '3gp5isom'), box('mdat', [0, 0, 0, 0])),
  'audio/mp4': bytesOf(box('ftyp', 'M4A ', u32(0), 'M4A mp42isom'), box('mdat', [0, 0, 0, 0])),
  'audio/mpeg': bytesOf(
    'ID3',
    [4, 0, 0, 0, 0, 0, 0],
    [0xff, 0xfb, 0x90, 0x64],
    new Uint8Array(413),
  ),
  'audio/aac': bytesOf([0xff, 0xf1, 0x50, 0x80, 0x01, 0x7f, 0xfc], new Uint8Array(5)),
  'audio/amr': bytesOf('#!AMR\n', [0x3c], new Uint8Array(31)),
  'audio/ogg; codecs=opus': oggOpus(),
  'application/pdf': bytesOf(
    '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
  'text/plain': bytesOf('Only words.\n'),
} satisfies Record<string, Uint8Array>

const KIND_SAMPLES: Readonly<Record<MediaKind, keyof typeof SAMPLES>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

/** Returns a small file of this type, otherwise one of the kind. */
export const sampleFile = (kind: MediaKind, mime: string): Uint8Array =>
  (SAMPLES as Record<string, Uint8Array>)[mime] ?? SAMPLES[KIND_SAMPLES[kind]]

/** Smallest contrast of white text on the accent color (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5

/** Reports whether white text on a color `#rrggbb` can be read. */
export function isReadableUnderWhite(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) =>
    linear(Number.parseInt(color.slice(from, from + 2), 16) / 255),
  )
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= MIN_CONTRAST
}

/** Returns the linear value of an sRGB channel from 0 to 1 (WCAG 2.2, relative luminance). */
const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4

/** First bytes of the accepted images, in hex. A WebP image names its size in between. */
const SIGNATURES = [
  { type: 'image/png', matches: /^89504e470d0a1a0a/ },
  { type: 'image/jpeg', matches: /^ffd8ff/ },
  { type: 'image/webp', matches: /^52494646.{8}57454250/ },
] as const

/** Returns the type of a logo by its first bytes, or `null` for other files. */
export function logoTypeOf(head: Uint8Array): string | null {
  const start = head.subarray(0, 16).toHex()
  return SIGNATURES.find(({ matches }) => matches.test(start))?.type ?? null
}

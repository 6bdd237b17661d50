/**
 * Characters that nobody sees: marks of direction, joiners, variants of emoji. The tags that make
 * flags of regions are no such characters: without them other flags are left.
 */
const INVISIBLE = /(?![\u{e0000}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu

/** Returns a text without the invisible characters that keyboards add to it. */
export const withoutInvisible = (text: string): string => text.replaceAll(INVISIBLE, '')

/** A digit on a key, as an emoji. */
const KEYCAP = /(?<=\d)\u20e3/gu

const DIGIT = /\p{Nd}/u

/**
 * Returns a text whose digits are those of ASCII, whatever the script or the emoji: `٢٥` and `2️⃣5️⃣`
 * become `25`. Invisible characters are removed.
 */
export const withPlainDigits = (text: string): string =>
  withoutInvisible(text.normalize('NFKC'))
    .replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)))
    .replaceAll(KEYCAP, '')
    .replaceAll('🔟', '10')

/** Returns the value of a digit. The digits of a script follow each other, and scripts begin with 0. */
function valueOf(digit: number): number {
  let zero = digit
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (digit - zero) % 10
}

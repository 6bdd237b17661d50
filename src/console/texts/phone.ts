/** Calling codes of one and two digits; all others have three. */
const SHORT_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/
const LONG_CODE = /^\d{3}/

/** How mobile numbers are written where it differs from the usual way: calling code and groups. */
const GROUPS = new Map(
  (
    '7:3322 27:234 31:18 32:3222 33:12222 34:3222 36:234 41:2322 43:37 44:46 45:2222 46:2322 47:323 ' +
    '49:37 49:38 52:244 54:1244 55:254 55:244 56:144 60:234 64:234 66:234 81:244 82:244 90:3322 ' +
    '91:55 92:37 94:234 353:234 880:46 966:234 971:234 972:234'
  )
    .split(' ')
    .map((one): [string, number[]] => {
      const [code = '', groups = ''] = one.split(':')
      const lengths = Array.from(groups, Number)
      return [`${code} ${lengths.reduce((sum, length) => sum + length, 0)}`, lengths]
    }),
)
/** The usual groups of as many digits. */
const USUAL: Record<number, number[]> = {
  5: [5],
  6: [3, 3],
  7: [3, 4],
  8: [4, 4],
  9: [3, 3, 3],
  10: [3, 3, 4],
  11: [3, 4, 4],
  12: [4, 4, 4],
}
/** Keeps a number in one line, and in its order where people write from right to left. */
const SPACE = '\u00A0'

/**
 * Returns a phone number as people read it, such as `+44 7700 900001`: the same everywhere. Takes its
 * digits, or a number that is written in another way. A masked number stays as it is.
 */
export function formatPhone(number: string): string {
  if (!/^\+?\d[\d\s().-]*$/.test(number)) return number
  const digits = number.replaceAll(/\D/g, '')
  const code = (SHORT_CODE.exec(digits) ?? LONG_CODE.exec(digits))?.[0]
  if (code === undefined) return number
  const rest = digits.slice(code.length)
  const groups = GROUPS.get(`${code} ${rest.length}`) ?? USUAL[rest.length] ?? [rest.length]
  let start = 0
  const parts = groups.map((length) => rest.slice(start, (start += length)))
  return [`+${code}`, ...parts].join(SPACE)
}

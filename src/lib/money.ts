/**
 * A millionth: amounts are counted in whole millionths of their currency, so nothing is rounded on
 * the way.
 */
const MICROS = 1_000_000

/** The largest amount taken, in whole units of a currency. */
const LARGEST = 1_000_000_000

/**
 * The millionths of a decimal amount such as `0.0456`; `null` when it is none, negative, too large,
 * or has more than six decimals.
 */
export function microsOf(amount: string): number | null {
  const parts = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(amount.trim())
  if (!parts || Number(parts[1]) > LARGEST) return null
  return Number(parts[1]) * MICROS + Number((parts[2] ?? '').padEnd(6, '0'))
}

/** Millionths as a decimal amount without needless zeros; two decimals at least. */
export function amountOf(micros: number): string {
  const whole = Math.trunc(micros / MICROS)
  const rest = String(Math.abs(micros % MICROS))
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micros < 0 && whole === 0 ? '-' : ''}${whole}.${rest}`
}

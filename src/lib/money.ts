/** Micros per currency unit. Amounts are stored as whole micros, so nothing is rounded. */
const MICROS = 1_000_000

/** Largest accepted amount, in whole currency units. */
const MAX_AMOUNT = 1_000_000_000

/**
 * Parses a decimal amount such as `0.0456` to micros. Returns `null` if it is invalid, negative,
 * too large, or has more than six decimals.
 */
export function microsOf(amount: string): number | null {
  const parts = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(amount.trim())
  if (!parts || Number(parts[1]) > MAX_AMOUNT) return null
  return Number(parts[1]) * MICROS + Number((parts[2] ?? '').padEnd(6, '0'))
}

/** Formats micros as a decimal amount with at least two decimals and no other trailing zeros. */
export function amountOf(micros: number): string {
  const whole = Math.trunc(micros / MICROS)
  const rest = String(Math.abs(micros % MICROS))
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micros < 0 && whole === 0 ? '-' : ''}${whole}.${rest}`
}

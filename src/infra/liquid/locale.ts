const ENGLISH = 'en'
const MAX_KEPT = 100

/** Digits are those of ASCII, as in everything else that the bot stores and writes. */
const PLAIN_DIGITS = 'latn'

/** Writes numbers, months and days in a language. */
export class Locale {
  private readonly numbers = new Map<string, Intl.NumberFormat>()
  private readonly names = new Map<string, readonly string[]>()

  constructor(private readonly language: string) {}

  /** Returns a number with so many decimals. */
  number(value: number, decimals: number): string {
    return this.format(value, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
  }

  /** Returns an amount of a currency (ISO 4217). */
  money(value: number, currency: string): string {
    return this.format(value, { style: 'currency', currency })
  }

  /** Returns the name of a month, 1 to 12. Many languages write it differently beside a day. */
  month(month: number, width: 'long' | 'short', isBesideDay: boolean): string {
    const day = isBesideDay ? ({ day: 'numeric' } as const) : {}
    return this.namesOf({ month: width, ...day }, 'month', MONTHS)[month - 1] ?? ''
  }

  /** Returns the name of a day of the week, 1 = Monday. */
  weekday(day: number, width: 'long' | 'short'): string {
    return this.namesOf({ weekday: width }, 'weekday', WEEKDAYS)[day - 1] ?? ''
  }

  private format(value: number, options: Intl.NumberFormatOptions): string {
    const key = JSON.stringify(options)
    const known = this.numbers.get(key)
    if (known) return known.format(value)
    if (this.numbers.size >= MAX_KEPT) this.numbers.clear()
    const made = new Intl.NumberFormat(this.language, { ...options, numberingSystem: PLAIN_DIGITS })
    this.numbers.set(key, made)
    return made.format(value)
  }

  /** Returns the names of months or days, without the dot of abbreviations. */
  private namesOf(
    options: Intl.DateTimeFormatOptions,
    part: 'month' | 'weekday',
    days: readonly number[],
  ): readonly string[] {
    const key = JSON.stringify(options)
    const known = this.names.get(key)
    if (known) return known
    const format = new Intl.DateTimeFormat(this.language, {
      ...options,
      calendar: 'gregory',
      numberingSystem: PLAIN_DIGITS,
      timeZone: 'UTC',
    })
    const made = days.map((atMs) => {
      const name = format.formatToParts(atMs).find(({ type }) => type === part)?.value ?? ''
      return name.replace(/\.$/, '')
    })
    this.names.set(key, made)
    return made
  }
}

/** A day of each month, and of each day of the week from Monday on. */
const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 1))
const WEEKDAYS = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day))

/** Languages that were used last: what they need is slow to make. */
export class Locales {
  private readonly kept = new Map<string, Locale>()

  /** Returns how to write in a language (BCP 47); in English if there is none, or an unknown one. */
  of(language: string | null): Locale {
    const tag = language ?? ENGLISH
    const made = this.kept.get(tag) ?? new Locale(supported(tag))
    this.kept.delete(tag)
    this.kept.set(tag, made)
    const [oldest] = this.kept.keys()
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    return made
  }
}

function supported(tag: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag.replaceAll('_', '-'))[0] ?? ENGLISH
  } catch {
    return ENGLISH
  }
}

import type { SafeRegex } from '../../lib/safe-regex'
import type { Locale } from './locale'
import type { PatternCache } from './patterns'

/** Limits of a template and of one render. */
export const LIQUID_LIMITS = {
  /** Characters of a template. */
  template: 8_192,
  /** Characters of the result. */
  output: 4_096,
  /** Bytes of the data, as JSON. */
  data: 64 * 1_024,
  /** Rounds of all loops together. */
  rounds: 50,
  /** Parts of templates and expressions that are evaluated. */
  steps: 6_000,
  /** Characters that filters and comparisons may read and write. */
  work: 200_000,
  /** Characters of an intermediate text, elements of an intermediate list. */
  text: 64 * 1_024,
  list: 2_000,
  /** Different regular expressions. */
  patterns: 5,
  /** Different currencies. */
  currencies: 5,
} as const

/** The reasons for which a template gives no result. */
export type TemplateProblem =
  | 'template_invalid'
  | 'template_budget'
  | 'data_too_large'
  | 'output_too_long'
  | 'header_characters'
  | 'url_dots'

/** Ends a render. */
export class TemplateError extends Error {
  constructor(
    readonly problem: TemplateProblem,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Counts the work of one render and stops it at the limits. It counts instead of measuring time, so
 * that a template that works once works always.
 */
export class Budget {
  private steps = 0
  private work = 0
  private rounds = 0
  /** Set once a limit is reached. The library wraps errors, so the first one is kept here. */
  failure: TemplateError | null = null
  /** Facts for the trace, such as a comparison of a text with a number. */
  readonly notes = new Set<string>()

  private readonly patternsUsed = new Set<string>()
  private readonly currenciesUsed = new Set<string>()
  /** IANA time zone of dates. */
  readonly timezone: string
  /** How numbers and names of days are written. */
  readonly locale: Locale

  constructor(
    { timezone, locale }: Pick<Budget, 'timezone' | 'locale'>,
    private readonly patterns: PatternCache,
  ) {
    this.timezone = timezone
    this.locale = locale
  }

  /** Counts an evaluated part. Throws TemplateError. */
  step(): void {
    if (++this.steps > LIQUID_LIMITS.steps) this.stop('it evaluates too many parts')
  }

  /** Counts characters that are read or written. Throws TemplateError. */
  spend(characters: number): void {
    this.work += characters
    if (this.work > LIQUID_LIMITS.work) this.stop('its filters and comparisons do too much')
  }

  /** Requires that a text is not longer than an intermediate text may be, and counts it. */
  text(length: number): void {
    if (length > LIQUID_LIMITS.text) this.stop('a text becomes too long')
    this.spend(length)
  }

  /** Requires that a list is not longer than an intermediate list may be. */
  list(length: number): void {
    if (length > LIQUID_LIMITS.list) this.stop('a list becomes too long')
    this.spend(length)
  }

  /** Counts a round of a loop. */
  round(): void {
    if (++this.rounds > LIQUID_LIMITS.rounds)
      this.stop(`its loops have more than ${LIQUID_LIMITS.rounds} rounds`)
  }

  /** Counts a currency. Returns how to write it. */
  currency(code: string): Locale {
    this.currenciesUsed.add(code)
    if (this.currenciesUsed.size > LIQUID_LIMITS.currencies)
      this.stop(`it has more than ${LIQUID_LIMITS.currencies} currencies`)
    return this.locale
  }

  /** Returns a compiled regular expression, or `null` if it is invalid. */
  pattern(source: string): SafeRegex | null {
    this.patternsUsed.add(source)
    if (this.patternsUsed.size > LIQUID_LIMITS.patterns)
      this.stop(`it has more than ${LIQUID_LIMITS.patterns} regular expressions`)
    return this.patterns.get(source)
  }

  stop(reason: string): never {
    this.failure ??= new TemplateError('template_budget', `The template is stopped: ${reason}.`)
    throw this.failure
  }
}

const MICROS = 1_000_000

/** Bytes of UTF-8 per token, less than in any common language, so that estimates are high. */
const BYTES_PER_TOKEN = 3

/** Tokens of the framing of a request. */
const FRAMING = 300

/** Tokens and costs of a span of days, with those held back for calls that are not settled. */
export interface Used {
  tokens: number
  reservedTokens: number
  costMicros: number
  reservedMicros: number
}

/** Prices in US dollars per million tokens; `null` if unknown. */
export interface Prices {
  ai_price_input_per_million_usd: number | null
  ai_price_output_per_million_usd: number | null
}

/** Limits of an organization; `null` for none. */
export interface Budget extends Prices {
  ai_daily_token_budget: number | null
  ai_monthly_token_budget: number | null
  ai_monthly_cost_limit_usd: number | null
}

/** Tokens in both directions. */
export interface TokenCounts {
  inputTokens: number
  outputTokens: number
}

/** Returns the cost of a call in millionths of a US dollar; `null` if a price is missing. */
export function costOf(prices: Prices, { inputTokens, outputTokens }: TokenCounts): number | null {
  const { ai_price_input_per_million_usd: input, ai_price_output_per_million_usd: output } = prices
  // A price for a million tokens in dollars is the price of one token in millionths of a dollar.
  return input === null || output === null
    ? null
    : Math.round(inputTokens * input + outputTokens * output)
}

/** Returns the most tokens that a call will use: its text as input and the longest answer. */
export const estimateTokens = (textBytes: number, maxTokens: number): TokenCounts => ({
  inputTokens: Math.ceil(textBytes / BYTES_PER_TOKEN) + FRAMING,
  outputTokens: maxTokens,
})

/** Reports whether a call of this size fits into what is left of the budget. */
export function fitsBudget(
  budget: Budget,
  { day, month, call }: { day: Used; month: Used; call: TokenCounts },
): boolean {
  const tokens = call.inputTokens + call.outputTokens
  const limit = budget.ai_monthly_cost_limit_usd
  const cost = costOf(budget, call)
  // Without prices nobody knows whether a limited amount suffices. The settings refuse this.
  if (limit !== null && cost === null) return false
  return (
    isWithin(budget.ai_daily_token_budget, day.tokens + day.reservedTokens + tokens) &&
    isWithin(budget.ai_monthly_token_budget, month.tokens + month.reservedTokens + tokens) &&
    isWithin(
      limit === null ? null : limit * MICROS,
      month.costMicros + month.reservedMicros + (cost ?? 0),
    )
  )
}

const isWithin = (limit: number | null, used: number): boolean => limit === null || used <= limit

/** Failures in a row that open the breaker. */
export const BREAKER_FAILURES = 5

/** How long an open breaker lets no call through, milliseconds. */
export const BREAKER_OPEN_MS = 60_000

/** Returns the amount in US dollars; `null` stays `null`. */
export const dollars = (micros: number | null): number | null =>
  micros === null ? null : micros / MICROS

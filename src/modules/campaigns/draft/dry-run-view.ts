import { isoTimeOrNull } from '../../../lib/clock'
import { amountOf } from '../../../lib/money'
import type { Ctx } from '../../../infra/ctx'
import { findAccount } from '../../accounts/queries'
import { throughputLimit } from '../../accounts/view'
import { quotaOf } from '../../messages/outbound/messaging-limit'
import type { CampaignPrice, CountryPrices } from '../results/pricing'
import { findBlocker } from '../run/blockers'
import type { EligibilityContext } from '../run/eligibility'
import { windowOf, type CampaignRow } from '../view'
import type { Tally } from './dry-run-tally'
import type { DryRun } from './model'

/** Returns the result of a dry run as the API shows it. */
export function dryRunView(ctx: Ctx, context: EligibilityContext, tally: Tally): DryRun {
  const { campaign, template } = context
  const account = findAccount(ctx, campaign.accountId)
  const nowMs = ctx.clock.nowMs()
  const quota = account ? quotaOf(ctx, account, nowMs) : { tier: null, remaining: null }
  const countries = countriesOf(context, tally)
  const isPriced = countries.every(({ micros }) => micros !== null)
  const sum = countries.reduce((total, { micros }) => total + (micros ?? 0), 0)
  const dates = countries.flatMap(({ applying }) => applying.map(({ sinceMs }) => sinceMs))
  const perS = Math.min(account ? throughputLimit(account) : 80, campaign.rateLimit ?? Infinity)
  const blocker = findBlocker(ctx, campaign, template)
  return {
    eligible: tally.eligible,
    excluded: tally.excluded,
    missing_params: tally.missing,
    by_country: countries.map(countryView),
    estimated_cost: isPriced && campaign.currency !== null ? amountOf(sum) : null,
    currency: campaign.currency,
    price_date: isoTimeOrNull(dates.length === 0 ? null : Math.max(...dates)),
    estimated_duration_s: Math.ceil(tally.eligible / perS),
    quota: { tier: quota.tier, remaining: quota.remaining },
    thread_not_ours: tally.threadsOfOthers,
    warnings: warningsOf(campaign, {
      isPriced,
      sum,
      eligible: tally.eligible,
      reached: countries.reduce((total, { outside }) => total + outside, 0),
      remaining: quota.remaining,
      blocker: blocker?.message ?? null,
    }),
    samples: tally.samples,
  }
}

/** The cost of the recipients of one country. `micros` is `null` if a price is unknown. */
interface CountryCost {
  country: string | null
  outside: number
  inside: number
  prices: CountryPrices
  applying: CampaignPrice[]
  micros: number | null
}

/** Returns the countries of the recipients, most recipients first. */
const countriesOf = (context: EligibilityContext, tally: Tally): CountryCost[] =>
  [...tally.countries]
    .map(([code, { outside, inside }]): CountryCost => {
      const country = code === '' ? null : code
      const prices = context.prices.in(country)
      const parts = (
        [
          ['outside', outside],
          ['inside', inside],
        ] as const
      ).filter(([, count]) => count > 0)
      const applying = parts.flatMap(([where]) => prices[where] ?? [])
      const isKnown = applying.length === parts.length
      const micros = isKnown
        ? parts.reduce((sum, [where, count]) => sum + (prices[where]?.micros ?? 0) * count, 0)
        : null
      return { country, outside, inside, prices, applying, micros }
    })
    .toSorted(
      (a, b) =>
        b.outside + b.inside - a.outside - a.inside ||
        (a.country ?? '').localeCompare(b.country ?? ''),
    )

const countryView = ({
  country,
  outside,
  inside,
  prices,
  micros,
}: CountryCost): DryRun['by_country'][number] => ({
  country,
  count: outside + inside,
  unit_price: prices.outside && amountOf(prices.outside.micros),
  inside_window_count: inside,
  inside_window_price: prices.inside && amountOf(prices.inside.micros),
  cost: micros === null ? null : amountOf(micros),
})

function warningsOf(
  campaign: CampaignRow,
  found: {
    isPriced: boolean
    sum: number
    eligible: number
    reached: number
    remaining: number | null
    blocker: string | null
  },
): string[] {
  const { isPriced, sum, eligible, reached, remaining, blocker } = found
  const warnings = [
    blocker,
    eligible === 0 ? 'The campaign has no recipients.' : null,
    isPriced ? null : 'Some countries have no price, so the total cost is unknown.',
    campaign.budgetMicros !== null && sum > campaign.budgetMicros
      ? 'The budget is too small for all recipients. The campaign will pause.'
      : null,
    campaign.budgetMicros !== null && !isPriced
      ? 'Messages without a price do not count toward the budget.'
      : null,
    remaining !== null && reached > remaining
      ? "The platform's daily messaging limit is too small for all recipients. The campaign " +
        'will pause until the limit resets.'
      : null,
    windowOf(campaign) === null
      ? null
      : 'Messages are only sent in the send window, so the campaign takes longer than ' +
        'estimated.',
  ]
  return warnings.filter((warning) => warning !== null)
}

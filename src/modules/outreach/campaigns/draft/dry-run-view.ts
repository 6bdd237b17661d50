import { isoTimeOrNull } from '../../../../lib/clock'
import { amountOf } from '../../../../lib/money'
import type { Ctx } from '../../../../infra/ctx'
import { findAccount } from '../../../channel/accounts/queries'
import { throughputLimit } from '../../../channel/accounts/view'
import { quotaOf } from '../../../inbox/messages/outbound/messaging-limit'
import type { CampaignPrice, CountryPrices } from '../results/pricing'
import { findBlocker } from '../run/blockers'
import type { EligibilityContext } from '../run/eligibility'
import { windowOf, type CampaignRow } from '../view'
import type { CountryCounts, Tally } from './dry-run-tally'
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
    left_out: tally.leftOut,
    by_country: countries.map(countryView),
    billable: countries.reduce((total, { billable }) => total + billable, 0),
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
      reached: tally.reached,
      remaining: quota.remaining,
      blocker: blocker?.message ?? null,
    }),
    samples: tally.samples,
  }
}

/** The cost of the recipients of one country. `micros` is `null` if a price is unknown. */
interface CountryCost extends CountryCounts {
  country: string | null
  /** Recipients whose message is not free. */
  billable: number
  prices: CountryPrices
  applying: CampaignPrice[]
  micros: number | null
}

/** Returns the countries of the recipients, most recipients first. */
const countriesOf = (context: EligibilityContext, tally: Tally): CountryCost[] =>
  [...tally.countries]
    .map(([code, counts]): CountryCost => {
      const country = code === '' ? null : code
      const prices = context.prices.in(country)
      const parts = WINDOWS.filter((where) => counts[where] > 0)
      const applying = parts.flatMap((where) => prices[where] ?? [])
      const micros =
        applying.length < parts.length
          ? null
          : parts.reduce((sum, where) => sum + (prices[where]?.micros ?? 0) * counts[where], 0)
      const billable = parts.reduce(
        (sum, where) => sum + (prices[where]?.micros === 0 ? 0 : counts[where]),
        0,
      )
      return { country, ...counts, billable, prices, applying, micros }
    })
    .toSorted((a, b) => countOf(b) - countOf(a) || (a.country ?? '').localeCompare(b.country ?? ''))

const WINDOWS = ['outside', 'inside'] as const

const countOf = ({ outside, inside, free }: CountryCounts): number => outside + inside + free

const countryView = (found: CountryCost): DryRun['by_country'][number] => ({
  country: found.country,
  count: countOf(found),
  unit_price: found.prices.outside && amountOf(found.prices.outside.micros),
  inside_window_count: found.inside,
  inside_window_price: found.prices.inside && amountOf(found.prices.inside.micros),
  free_count: found.free,
  cost: found.micros === null ? null : amountOf(found.micros),
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

import { isoTimeOrNull } from '../../../lib/clock'
import { amountOf } from '../../../lib/money'
import { maskNumbersIn } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { NotFoundError } from '../../../lib/errors'
import { findAccount } from '../../accounts/queries'
import { throughputLimit } from '../../accounts/view'
import { holdersOf } from '../../contacts/identities'
import { findContact } from '../../contacts/service'
import { displayNameOf, numbersOfContact, type ContactRow } from '../../contacts/view'
import { isVisible, masksNumbers } from '../../contacts/visibility'
import { quotaOf } from '../../messages/outbound/messaging-limit'
import { defaultCurrency } from '../../prices/lookup'
import { refuseWhileCopied } from './require-copied'
import {
  countryFor,
  isInsideWindow,
  checkContact,
  checkRecipient,
  loadEligibilityContext,
  type EligibilityContext,
  type Eligibility,
} from '../run/eligibility'
import type { DryRun } from '../model'
import { findBlocker } from '../run/blockers'
import { namesAnybody, readAudience } from '../run/audience'
import type { CampaignPrice, CountryPrices } from '../results/pricing'
import { identityOf } from '../recipients/add'
import { getCampaignRow, waitingRecipients } from '../state'
import { findTemplateOf } from './template'
import { audienceOf, windowOf, type CampaignRow, type RecipientRow } from '../view'
import { yieldEvery, yieldToEventLoop } from '../../../infra/event-loop'

const MAX_MISSING = 100
const SAMPLES = 3
const ROWS_AT_ONCE = 200
/** How long contacts are checked before the event loop has its turn, milliseconds. */
const MAX_TURN_MS = 8

/** Somebody a trial has judged: who was brought in, a contact, or both. */
interface Judged {
  recipient: RecipientRow | null
  contact: ContactRow | null
}

const NOWHERE = { phoneNumber: null, userId: null }

/** What was found of everybody so far. */
class Tally {
  eligible = 0
  readonly excluded: Record<string, number> = {}
  readonly missing: DryRun['missing_params'] = []
  readonly samples: DryRun['samples'] = []
  /** By country how many are outside and inside of an open window. */
  readonly countries = new Map<string, { outside: number; inside: number }>()

  private readonly isMasked: boolean

  constructor(
    private readonly ctx: Ctx,
    private readonly desk: EligibilityContext,
  ) {
    this.isMasked = masksNumbers(ctx)
  }

  leaveOut(reason: string): void {
    this.excluded[reason] = (this.excluded[reason] ?? 0) + 1
  }

  take(person: Judged, { skip, filled }: Eligibility): void {
    if (
      skip === 'missing_params' &&
      this.missing.length < MAX_MISSING &&
      this.isShown(person.contact)
    )
      this.missing.push({
        recipient_id: person.recipient?.id ?? null,
        contact_id: person.contact?.id ?? null,
        name: this.nameOf(person),
        missing: filled.findings.missing.map(({ label }) => label),
      })
    if (skip !== null) return this.leaveOut(skip)
    // Values the template does not take: these messages would fail before they are handed over.
    if (filled.findings.problems.length > 0) return this.leaveOut('invalid_params')
    this.eligible += 1
    this.count(person)
    const { header, body, footer, buttons } = filled.rendered
    if (this.samples.length < SAMPLES && this.isShown(person.contact))
      this.samples.push(
        this.masked(person, { name: this.nameOf(person), header, body, footer, buttons }),
      )
    return undefined
  }

  private count({ recipient, contact }: Judged): void {
    const to = { contact, address: recipient ?? NOWHERE }
    const key = countryFor(to) ?? ''
    const counted = this.countries.get(key) ?? { outside: 0, inside: 0 }
    counted[isInsideWindow(this.ctx, this.desk, to) ? 'inside' : 'outside'] += 1
    this.countries.set(key, counted)
  }

  /** A sample in which the number of whoever gets it shows no more than its last digits. */
  private masked(
    { recipient, contact }: Judged,
    sample: DryRun['samples'][number],
  ): DryRun['samples'][number] {
    if (!this.isMasked) return sample
    const own = [
      ...(contact ? numbersOfContact(contact) : []),
      recipient?.phoneNumber ?? null,
    ].filter((number) => number !== null)
    return JSON.parse(JSON.stringify(sample), (_, value: unknown) =>
      typeof value === 'string' ? maskNumbersIn(value, own) : value,
    ) as typeof sample
  }

  /** Whoever the caller does not see counts and is not shown. */
  private isShown(contact: ContactRow | null): boolean {
    return contact === null || isVisible(this.ctx, contact.id)
  }

  private nameOf({ recipient, contact }: Judged): string | null {
    if (contact) return displayNameOf(contact, this.isMasked)
    return this.isMasked ? null : (recipient?.name ?? null)
  }
}

/**
 * Says what a start of a campaign would do, and does nothing. Throws NotFoundError, and
 * ConflictError `wrong_state` while recipients are copied to it.
 */
export async function dryRun(ctx: Ctx, id: string): Promise<DryRun> {
  const row = getCampaignRow(ctx, id)
  refuseWhileCopied(ctx, row)
  const campaign = { ...row, currency: row.currency ?? defaultCurrency(ctx) }
  const template = findTemplateOf(ctx, campaign.templateId)
  if (!template) throw new NotFoundError('Template')
  const desk = loadEligibilityContext(ctx, campaign, template)
  const tally = new Tally(ctx, desk)
  const seen = await judgeAllBrought(ctx, desk, tally)
  if (!campaign.isPlanned) await judgeAudience(ctx, desk, tally, seen)
  return viewOf(ctx, desk, tally)
}

/** Judges those who were brought in; returns which persons they are. */
async function judgeAllBrought(
  ctx: Ctx,
  desk: EligibilityContext,
  tally: Tally,
): Promise<Set<string>> {
  const seen = new Set<string>()
  const yieldIfDue = yieldEvery(MAX_TURN_MS)
  for (let after: string | null = ''; after !== null;) {
    const rows: RecipientRow[] = waitingRecipients(ctx, {
      campaignId: desk.campaign.id,
      after,
      most: ROWS_AT_ONCE,
    })
    for (const row of rows) {
      judgeOne(ctx, desk, tally, { row, seen })
      await yieldIfDue()
    }
    after = rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.id ?? null)
  }
  return seen
}

function judgeOne(
  ctx: Ctx,
  desk: EligibilityContext,
  tally: Tally,
  { row, seen }: { row: RecipientRow; seen: Set<string> },
): void {
  const ids = { phone: row.phoneNumber, userId: row.userId, parentUserId: null }
  const contactId = row.contactId ?? holdersOf(ctx, ids)[0] ?? null
  const identity = identityOf({ ...row, contactId })
  if (seen.has(identity)) return tally.leaveOut('duplicate')
  seen.add(identity)
  const contact = contactId === null ? null : findContact(ctx, contactId)
  return tally.take({ recipient: row, contact }, checkRecipient(ctx, desk, row, contact))
}

async function judgeAudience(
  ctx: Ctx,
  desk: EligibilityContext,
  tally: Tally,
  seen: ReadonlySet<string>,
): Promise<void> {
  const audience = audienceOf(desk.campaign)
  if (!namesAnybody(audience)) return
  for (let after: string | null = ''; after !== null;) {
    const { rows, next } = readAudience(ctx, audience, { after })
    for (const contact of rows)
      if (!seen.has(`c:${contact.id}`))
        tally.take({ recipient: null, contact }, checkContact(ctx, desk, contact, null))
    after = next
    await yieldToEventLoop()
  }
}

function viewOf(ctx: Ctx, desk: EligibilityContext, tally: Tally): DryRun {
  const { campaign, template } = desk
  const account = findAccount(ctx, campaign.accountId)
  const nowMs = ctx.clock.nowMs()
  const quota = account ? quotaOf(ctx, account, nowMs) : { tier: null, remaining: null }
  const countries = countriesOf(desk, tally)
  const isPriced = countries.every(({ micros }) => micros !== null)
  const sum = countries.reduce((total, { micros }) => total + (micros ?? 0), 0)
  const dates = countries.flatMap(({ applying }) => applying.map(({ sinceMs }) => sinceMs))
  const perS = Math.min(account ? throughputLimit(account) : 80, campaign.rateLimit ?? Infinity)
  const obstacle = findBlocker(ctx, campaign, template)
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
    warnings: warningsOf(campaign, {
      isPriced,
      sum,
      eligible: tally.eligible,
      reached: countries.reduce((total, { outside }) => total + outside, 0),
      remaining: quota.remaining,
      obstacle: obstacle?.message ?? null,
    }),
    samples: tally.samples,
  }
}

/**
 * What those of one country cost together; `micros` is `null` where a price that applies is not
 * known.
 */
interface CountryCost {
  country: string | null
  outside: number
  inside: number
  prices: CountryPrices
  applying: CampaignPrice[]
  micros: number | null
}

/** The countries of everybody who would get it, those of most first. */
const countriesOf = (desk: EligibilityContext, tally: Tally): CountryCost[] =>
  [...tally.countries]
    .map(([code, { outside, inside }]): CountryCost => {
      const country = code === '' ? null : code
      const prices = desk.prices.in(country)
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
    obstacle: string | null
  },
): string[] {
  const { isPriced, sum, eligible, reached, remaining, obstacle } = found
  const warnings = [
    obstacle,
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

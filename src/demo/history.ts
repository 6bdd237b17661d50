import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/clock'
import { zoneStretch } from '../lib/zone-offset'
import { createCampaign } from '../modules/outreach/campaigns/draft/create'
import { startCampaign } from '../modules/outreach/campaigns/run/start'
import { pick } from '../simulator/random'
import { linesOf, type Business, type Line } from './business'
import { sayInOneGo } from './early-days'
import { memberCtx, REGULAR, ZONE, type Shop } from './furnish'
import type { Person } from './people'
import { findPlace, placeOf, type Spoken, type Stage } from './stage'

/** How many days the businesses have been using the server. */
export const DAYS = 90

/** How many days ago the campaign was sent that is finished. */
const CAMPAIGN_DAY = 12

/** How many days the bot has been listening. */
const BOT_DAYS = 8

/** Part of a usual day on Sundays, Mondays, …, on which people write. */
const WEEKDAYS = [0.2, 1.2, 0.9, 0.8, 1, 1.4, 1.5]

/** A business with the people who write to it, in the order of their first message. */
export interface Crowded {
  shop: Shop
  people: Person[]
}

/** Plays all days until yesterday. `nowMs` is the time at which the past ends. */
export async function playHistory(stage: Stage, all: Crowded[], nowMs: number): Promise<void> {
  for (let daysAgo = DAYS; daysAgo > 1; daysAgo -= 1) {
    await stage.rest()
    const day = { atMs: nowMs - daysAgo * DAY_MS, daysAgo }
    const lines = inOrder(all.flatMap((each) => conversationsOf(stage, each, day)))
    if (daysAgo > BOT_DAYS) sayInOneGo(stage, lines)
    else for (const spoken of lines) await sayAndFinish(stage, spoken)
    if (daysAgo === BOT_DAYS + 1) for (const each of all) await beginWithBot(stage, each)
    if (daysAgo === CAMPAIGN_DAY) for (const each of all) await sendCampaign(stage, each)
  }
}

async function sayAndFinish(stage: Stage, spoken: Spoken): Promise<void> {
  await stage.at(spoken.atMs, () => stage.say(spoken))
  if (spoken.isLast) stage.finish(spoken)
}

/** The members tidy up the inbox and let the bot answer from now on. */
async function beginWithBot(stage: Stage, { shop, people }: Crowded): Promise<void> {
  await stage.past.work()
  const ctx = memberCtx(stage.past, shop, 0)
  for (const person of people)
    if (findPlace(ctx, shop, person) !== null) stage.finish({ shop, person, member: 0 })
  await (await stage.ownerOf(shop)).put('/api/chatbot/settings', { chatbot_enabled: true })
}

/** Sorts lines by the time at which they are said. */
export const inOrder = (lines: Spoken[]): Spoken[] => lines.toSorted((a, b) => a.atMs - b.atMs)

/** Returns what is said in the conversations of a day. */
function conversationsOf(
  { random }: Stage,
  { shop, people }: Crowded,
  { atMs: dayMs, daysAgo }: { atMs: number; daysAgo: number },
): Spoken[] {
  const { business } = shop
  const past = DAYS - daysAgo
  // business has grown
  const growth = 0.5 + past / DAYS
  const weekday = WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 1
  const count = Math.floor(business.conversationsPerDay * growth * weekday + random())
  const known = people.slice(0, Math.ceil((people.length * (past + 4)) / DAYS))
  return Array.from({ length: count }).flatMap(() => {
    const person = pick(random, known)
    if (person === undefined) return []
    const lines = linesOfDay(business, person, { random, hasBot: daysAgo <= BOT_DAYS })
    const member = 1 + Math.floor(random() * (business.members.length - 1))
    let atMs = openingOf(dayMs, business.hours[0]) + random() * 10 * HOUR_MS
    return lines.map((line, index) => {
      atMs += (0.5 + random() * (line.isCustomer ? 3 : 9)) * MINUTE_MS
      return { atMs, shop, person, line, member, isLast: index === lines.length - 1 }
    })
  })
}

/** Chooses what a customer talks about. Without a bot, a member answers everything. */
function linesOfDay(
  { past, farewells }: Business,
  { language }: Person,
  { random, hasBot }: { random: () => number; hasBot: boolean },
): Line[] {
  const scripts = past[language].map(linesOf)
  const hasAnswer = (lines: Line[]): boolean => lines.some(({ isCustomer }) => !isCustomer)
  const lines = pick(random, hasBot ? scripts : scripts.filter(hasAnswer)) ?? []
  const isOpen = hasAnswer(lines) && lines.at(-1)?.isCustomer === true
  return isOpen ? [...lines, { isCustomer: false, text: farewells[language], file: null }] : lines
}

/** Returns when a shop opens on the day of a time. */
function openingOf(dayMs: number, opening: string): number {
  const midnightMs = Math.floor(dayMs / DAY_MS) * DAY_MS
  const [hours = 0, minutes = 0] = opening.split(':').map(Number)
  const { offsetMs } = zoneStretch(ZONE, midnightMs)
  return midnightMs + hours * HOUR_MS + minutes * MINUTE_MS - offsetMs
}

/** Share of the customers who are regulars. */
const SHARE_OF_REGULARS = 0.6

/** Sends the campaign that is finished to all who had written, and lets a few of them answer. */
async function sendCampaign(stage: Stage, { shop, people }: Crowded): Promise<void> {
  const { past, simulator, random } = stage
  const { finished } = shop.business
  const ctx = memberCtx(past, shop, 0)
  const regulars = people.filter(
    (person) => findPlace(ctx, shop, person) !== null && random() < SHARE_OF_REGULARS,
  )
  const owner = await stage.ownerOf(shop)
  await owner.post('/api/contacts/bulk', {
    contact_ids: regulars.map((person) => placeOf(ctx, shop, person).contactId),
    action: 'add_tags',
    value: [REGULAR],
  })
  await past.work()
  const templates = await owner.get<{ items: { id: string; name: string }[] }>(
    '/api/templates?limit=100',
  )
  const campaign = await createCampaign(ctx, {
    name: finished.name,
    account_id: shop.accountId,
    template_id: templates.items.find(({ name }) => name === finished.template)?.id ?? '',
    variable_mapping: { '1': { field: 'name', default: 'there' } },
    audience: { tag_ids: [shop.tagIds.get(REGULAR) ?? ''] },
  })
  simulator.failLater({ code: 131_026 }, { times: 2 })
  startCampaign(ctx, campaign.id, true)
  for (let status = 'sending'; status === 'sending';) {
    await stage.at(past.clock.nowMs() + 1_000, () => simulator.idle())
    ;({ status } = await owner.get<{ status: string }>(`/api/campaigns/${campaign.id}`))
  }
  for (const person of regulars.filter((_, index) => index % 4 === 0)) {
    const text = pick(random, finished.answers[person.language] ?? [])
    if (text === undefined) continue
    const atMs = past.clock.nowMs() + 7 * MINUTE_MS
    const line = { isCustomer: true, text, file: null }
    await sayAndFinish(stage, { atMs, shop, person, line, member: 1, isLast: true })
  }
}

import { Database } from 'bun:sqlite'

import type { Client, Loose } from '../../support/client'
import { FIRST_NAME } from '../search-rows'
import { runCampaign } from './campaign'
import { quantile, type PartResult, type SideFigure } from './part'
import { onRig, type Rig } from './rig'
import { CLEANED, withYear } from './year'

/** An inbox, by copies of 1,000 customers: 100,000 contacts with 210,000 messages, or far more. */
const INBOX = {
  usual: { shape: { customers: 1_000, texts: 1_000, answers: 1_100 }, messages: 210_000 },
  million: { shape: { customers: 1_000, texts: 2_500, answers: 2_500 }, messages: 5_000_000 },
}
/** Nobody waits in a queue: copies of one deadline would all be due at once. */
const WITHOUT = [...CLEANED, 'transfers', 'transfer_changes']
/** So many contacts wrote last in one and the same moment. */
const SAME_MOMENT = 5_000

const ROUNDS = 40
/** Small requests come at this distance while something else goes on. */
const EVERY_MS = 5
/** What goes on lasts at least so long. */
const LEAST_MS = 4_000
const RECIPIENTS = 2_000
/** What WhatsApp lets a number send a second, unless it has raised that. */
const USUAL_PER_S = 80
const USUAL_RECIPIENTS = 800
const FIRST_RECIPIENT = 15_553_000_000
const FIRST_USUAL = 15_554_000_000
const POLL_MS = 100

/**
 * How long searches and lists take in an organization, and how long a small request takes beside a
 * campaign, reports, an export and searches, compared to the same request beside another client that
 * asks the same.
 */
export const measureReads = (size: keyof typeof INBOX = 'usual'): Promise<PartResult> =>
  withYear({ ...INBOX[size], without: WITHOUT }, (database) => {
    nameContacts(database)
    return onRig(
      async (rig) => {
        await rig.platform.tell({ statuses: ['sent', 'delivered', 'read'] })
        return { figures: [...(await timesOfReads(rig)), ...(await timesBeside(rig))] }
      },
      { database },
    )
  })

/** Gives the contacts names of which some are common, and many of them the same last moment. */
function nameContacts(path: string): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  sqlite.transaction(() => {
    sqlite.run(
      `update contacts set name = named, sort_name = lower(named), profile_name = named
       from (select id as of, ${FIRST_NAME} || ' Person' || i as named
         from (select id, row_number() over (order by id) as i from contacts)) where of = contacts.id`,
    )
    sqlite.run(
      `update contact_words set words = ' ' || sort_name || ' '
       from (select id, sort_name from contacts) c where c.id = contact_words.contact_id`,
    )
    sqlite.run(
      `update contacts set last_message_at_ms = (select max(last_message_at_ms) from contacts)
       where id in (select id from contacts order by last_message_at_ms desc limit ${SAME_MOMENT})`,
    )
  })()
  sqlite.close()
}

/** What is read, each with the address that asks for it. */
const READS: readonly (readonly [key: string, name: string, path: string])[] = [
  ['whole_name', 'search for a whole name', '/api/contacts?search=zebulon+person777'],
  ['first_name', 'search for a common first name', '/api/contacts?search=maria'],
  ['digits_end', 'search for last digits', '/api/contacts?search=77123'],
  ['digits_middle', 'search for digits in the middle', '/api/contacts?search=600077'],
  ['first_page', 'contacts, first page of many of one moment', '/api/contacts?limit=50'],
  ['page_100', 'contacts, page 100', '/api/contacts?limit=50&page=100'],
  ['inbox', 'conversations, first page', '/api/conversations?limit=50'],
  ['inbox_100', 'conversations, page 100', '/api/conversations?limit=50&page=100'],
]

async function timesOfReads({ admin }: Rig): Promise<SideFigure[]> {
  const figures: SideFigure[] = []
  for (const [key, name, path] of READS) {
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedMs = performance.now()
      await found(admin, path)
      if (round > 2) took.push(performance.now() - startedMs)
    }
    figures.push({ key: `${key}_ms`, name: `${name}, p50`, unit: 'ms', value: quantile(took, 0.5) })
  }
  return figures
}

async function found(client: Client, path: string): Promise<void> {
  const { status, data } = await client.get(path)
  if (status !== 200 || (data['items'] as unknown[]).length === 0)
    throw new Error(`${path} was answered ${status}, or found nothing`)
}

const YEAR = `start_date=${new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10)}&end_date=${new Date().toISOString().slice(0, 10)}`
const REPORTS = [
  `/api/analytics/messages?${YEAR}`,
  `/api/analytics/costs?${YEAR}&group_by=country`,
  `/api/analytics/agents?${YEAR}`,
  `/api/analytics/chatbot?${YEAR}`,
  `/api/analytics/campaigns?${YEAR}`,
  '/api/analytics/dashboard?period=year',
]

/** What goes on beside a small request, once. */
const beside: readonly (readonly [
  key: string,
  name: string,
  once: (rig: Rig, nth: number) => Promise<unknown>,
])[] = [
  ['me', 'another client that asks the same', ({ admin }) => admin.get('/api/me')],
  [
    'names',
    'searches for a common name',
    ({ admin }) => found(admin, '/api/contacts?search=maria'),
  ],
  ['digits', 'searches for digits', ({ admin }) => found(admin, '/api/contacts?search=600077')],
  ['texts', 'searches in messages', ({ admin }) => found(admin, '/api/messages/search?q=order')],
  [
    'reports',
    'all reports of a year',
    async ({ admin }) => {
      for (const path of REPORTS)
        if ((await admin.get(path)).status !== 200) throw new Error(`${path} failed`)
    },
  ],
  ['export', 'an export of all contacts', exported],
  [
    'campaign',
    `a campaign of ${RECIPIENTS.toLocaleString('en-US')}`,
    (rig, nth) => runCampaign(rig, RECIPIENTS, FIRST_RECIPIENT + nth * RECIPIENTS),
  ],
  [
    'usual_campaign',
    `a campaign at ${USUAL_PER_S} a second`,
    (rig) => runCampaign(rig, USUAL_RECIPIENTS, FIRST_USUAL, USUAL_PER_S),
  ],
]

async function exported({ admin }: Rig): Promise<void> {
  const { data } = await admin.post('/api/export', { table: 'contacts', format: 'csv' })
  for (;;) {
    const { data: now } = await admin.get(`/api/exports/${String((data as Loose)['id'])}`)
    if (now['status'] === 'completed') return
    if (now['status'] === 'failed') throw new Error('the export failed')
    await Bun.sleep(POLL_MS)
  }
}

/** The time of `GET /api/me` beside each, and how much longer that is than beside another one. */
async function timesBeside(rig: Rig): Promise<SideFigure[]> {
  const figures: SideFigure[] = []
  let alone = 0
  for (const [key, name, once] of beside) {
    await rig.settled()
    const took = await meBeside(rig, async () => {
      const endMs = performance.now() + LEAST_MS
      for (let nth = 0; nth === 0 || performance.now() < endMs; nth += 1) await once(rig, nth)
    })
    const p99Ms = quantile(took, 0.99)
    if (key === 'me') alone = p99Ms
    figures.push(
      {
        key: `me_p50_${key}_ms`,
        name: `\`GET /api/me\` beside ${name}, p50`,
        unit: 'ms',
        value: quantile(took, 0.5),
      },
      {
        key: `me_p99_${key}_ms`,
        name: `\`GET /api/me\` beside ${name}, p99`,
        unit: 'ms',
        value: p99Ms,
      },
    )
    if (key !== 'me')
      figures.push({
        key: `me_ratio_${key}`,
        name: '… compared to the first',
        unit: '×',
        value: p99Ms / alone,
      })
  }
  return figures
}

async function meBeside({ admin }: Rig, work: () => Promise<void>): Promise<number[]> {
  const took: number[] = []
  let isOver = false
  const probing = (async () => {
    while (!isOver) {
      const startedMs = performance.now()
      await admin.get('/api/me')
      took.push(performance.now() - startedMs)
      await Bun.sleep(EVERY_MS)
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await probing
  }
  return took
}

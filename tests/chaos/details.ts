import { storedId } from '../support/ids'
import type { Simulator } from '../../src/simulator/platform'
import type { Installation } from './installation'

type Judge = (claim: string, holds: boolean) => void

/**
 * Every message that says something can be found by it: its words were written down in the same
 * transaction, and the index has what they say.
 */
export function judgeSearch(installation: Installation, judge: Judge): void {
  const [wordless] = installation.rows<{ n: number }>(
    `select count(*) n from messages m where m.type = 'text' and not exists
       (select 1 from message_words w where w.row = m.row and w.organization_id = m.organization_id)`,
  )
  judge(`${wordless?.n} messages cannot be searched`, wordless?.n === 0)
  const missing = installation.rows(
    `select w.organization_id, count(*) as n,
       (select count(*) from message_search where message_search match '"' || char(57344) || 'o' || lower(hex(w.organization_id)) || '"') as found
     from message_words w group by 1 having n <> found`,
  )
  judge(
    `the index does not hold the words of messages: ${JSON.stringify(missing)}`,
    missing.length === 0,
  )
}

/**
 * What answers, statuses and counters of deliveries come to: each change counted once, each stage
 * of a message told once.
 */
export function judgeCounts(installation: Installation, judge: Judge): void {
  const miscounted = installation.rows(
    `select * from (select h.organization_id, sum(h.received) as received, sum(h.duplicates) as duplicates, sum(h.unrouted + h.failed) as unused,
       (select count(*) from inbound_events e where e.organization_id = h.organization_id) as journaled
     from inbound_hourly_stats h where h.organization_id <> zeroblob(16) group by 1) where received - duplicates <> journaled or unused <> 0`,
  )
  judge(`deliveries are miscounted: ${JSON.stringify(miscounted)}`, miscounted.length === 0)
  const told = installation.rows(
    `select payload, count(*) n from events where type = 'message.status_changed' group by organization_id, payload having n > 1 limit 5`,
  )
  judge(`stages of messages were told twice: ${JSON.stringify(told)}`, told.length === 0)
}

/** The simulated platform takes longer than this for an answer, milliseconds. */
const QUICKEST_MS = 50

/**
 * Messages of people to one contact reached the platform in the order they were asked for, each
 * after the one before was answered. Those of campaigns keep their own order.
 */
export function judgeOrder(
  { installation, simulator }: { installation: Installation; simulator: Simulator },
  judge: Judge,
): void {
  const asked = installation.rows<{ id: string; contact: string; seq: number }>(
    `select m.id, m.contact_id as contact, e.seq from events e join messages m on m.organization_id = e.organization_id
       and m.id = ${storedId("json_extract(e.payload, '$.messageId')")} where e.type = 'message.queued' and m.source <> 'campaign'`,
  )
  const byId = new Map(asked.map((row) => [row.id, row]))
  const last = new Map<string, { seq: number; at: number }>()
  let overtaken = 0
  let early = 0
  for (const { body, at } of simulator.messages) {
    const row = byId.get(String((body as Record<string, unknown>)['biz_opaque_callback_data']))
    if (!row) continue
    const before = last.get(row.contact)
    if (before && row.seq < before.seq) overtaken += 1
    if (before && at - before.at < QUICKEST_MS) early += 1
    last.set(row.contact, { seq: row.seq, at })
  }
  judge(
    `${overtaken} messages of ours were overtaken by later ones to the same contact`,
    overtaken === 0,
  )
  judge(
    `${early} messages of ours were sent before the one before to the same contact was answered`,
    early === 0,
  )
}

/** A job that waits sleeps meanwhile: in a round none does so more often than this. */
const MAX_NAPS = 2_000

/**
 * By what the last server counted no job went to sleep again and again, instead of waiting for its
 * time.
 */
export function judgeNaps(metrics: string, judge: Judge): void {
  const naps = [
    ...metrics.matchAll(/^switchboard_jobs_total\{kind="([^"]+)",outcome="snoozed"\} (\d+)$/gm),
  ]
  judge('the last server told no metrics of jobs', metrics.includes('switchboard_jobs_total{'))
  for (const [, kind, times] of naps)
    judge(`jobs ${kind} were put off ${times} times`, Number(times) <= MAX_NAPS)
}

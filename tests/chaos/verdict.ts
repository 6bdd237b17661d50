import { storedId } from '../support/ids'
import { statSync } from 'node:fs'

import type { Simulator } from '../../src/simulator/platform'
import { CAMPAIGN_SPEED, judgeCampaigns, type Campaign } from './campaigns'
import type { Installation } from './installation'
import type { Listener } from './listener'
import { restlessJobs, unfinishedJobs } from './restless'
import type { Expected } from './traffic'
import { judgeCounts, judgeNaps, judgeOrder, judgeSearch } from './details'

/** What happened in a round. */
export interface Story {
  seed: number
  kills: number
  /**
   * Log lines that were to be expected, and how many sends may have ended unknown beside those that
   * a kill interrupted.
   */
  expected: RegExp[]
  unsure: number
  /** Sends of ours that kills interrupted, but for campaigns. */
  underWay: number
  /** Bodies that were answered 200. */
  bodies: Set<string>
  reposted: number
  /** Answers that should not have come. */
  unexpected: string[]
  /** Ids of messages of ours that were answered 201. */
  sendsAnswered: string[]
  /** Campaigns that were started. */
  campaigns: Campaign[]
  /** How the last server ended. */
  exitCode: number | null
  /** What the servers logged at level warn or above, or wrote to standard error. */
  complaints: string[]
  /**
   * The newest sequence number of each organization when all work was done. Later events may meet a
   * socket that is closing.
   */
  heads: Map<string, number>
  /** The metrics of the last server when all work was done, in the format of Prometheus. */
  metrics: string
}

/** The story of a round that has not begun. */
export const newStory = (known: Pick<Story, 'seed' | 'expected' | 'unsure'>): Story => ({
  ...known,
  kills: 0,
  underWay: 0,
  bodies: new Set(),
  reposted: 0,
  unexpected: [],
  sendsAnswered: [],
  campaigns: [],
  exitCode: null,
  complaints: [],
  heads: new Map(),
  metrics: '',
})

interface Parts {
  installation: Installation
  simulator: Simulator
  expected: Expected
  listeners: Listener[]
}

/** Everything that is not as it must be after a round, one sentence each. The server has ended. */
export function findFaults(story: Story, parts: Parts): string[] {
  const complaints = story.complaints.filter(
    (line) => !story.expected.some((expected) => expected.test(line)),
  )
  const faults = [
    ...new Set(story.unexpected),
    ...complaints.slice(0, 10).map((line) => `the server complained: ${line}`),
  ]
  const judge = (claim: string, holds: boolean): void => {
    if (!holds) faults.push(claim)
  }
  judge(`the server ended with ${story.exitCode}`, story.exitCode === 0)
  judgeFile(parts, judge)
  judgeJournal(story, parts, judge)
  judgeMessages(parts, judge)
  judgeEvents(story, parts, judge)
  judgeSends(story, parts, judge)
  judgeCampaigns(story.campaigns, parts, judge)
  judgeSearch(parts.installation, judge)
  judgeCounts(parts.installation, judge)
  judgeOrder(parts, judge)
  judgeNaps(story.metrics, judge)
  return faults
}

/** The newest number of each organization's events. */
export const headsOf = (installation: Installation): Map<string, number> =>
  new Map(
    installation
      .rows<{ organization: string; seq: number }>(
        'select organization_id as organization, seq from event_heads',
      )
      .map(({ organization, seq }) => [organization, seq]),
  )

type Judge = (claim: string, holds: boolean) => void

function judgeFile({ installation }: Parts, judge: Judge): void {
  const wal = statSync(`${installation.databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0
  judge(`the write-ahead log still holds ${wal} bytes`, wal === 0)
  const integrity = installation
    .rows<{ integrity_check: string }>('pragma integrity_check')
    .map((row) => row.integrity_check)
  judge(`integrity_check says ${integrity.join(', ')}`, integrity.join() === 'ok')
  judge('foreign_key_check finds rows', installation.rows('pragma foreign_key_check').length === 0)
}

function judgeJournal(story: Story, { installation }: Parts, judge: Judge): void {
  const [bodies] = installation.rows<{ n: number }>('select count(*) n from inbound_bodies')
  judge(
    `${story.bodies.size} bodies were acknowledged, ${bodies?.n} are journaled`,
    bodies?.n === story.bodies.size,
  )
  const open = installation.rows(
    'select state, last_error, count(*) n from inbound_events where state <> ? group by 1, 2',
    'done',
  )
  judge(`changes were not processed: ${JSON.stringify(open)}`, open.length === 0)
  const stuck = unfinishedJobs(installation)
  judge(
    `jobs are stuck: ${JSON.stringify(stuck)}\n${restlessJobs(installation, Date.now()).join('\n')}`,
    stuck.length === 0,
  )
  // A scheduled job that was killed too often is right to end: its next due time starts a new one.
  const ended = installation.rows(
    `select kind, state, errors from jobs where state in ('discarded', 'cancelled')
     and errors not like '%withdrawn%' and not (coalesce(unique_key, '') like 'schedule:%'
     and errors like '%the process ended during every attempt%')`,
  )
  judge(`jobs were given up: ${JSON.stringify(ended)}`, ended.length === 0)
}

function judgeMessages({ installation, expected }: Parts, judge: Judge): void {
  const stored = installation.rows<{ phone: string; id: string; text: string }>(
    `select a.phone_id as phone, m.wa_message_id as id, json_extract(m.content, '$.text') as text
     from messages m join accounts a on a.id = m.account_id and a.organization_id = m.organization_id where m.direction = 'incoming'`,
  )
  const byPlace = new Map(stored.map(({ phone, id, text }) => [`${phone} ${id}`, text]))
  const lost = [...expected.texts]
    .filter(([place, text]) => byPlace.get(place) !== text)
    .map(([place]) => place)
  judge(
    `${lost.length} messages are lost or garbled: ${lost.slice(0, 5).join(', ')}`,
    lost.length === 0,
  )
  judge(
    `${stored.length} messages are stored, ${expected.texts.size} were posted`,
    stored.length === expected.texts.size && byPlace.size === stored.length,
  )
  const customers = installation.rows<{ place: string; unread: number }>(
    `select a.phone_id || ' ' || c.wa_id as place, v.unread_count as unread
     from conversations v join contacts c on c.id = v.contact_id and c.organization_id = v.organization_id
     join accounts a on a.id = v.account_id and a.organization_id = v.organization_id where c.source <> 'campaign'`,
  )
  const miscounted = customers.filter(
    ({ place, unread }) => expected.byCustomer.get(place) !== unread,
  )
  judge(`unread counts are off: ${JSON.stringify(miscounted.slice(0, 5))}`, miscounted.length === 0)
  judge(
    `${customers.length} conversations for ${expected.byCustomer.size} customers`,
    customers.length === expected.byCustomer.size,
  )
  const ledger = new Set(
    installation
      .rows<{ phone: string; id: string; status: string }>(
        `select a.phone_id as phone, s.wa_message_id as id, s.status
         from message_statuses s join accounts a on a.id = s.account_id and a.organization_id = s.organization_id`,
      )
      .map(({ phone, id, status }) => `${phone} ${id} ${status}`),
  )
  const unheard = [...expected.statuses].filter((place) => !ledger.has(place))
  judge(
    `${unheard.length} statuses are lost: ${unheard.slice(0, 5).join(', ')}`,
    unheard.length === 0,
  )
}

function judgeEvents(story: Story, { installation, listeners }: Parts, judge: Judge): void {
  const logs = installation.rows<{
    organization: string
    rows: number
    first: number
    last: number
    distinctSeqs: number
    head: number
  }>(
    `select e.organization_id as organization, count(*) as rows, min(e.seq) as first, max(e.seq) as last, count(distinct e.seq) as distinctSeqs,
     (select h.seq from event_heads h where h.organization_id = e.organization_id) as head from events e group by 1
     order by (select o.rowid from organizations o where o.id = e.organization_id)`,
  )
  judge(`${logs.length} organizations have events`, logs.length === listeners.length)
  for (const { organization, rows, first, last, distinctSeqs, head } of logs)
    judge(
      `the log of ${organization} has ${rows} events from ${first} to ${last}, head ${head}`,
      first === 1 && rows === last && distinctSeqs === rows && head === last,
    )
  const doubled = installation.rows(
    `select json_extract(payload, '$.messageId') as id from events where type in ('message.received', 'message.queued') group by 1 having count(*) > 1`,
  )
  judge(`${doubled.length} messages were announced twice`, doubled.length === 0)
  const [silent] = installation.rows<{ n: number }>(
    `select count(*) n from messages m where not exists (select 1 from events e where e.organization_id = m.organization_id
     and e.contact_id = m.contact_id and e.type in ('message.received', 'message.queued') and ${storedId("json_extract(e.payload, '$.messageId')")} = m.id)`,
  )
  judge(`${silent?.n} messages were never announced`, silent?.n === 0)
  for (const [index, { seqs, resyncs }] of listeners.entries()) {
    const audible = audibleSeqs(installation, logs[index]?.organization ?? '')
    const atRest = story.heads.get(logs[index]?.organization ?? '') ?? 0
    const isRestLater = audible.slice(seqs.length).every((seq) => seq > atRest)
    judge(
      `a socket heard ${seqs.length} events of ${audible.length}`,
      seqs.length <= audible.length && isRestLater,
    )
    const wrong = seqs.findIndex((seq, nth) => seq !== audible[nth])
    judge(`a socket heard ${seqs[wrong]} after ${seqs[wrong - 1]}`, wrong === -1)
    judge(`a socket had to start over: ${resyncs.join(', ')}`, resyncs.length === 0)
  }
}

/**
 * Numbers of the events an admin hears: of single messages of campaigns only those hear who watch
 * them, and that a campaign turned is for notices.
 */
const audibleSeqs = (installation: Installation, organization: string): number[] =>
  installation
    .rows<{ seq: number }>(
      `select seq from events where organization_id = ? and type <> 'campaign.turned' and json_extract(payload, '$.campaignId') is null
       or organization_id = ? and type = 'campaign.moved' order by seq`,
      organization,
      organization,
    )
    .map(({ seq }) => seq)

function judgeSends(story: Story, { installation, simulator }: Parts, judge: Judge): void {
  const rows = installation.rows<{
    id: string
    status: string
    stage: string
    contact: string
    source: string
  }>(
    `select id, status, stage, contact_id as contact, source from messages where direction = 'outgoing'`,
  )
  const stored = new Set(rows.map(({ id }) => id))
  const lost = story.sendsAnswered.filter((id) => !stored.has(id))
  judge(`${lost.length} messages of ours that were answered 201 are gone`, lost.length === 0)
  const taken = new Map<string, number>()
  for (const { body } of simulator.messages) {
    const id = String((body as Record<string, unknown>)['biz_opaque_callback_data'])
    taken.set(id, (taken.get(id) ?? 0) + 1)
  }
  const twice = [...taken].filter(([, times]) => times > 1)
  judge(`${twice.length} messages of ours reached the platform more than once`, twice.length === 0)
  const foreign = [...taken.keys()].filter((id) => !stored.has(id))
  judge(`the platform got ${foreign.length} messages that are not ours`, foreign.length === 0)
  const unsure = rows.filter(({ stage }) => stage === 'ambiguous' || stage === 'unknown')
  const held = new Set(unsure.map(({ contact }) => contact))
  const odd = rows.filter(({ id, status, stage, contact }) => {
    if (taken.has(id)) return status !== 'delivered' || stage !== 'accepted'
    if (status === 'unknown' && stage === 'unknown') return false
    return (
      status !== 'pending' || !(stage === 'ambiguous' || (stage === 'queued' && held.has(contact)))
    )
  })
  judge(
    `messages of ours are not where they must be: ${JSON.stringify(odd.slice(0, 5))}`,
    odd.length === 0,
  )
  // Of a campaign a kill meets as many calls as its speed lets begin within the time one takes,
  // after a start up to a second's worth.
  const ofCampaigns = unsure.filter(({ source }) => source === 'campaign').length
  const mostOfCampaigns = (story.kills + story.unsure) * CAMPAIGN_SPEED
  judge(
    `${ofCampaigns} messages of campaigns have an unknown outcome after ${story.kills} kills`,
    ofCampaigns <= mostOfCampaigns,
  )
  const others = unsure.length - ofCampaigns
  judge(
    `${others} messages of ours have an unknown outcome, and kills interrupted ${story.underWay}`,
    others <= story.underWay + story.unsure,
  )
}

import { signWebhook } from '../../src/lib/standard-webhook'
import type { Endpoint, Seen } from './hooks-story'
import type { Installation } from './installation'

interface Entry {
  organization: string
  seq: number
  position: number
  type: string
  payload: string
}

interface Delivery {
  id: string
  organization: string
  endpoint: string
  seq: number
  event: string
  state: string
  attempts: number
  nextAttemptAtMs: number | null
  deliveredAtMs: number | null
}

interface Envelope {
  id: string
  type: string
  organization_id: string
  seq: number
  data: { contact_id?: string; contact?: { id: string }; id?: string }
}

/** A request with what its body says. */
type Read = Seen & { body: Envelope; endpoint: Endpoint }

type Judge = (claim: string, wrong: readonly unknown[]) => void

/** What the round knows when the server has ended. */
export interface Known {
  installation: Installation
  endpoints: Endpoint[]
  seen: Seen[]
}

/** Entries of the log of which no webhook tells. */
const SILENT = new Set(['message.queued', 'transfer.edited'])
const TOLD = new Set([
  'account.changed',
  'message.received',
  'contact.changed',
  'contact.created',
  'conversation.changed',
  'message.status_changed',
  'transfer.created',
])
/** Fields of a conversation of whose changes webhooks tell. */
const OF_CONVERSATIONS = ['state', 'assigned_to', 'team_id']

/**
 * Everything that is wrong with the deliveries after a round, one sentence each. The expectation
 * comes from the event log and the requests of the receiver alone (webhooks-out 2 to 4).
 */
export function findHookFaults(known: Known): string[] {
  const faults: string[] = []
  const judge: Judge = (claim, wrong) => {
    if (wrong.length > 0)
      faults.push(`${wrong.length} ${claim}: ${JSON.stringify(wrong.slice(0, 6))}`)
  }
  const log = logOf(known.installation)
  const rows = deliveriesOf(known.installation)
  const byPlace = new Map(known.endpoints.map((one) => [placeOf(one), one]))
  judge(
    'requests went to a place that is no endpoint',
    known.seen.filter((request) => !byPlace.has(placeOf(request))),
  )
  const read = known.seen.flatMap((request): Read[] => {
    const endpoint = byPlace.get(placeOf(request))
    return endpoint ? [{ ...request, endpoint, body: JSON.parse(request.text) as Envelope }] : []
  })
  judge(
    'kinds of events are not judged',
    [...new Set(log.map(({ type }) => type))].filter((one) => !SILENT.has(one) && !TOLD.has(one)),
  )
  judgeReach(known, { log, read, rows }, judge)
  judgeRequests(read, judge)
  judgeRows(rows, read, judge)
  judgeLines(read, judge)
  return faults
}

const placeOf = ({ organization, behavior }: Pick<Seen, 'organization' | 'behavior'>): string =>
  `${organization}/${behavior}`

const logOf = (installation: Installation): Entry[] =>
  installation.rows<Entry>(
    'select organization_id as organization, seq, position, type, payload from events order by position',
  )

const deliveriesOf = (installation: Installation): Delivery[] =>
  installation.rows<Delivery>(
    `select id, organization_id as organization, endpoint_id as endpoint, seq, event, state, attempts,
       next_attempt_at_ms as nextAttemptAtMs, delivered_at_ms as deliveredAtMs from webhook_deliveries`,
  )

/** Types of the events that webhooks tell of an entry of the log. */
function typesOf({ type, payload }: Entry): string[] {
  if (type === 'account.changed') return ['account.updated']
  if (type === 'contact.changed' || type === 'conversation.changed') {
    const { changed } = JSON.parse(payload) as { changed: string[] }
    const isTold =
      type === 'contact.changed' || changed.some((field) => OF_CONVERSATIONS.includes(field))
    return [
      ...(isTold ? [type.replace('changed', 'updated')] : []),
      ...(changed.includes('marketing_consent') ? ['contact.consent_changed'] : []),
    ]
  }
  if (type !== 'message.status_changed') return TOLD.has(type) ? [type] : []
  const { status, previousStatus } = JSON.parse(payload) as Record<string, string>
  const isAccepted =
    ['sent', 'delivered', 'read'].includes(status ?? '') &&
    ['pending', 'unknown'].includes(previousStatus ?? '')
  const isFailed = status === 'failed' || status === 'unknown'
  return [
    ...(isAccepted ? ['message.sent'] : []),
    'message.status',
    ...(isFailed ? ['message.failed'] : []),
  ]
}

interface Evidence {
  log: Entry[]
  read: Read[]
  rows: Delivery[]
}

/** Each event of the log reached each endpoint that chose it, and nothing else did. */
function judgeReach({ installation, endpoints }: Known, evidence: Evidence, judge: Judge): void {
  const begins = new Map(
    installation
      .rows<{ id: string; organization: string; since: number }>(
        'select id, organization_id as organization, since_position as since from webhook_endpoints',
      )
      .map((row) => [row.id, row]),
  )
  const expected = new Set(
    endpoints.flatMap(({ id, behavior }) => {
      const { organization = '', since = 0 } = begins.get(id) ?? {}
      return evidence.log
        .filter((entry) => entry.organization === organization && entry.position > since)
        .flatMap((entry) => typesOf(entry).map((type) => `${id} ${entry.seq} ${type}`))
        .filter((key) => behavior !== 'contacts' || key.includes(' contact.'))
    }),
  )
  const heard = evidence.read.filter(({ status }) => status === 200)
  const reached = new Set(
    heard.map(({ endpoint, body }) => `${endpoint.id} ${body.seq} ${body.type}`),
  )
  const told = evidence.read.map(({ endpoint, body }) => `${endpoint.id} ${body.seq} ${body.type}`)
  judge('events never reached an endpoint', [...expected.difference(reached)])
  judge('events reached an endpoint that should not', [...new Set(told).difference(expected)])
  const stored = evidence.rows.map(({ endpoint, seq, event }) => `${endpoint} ${seq} ${event}`)
  judge('events have no delivery', [...expected.difference(new Set(stored))])
  judge('deliveries are of no event', [...new Set(stored).difference(expected)])
  judge('deliveries were stored twice', [
    ...Map.groupBy(stored, (key) => key)
      .values()
      .filter((same) => same.length > 1),
  ])
  judge(
    'requests carried an event of another organization',
    evidence.read.filter(
      ({ endpoint, body }) => begins.get(endpoint.id)?.organization !== body.organization_id,
    ),
  )
}

/** Each try of a delivery has the same id and body, is signed, and counts up. */
function judgeRequests(read: Read[], judge: Judge): void {
  const byDelivery = Map.groupBy(
    read,
    ({ endpoint, body }) => `${endpoint.id} ${body.seq} ${body.type}`,
  )
  judge(
    'deliveries changed their webhook-id or body between tries',
    [...byDelivery].filter(
      ([, tries]) =>
        new Set(tries.map(({ id }) => id)).size > 1 ||
        new Set(tries.map(({ text }) => text)).size > 1,
    ),
  )
  judge(
    'values of webhook-id stand for two deliveries',
    [...Map.groupBy(byDelivery.values(), ([first]) => first?.id).entries()]
      .filter(([, same]) => same.length > 1)
      .map(([id]) => id),
  )
  judge(
    'deliveries counted their tries backwards',
    [...byDelivery].filter(([, tries]) =>
      tries.some(({ attempt }, nth) => attempt < (tries[nth - 1]?.attempt ?? 1)),
    ),
  )
  judge(
    'events have two ids',
    [
      ...Map.groupBy(
        read,
        ({ body }) => `${body.organization_id} ${body.seq} ${body.type}`,
      ).values(),
    ].filter((same) => new Set(same.map(({ body }) => body.id)).size > 1),
  )
  judge(
    'requests are not signed',
    read.filter(
      ({ endpoint, id, timestamp, text, signature }) =>
        signWebhook(endpoint.secret, { id, timestampS: timestamp, body: text }) !== signature,
    ),
  )
}

/** Each row of a delivery has ended well, and says so only after the receiver did. */
function judgeRows(rows: Delivery[], read: Read[], judge: Judge): void {
  const heard = new Set(read.filter(({ status }) => status === 200).map(({ id }) => id))
  judge(
    'deliveries are not in the state they must be in',
    rows.filter(
      ({ state, attempts, nextAttemptAtMs, deliveredAtMs }) =>
        state !== 'delivered' || attempts < 1 || nextAttemptAtMs !== null || deliveredAtMs === null,
    ),
  )
  judge(
    'deliveries count as delivered that the receiver never answered well',
    rows.filter(({ id, state }) => state === 'delivered' && !heard.has(`msg_${id}`)),
  )
}

/** At an endpoint that keeps the order of contacts, first tries are in the order of the log. */
function judgeLines(read: Read[], judge: Judge): void {
  const last = new Map<string, number>()
  const tried = new Set<string>()
  const overtaken = read.filter(({ behavior, endpoint, id, body }) => {
    if (behavior !== 'ordered' || tried.has(id)) return false
    tried.add(id)
    const contact = body.type.startsWith('contact.')
      ? body.data.id
      : (body.data.contact_id ?? body.data.contact?.id)
    const line = `${endpoint.id} ${contact}`
    const before = last.get(line) ?? 0
    last.set(line, body.seq)
    return body.seq < before
  })
  judge('deliveries of a contact were overtaken', overtaken)
}

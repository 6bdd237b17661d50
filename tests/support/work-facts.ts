import { uuidToBytes } from '../../src/infra/db/uuid'
import { dateIn, hourIn, slotOf } from './analytics-facts'
import type { World } from './world'

/** A fact that reports count at one time. The date is that of a fact that is not stored any more. */
export interface Fact {
  atMs: number
  /** Table of counts, which tells until when another time zone still moves a fact that is gone. */
  table: string
  isGone: boolean
  date: string | null
  hourMs: number | null
}

export interface Session extends Fact {
  contactId: string
  endedMs: number | null
  outcome: 'open' | 'auto_resolved' | 'transferred' | 'abandoned'
  isCompleted: boolean
  isFlow: boolean
  /** Whether the bot has answered. */
  isAnswered: boolean
  /** Whether a person can still show that the bot did not resolve it. */
  isTimedOut: boolean
  messages: number
  botMessages: number
}

export interface Transfer extends Fact {
  id: string
  contactId: string
  agentId: string | null
  transferredMs: number
  pickedUpMs: number | null
  endedMs: number | null
  breach: Fact | null
}

export interface Write extends Fact {
  userId: string
  contactId: string
}

export interface Response extends Fact {
  userId: string
  contactId: string
  waitedMs: number
}

export interface Hit extends Fact {
  keyword: string
}

export interface Call extends Fact {
  id: string
  hasFailed: boolean
  tokens: [input: number, output: number]
  micros: number
}

/** Times at which a member is away; without an end while they are. */
export interface Break {
  userId: string
  fromMs: number
  beforeMs: number | null
}

/** Everything whose rows can be deleted. */
interface Stored {
  sessions: Session[]
  transfers: Transfer[]
  writes: Write[]
  responses: Response[]
  calls: Call[]
}

/**
 * Notes on which date and in which hour the facts were counted that are not stored any more and whose
 * quarter hours have become days: they keep these in other time zones.
 */
export function keepDates(world: World, facts: readonly Fact[], zone: string): void {
  const unfolded = new Map<string, Set<number>>()
  for (const fact of facts) {
    if (!fact.isGone || fact.date !== null) continue
    const query = `select start from ${fact.table} where part = 0 and unit = 0`
    const slots =
      unfolded.get(fact.table) ??
      new Set(world.rows<{ start: number }>(query).map(({ start }) => start))
    unfolded.set(fact.table, slots)
    if (slots.has(slotOf(fact.atMs))) continue
    fact.date = dateIn(fact.atMs, zone)
    fact.hourMs = hourIn(fact.atMs, zone)
  }
}

/** Notes which facts are not stored any more. */
export function noteGone(world: World, known: Stored): void {
  const stored = (table: string, columns: string): Set<string> =>
    new Set(
      world.rows<{ key: string }>(`select ${columns} as key from ${table}`).map(({ key }) => key),
    )
  const ofContact = "lower(hex(contact_id)) || ' ' ||"
  const keyOf = (contactId: string, atMs: number): string =>
    `${uuidToBytes(contactId).toHex()} ${atMs}`
  const sessions = stored('bot_sessions', `${ofContact} started_at_ms`)
  const writes = stored('messages', `${ofContact} created_at_ms`)
  const transfers = stored('transfers', 'id')
  const calls = stored('ai_usage', 'id')
  for (const session of known.sessions)
    session.isGone ||= !sessions.has(keyOf(session.contactId, session.atMs))
  for (const write of known.writes) write.isGone ||= !writes.has(keyOf(write.contactId, write.atMs))
  for (const response of known.responses)
    response.isGone ||= !writes.has(keyOf(response.contactId, response.atMs + response.waitedMs))
  for (const transfer of known.transfers) {
    transfer.isGone ||= !transfers.has(transfer.id)
    if (transfer.breach) transfer.breach.isGone = transfer.isGone
  }
  for (const call of known.calls) call.isGone ||= !calls.has(call.id)
}

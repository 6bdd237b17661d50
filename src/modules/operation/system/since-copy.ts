import { Database } from 'bun:sqlite'

import { counted } from '../../../lib/counted'

/** What a database has that an older copy of it lacks. */
export interface SinceCopy {
  messages_received: number
  messages_written: number
  contacts: number
  /** Consents to marketing that were given or withdrawn. */
  consents: number
  reactions: number
  calls: number
  /** Webhooks of WhatsApp, also those that are not processed yet. */
  webhooks_received: number
  /** Changes that people and their API keys made, without sign-ins. */
  changes: number
}

/** Entries of the audit log that change nothing. */
const NO_CHANGES = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'token_reused',
  'switched_organization',
]

/** What identifies a row of an organization. */
const ROW = ['organization_id', 'id']

/** What identifies a reaction; a later one of the same person replaces it in its row. */
const REACTION = [
  ...['organization_id', 'account_id', 'target_wa_message_id', 'reactor', 'participant'],
  ...['timestamp_ms', 'emoji'],
]

/**
 * Counts what a database has that an older copy of it lacks, by what identifies its rows, because
 * clocks may have jumped. Neither needs the schema of this program. Returns `null` if one cannot be read.
 */
export function countSince(databasePath: string, copyPath: string): SinceCopy | null {
  try {
    const database = new Database(databasePath, { strict: true })
    try {
      database.run('attach ? as copy', [copyPath])
      const added = (table: string, columns: string[], condition = 'true'): number => {
        const isSame = columns.map((column) => `c."${column}" is t."${column}"`).join(' and ')
        return (
          database
            .query<{ n: number }, []>(
              `select count(*) as n from main."${table}" t where ${condition} and not exists
               (select 1 from copy."${table}" c where ${isSame})`,
            )
            .get()?.n ?? 0
        )
      }
      const without = NO_CHANGES.map((action) => `'${action}'`).join(', ')
      return {
        messages_received: added('messages', ROW, "direction = 'incoming'"),
        messages_written: added('messages', ROW, "direction = 'outgoing'"),
        contacts: added('contacts', ROW),
        consents: added('contact_consents', ROW),
        reactions: added('message_reactions', REACTION),
        calls: added('calls', ROW),
        webhooks_received:
          added('inbound_events', ['id']) +
          added('inbound_staging', ['id', 'received_at_ms', 'body']),
        changes: added('audit_logs', ROW, `actor_type <> 'system' and action not in (${without})`),
      }
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}

/** Says what a database has, in the words of a list; nothing for nothing. */
export const sinceWords = (since: SinceCopy): string[] =>
  (
    [
      [since.messages_received, 'message received', 'messages received'],
      [since.messages_written, 'message written', 'messages written'],
      [since.contacts, 'new contact', 'new contacts'],
      [since.consents, 'consent given or withdrawn', 'consents given or withdrawn'],
      [since.reactions, 'reaction', 'reactions'],
      [since.calls, 'call', 'calls'],
      [since.webhooks_received, 'webhook received', 'webhooks received'],
      [since.changes, 'change made by people', 'changes made by people'],
    ] as const
  ).flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)]))

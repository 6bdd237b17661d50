import { Database } from 'bun:sqlite'

import { counted } from '../../../lib/counted'

/** What a database has that an older copy of it lacks. */
export interface SinceCopy {
  messages_received: number
  messages_written: number
  contacts: number
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

/**
 * Counts what a database has that an older copy of it lacks, by the IDs of rows, because clocks may
 * have jumped. Neither needs the schema of this program. Returns `null` if one cannot be read.
 */
export function countSince(databasePath: string, copyPath: string): SinceCopy | null {
  try {
    const database = new Database(databasePath, { strict: true })
    try {
      database.run('attach ? as copy', [copyPath])
      const added = (table: string, condition: string): number =>
        database
          .query<{ n: number }, []>(
            `select count(*) as n from main."${table}" t where ${condition} and not exists
             (select 1 from copy."${table}" c where c.organization_id = t.organization_id and c.id = t.id)`,
          )
          .get()?.n ?? 0
      const without = NO_CHANGES.map((action) => `'${action}'`).join(', ')
      return {
        messages_received: added('messages', "direction = 'incoming'"),
        messages_written: added('messages', "direction = 'outgoing'"),
        contacts: added('contacts', 'true'),
        changes: added('audit_logs', `actor_type <> 'system' and action not in (${without})`),
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
      [since.changes, 'change made by people', 'changes made by people'],
    ] as const
  ).flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)]))

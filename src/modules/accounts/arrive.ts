import type { SQLQueryBindings } from 'bun:sqlite'

import type { StoredRow } from '../../infra/arrival'
import type { Tx } from '../../infra/db/transact'

/**
 * Gives a phone number that was stored as disconnected its own values, in the transaction that
 * completes the import of its organization.
 */
export function connectArrivedIn(tx: Tx, row: StoredRow): void {
  const { organization_id: organization, id, ...archived } = row
  const columns = { ...archived, moved_at_ms: null }
  const assignments = Object.keys(columns).map((column) => `"${column}" = ?`)
  tx.scope.sqlite
    .query(`update accounts set ${assignments.join(', ')} where organization_id = ? and id = ?`)
    .run(...([...Object.values(columns), organization, id] as SQLQueryBindings[]))
}

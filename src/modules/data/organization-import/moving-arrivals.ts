import type { Arrival, StoredRow } from '../../../infra/arrival'

/**
 * Jobs that stay behind when their organization moves here, and why. All others arrive with the rows
 * that they concern.
 */
export const STAYING_JOBS: Readonly<Record<string, string>> = {
  'account.direct-webhooks': 'the numbers are directed to this cell when they are connected',
  'export.drop-erased': 'exports stay behind',
  'export.write': 'exports stay behind',
  'flow.direct-endpoints': 'the Flows are directed to this cell when their number works here',
  'inbound.assign-unrouted': 'deliveries belong to the cell that received them',
  'inbound.erase-person': 'deliveries belong to the cell that received them',
  'inbound.process': 'deliveries belong to the cell that received them',
  'inbound.process-account': 'deliveries belong to the cell that received them',
  'inbound.process-status': 'deliveries belong to the cell that received them',
  'media.delete-files': 'files have other names here',
  'message.rescope-words': 'messages have other numbers here, and their words are new',
  'organization.archive': 'archives stay behind',
  'organization.drop-archives': 'archives stay behind',
}

const isStaying = (row: StoredRow): boolean =>
  String(row['kind']) in STAYING_JOBS ||
  // An encrypted argument, such as a mail with a link to the other cell.
  String(row['args']).includes('"sealed"')

/** The jobs that remove events up to a number; here the numbers begin anew. */
const NAMES_EVENTS = new Set(['contact.erase', 'contact.erase-files'])

function withoutEvents(row: StoredRow): StoredRow {
  if (!NAMES_EVENTS.has(String(row['kind']))) return row
  const args = JSON.parse(String(row['args'])) as Record<string, unknown>
  delete args['upTo']
  return { ...row, args: JSON.stringify(args) }
}

/** Keys of jobs that follow an event, by its position: here other events have these positions. */
const keyHere = (key: StoredRow[string] | undefined): string | null =>
  typeof key !== 'string' || key.startsWith('event:') ? null : key

/** How jobs arrive: waiting, in their order. */
export const jobArrival: Arrival = {
  change: (row) =>
    isStaying(row)
      ? null
      : { ...withoutEvents(row), is_blocked: 0, unique_key: keyHere(row['unique_key']) },
}

/**
 * How idempotency keys arrive: without the answers, which the other cell encrypted. A repeated request
 * does nothing again.
 */
export const keyArrival: Arrival = {
  change: (row) => ({ ...row, body_hash: '', status: null, answer_sealed: null }),
}

import { and, sql, type SQL } from 'drizzle-orm'

import { BOM, csvLine, escapeFormula } from '../../../lib/csv'
import type { CursorKey } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { readPageAfter } from '../../../infra/keyset-pagination'
import { messages } from '../../inbox/messages/table'
import { factsOf } from './definition'
import { requireFlow } from './state'
import { flowResponses } from './sent-table'
import {
  type ResponseQuery,
  type ResponseRow,
  KEY,
  filterOf,
  joinMessage,
  readResponses,
  responseView,
} from './list-responses'

/** Maximum number of answer columns; further keys are left out. */
const MAX_COLUMNS = 200

const CSV_STEP = 250

/**
 * Returns the responses as CSV lines, read in batches: one column per field of the Flow and per
 * other key found. Throws NotFoundError before the first line.
 */
export function responseLines(
  ctx: Ctx,
  flowId: string,
  query: Omit<ResponseQuery, 'page' | 'limit' | 'cursor'>,
): Iterator<string> {
  const flow = requireFlow(ctx, flowId)
  const filter = filterOf(ctx, flowId, query)
  return linesOf(ctx, filter, keysOf(ctx, filter, factsOf(flow).fields))
}

/** Returns the fields of the Flow, then other keys found in the responses. */
function keysOf(ctx: Ctx, filter: SQL, fields: string[]): string[] {
  const found = ctx.db.orm
    .selectDistinct({ key: sql<string>`answer.key` })
    .from(flowResponses)
    .innerJoin(messages, joinMessage)
    .innerJoin(sql`json_each(${flowResponses.data}) as answer`, sql`true`)
    .where(inOrganization(ctx, flowResponses, filter))
    .limit(MAX_COLUMNS)
    .all()
    .map(({ key }) => key)
  const known = new Set(found)
  const first = fields.filter((name) => known.has(name))
  return [
    ...first,
    ...found.filter((key) => !first.includes(key) && key !== 'flow_token').toSorted(),
  ]
}

function* linesOf(ctx: Ctx, filter: SQL, keys: string[]): Generator<string> {
  yield (
    BOM +
      csvLine(
        ['id', 'contact_id', 'message_id', 'flow_token', 'completed_at', ...keys].map(
          escapeFormula,
        ),
      )
  )
  let place: CursorKey | null = null
  for (;;) {
    const at: CursorKey | null = place
    const rows: ResponseRow[] =
      at === null
        ? readResponses(ctx, filter, { limit: CSV_STEP })
        : readPageAfter(KEY, { place: at, order: 'desc', limit: CSV_STEP }, (beyond, limit) =>
            readResponses(ctx, and(filter, beyond) ?? filter, { limit }),
          )
    if (rows.length === 0) return
    yield rows.map((row) => csvLine(cellsOf(row, keys).map(escapeFormula))).join('')
    const last: ResponseRow | undefined = rows.at(-1)
    if (rows.length < CSV_STEP || !last) return
    place = { value: last.completedAtMs, id: last.id }
  }
}

function cellsOf(row: ResponseRow, keys: string[]): string[] {
  const view = responseView(row)
  const cells = keys.map((key) => {
    const value = view.data?.[key]
    if (value === undefined || value === null) return ''
    return typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)
  })
  return [
    view.id,
    view.contact_id,
    view.message_id,
    view.flow_token ?? '',
    view.completed_at,
    ...cells,
  ]
}

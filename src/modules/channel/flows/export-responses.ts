import { and, sql, type SQL } from 'drizzle-orm'

import { BOM, csvLine, escapeFormula } from '../../../lib/csv'
import type { CursorKey } from '../../../lib/page'
import { inOrganization } from '../../../infra/ctx'
import type { ReadPart } from '../../../infra/read/parts'
import type { ReadCtx } from '../../../infra/read/read-ctx'
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

type Filters = Omit<ResponseQuery, 'page' | 'limit' | 'cursor'>

/** Some lines of the file, and the columns of answers that all of them have. */
export interface ResponsePart extends ReadPart<CursorKey> {
  text: string
  keys: string[]
}

/**
 * Returns the next lines of the responses as CSV: one column per field of the Flow and per other key
 * found. Begins with the headings if it is the first part. Throws NotFoundError.
 */
export function nextResponseLines(
  ctx: ReadCtx,
  { flowId, last: former, ...query }: Filters & { flowId: string; last: ResponsePart | null },
): ResponsePart {
  const flow = requireFlow(ctx, flowId)
  const filter = filterOf(ctx, flowId, query)
  const keys = former?.keys ?? keysOf(ctx, filter, factsOf(flow).fields)
  const place = former?.next ?? null
  const rows =
    place === null
      ? readResponses(ctx, filter, { limit: CSV_STEP })
      : readPageAfter(KEY, { place, order: 'desc', limit: CSV_STEP }, (beyond, limit) =>
          readResponses(ctx, and(filter, beyond) ?? filter, { limit }),
        )
  const last = rows.length < CSV_STEP ? undefined : rows.at(-1)
  return {
    text:
      (place === null ? headOf(keys) : '') +
      rows.map((row) => csvLine(cellsOf(row, keys).map(escapeFormula))).join(''),
    keys,
    next: last ? { value: last.completedAtMs, id: last.id } : null,
  }
}

const headOf = (keys: string[]): string =>
  BOM +
  csvLine(
    ['id', 'contact_id', 'message_id', 'flow_token', 'completed_at', ...keys].map(escapeFormula),
  )

/** Returns the fields of the Flow, then other keys found in the responses. */
function keysOf(ctx: ReadCtx, filter: SQL, fields: string[]): string[] {
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

function cellsOf(row: ResponseRow, keys: string[]): string[] {
  const view = responseView(row, true)
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

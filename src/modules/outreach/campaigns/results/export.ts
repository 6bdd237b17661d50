import { BOM, csvLine, escapeFormula } from '../../../../lib/csv'
import type { Ctx } from '../../../../infra/ctx'
import type { RecipientView } from '../model'
import type { RecipientStatus } from '../rules'
import { recipientPages } from '../recipients/queries'

const HEADINGS = [
  'phone_number',
  'name',
  'status',
  'skip_reason',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'replied_at',
  'error_code',
  'error',
  'cost',
]

/**
 * Returns the cells of a recipient. Texts that a spreadsheet could read as a formula are guarded.
 */
const cellsOf = (row: RecipientView): string[] => [
  row.phone_number ?? '',
  ...[
    row.name,
    row.status,
    row.skip_reason,
    row.sent_at,
    row.delivered_at,
    row.read_at,
    row.failed_at,
    row.replied_at,
  ].map((text) => escapeFormula(text ?? '')),
  escapeFormula(row.error === null ? '' : String(row.error.platform_code ?? row.error.code)),
  escapeFormula(row.error?.message ?? ''),
  escapeFormula(row.cost ?? ''),
]

/**
 * Returns the recipients of a campaign as table rows with a heading, a page at a time. Throws
 * NotFoundError.
 */
export function recipientTable(
  ctx: Ctx,
  id: string,
  status: RecipientStatus | undefined,
): Generator<string[][]> {
  return tableOf(recipientPages(ctx, id, status))
}

function* tableOf(pages: Generator<RecipientView[]>): Generator<string[][]> {
  yield [HEADINGS]
  for (const page of pages) yield page.map(cellsOf)
}

/** Returns a table as lines of CSV. */
export function* csvOf(table: Generator<string[][]>): Generator<string> {
  yield BOM
  for (const rows of table) yield rows.map(csvLine).join('')
}

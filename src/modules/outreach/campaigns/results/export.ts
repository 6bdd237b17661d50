import { BOM, csvLine, escapeFormula } from '../../../../lib/csv'
import type { Ctx } from '../../../../infra/ctx'
import { partsOf } from '../../../../infra/read/parts'
import type { RecipientView } from '../model'
import type { RecipientStatus } from '../rules'
import type { RecipientPart } from '../recipients/queries'
import { ReadNextRecipients } from '../recipients/readers'

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
 * Returns the recipients of a campaign as table rows with a heading, a part at a time. Throws
 * NotFoundError.
 */
export async function recipientTable(
  ctx: Ctx,
  campaignId: string,
  status: RecipientStatus | undefined,
): Promise<AsyncGenerator<string[][]>> {
  const parts = await partsOf(
    (last: RecipientPart | null) =>
      ctx.reads.value(ReadNextRecipients, ctx, { campaignId, status, after: last?.next ?? '' }),
    ({ rows }) => rows.map(cellsOf),
  )
  return withHeadings(parts)
}

async function* withHeadings(parts: AsyncGenerator<string[][]>): AsyncGenerator<string[][]> {
  yield [HEADINGS]
  yield* parts
}

/** Returns a table as lines of CSV. */
export async function* csvOf(table: AsyncGenerator<string[][]>): AsyncGenerator<string> {
  yield BOM
  for await (const rows of table) yield rows.map(csvLine).join('')
}

import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { checkHeader, columnsOf, headingsIn, mappingIn } from '../columns'
import { countryOf, knownTags } from '../create'
import { RunImport } from '../jobs'
import type { ImportChange, ImportTable, ImportView } from '../model'
import { publishStartIn } from '../publish-work'
import { changeImportIn, getVisibleImport } from '../state'
import { importView, optionsOf, type ImportRow } from '../view'

/** Returns a draft, or an import whose check is over. Throws NotFoundError and ConflictError. */
function getChangeable(ctx: Ctx, id: string): ImportRow & { target: ImportTable } {
  const { target, ...row } = getVisibleImport(ctx, id)
  const isChecked = row.isDryRun && row.status === 'completed'
  if (target === 'recipients' || (row.status !== 'draft' && !isChecked))
    throw new ConflictError('The import has begun.', { code: 'wrong_state' })
  if (row.storedAs === null)
    throw new ConflictError('The rows of the file have been deleted. Import it again.', {
      code: 'too_late',
    })
  return { ...row, target }
}

/**
 * Changes what the columns of an import are and what is done with its rows. A check that was made is
 * forgotten. Throws NotFoundError, InvalidError, and ConflictError `wrong_state`, `too_late`.
 */
export const changeImport = (ctx: Ctx, id: string, change: ImportChange): ImportView =>
  transact(ctx.db, (tx) => {
    const row = getChangeable(ctx, id)
    const options = optionsOf(row)
    const headers = options.columns.map(({ header }) => header)
    const before = Object.fromEntries(options.columns.map(({ header, key }) => [header, key]))
    const columns =
      change.column_mapping === undefined
        ? options.columns
        : headingsIn(columnsOf(ctx, row.target), headers, {
            ...before,
            ...mappingIn(change.column_mapping),
          })
    const changed = changeImportIn(tx, ctx, id, {
      ...{ status: 'draft', startedAtMs: null, finishedAtMs: null },
      ...{ position: 0, rowsDone: 0, created: 0, updated: 0, skipped: 0, failed: 0 },
      options: JSON.stringify({
        ...options,
        columns,
        updatesDuplicates: change.update_on_duplicate ?? options.updatesDuplicates,
        defaultCountry:
          change.default_country === undefined
            ? options.defaultCountry
            : countryOf(change.default_country),
        tagIds: change.tag_ids === undefined ? options.tagIds : knownTags(ctx, change.tag_ids),
      }),
    })
    return importView(changed)
  })

/**
 * Starts the dry run of a draft. Throws NotFoundError, InvalidError `missing_column` or
 * `duplicate_column`, and ConflictError `wrong_state`, `too_late`.
 */
export const checkImport = (ctx: Ctx, id: string): ImportView =>
  transact(ctx.db, (tx) => {
    const row = getChangeable(ctx, id)
    if (row.status !== 'draft')
      throw new ConflictError('The file has been checked.', { code: 'wrong_state' })
    const { columns } = optionsOf(row)
    checkHeader(
      columnsOf(ctx, row.target),
      columns.map(({ header }) => header),
      Object.fromEntries(columns.map(({ header, key }) => [header, key])),
    )
    const queued = changeImportIn(tx, ctx, id, {
      status: 'queued',
      actor: JSON.stringify(requestedByOf(ctx.actor)),
    })
    enqueue(tx, ctx, RunImport, {
      args: { importId: id },
      orderingKey: `imports:${ctx.organizationId}`,
    })
    publishStartIn(tx, ctx, queued)
    return importView(queued)
  })

import { InvalidError, type FieldProblem, fieldSentence } from '../../../lib/errors'
import { type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { requirePermissions } from '../../../infra/require-permissions'
import { requestedByOf } from '../../organization/auth/delegated-ctx'
import { beginWorkIn } from '../../organization/notifications/work/note'
import { columnsOf } from './columns'
import { problemsOfFilters } from './filters'
import { WriteExport } from './jobs'
import type { ExportFilters, ExportTable, ExportView, NewExport } from './model'
import { permissionsFor } from './state'
import { exports_ } from './table'
import { exportView, type ExportOptions } from './view'
import { conditionOfSegment, segmentCondition } from '../../inbox/contacts/segment-filter/condition'

/**
 * Schedules an export of the rows the caller can see. Throws ForbiddenError `permission_denied` if
 * the table needs another permission, and InvalidError that names each unknown column and filter.
 */
export function requestExport(ctx: Ctx, request: NewExport): ExportView {
  requirePermissions(ctx.actor, permissionsFor(request.table))
  const options = optionsFor(ctx, request)
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(exports_)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        source: request.table,
        format: request.format ?? 'csv',
        status: 'queued',
        options: JSON.stringify(options),
        createdBy: ctx.actor.userId,
        actor: JSON.stringify(requestedByOf(ctx.actor)),
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    enqueue(tx, ctx, WriteExport, {
      args: { exportId: row.id },
      orderingKey: `exports:${ctx.organizationId}`,
    })
    beginWorkIn(tx, ctx, {
      ...{ kind: 'export', id: row.id, title: row.source },
      ...{ total: null, link: `/exports/${row.id}` },
    })
    return exportView(row)
  })
}

function optionsFor(ctx: Ctx, request: NewExport): ExportOptions {
  const { table, columns, filters: requested, segment_id: segmentId } = request
  const { filter, contact_ids: contactIds } = request
  const filters = (requested ?? {}) as ExportFilters // invalid values are rejected below
  const known = columnsOf(ctx, table)
  const errors = [
    ...(columns ?? []).flatMap((key, index): FieldProblem[] =>
      known.some((column) => column.key === key)
        ? []
        : [{ path: `body.columns.${index}`, message: `is not a column of ${table}` }],
    ),
    ...problemsOfFilters(table, requested ?? {}),
    ...problemsOfSegment(ctx, { table, filters, segmentId }),
    ...(['filter', 'contact_ids'] as const)
      .filter((name) => table !== 'contacts' && request[name] !== undefined)
      .map((name) => ({ path: `body.${name}`, message: `is not supported for ${table}` })),
  ]
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
  if (filter !== undefined) segmentCondition(ctx, filter)
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(contactIds === undefined ? {} : { contactIds }),
    columns: columns ?? known.filter(({ isUsual }) => isUsual).map(({ key }) => key),
    filters,
    segmentId: segmentId ?? null,
  }
}

function problemsOfSegment(
  ctx: Ctx,
  {
    table,
    filters,
    segmentId,
  }: { table: ExportTable; filters: ExportFilters; segmentId: string | undefined },
): FieldProblem[] {
  const path = 'body.segment_id'
  if (segmentId === undefined) return []
  if (table === 'tags') return [{ path, message: 'cannot be combined with tags' }]
  if (table === 'contacts' && Object.keys(filters).length > 0)
    return [{ path, message: 'cannot be combined with filters' }]
  return conditionOfSegment(ctx, segmentId) === null
    ? [{ path, message: 'is not one of your segments' }]
    : []
}

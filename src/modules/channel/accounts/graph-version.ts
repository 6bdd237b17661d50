import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { DEFAULT_GRAPH_VERSION, nearEndOf } from '../../../lib/graph-versions'
import { notifyAboutAccountIn } from './notify'
import type { AccountRow } from './view'

type Versioned = Pick<AccountRow, 'id' | 'name' | 'apiVersion' | 'apiVersionWarnedFor'>

/**
 * Notifies once per version that the Graph API version of a number ends in six months or sooner, in
 * the caller's transaction. Returns the columns that remember it.
 */
export function warnOfVersionIn(
  tx: Tx,
  ctx: Ctx,
  row: Versioned,
): Pick<AccountRow, 'apiVersionWarnedFor'> | null {
  const end = nearEndOf(row.apiVersion, ctx.clock.nowMs())
  if (end === null || row.apiVersionWarnedFor === row.apiVersion) return null
  notifyAboutAccountIn(tx, ctx, row, {
    kind: 'account_notice',
    severity: end.isOver ? 'critical' : 'warning',
    title: `Graph API version ${end.isOver ? 'has ended' : 'ends'}`,
    body: `${end.sentence} ${UPDATE_VERSION}`,
  })
  return { apiVersionWarnedFor: row.apiVersion }
}

/** How the version of a number is updated. */
export const UPDATE_VERSION = `Change the version in the settings of the phone number to ${DEFAULT_GRAPH_VERSION} or later.`

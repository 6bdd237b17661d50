import type { RoutingRoles } from '../../../../platform/routing-roles'
import type { accounts } from '../table'

type Row = typeof accounts.$inferSelect

/** The columns of a number about its routing. */
export type RoutingColumns = Pick<Row, 'routing' | 'routingUnknownAtMs'>

/** What a number is before the platform was asked about its routing. */
export const UNASKED_ROUTING = {
  routing: null,
  routingUnknownAtMs: null,
} as const satisfies RoutingColumns

/**
 * Returns the columns that follow from the platform's answer. Without an answer (`null`) the roles are
 * unknown, and the last known ones stay for the next comparison.
 */
export const routingColumns = (
  found: RoutingRoles | null,
  nowMs: number,
): Partial<RoutingColumns> =>
  found === null
    ? { routingUnknownAtMs: nowMs }
    : { routing: JSON.stringify(found), routingUnknownAtMs: null }

/** Returns what the platform said when it last named roles, or `null`. */
export const lastKnownRouting = ({ routing }: Pick<Row, 'routing'>): RoutingRoles | null =>
  routing === null ? null : (JSON.parse(routing) as RoutingRoles)

/** Returns what the platform last said about the roles of a number, or `null` if they are unknown. */
export const routingOf = (row: RoutingColumns): RoutingRoles | null =>
  row.routingUnknownAtMs === null ? lastKnownRouting(row) : null

/** Whether a number has a role, as far as is known. */
const mayHave = (row: RoutingColumns, role: string): boolean =>
  routingOf(row)?.roles.includes(role) ?? true

/** Whether this app may take threads of a number that is shared. */
export const canTakeThreads = (row: RoutingColumns & Pick<Row, 'sharedAtMs'>): boolean =>
  row.sharedAtMs !== null && mayHave(row, 'escalation')

/** Whether this app may act on calls of a number. */
export const canCall = (row: RoutingColumns): boolean => mayHave(row, 'calls')

/** What people who manage a number read if it has no role at all; `null` if it has one. */
export function noRoleSentence(routing: RoutingRoles | null): string | null {
  if (routing === null || routing.roles.length > 0) return null
  const effect = routing.isStandby
    ? 'another app answers every customer, and their messages are shown as observed.'
    : 'nothing that customers write arrives here.'
  return (
    `This app has no role in the routing of the number, so ${effect} Give it a role in the routing ` +
    'of Meta Business Suite.'
  )
}

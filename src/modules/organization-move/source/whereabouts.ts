import type { Ctx } from '../../../infra/ctx'
import { newestArrivalMs } from '../../organization-import/queries'
import type { MoveAnswer } from '../protocol'

/**
 * Whether another cell answers that an organization arrived there after it came here, and is there or went
 * on from there to a third one.
 */
export const hasArrivedLater = (
  ctx: Pick<Ctx, 'db'>,
  organizationId: string,
  { place, arrived_at: arrivedAt }: MoveAnswer,
): boolean =>
  place === 'here' && Date.parse(arrivedAt ?? '') > (newestArrivalMs(ctx, organizationId) ?? 0)

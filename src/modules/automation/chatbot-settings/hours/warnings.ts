import type { Ctx } from '../../../../infra/ctx'
import { businessHoursAt } from './queries'

/** Returns a warning if it is closed now and never opens: past holidays open nothing. */
export function hoursWarnings(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'chatbotSettings' | 'clock'>,
  accountId: string | null,
): { code: 'never_open'; message: string }[] {
  const { isOpen, opensAtMs } = businessHoursAt(ctx, accountId, ctx.clock.nowMs())
  return isOpen || opensAtMs !== null
    ? []
    : [
        {
          code: 'never_open',
          message:
            'The business hours have no open minute in the next 400 days: customers are told at any ' +
            'time that you are closed. Enable a day, or switch `business_hours_enabled` off.',
        },
      ]
}

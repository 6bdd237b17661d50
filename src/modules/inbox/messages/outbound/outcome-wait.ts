import { and, eq, isNotNull, lt, max } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { runHooks } from '../../../../infra/transaction-hooks'
import { OutcomeSettled } from '../events'
import { EARLIER_UNCONFIRMED } from '../rules'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { isPending } from './delivery-state'
import { expediteHeldIn } from './release'

/** How long the bot waits for the outcome of a message before it repeats it. */
export const REPEAT_AFTER_MS = 2 * MINUTE_MS

/** Clock corrections below this are normal, milliseconds. */
const CLOCK_TOLERANCE_MS = 30 * SECOND_MS

/**
 * Returns how long an unconfirmed message still waits before it is repeated, milliseconds. A time
 * that is too far ahead was set before the clock was set back.
 */
export function repeatWaitMs({ clock }: Pick<Ctx, 'clock'>, repeatAtMs: number): number {
  const leftMs = repeatAtMs - clock.nowMs()
  return leftMs > REPEAT_AFTER_MS + CLOCK_TOLERANCE_MS ? 0 : Math.max(0, leftMs)
}

/** The place of a conversation: a contact and a number. */
type Place = Pick<MessageRow, 'contactId' | 'accountId'>

const isUnconfirmed = () =>
  and(
    eq(messages.contactId, place(messages.contactId, 'contactId')),
    eq(messages.accountId, place(messages.accountId, 'accountId')),
    isPending,
    isNotNull(messages.repeatAtMs),
  )

const lastRepeat = compiled((orm) =>
  orm
    .select({ atMs: max(messages.repeatAtMs) })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(isUnconfirmed(), lt(messages.row, place(messages.row, 'before'))),
      ),
    )
    .prepare(),
)

/** The shortest wait, so that nothing looks for the outcome without a pause when its job is late. */
const LEAST_WAIT_MS = SECOND_MS

/**
 * Returns how long the bot waits for the outcome of its messages to a contact, milliseconds; `null`
 * if it waits for none. With `before`, only messages before that one count.
 */
export function outcomeWaitMs(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'clock'>,
  { contactId, accountId }: Place,
  before: number = Number.MAX_SAFE_INTEGER,
): number | null {
  const { organizationId } = ctx
  const found = lastRepeat(ctx.db).get({ organizationId, contactId, accountId, before })
  return found?.atMs == null ? null : Math.max(LEAST_WAIT_MS, repeatWaitMs(ctx, found.atMs))
}

/**
 * Lets go on what waited for the outcome of a message of the bot: later messages and the session. It
 * is known, or no longer waited for.
 */
export function endOutcomeWaitIn(tx: Tx, ctx: Ctx, { contactId, accountId }: Place): void {
  expediteHeldIn(tx, ctx, { contactId, accountId, reason: EARLIER_UNCONFIRMED })
  runHooks(tx, ctx, OutcomeSettled, { contactId, accountId })
}

const forgetRepeats = compiled((orm) =>
  orm
    .update(messages)
    .set({ repeatAtMs: null })
    .where(inOrganization(anyScope, messages, isUnconfirmed()))
    .prepare(),
)

/** Repeats no message to a contact who has written: that is answered instead. */
export function forgetRepeatsIn(tx: Tx, ctx: Ctx, place: Place): void {
  if (outcomeWaitMs(ctx, place) === null) return
  const { contactId, accountId } = place
  forgetRepeats(ctx.db).run({ organizationId: ctx.organizationId, contactId, accountId })
  endOutcomeWaitIn(tx, ctx, place)
}

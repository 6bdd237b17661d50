import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { pauseNextIn } from '../../../outreach/campaigns/run/pause-after-restore'
import { endActiveIn } from '../../../automation/chatbot/engine/end-after-restore'
import {
  cancelSomeSendsIn,
  markUnknownIn,
} from '../../../inbox/messages/outbound/mark-unknown-after-restore'
import { findOrganization } from '../../../organization/organizations/service'
import { failDueIn } from '../../../inbox/scheduled-messages/fail-after-restore'
import { restartSomeIn } from '../../../automation/transfers/restart-after-restore'

/** Messages, and rows that are published, that one transaction changes. */
const AT_ONCE = 100
const PUBLISHED_AT_ONCE = 10

/**
 * Stops what an organization was about to do when it moved away, some rows at a time: the other cell may have
 * done it. It is what a restore does. Nothing reads these rows as long as it has moved, so it can be
 * interrupted. Does nothing if the organization has not moved.
 */
export async function treatAsRestored(ctx: Ctx): Promise<void> {
  await inSteps(ctx, cancelSomeSendsIn)
  await inSteps(ctx, untilFewer(AT_ONCE, markUnknownIn))
  await inSteps(ctx, pauseNextIn)
  await inSteps(ctx, untilFewer(PUBLISHED_AT_ONCE, failDueIn))
  await inSteps(ctx, untilFewer(PUBLISHED_AT_ONCE, endActiveIn))
  await inSteps(ctx, restartSomeIn)
}

/** Changes the rows after an ID. Returns the ID after which to go on; `null` at the end. */
type Step = (tx: Tx, ctx: Ctx, after: string) => string | null

/** Takes steps as long as the organization has moved, each in a transaction. */
async function inSteps(ctx: Ctx, step: Step): Promise<void> {
  const hasMoved = (): boolean => findOrganization(ctx, ctx.organizationId)?.state === 'moved'
  for (let after: string | null = ''; after !== null;) {
    const from: string = after
    after = transact(ctx.db, (tx) => (hasMoved() ? step(tx, ctx, from) : null))
    await yieldToEventLoop()
  }
}

/** A step of `most` rows, which are not found again. */
const untilFewer =
  (most: number, change: (tx: Tx, ctx: Ctx, most: number) => number): Step =>
  (tx, ctx) =>
    change(tx, ctx, most) < most ? null : ''

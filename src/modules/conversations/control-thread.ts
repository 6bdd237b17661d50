import { InvalidError, NotFoundError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { PlatformError } from '../../platform/client/errors'
import { numberCallOf } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { findAccount } from '../accounts/queries'
import { recordSharingIn } from '../accounts/routing/shared-number'
import { findContact } from '../contacts/service'
import { recordConversationIn } from './audit'
import { viewOf } from './load-views'
import type { ConversationView, ThreadControl } from './model'
import { getVisibleConversation } from './queries'
import { findConversationById, type ConversationRow } from './row'
import type { ThreadOwner } from './rules'
import { handoverMetadata, recordThreadFactIn } from './thread-owner'

/** The owner of a thread after each action. */
const OWNER_AFTER = { pass: 'platform_agent', release: 'idle', take: 'us' } as const

/** Names of the actions in the audit log. */
const AUDITED = { pass: 'thread_passed', release: 'thread_released', take: 'thread_taken' } as const

/**
 * Passes the thread of a conversation to the platform's agent, releases it, or takes it. If the
 * platform's answer is lost, the owner is unknown and the call is not repeated. Throws NotFoundError,
 * InvalidError (`account_inactive`, `no_address`, `platform_rejected`) and UnavailableError.
 */
export async function controlThread(
  ctx: Ctx,
  id: string,
  { action }: ThreadControl,
): Promise<ConversationView> {
  const before = getVisibleConversation(ctx, id)
  const kind = await askPlatform(ctx, before, action)
  return transact(ctx.db, (tx) => {
    const row = findConversationById(ctx, id)
    const account = row && findAccount(ctx, row.accountId)
    if (!account) throw new NotFoundError('Conversation')
    const atMs = ctx.clock.nowMs()
    recordSharingIn(tx, ctx, account, atMs)
    const after = recordThreadFactIn(tx, ctx, row, { kind, atMs }, { isLatest: true })
    recordConversationIn(tx, ctx, AUDITED[action], { before: row, after })
    return viewOf(ctx, id)
  })
}

/** Makes the call. Returns the owner after it: `unknown` if the answer was lost. */
async function askPlatform(
  ctx: Ctx,
  row: ConversationRow,
  action: ThreadControl['action'],
): Promise<ThreadOwner> {
  const account = findAccount(ctx, row.accountId)
  if (!account || account.deletedAtMs !== null)
    throw new InvalidError('The phone number of this conversation is disconnected.', {
      code: 'account_inactive',
    })
  const contact = findContact(ctx, row.contactId)
  const to = contact?.waId ?? contact?.phoneNumber ?? null
  const recipient = contact?.userId ?? contact?.parentUserId ?? null
  if (to === null && recipient === null)
    throw new InvalidError('The contact has no phone number or user ID.', { code: 'no_address' })
  try {
    await ctx.platform.controlThread({
      ...numberCallOf(ctx, account),
      address: to === null ? { recipient: recipient ?? '' } : { to },
      action,
      metadata: handoverMetadata(row.id),
    })
    return OWNER_AFTER[action]
  } catch (error) {
    if (error instanceof PlatformError && error.outcome === 'ambiguous') return 'unknown'
    throw platformErrorOf(error, {
      rejected:
        'The platform rejected the change of this thread. Only the escalation app of the number can ' +
        'take a thread, and only on a shared number.',
    })
  }
}

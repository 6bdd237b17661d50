import { InvalidError, NotFoundError } from '../../../lib/errors'
import { throwProblems } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { isAgentRole } from '../../../platform/webhook/standby'
import { numberCallOf } from '../../channel/accounts/platform-calls'
import { platformErrorOf } from '../../channel/accounts/platform-errors'
import { findAccount } from '../../channel/accounts/queries'
import { recordSharingIn } from '../../channel/accounts/routing/shared-number'
import { findContact } from '../contacts/service'
import { recordConversationIn } from './audit'
import { viewOf } from './load-views'
import type { ConversationView, ThreadControl } from './model'
import { getVisibleConversation } from './queries'
import { findConversationById, type ConversationRow } from './row'
import type { ThreadOwner } from './rules'
import { handoverMetadata, recordThreadFactIn } from './thread-owner'

/** The role of the only responder that can take threads, and that gets them without a target. */
const ESCALATION = 'escalation'

/** The call that a validated body asks for, and the owner of the thread after it with its role. */
function controlOf({ action, to_role: target }: ThreadControl): {
  control: Parameters<Ctx['platform']['controlThread']>[0]['control']
  owner: ThreadOwner
  role: string | null
} {
  if (action === 'pass')
    return {
      control: { action, target: target ?? null },
      owner: isAgentRole(target ?? null) ? 'platform_agent' : 'other_app',
      role: target ?? ESCALATION,
    }
  throwProblems(
    target === undefined
      ? []
      : [{ path: 'body.to_role', message: 'is only for the action `pass`' }],
  )
  return action === 'take'
    ? { control: { action }, owner: 'us', role: ESCALATION }
    : { control: { action }, owner: 'idle', role: null }
}

/** Why the platform rejects each action, as far as it is known. */
const REJECTED = {
  pass:
    'WhatsApp rejected the pass. A thread can be passed while it is yours, and only to a responder ' +
    'that this phone number has.',
  release: 'WhatsApp rejected the release. A thread can be released on a shared number only.',
  take: 'WhatsApp rejected the take. A thread can be taken on a shared number only.',
} as const

/** Names of the actions in the audit log. */
const AUDITED = { pass: 'thread_passed', release: 'thread_released', take: 'thread_taken' } as const

/**
 * Passes the thread of a conversation to another responder of the number, releases it, or takes it.
 * If the platform's answer is lost, the owner is unknown and the call is not repeated. Throws
 * NotFoundError, InvalidError (`account_inactive`, `no_address`, `not_escalation_partner`,
 * `platform_rejected`) and UnavailableError.
 */
export async function controlThread(
  ctx: Ctx,
  id: string,
  body: ThreadControl,
): Promise<ConversationView> {
  const { control, owner, role } = controlOf(body)
  const before = getVisibleConversation(ctx, id)
  const isDone = await askPlatform(ctx, before, control)
  const fact = isDone ? { kind: owner, role } : ({ kind: 'unknown' } as const)
  return transact(ctx.db, (tx) => {
    const row = findConversationById(ctx, id)
    const account = row && findAccount(ctx, row.accountId)
    if (!account) throw new NotFoundError('Conversation')
    const atMs = ctx.clock.nowMs()
    recordSharingIn(tx, ctx, account, atMs)
    const after = recordThreadFactIn(tx, ctx, row, { ...fact, atMs }, { isLatest: true })
    recordConversationIn(tx, ctx, AUDITED[control.action], { before: row, after })
    return viewOf(ctx, id)
  })
}

/** Makes the call. Returns `false` if the answer was lost, so that the owner is unknown. */
async function askPlatform(
  ctx: Ctx,
  row: ConversationRow,
  control: ReturnType<typeof controlOf>['control'],
): Promise<boolean> {
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
      control,
      metadata: handoverMetadata(row.id),
    })
    return true
  } catch (error) {
    if (error instanceof PlatformError && error.outcome === 'ambiguous') return false
    throw platformErrorOf(error, { rejected: REJECTED[control.action] })
  }
}

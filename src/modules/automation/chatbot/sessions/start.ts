import { ConflictError, InvalidError } from '../../../../lib/errors'
import { freeObjectProblems } from '../../../../lib/free-object'
import { throwProblems } from '../../../../lib/input-problems'
import { systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { getVisibleContact } from '../../../inbox/contacts/sight/visibility'
import { accountFor } from '../../../inbox/conversations/change-state'
import { findConversation, findOrOpenConversationIn } from '../../../inbox/conversations/service'
import { requireOpenWindow } from '../../../inbox/conversations/window'
import { findHoldingTransfer } from '../../transfers/find'
import { requireBotFlow } from '../bot-flows/find'
import { publishedVersion, type FlowVersion } from '../bot-flows/queries'
import { enterFlow } from '../engine/flow/enter'
import { isTemplateFirst } from '../engine/flow/first-message'
import { setVariables } from '../engine/flow/guards'
import { endSessionIn } from '../engine/production/end-sessions'
import { productionPorts } from '../engine/production/ports'
import { findActiveSession, findSession, type SessionPlace } from '../engine/production/store'
import { finishRun } from '../engine/finish-run'
import { beginRun, openSession, pauseRun } from '../engine/run'
import type { FlowStart, BotSessionView } from './model'
import { maskingOf } from './queries'
import { sessionView } from './view'

const VARIABLE_LIMITS = { bytes: 16 * 1_024, levels: 8 }

/**
 * Starts a bot flow with a contact. A job executes its nodes. Throws NotFoundError for an unknown
 * flow or an invisible contact, InvalidError (`invalid_input`, `flow_not_published`,
 * `contact_blocked`, `window_closed`, `account_required`, `account_inactive`) and ConflictError
 * (`transfer_active`, `session_active`).
 */
export function startFlow(ctx: Ctx, flowId: string, input: FlowStart): BotSessionView {
  throwProblems(freeObjectProblems(input.variables ?? {}, 'body.variables', VARIABLE_LIMITS))
  return transact(ctx.db, (tx) => {
    requireBotFlow(ctx, flowId)
    const contact = getVisibleContact(ctx, input.contact_id)
    const flow = publishedVersion(ctx, flowId)
    if (!flow)
      throw new InvalidError('This bot flow has no published version, or is disabled.', {
        code: 'flow_not_published',
      })
    if (contact.blockedAtMs !== null)
      throw new InvalidError('This contact is blocked. Unblock it before you start a flow.', {
        code: 'contact_blocked',
      })
    const account = accountFor(ctx, contact, input.account_id ?? flow.accountId ?? undefined)
    const place = { contactId: contact.id, accountId: account.id }
    if (!isTemplateFirst(flow)) requireOpenWindow(findConversation(ctx, place), ctx.clock.nowMs())
    makeRoomIn(tx, ctx, place, input.replace ?? false)
    findOrOpenConversationIn(tx, ctx, { ...place, assignedTo: contact.assignedTo })
    const id = beginIn(tx, systemCtx(ctx, ctx.organizationId), { place, flow, input })
    recordAudit(tx, ctx, {
      action: 'started',
      resourceType: 'bot_flow',
      resourceId: flowId,
      resourceName: flow.name,
      changes: [{ field: 'contact_id', old_value: null, new_value: contact.id }],
    })
    const row = findSession(ctx, id)
    if (!row) throw new Error('the session was not stored')
    return sessionView(row, maskingOf(ctx, contact.id))
  })
}

/** Ends the session that the new one replaces. Throws ConflictError. */
function makeRoomIn(tx: Tx, ctx: Ctx, place: SessionPlace, replaces: boolean): void {
  const transfer = findHoldingTransfer(ctx, place.contactId)
  if (transfer)
    throw new ConflictError('This contact has an active transfer, so the bot is silent.', {
      code: 'transfer_active',
      details: { transfer_id: transfer.id },
    })
  const active = findActiveSession(ctx, place)
  if (active && !replaces)
    throw new ConflictError('This contact has an active session. Send `replace: true` to end it.', {
      code: 'session_active',
      details: { session_id: active.id },
    })
  if (active) endSessionIn(tx, ctx, active, { status: 'cancelled', reason: 'replaced' })
}

/** Stores a session at the first node of the flow. A job goes on from there. Returns its ID. */
function beginIn(
  tx: Tx,
  ctx: Ctx,
  { place, flow, input }: { place: SessionPlace; flow: FlowVersion; input: FlowStart },
): string {
  const run = beginRun(productionPorts(tx, ctx, { place, before: null }), null, null)
  const session = openSession(run)
  const tooMuch = setVariables(session, input.variables ?? {})
  if (tooMuch !== null) throw new InvalidError(`The flow would begin with ${tooMuch}.`)
  const entry = enterFlow(run, flow)
  session.node = entry?.id ?? null
  if (entry) pauseRun(run, { at: 'flow' })
  finishRun(run)
  return session.id
}

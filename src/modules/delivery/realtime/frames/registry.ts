import { DAY_MS } from '../../../../lib/clock'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import { findContextRow } from '../../../automation/ai/contexts/queries'
import { contextView } from '../../../automation/ai/contexts/view'
import { AiContextChanged, AiQuestionsChanged } from '../../../automation/ai/events'
import { AccountChanged } from '../../../channel/accounts/events'
import { findAccount } from '../../../channel/accounts/queries'
import { accountView, type AccountRow } from '../../../channel/accounts/view'
import { FlowChanged } from '../../../channel/flows/events'
import { findFlow } from '../../../channel/flows/state'
import { MemberChanged } from '../../../organization/memberships/events'
import { TemplateChanged } from '../../../channel/templates/events'
import { findTemplate } from '../../../channel/templates/queries'
import { callFrames } from './call'
import { campaignFrames } from './campaign'
import { contactFrames } from './contact'
import { conversationFrames } from './conversation'
import { frame, type FrameEntry, type FrameKind } from './kind'
import { messageFrames } from './message'
import { orderFrames } from './order'
import { transferFrames } from './transfer'

/** A token that ends within this is about to expire, milliseconds. */
const EXPIRING_MS = 7 * DAY_MS

function tokenStateOf(row: AccountRow, atMs: number): 'valid' | 'expiring' | 'invalid' {
  if (row.status === 'disconnected' || row.accessTokenSealed === null) return 'invalid'
  if (row.tokenExpiresAtMs === null) return 'valid'
  if (row.tokenExpiresAtMs <= atMs) return 'invalid'
  return row.tokenExpiresAtMs - atMs < EXPIRING_MS ? 'expiring' : 'valid'
}

/** Frames about accounts and members. */
const areaFrames: FrameEntry[] = [
  frame(AccountChanged, {
    type: 'account:updated',
    resource: 'accounts',
    audience: 'area',
    render(scope, payload, { atMs }) {
      const row = findAccount(scope, payload.accountId)
      if (!row) return null
      const view = accountView(row)
      return {
        id: view.id,
        name: view.name,
        status: row.deletedAtMs === null ? view.status : 'deleted',
        status_reason: view.status_reason,
        quality_rating: view.quality_rating,
        messaging_limit_tier: view.messaging_limit_tier,
        throughput_level: view.throughput_level,
        token_state: tokenStateOf(row, atMs),
        changed: payload.changed,
      }
    },
  }),
  frame(FlowChanged, {
    type: 'flow:updated',
    resource: 'flows',
    audience: 'area',
    render(scope, { flowId, changed }) {
      const row = findFlow(scope, flowId)
      return (
        row && {
          id: row.id,
          account_id: row.accountId,
          name: row.name,
          status: row.deletedAtMs === null ? row.status : 'DELETED',
          changed,
        }
      )
    },
  }),
  frame(TemplateChanged, {
    type: 'template:updated',
    resource: 'templates',
    audience: 'area',
    render(scope, { templateId, changed, isDeleted }) {
      const row = findTemplate(scope, templateId)
      return (
        row && {
          id: row.id,
          account_id: row.accountId,
          name: row.name,
          language: row.language,
          status: isDeleted ? 'deleted' : row.status,
          category: row.category,
          quality: row.quality,
          reason: row.reason,
          changed,
        }
      )
    },
  }),
  frame(AiContextChanged, {
    type: 'ai_context:updated',
    resource: 'chatbot',
    audience: 'area',
    render(scope, { contextId }) {
      const row = findContextRow(scope, contextId)
      if (!row) return { id: contextId, name: null, document: null, is_deleted: true }
      const { id, name, document } = contextView(row)
      return { id, name, document, is_deleted: false }
    },
  }),
  frame(AiQuestionsChanged, {
    type: 'ai_questions:updated',
    resource: 'chatbot',
    audience: 'area',
    render: () => ({}),
  }),
  frame(MemberChanged, {
    type: 'member:updated',
    resource: 'users',
    audience: 'area',
    personOf: ({ userId }) => userId,
    render: (_scope, payload) => ({
      user_id: payload.userId,
      membership_id: payload.membershipId,
      full_name: payload.fullName,
      role_id: payload.roleId,
      role_name: payload.roleName,
      is_active: payload.isActive,
      is_available: payload.isAvailable,
      change: payload.change,
    }),
  }),
]

const kinds = new Map<string, FrameKind>([
  ...messageFrames,
  ...contactFrames,
  ...conversationFrames,
  ...callFrames,
  ...orderFrames,
  ...transferFrames,
  ...campaignFrames,
  ...areaFrames,
])

/** The kind of frame an event becomes; `null` when sockets do not hear of it. */
export const frameKindOf = (event: LoggedEvent): FrameKind | null => kinds.get(event.type) ?? null

import type { QueryClient } from '@tanstack/react-query'

import { currentSession, reloadMe } from '../api/session'
import { onAttention, onServerWork } from './patch-attention'
import { onBoard } from './patch-board'
import { CONTACT_EFFECTS } from './patch-contacts'
import { CAMPAIGN_EFFECTS } from './patch-campaigns'
import { CONVERSATION_EFFECTS } from './patch-conversations'
import { MESSAGE_EFFECTS } from './patch-messages'
import { RECORD_EFFECTS } from './patch-records'
import { TRANSFER_EFFECTS } from './patch-transfers'
import { onWork } from './patch-work'
import { invalidateSoon, recountSoon, refreshListsSoon, refreshRowsSoon } from './refresh'
import { touchContact } from './rows'
import type { Effect, Payload } from './effect'
import type { Frame } from './socket'

/** An effect that loads responses of some routes again, as far as they are shown. */
const reload =
  (...routes: string[]): Effect =>
  (client) => {
    for (const route of routes) invalidateSoon(client, route)
  }

/** A message moves its contact in tables; the first one ticks a step of the setup. */
const onMessage: Effect = (client, payload) => {
  MESSAGE_EFFECTS['message:new']?.(client, payload)
  touchContact(client, String(payload['contact_id']), String(payload['timestamp']))
  const conversation = payload['conversation'] as { bot_active?: boolean } | undefined
  if (conversation?.bot_active === true || payload['source'] === 'chatbot') onBot(client, payload)
  const queries = client.getQueryCache().findAll({ queryKey: ['GET /api/setup'], type: 'active' })
  if (queries.length > 0) invalidateSoon(client, 'GET /api/setup')
}

/** A session of the bot began, went on or ended. */
const onBot: Effect = (client) => {
  refreshRowsSoon(client, 'GET /api/chatbot/sessions')
  invalidateSoon(client, 'GET /api/chatbot/sessions/{id}')
  invalidateSoon(client, 'GET /api/chatbot/flows/{id}/figures')
}

/** The bot took a conversation, or left it. */
const onConversation: Effect = (client, payload) => {
  CONVERSATION_EFFECTS['conversation:updated']?.(client, payload)
  const changed = payload['changed'] as string[] | undefined
  if (changed?.some((field) => field.startsWith('bot_')) === true) onBot(client, payload)
}

const ignore: Effect = () => undefined

const isOwn = (payload: Payload): boolean => {
  const session = currentSession()
  return session.phase === 'signed-in' && payload['user_id'] === session.me.id
}

const ROUTES_OF_MEMBERS = [
  'GET /api/colleagues',
  'GET /api/users',
  'GET /api/organizations/members',
  'GET /api/setup',
]

const ROUTES_OF_ENDPOINTS = ['GET /api/webhooks', 'GET /api/webhooks/{id}']

/** What each event changes in the cache. Every event of the server has a line. */
export const EFFECTS: Record<string, Effect> = {
  ...MESSAGE_EFFECTS,
  'message:new': onMessage,
  ...CONVERSATION_EFFECTS,
  'conversation:updated': onConversation,
  ...CONTACT_EFFECTS,
  ...RECORD_EFFECTS,
  'work:progress': onWork,
  ...TRANSFER_EFFECTS,
  ...CAMPAIGN_EFFECTS,
  'webhook:event': ignore,
  'delivery:updated': reload('GET /api/webhooks/deliveries/{delivery_id}'),
  'analytics:dashboard': ignore,
  'team:board': onBoard,
  'server:attention': onAttention,
  'server:work': onServerWork,
  'ai_context:updated': reload('GET /api/chatbot/ai-contexts', 'GET /api/chatbot/ai-contexts/{id}'),
  'ai_questions:updated': reload('GET /api/chatbot/ai-questions'),
  'account:updated': reload(
    'GET /api/accounts',
    'GET /api/accounts/{id}',
    'GET /api/accounts/{id}/health',
    'GET /api/accounts/{id}/routing',
    'GET /api/setup',
  ),
  'member:updated': (client, payload) => {
    for (const route of ROUTES_OF_MEMBERS) invalidateSoon(client, route)
    if (isOwn(payload)) reloadMe().catch(() => undefined)
  },
  'permissions:updated': (client) => {
    reloadMe()
      .then(() => client.invalidateQueries())
      .catch(() => undefined)
  },
  'notification:new': (client, payload) => {
    invalidateSoon(client, 'GET /api/me/notifications')
    if (String(payload['kind']).startsWith('webhook_'))
      for (const route of ROUTES_OF_ENDPOINTS) invalidateSoon(client, route)
    if (payload['kind'] !== 'mention') return
    recountSoon(client)
    refreshListsSoon(client)
  },
}

/** Applies an event to everything that was loaded. Unknown events are ignored. */
export function applyFrame(client: QueryClient, { type, payload }: Frame): void {
  EFFECTS[type]?.(client, payload)
}

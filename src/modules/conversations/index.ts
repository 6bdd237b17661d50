import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http'
import { IdParam, LongPageOf, longQuery } from '../../http/page'
import { Assignment, AssignmentView } from '../contacts/model'
import { ConversationView } from './model'
import { getConversation, listConversations } from './queries'
import { assignContact } from './service'
import { conversations } from './table'

const STATES = conversations.state.enumValues

const ConversationsQuery = t.Object({
  ...longQuery(),
  state: t.Optional(
    t.String({ pattern: `^(${STATES.join('|')})(,(${STATES.join('|')}))*$`, description: 'One state or several, with commas between.' }),
  ),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  assigned_to: t.Optional(t.String({ pattern: '^(me|none|[0-9a-fA-F-]{36})$', description: 'A user id, `me` or `none`.' })),
  unread: t.Optional(t.Boolean({ description: 'Only those with unread messages.' })),
})

/** Conversations. */
export const conversationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, cursor, state, account_id, assigned_to, unread } }) =>
        ok(
          listConversations(ctx, {
            page,
            limit,
            cursor,
            states: state === undefined ? undefined : STATES.filter((each) => state.split(',').includes(each)),
            accountId: account_id,
            assignedTo: assigned_to,
            unread,
          }),
        ),
      {
        can: 'messages:read',
        query: ConversationsQuery,
        response: { 200: Ok(LongPageOf(ConversationView)) },
        detail: { summary: 'List conversations', description: 'Newest message first, of contacts the caller sees.' },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getConversation(ctx, params.id)), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(ConversationView) },
      detail: { summary: 'One conversation' },
    })

/** Who answers a contact: it lies here because the contact's conversations go with it. */
export const assignmentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .put('/:id/assign', ({ ctx, params, body }) => ok(assignContact(ctx, params.id, body.user_id)), {
      can: 'transfers:assign',
      params: IdParam,
      body: Assignment,
      response: { 200: Ok(AssignmentView) },
      detail: {
        summary: 'Give a contact to a member',
        description: 'Its conversations that are not closed go with it. `null` takes it from everybody.',
      },
    })

import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../../http/envelope'
import { guard } from '../../../../../http/guard'
import type { Http } from '../../../../../http/http-deps'
import { IdParam, PageOf } from '../../../../../http/pagination'
import { ContactDetails } from '../../../contacts/model'
import { NoteView } from '../../../contacts/notes/model'
import { ConversationView } from '../../../conversations/model'
import { TimelinePage } from '../../../conversations/timeline/model'
import { ColleagueView } from '../../../../organization/members/colleagues/model'
import { MessageList } from '../../routes'
import { INCLUDED, openConversation } from './open'

const words = INCLUDED.join('|')
const Include = t.Object({
  include: t.Optional(
    t.String({
      pattern: `^(${words})(,(${words}))*$`,
      description: `What else to return, separated by commas: ${INCLUDED.map((word) => `\`${word}\``).join(', ')}.`,
    }),
  ),
})

/** A conversation with what was asked for beside it. */
const OpenedConversation = Type.Object(
  {
    ...ConversationView.properties,
    contact: Type.Object(
      {
        ...Type.Partial(ContactDetails).properties,
        ...ConversationView.properties.contact.properties,
      },
      { description: 'With `include=contact`, all fields of `GET /api/contacts/{id}`.' },
    ),
    messages: Type.Optional(MessageList),
    notes: Type.Optional(
      Type.Composite([PageOf(NoteView), Type.Object({ has_more: Type.Boolean() })], {
        title: 'NoteList',
      }),
    ),
    members: Type.Optional(
      Type.Object(PageOf(ColleagueView).properties, { title: 'ColleagueList' }),
    ),
    timeline: Type.Optional(TimelinePage),
  },
  { title: 'OpenedConversation' },
)

/** Returns what a query asks for. */
const includedIn = (written = ''): Set<(typeof INCLUDED)[number]> =>
  new Set(INCLUDED.filter((word) => written.split(',').includes(word)))

/** Route that opens a conversation. */
export const conversationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '/:id',
      ({ ctx, params, query }) => ok(openConversation(ctx, params.id, includedIn(query.include))),
      {
        can: 'messages:read',
        refuses: ['403 session_required'],
        params: IdParam,
        query: Include,
        response: { 200: Ok(OpenedConversation) },
        detail: {
          operationId: 'getConversation',
          summary: 'Get a conversation',
          description:
            'With `include`, one request returns everything to open a conversation: `messages` are ' +
            'the newest 50, without totals, `timeline` has the newest 50 entries. API keys cannot include `members`. Does not mark ' +
            'messages as read.',
        },
      },
    )

import { ForbiddenError } from '../../../../../lib/errors'
import type { Page } from '../../../../../lib/page'
import type { Ctx } from '../../../../../infra/ctx'
import type { ContactDetails } from '../../../contacts/model'
import { listNotes, type NotePage } from '../../../contacts/notes/service'
import { getContact } from '../../../contacts/queries'
import type { ConversationView } from '../../../conversations/model'
import { getVisibleConversation } from '../../../conversations/queries'
import { listTimeline } from '../../../conversations/timeline/list'
import type { TimelinePage } from '../../../conversations/timeline/model'
import { viewOf } from '../../../conversations/load-views'
import type { ColleagueView } from '../../../../organization/members/colleagues/model'
import { listColleagues } from '../../../../organization/members/colleagues/queries'
import type { ThreadPage } from '../../queries'
import { listThread } from '../../thread'

/** What the answer of a conversation can also contain. */
export const INCLUDED = ['messages', 'contact', 'notes', 'members', 'timeline'] as const
type Included = (typeof INCLUDED)[number]

/** Messages, notes, colleagues and entries of the timeline in an answer. */
const [MESSAGES, NOTES, COLLEAGUES, ENTRIES] = [50, 30, 100, 50]

/** A conversation with what was wanted beside it. */
type OpenedConversation = ConversationView & {
  contact: Partial<ContactDetails>
  messages?: ThreadPage
  notes?: NotePage
  members?: Page<ColleagueView>
  timeline?: TimelinePage
}

/**
 * Returns a conversation with its messages, contact and notes and the caller's colleagues, as far
 * as they are wanted. Throws NotFoundError, and ForbiddenError if an API key wants colleagues.
 */
export function openConversation(
  ctx: Ctx,
  id: string,
  wanted: ReadonlySet<Included>,
): OpenedConversation {
  if (wanted.has('members') && ctx.actor.type !== 'user')
    throw new ForbiddenError('`include=members` requires a user session, not an API key.', {
      code: 'session_required',
    })
  const { contactId, accountId } = getVisibleConversation(ctx, id)
  const view = viewOf(ctx, id)
  const first = { page: 1, isUncounted: true }
  return {
    ...view,
    ...(wanted.has('contact')
      ? { contact: { ...view.contact, ...getContact(ctx, contactId) } }
      : {}),
    ...(wanted.has('messages')
      ? { messages: listThread(ctx, contactId, { ...first, limit: MESSAGES, accountId }) }
      : {}),
    ...(wanted.has('notes') ? { notes: listNotes(ctx, contactId, { page: 1, limit: NOTES }) } : {}),
    ...(wanted.has('members')
      ? { members: listColleagues(ctx, { page: 1, limit: COLLEAGUES }) }
      : {}),
    ...(wanted.has('timeline') ? { timeline: listTimeline(ctx, id, { limit: ENTRIES }) } : {}),
  }
}

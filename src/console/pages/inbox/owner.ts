import { can, type Conversation, type Me } from '../../api/shapes'
import { t } from '../../texts/texts'

type Owned = Pick<Conversation, 'assigned_user' | 'team' | 'transfer'>

/** Returns the name of the person or team that has a conversation; `null` if nobody has it. */
export const nameOfOwner = ({ assigned_user: user, team }: Owned): string | null =>
  user?.full_name ?? team?.name ?? null

/** Returns who has a conversation, or where it waits, in words. */
export const ownerWords = (conversation: Owned): string =>
  nameOfOwner(conversation) ??
  t(conversation.transfer === null ? 'inbox.assign.nobody' : 'inbox.assign.queue')

/** Whether a person can take over a conversation: one of nobody. */
export const mayClaim = (me: Me, { assigned_to: owner }: Conversation): boolean =>
  can(me, 'transfers:pickup') && owner === null

/** Whether a person can hand over a conversation: their own, or one of nobody. */
export const mayHandOver = (me: Me, { assigned_to: owner }: Conversation): boolean =>
  can(me, 'transfers:assign') ||
  (can(me, 'transfers:create') && (owner === null || owner === me.id))

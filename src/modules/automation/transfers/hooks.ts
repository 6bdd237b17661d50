import { enqueue } from '../../../infra/jobs/enqueue'
import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import { AccountDisconnected } from '../../channel/accounts/events'
import { WindowOpenedByCall } from '../../channel/calls/events'
import { ChatbotSettingsChanged } from '../chatbot-settings/events'
import { ContactClosed } from '../../inbox/contacts/events'
import {
  AnswerStateChanged,
  ConversationAssigned,
  ConversationMoving,
  ConversationsAssigned,
} from '../../inbox/conversations/events'
import { MemberAvailable, MemberUnavailable } from '../../organization/members/events'
import { ContactsMerged, MessageArrived, PersonWrote } from '../../inbox/messages/events'
import { TeamChanged, TeamClosed, TeamUsesRequested } from '../../inbox/teams/events'
import { endForContactIn, mergeTransfersIn } from './contact-changes'
import { followAssignmentIn, followBulkAssignmentIn, followStateIn } from './follow-conversation'
import { TransferEnded } from './events'
import { EndForAccount, OfferEverywhere } from './jobs'
import { leaveAgentIn } from './leave-agent'
import { leaveClosedTeamIn } from './leave-team'
import { offerTeamIn, offerToIn } from './offer'
import {
  leaveDeletedQueueIn,
  nameQueueUse,
  placeConversationIn,
  placeOthersIn,
} from './place-conversation'
import { recordArrivalIn, recordResponseIn, recordSilenceIn } from './respond'

/** What other modules do that changes transfers, in the same transaction. */
export const transferHooks: HookHandler[] = [
  onHook(ConversationMoving, followStateIn),
  onHook(ConversationAssigned, followAssignmentIn),
  onHook(ConversationsAssigned, followBulkAssignmentIn),
  onHook(AnswerStateChanged, (tx, ctx, { conversation }) => recordSilenceIn(tx, ctx, conversation)),
  onHook(PersonWrote, recordResponseIn),
  onHook(MessageArrived, recordArrivalIn),
  onHook(WindowOpenedByCall, placeConversationIn),
  onHook(TransferEnded, placeOthersIn),

  onHook(AccountDisconnected, (tx, ctx, { accountId }) => {
    enqueue(tx, ctx, EndForAccount, { args: { accountId } })
  }),
  onHook(ContactClosed, endForContactIn),
  onHook(ContactsMerged, mergeTransfersIn),

  onHook(MemberUnavailable, (tx, ctx, member) => {
    const leaving = { userId: member.userId, untilMs: ctx.clock.nowMs() }
    member.transfersReturned += leaveAgentIn(tx, ctx, leaving)
  }),
  onHook(MemberAvailable, (tx, ctx, { userId }) => offerToIn(tx, ctx, userId)),

  onHook(ChatbotSettingsChanged, (tx, ctx, { fields }) => {
    if (fields.has('agent_max_active_transfers'))
      enqueue(tx, ctx, OfferEverywhere, { args: { afterTeamId: '' } })
  }),
  onHook(TeamChanged, (tx, ctx, team) => offerTeamIn(tx, ctx, team)),
  onHook(TeamClosed, leaveClosedTeamIn),
  onHook(TeamClosed, leaveDeletedQueueIn),
  onHook(TeamUsesRequested, nameQueueUse),
]

import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import {
  ContactsMerged,
  ContactsSeparated,
  MessageArrived,
  MessageRepeated,
  OutcomeSettled,
  PersonWrote,
  RepeatAsked,
} from '../../inbox/messages/events'
import { ConsentWordSaid } from '../../inbox/contacts/events'
import { TeamUsesRequested } from '../../inbox/teams/events'
import { TransferStarted } from '../transfers/events'
import { placeConversationIn } from '../transfers/place-conversation'
import { usesOf } from './bot-flows/uses'
import { mergeBotDataIn, separateBotDataIn } from './engine/contact-changes'
import { endForPersonIn, endForTransferIn } from './engine/production/end-sessions'
import { judgeWordIn } from './engine/production/open-question'
import { receiveForBotIn } from './engine/production/receive'
import { answerRepeatIn, continueStepIn, recordRepeatIn } from './engine/production/unconfirmed'

/** Transaction hooks that keep the bot in step with messages and contacts. */
export const chatbotHooks: HookHandler[] = [
  onHook(MessageArrived, (tx, ctx, message) => {
    const isForNobody = message.isQuiet || message.isConsentWord || message.type === 'system'
    if (!receiveForBotIn(tx, ctx, message) && !isForNobody) placeConversationIn(tx, ctx, message)
  }),
  onHook(ConsentWordSaid, judgeWordIn),
  onHook(PersonWrote, endForPersonIn),
  onHook(RepeatAsked, answerRepeatIn),
  onHook(MessageRepeated, recordRepeatIn),
  onHook(OutcomeSettled, continueStepIn),
  onHook(TransferStarted, endForTransferIn),
  onHook(ContactsMerged, mergeBotDataIn),
  onHook(ContactsSeparated, separateBotDataIn),
  onHook(TeamUsesRequested, (_tx, ctx, { teamId, uses }) => {
    uses.push(...usesOf(ctx, 'team', teamId))
  }),
]

import { MINUTE_MS } from '../../../../lib/clock'
import { hasOurPersonWord, hasOwnPersonWord, saysCancel } from '../../chatbot-settings/person-words'
import { transferRuleIn } from './answer-rule'
import type { Candidate, Candidates } from './candidates'
import { isClosed, refusesTransfers } from './closed'
import { placeOf } from './flow/advance'
import { isTapOnNode, offersText } from './flow/answer'
import type { Session, Turn } from './model'
import type { Ports } from './ports'
import { isDisabled, type Run } from './run'

/** Returns the rules and triggers that match a turn. While the bot is off there are none. */
export const candidatesOf = ({ ports }: Pick<Run, 'ports'>, turn: Turn): Candidates =>
  ports.settings.chatbot_enabled ? ports.candidates(turn) : { found: [], note: null }

/** Whether the turn taps the waiting node. Then only what was written beside it holds words. */
const tapsNode = ({ session }: Pick<Run, 'session'>, ports: Ports, turn: Turn): boolean =>
  session !== null && isTapOnNode({ ports }, session, turn)

/** Returns how the customer asks for a person: with a word or a rule; else `null`. */
export function personWanted(
  { session, ports }: Pick<Run, 'session' | 'ports'>,
  turn: Turn,
  candidates: Candidates,
): { rule: Extract<Candidate, { kind: 'rule' }> | null } | null {
  const isTap = tapsNode({ session }, ports, turn)
  const text = isTap ? turn.written.join('\n') : (turn.text ?? '')
  if (hasOwnPersonWord(ports.settings, text)) return { rule: null }
  if (hasOurPersonWord(ports.settings, text) && !takesOurWord({ session, ports }, candidates))
    return { rule: null }
  const rule = isTap ? null : transferRuleIn(candidates)
  return rule && { rule }
}

/**
 * Whether a rule or a trigger that can answer now has one of our words for a person itself: then it
 * is for the organization to say what follows.
 */
const takesOurWord = (
  { session, ports }: Pick<Run, 'session' | 'ports'>,
  { found }: Candidates,
): boolean =>
  session?.flowId == null && found.some(({ keyword }) => hasOurPersonWord(ports.settings, keyword))

/** Whether a message is older than a session that began by request. IDs are in order of time. */
export const isBefore = (
  { id, firstMessageId }: Pick<Session, 'id' | 'firstMessageId'>,
  messageId: string,
): boolean => firstMessageId === null && messageId < id

/** Whether a turn was written before the flow of the session was started: it answers no question. */
export const precedesFlow = (session: Session, { messageIds }: Turn): boolean =>
  messageIds.every((id) => isBefore(session, id))

/**
 * Reports whether a message of the turn is a word that cancels the flow. A word that the question
 * offers is its answer.
 */
export function isCancelled(
  { session, ports }: Pick<Run, 'session' | 'ports'>,
  turn: Turn,
): boolean {
  const { flowId, flowVersion } = session ?? {}
  if (flowId == null || flowVersion == null) return false
  if (session && precedesFlow(session, turn)) return false
  const isTap = tapsNode({ session: session ?? null }, ports, turn)
  const texts = turn.tap === null || isTap ? turn.written : [...turn.written, turn.tap.title]
  const own = ports.flowVersion(flowId, flowVersion)?.settings.cancelKeywords ?? []
  return texts.some(
    (text) => saysCancel(ports.settings, own, text) && !isOffered({ session, ports }, text),
  )
}

/** Whether the question that waits offers a text as an answer. */
function isOffered({ session, ports }: Pick<Run, 'session' | 'ports'>, text: string): boolean {
  if (session?.waitingFor !== 'reply') return false
  const node = placeOf({ ports }, session)?.node
  return node !== undefined && offersText(node, session.state, text)
}

/**
 * Reports whether a turn ends the session of its run, in the order of `runTurn`: the customer asks
 * for a person or cancels. Such a turn does not wait for a call of the session.
 */
export function endsSession(run: Run, turn: Turn): boolean {
  const { ports } = run
  if (isTooOld(ports, turn)) return false
  if (turn.isConsentWord) return isCancelled(run, turn)
  if (ports.silenceReason() !== null || isDisabled(run)) return false
  if (personWanted(run, turn, candidatesOf(run, turn))) return !refusesTransfers(run)
  return !isClosed(run) && isCancelled(run, turn)
}

/** Age from which a message gets no automatic answer, milliseconds. */
export const TOO_OLD_MS = 30 * MINUTE_MS

/** Reports whether the messages of a turn are too old for an automatic answer. */
export const isTooOld = ({ nowMs }: Pick<Ports, 'nowMs'>, { atMs }: Turn): boolean =>
  atMs < nowMs() - TOO_OLD_MS

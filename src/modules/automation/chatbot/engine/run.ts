import type { NewMessage } from '../../../inbox/messages/compose/model'
import { MINUTE_MS } from '../../../../lib/clock'
import { disclosureOf } from '../../ai/prompt/disclosure'
import { addDraft, textMessage } from './drafts'
import {
  NEW_STATE,
  type CallResult,
  type Draft,
  type RunPoint,
  type Session,
  type SessionStatus,
  type SessionWait,
  type TraceRow,
  type Turn,
} from './model'
import { languagesOf } from './languages'
import type { Ports } from './ports'
import { dataOf } from './template-data'
import { LOST_AFTER_MS } from './table'

/** The work of the bot between two waits: a turn, or the continuation of a session. */
export interface Run {
  ports: Ports
  turn: Turn | null
  session: Session | null
  /** Number of the customer's messages that the run begins with. */
  received: number
  /** Messages to send at the end, or before the next call. */
  drafts: Draft[]
  rows: TraceRow[]
  /** Nodes and jumps to other flows since the customer's last message. */
  steps: number
  gotos: number
  /** Whether the customer is to be told that it is outside business hours. */
  givesNotice: boolean
  /** Whether more than the fallback answered. */
  isAnswered: boolean
  /** Whether a message of the run was sent, also before it waited for a call. */
  hasWritten: boolean
  /** Whether the customer was told that it is closed, in place of an answer or a person. */
  isRefused: boolean
  /** Whether the session ends because the customer said so. */
  isCancelled: boolean
  /** The result of the call that the run waited for; taken once. */
  result: CallResult | null
  /** The AI model that wrote a part of what the step has rendered for its next message. */
  renderedBy: string | null
  /** Variables that a new session begins with. */
  variables: Record<string, unknown>
}

/** Begins a run. A paused run of the session goes on where it was. */
export function beginRun(ports: Ports, session: Session | null, turn: Turn | null): Run {
  const paused = session?.state.run ?? null
  if (session) session.state = { ...session.state, run: null }
  return {
    ports,
    session,
    turn: turn ?? paused?.turn ?? null,
    received: turn?.messageIds.length ?? 0,
    drafts: paused?.drafts ?? [],
    rows: [],
    steps: paused?.steps ?? 0,
    gotos: paused?.gotos ?? 0,
    givesNotice: paused?.givesNotice ?? false,
    isAnswered: paused?.isAnswered ?? false,
    hasWritten: paused?.hasWritten ?? false,
    isRefused: false,
    isCancelled: false,
    result: paused?.result ?? null,
    renderedBy: null,
    variables: {},
  }
}

/** Maximum length of a text in the trace. */
const MAX_TRACED = 1_000

const shortened = (text: string | null | undefined): string | null =>
  text == null ? null : text.slice(0, MAX_TRACED).toWellFormed()

/** Adds a step to the trace. */
export function trace(
  run: Run,
  step: Pick<TraceRow, 'stage' | 'outcome'> & Partial<TraceRow>,
): TraceRow {
  const { session, ports, turn } = run
  const row: TraceRow = {
    seq: 0,
    atMs: ports.nowMs(),
    messageId: turn?.messageIds.at(-1) ?? null,
    flowId: step.nodeId == null ? null : (session?.flowId ?? null),
    nodeId: null,
    nodeType: null,
    nextNode: null,
    sentMessageIds: [],
    durationMs: ports.elapsedMs(),
    ...step,
    input: shortened(step.input),
    error: shortened(step.error),
  }
  if (session) {
    session.state.seq += 1
    row.seq = session.state.seq
  }
  run.rows.push(row)
  run.renderedBy = null
  return row
}

/** Returns a new session that begins with the run. What was traced before becomes its first steps. */
export function openSession(run: Run): Session {
  const nowMs = run.ports.nowMs()
  const session: Session = {
    id: run.ports.newId(),
    status: 'active',
    waitingFor: null,
    flowId: null,
    flowVersion: null,
    node: null,
    variables: { ...run.variables },
    state: { ...NEW_STATE, seq: run.rows.length },
    steps: 0,
    firstMessageId: run.turn?.messageIds[0] ?? null,
    startedAtMs: nowMs,
    lastActivityMs: nowMs,
    expiresAtMs: null,
    endedAtMs: null,
    endReason: null,
    messages: 0,
    botMessages: 0,
    botTurns: 0,
    hasAnswered: false,
  }
  const numbers = new Map(run.rows.map(({ seq }, at) => [seq, at + 1]))
  for (const draft of run.drafts) draft.seqs = draft.seqs.map((seq) => numbers.get(seq) ?? seq)
  for (const [at, row] of run.rows.entries()) row.seq = at + 1
  run.session = session
  return session
}

/**
 * Writes a message, to be sent at the end of the run. Before one that AI wrote, or a part of it, the
 * customer is told so.
 */
export function write(
  run: Run,
  input: NewMessage,
  row: TraceRow,
  aiModel: string | null = null,
): void {
  const { coalesce } = run.ports.settings
  const model = aiModel ?? run.renderedBy
  const from = {
    seqs: [row.seq],
    isOfFlow: row.stage === 'flow',
    isGreeting: row.stage === 'greeting',
  }
  const disclosure = model === null ? null : disclose(run)
  run.renderedBy = null
  if (disclosure !== null)
    addDraft(run.drafts, { ...from, input: textMessage(disclosure), aiModel: null }, coalesce)
  addDraft(run.drafts, { ...from, input, aiModel: model }, coalesce || disclosure !== null)
}

/** Returns the sentence that AI writes, if it is to be said now. */
function disclose(run: Run): string | null {
  const { ports, session, turn } = run
  const isFirst = session?.state.isDisclosed !== true
  if (session) session.state.isDisclosed = true
  const sentence = disclosureOf(ports.settings, { languages: languagesOf(ports), isFirst })
  if (sentence === null) return null
  const told = ports.liquid.renderTemplate(sentence, dataOf(ports, { session, turn }), 'text')
  return told.ok && told.text.trim() !== '' ? told.text : sentence
}

/**
 * Writes a text of a flow, unless it would be refused: the row says why then. Returns why, or `null`.
 */
export function say(
  run: Run,
  text: string | null,
  row: TraceRow,
  aiModel: string | null = null,
): string | null {
  if (text === null) return null
  const refusal = run.ports.refusalOf(textMessage(text))
  row.error = refusal
  if (refusal !== null) return refusal
  write(run, textMessage(text), row, aiModel)
  run.isAnswered = true
  return null
}

/** Returns how long a session waits for its customer, minutes. */
export function timeoutMinutes({ ports }: Pick<Run, 'ports'>, session: Session): number {
  const { flowId, flowVersion } = session
  const flow =
    flowId === null || flowVersion === null ? null : ports.flowVersion(flowId, flowVersion)
  return flow?.settings.timeoutMinutes ?? ports.settings.session_timeout_minutes
}

/**
 * Lets the session wait. For the customer, it times out after the last message of either side; the
 * sweeper looks at it earlier if customers are reminded.
 */
export function waitFor(
  run: Run,
  session: Session,
  what: SessionWait | null,
  untilMs: number | null = null,
): void {
  const { ports } = run
  const nowMs = ports.nowMs()
  const { client_reminder_enabled: isReminded, client_reminder_minutes: reminds } = ports.settings
  const minutes = Math.min(timeoutMinutes(run, session), isReminded ? reminds : Infinity)
  session.waitingFor = what
  session.state.reminded = null
  session.expiresAtMs =
    what === 'reply' || what === 'form'
      ? nowMs + minutes * MINUTE_MS
      : (untilMs ?? nowMs) + LOST_AFTER_MS
}

/** Whether a session is a flow that was started by request, not by what the customer wrote. */
export const isByRequest = (session: Pick<Session, 'firstMessageId'> | null): boolean =>
  session !== null && session.firstMessageId === null

/** Whether the bot is off. Flows that were started by request go on. */
export const isDisabled = ({ ports, session }: Pick<Run, 'ports' | 'session'>): boolean =>
  !ports.settings.chatbot_enabled && !isByRequest(session)

export function endSession(run: Run, status: SessionStatus, reason: string | null): void {
  const { session, ports } = run
  if (session?.status !== 'active') return
  Object.assign(session, {
    status,
    waitingFor: null,
    expiresAtMs: null,
    endedAtMs: ports.nowMs(),
    endReason: reason,
  })
}

/** Stores where the run goes on after a call, or after other work had its turn. */
export function pauseRun(
  run: Run,
  point: RunPoint,
  call: Parameters<Ports['startCall']>[1] | null = null,
): { refusal: string } | null {
  const { session, ports } = run
  if (!session) throw new Error('a run without a session cannot pause')
  const { turn, steps, gotos, givesNotice, isAnswered, hasWritten } = run
  const paused = { turn, point, steps, gotos, givesNotice, isAnswered, hasWritten, result: null }
  if (call === null) {
    session.state.run = { ...paused, drafts: run.drafts, call: null }
    run.drafts = []
    waitFor(run, session, null)
    ports.continueAt(session, null)
    return null
  }
  const started = ports.startCall(session, call, turn)
  if ('refusal' in started) return started
  // A greeting waits for the answer that is still to be found; a flow sends what it wrote so far.
  const keeps = point.at !== 'flow'
  session.state.run = {
    ...paused,
    drafts: keeps ? run.drafts : [],
    call: { ...call, reservation: started.reservation },
  }
  if (keeps) run.drafts = []
  waitFor(run, session, 'http')
  return null
}

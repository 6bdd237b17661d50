import type { OutgoingRequest } from '../../../../infra/guarded-fetch'
import type { NewMessage } from '../../../inbox/messages/compose/model'
import type { Choice } from '../bot-flows/model'
import type { SESSION_STATUSES, SESSION_WAITS, STAGES } from './table'

/** Types of messages with a file. */
export const FILE_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** The customer's messages that the bot answers together. */
export interface Turn {
  /** Oldest first. */
  messageIds: string[]
  /** Texts, captions and titles of taps, joined with line feeds; `null` if there are none. */
  text: string | null
  /** The texts and captions of the messages one by one, without titles of taps. */
  written: string[]
  /** The last tap on a button or list row. */
  tap: { id: string; title: string } | null
  /** The last response of a Flow. `flowId` is `null` if the Flow is unknown. */
  form: { flowId: string | null; data: Record<string, unknown> } | null
  /** Further content that a question can ask for: the last of each kind. */
  media: { type: string; mediaId: string | null; filename: string | null } | null
  location: Record<string, unknown> | null
  contacts: readonly unknown[] | null
  order: Record<string, unknown> | null
  /** Platform time of the newest message. */
  atMs: number
  /** Whether one of them was a word to opt in or out. */
  isConsentWord: boolean
}

/** A message that the bot is about to send, and the trace rows of the steps that wrote it. */
export interface Draft {
  input: NewMessage
  seqs: number[]
  /** Whether a step of a flow wrote a part of it. */
  isOfFlow: boolean
  /** The AI model that wrote a part of it. */
  aiModel: string | null
  /** Whether it is the greeting, whose buttons stay below an answer without any. */
  isGreeting?: boolean
}

/** A call to another system. Its result continues the session. */
export type CallKind = 'http' | 'ai' | 'file'

/** The call that a session waits for. `key` is the step that made it. */
export interface PendingCall {
  kind: CallKind
  key: number
  /** URL and kind of a file to fetch; the prompt of an AI node. */
  subject: Record<string, string>
  /** The question to an AI provider and its reserved budget, JSON. */
  reservation: string | null
}

/** The result of a call. Every failure is a result. */
export interface CallResult {
  isOk: boolean
  /** HTTP status; `null` if there was no response. */
  status: number | null
  /** Variables that it sets. */
  values: Record<string, unknown>
  /** The answer of an AI provider, and its model. */
  text: string | null
  model: string | null
  /** What to do with that answer. */
  verdict: 'answer' | 'handover' | 'off_topic' | null
  /** A fetched file. */
  mediaId: string | null
  error: string | null
}

/** What a flow waits for, and until when, while a rule interrupts it. */
export interface Interrupted {
  waitingFor: SessionWait | null
  expiresAtMs: number | null
}

/** Where a run goes on after a pause. */
export type RunPoint =
  | { at: 'flow' }
  | { at: 'ai' }
  | { at: 'rule'; ruleId: string; interrupted: Interrupted | null }

/** A run that is not finished: it waits for a call, or yields to other work. */
export interface PausedRun {
  turn: Turn | null
  point: RunPoint
  steps: number
  gotos: number
  givesNotice: boolean
  isAnswered: boolean
  hasWritten: boolean
  drafts: Draft[]
  call: PendingCall | null
  result: CallResult | null
}

/** A webhook that was not delivered yet, with the values that it had at its step. */
export interface OrderedWebhook {
  method: OutgoingRequest['method']
  url: string
  body: string | null
}

/** What only the engine reads of a session. */
export interface SessionState {
  /** Number of trace rows. */
  seq: number
  /** Answers to the waiting node that did not fit. */
  retries: number
  /** Its buttons or rows as the customer sees them, if their titles are templates. */
  choices: Choice[] | null
  /** Fallbacks in a row. */
  fallbacks: number
  /** What the customer wrote last that no rule and no flow answered. */
  question: string | null
  /** Whether the last turn was answered by more than the fallback. */
  isAnswered: boolean
  /** Whether the customer was told that an AI answers. */
  isDisclosed: boolean
  /** Variables with text that AI wrote, each with its model. */
  aiVariables: Readonly<Record<string, string>>
  /** When the customer was last reminded, and since when it was silent then. */
  reminded: { atMs: number; sinceMs: number } | null
  /** Whether its next step waits until the outcome of a message is known. */
  awaitsOutcome: boolean
  /** Webhooks to deliver, by their idempotency keys. */
  webhooks: Readonly<Record<string, OrderedWebhook>>
  run: PausedRun | null
}

export type SessionStatus = (typeof SESSION_STATUSES)[number]
export type SessionWait = (typeof SESSION_WAITS)[number]

/** A session of the bot with a contact on a number. */
export interface Session {
  id: string
  status: SessionStatus
  waitingFor: SessionWait | null
  flowId: string | null
  flowVersion: number | null
  node: string | null
  variables: Record<string, unknown>
  state: SessionState
  steps: number
  firstMessageId: string | null
  startedAtMs: number
  lastActivityMs: number
  expiresAtMs: number | null
  endedAtMs: number | null
  endReason: string | null
  /** Messages of both sides that belong to it. */
  messages: number
  /** Messages of the bot. */
  botMessages: number
  /** Turns in which the bot wrote: everything that it does without waiting for the customer or a time. */
  botTurns: number
  /** Whether the bot answered at least once with more than the fallback. */
  hasAnswered: boolean
}

/** A step of the bot. Without a session `seq` is 0. */
export interface TraceRow {
  seq: number
  atMs: number
  messageId: string | null
  stage: (typeof STAGES)[number]
  flowId: string | null
  nodeId: string | null
  nodeType: string | null
  input: string | null
  outcome: string
  nextNode: string | null
  sentMessageIds: string[]
  durationMs: number | null
  error: string | null
}

/** The result of a call that gave nothing. */
export const NO_RESULT: Readonly<CallResult> = {
  isOk: false,
  status: null,
  values: {},
  text: null,
  model: null,
  verdict: null,
  mediaId: null,
  error: null,
}

/** The state of a new session. */
export const NEW_STATE: Readonly<SessionState> = {
  seq: 0,
  retries: 0,
  choices: null,
  fallbacks: 0,
  question: null,
  isAnswered: false,
  isDisclosed: false,
  aiVariables: {},
  reminded: null,
  awaitsOutcome: false,
  webhooks: {},
  run: null,
}

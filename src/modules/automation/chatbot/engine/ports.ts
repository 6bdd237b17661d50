import type { TemplateContact } from '../../../inbox/contacts/texts/template-values'
import type { PlainFieldName } from '../../../inbox/contacts/plain-fields'
import type { NewMessage } from '../../../inbox/messages/compose/model'
import type { ChatbotSettings } from '../../chatbot-settings/catalog'
import type { FlowVersion } from '../bot-flows/queries'
import type { LiquidTemplates } from '../../../../infra/liquid/liquid'
import type { KeywordHit } from '../keywords/hooks'
import type { Candidates } from './candidates'
import type { OrderedWebhook, PendingCall, Session, TraceRow, Turn } from './model'

/** A transfer to a person that the bot asks for. */
export interface BotTransfer {
  source: 'flow' | 'keyword' | 'ai' | 'fallback' | 'chatbot_disabled'
  /** `null` = the general queue. */
  teamId: string | null
  /** Own notes of a rule or node; `null` = what the bot knows. */
  notes: string | null
}

/** Changes of a contact by a bot flow. Absent fields stay. */
export interface ContactUpdate extends Partial<Record<PlainFieldName, string>> {
  attributes?: Record<string, unknown> | undefined
  marketingConsent?: 'opted_in' | 'opted_out' | undefined
}

/** A webhook that a flow calls without waiting for it. */
export interface WebhookOrder {
  flowId: string
  flowVersion: number
  /** The node, or `null` for the request at the end of the flow. */
  nodeId: string | null
  key: string
  webhook: OrderedWebhook
}

/** Where a message comes from: a bot flow, and an AI model that wrote its text. */
export interface MessageOrigin {
  flowId: string | null
  aiModel: string | null
}

/**
 * Everything the engine needs from the rest of the program. Production runs it on a transaction; the
 * preview records what it would do.
 */
export interface Ports {
  settings: Readonly<ChatbotSettings>
  timezone: string
  /** The country of phone numbers without a country code; `null` if none is set. */
  country: string | null
  /** The language of the organization (BCP 47); `null` if it is not known. */
  language: string | null
  contact: TemplateContact
  liquid: LiquidTemplates
  nowMs: () => number
  newId: () => string
  /** Whether there is time for another step before other work has its turn. */
  mayContinue: () => boolean
  /** Milliseconds of work so far, for the trace; `null` if they are not measured. */
  elapsedMs: () => number | null

  /** Why nothing automatic may answer the contact now, or `null`. */
  silenceReason: () => string | null
  isWindowOpen: () => boolean
  isOpenNow: () => boolean
  /** When it opens again; `null` while it is open, or if it does not. */
  opensAtMs: () => number | null
  /** Whether the time is within these weekly hours. */
  isWithin: (schedule: readonly unknown[]) => boolean
  /** Rules and triggers that match a turn, the best first. */
  candidates: (turn: Turn) => Candidates
  publishedFlow: (flowId: string) => FlowVersion | null
  flowVersion: (flowId: string, version: number) => FlowVersion | null

  /** Why a message would be refused, or `null`. */
  refusalOf: (input: NewMessage) => string | null
  /** Sends a message. Returns its ID, or why it was refused. */
  send: (input: NewMessage, origin: MessageOrigin) => { id: string } | { refusal: string }
  /** Transfers the contact to a person, unless a transfer is active. */
  transfer: (transfer: BotTransfer) => void
  /** Marks the closed hours in which the customer is told about them. `false` if it was already. */
  markOutOfHours: () => boolean
  /** Whether the customer was greeted, or finished a flow, after a time. */
  wasGreetedSince: (sinceMs: number) => boolean
  markGreeted: () => void
  /** Tells the people who manage the bot that a session failed, and whether the customer was told. */
  reportFailure: (session: Session, told: { isTold: boolean }) => void
  /** Counts an answer of a rule, or a flow that a keyword started. */
  countHit: (hit: KeywordHit) => void
  /** Changes what fits. Returns what does not, or `null`. */
  updateContact: (update: ContactUpdate) => string | null
  changeTags: (change: { add: string[]; remove: string[] }) => void
  assign: (to: { userId: string | null; teamId: string | null }) => void
  /** Begins a call. Returns what was reserved for it, or why there is none. */
  startCall: (
    session: Session,
    call: Omit<PendingCall, 'reservation'>,
    turn: Turn | null,
  ) => { reservation: string | null } | { refusal: string }
  /** Lets the session go on at a time, or as soon as possible. */
  continueAt: (session: Session, atMs: number | null) => void
  sendWebhook: (session: Session, order: WebhookOrder) => void

  saveSession: (session: Session) => void
  saveTrace: (session: Session | null, rows: TraceRow[]) => void
  /** Adds sent messages to trace rows of an earlier hop. */
  addSent: (session: Session, seqs: number[], messageId: string) => void
  /** Adds to trace rows of an earlier hop why their message was refused. */
  addRefusal: (session: Session, seqs: number[], reason: string) => void
  /** `isLeft`: a person has to answer, as the bot did not. */
  setConversation: (
    state: 'open' | 'pending' | 'closed',
    change: { isOnlyIfPending: boolean; isLeft: boolean },
  ) => void
}

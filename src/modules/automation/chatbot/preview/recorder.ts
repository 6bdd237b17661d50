import { MINUTE_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { languageOfTexts } from '../../../../lib/guess-language'
import { byField } from '../../../inbox/contacts/plain-fields'
import type { TemplateContact } from '../../../inbox/contacts/texts/template-values'
import { isWindowOpen } from '../../../inbox/conversations/window'
import type { NewMessage } from '../../../inbox/messages/compose/model'
import { checkImagined } from '../../../inbox/messages/outbound/send-automatically'
import type { PendingCall, Session, TraceRow, Turn } from '../engine/model'
import type { ContactUpdate, Ports } from '../engine/ports'
import { inLanguage } from '../../../inbox/contacts/texts/bot-contact'
import { existingTags, fittingUpdate } from '../engine/production/contact-effects'
import { wasGreetedSince } from '../engine/production/greeted'
import { MAX_PER_MINUTE, SILENCE_MS } from '../engine/production/loop-guard'
import { silenceReasonOf } from '../engine/production/silence'
import { readingPorts } from '../engine/reading-ports'
import type { PreviewFlow } from './flow'

/** Stands for a file that a preview does not fetch. */
export const NO_FILE = '00000000-0000-0000-0000-000000000000'

/** What a preview would do, in the place of doing it. */
export class Recorder {
  readonly replies: { id: string; message: Record<string, unknown>; ai_generated: boolean }[] = []
  readonly trace: TraceRow[] = []
  readonly effects: Record<string, unknown>[] = []
  session: Session | null
  conversationState: 'open' | 'pending' | 'closed' | null = null
  /** When the session goes on, if it waits for a time. */
  continuesAtMs: number | null = null
  /** Whether a person has the contact: the bot is silent then. */
  isTransferred: boolean
  /** When the customer was last greeted, or finished a flow. */
  greetedAtMs: number | null
  guessedLanguage: string | null = null
  private isLanguageKnown: boolean
  private toldClosed = false
  private heardAtMs: number
  private sentAtMs: number[] = []
  private silentUntilMs = 0
  private readonly sessionOfRow = new Map<TraceRow, string | null>()

  constructor(
    private readonly ctx: Ctx,
    private readonly at: {
      accountId: string | null
      contactId: string | null
      contact: TemplateContact
      flow: PreviewFlow | null
      clock: { nowMs: number }
      session: Session | null
      /** Guessed by an earlier preview of the session. */
      language: string | null
      isLanguageKnown: boolean
      isGreeted: boolean
    },
  ) {
    this.isLanguageKnown = at.isLanguageKnown
    this.greetedAtMs = at.isGreeted ? at.clock.nowMs : null
    this.session = at.session
    this.isTransferred = at.session?.status === 'transferred'
    this.heardAtMs = at.clock.nowMs
    this.guess(at.language)
  }

  /** The customer writes. Turns are more than a minute apart. */
  hears({ written }: Turn): void {
    this.heardAtMs = this.at.clock.nowMs
    this.sentAtMs = []
    this.guess(languageOfTexts(written.toReversed()))
  }

  /** Gives a contact the language that was guessed, unless it is known. */
  private guess(language: string | null): void {
    if (language === null || this.isLanguageKnown) return
    this.guessedLanguage = language
    this.at.contact = inLanguage(this.at.contact, language)
  }

  /** Returns the ports of one run. */
  ports(): Ports {
    const { ctx } = this
    const { at } = this
    const { accountId, flow, clock } = at
    const reading = readingPorts(ctx, { accountId, nowMs: () => clock.nowMs })
    const isOwn = (flowId: string): boolean => flow?.version.flowId === flowId
    return {
      ...reading,
      get contact() {
        return at.contact
      },
      silenceReason: () => this.silenceReason(reading.settings),
      isWindowOpen: () => this.isWindowOpen(),
      flowVersion: (flowId, version) =>
        flow && isOwn(flowId) && flow.version.version === version
          ? flow.version
          : reading.flowVersion(flowId, version),
      refusalOf: (input) => this.refusalOf(input),
      send: (input, { aiModel }) => {
        const refusal = this.refusalOf(input)
        if (refusal !== null) return { refusal }
        const id = `preview-${this.replies.length + 1}`
        this.replies.push({ id, message: { ...input }, ai_generated: aiModel !== null })
        this.watchForLoop()
        return { id }
      },
      transfer: ({ source, teamId, notes }) => {
        this.isTransferred = true
        this.record('transfer', { source, team_id: teamId, notes })
      },
      markOutOfHours: () => {
        const isFirst = !this.toldClosed
        this.toldClosed = true
        return isFirst
      },
      wasGreetedSince: (sinceMs) =>
        (this.greetedAtMs ?? 0) > sinceMs ||
        (at.contactId !== null && wasGreetedSince(ctx, at.contactId, sinceMs)),
      markGreeted: () => {
        this.greetedAtMs = clock.nowMs
      },
      reportFailure: () => undefined,
      countHit: ({ kind, id }) => {
        if (kind === 'rule') this.record('hit', { rule_id: id })
      },
      updateContact: (update) => {
        const { fits, problem } = fittingUpdate(ctx, update)
        this.changeContact(fits)
        return problem
      },
      changeTags: (change) => {
        this.record('tags', { ...change })
        this.changeTags(change)
      },
      assign: ({ userId, teamId }) => this.record('assign', { user_id: userId, team_id: teamId }),
      ...this.storing(),
    }
  }

  private silenceReason(settings: Ports['settings']): string | null {
    const { contactId, accountId } = this.at
    if (this.isTransferred) return 'transfer_active'
    const reason =
      contactId === null
        ? null
        : silenceReasonOf(
            this.atThatTime(),
            { contactId, accountId },
            { settings, session: this.session },
          )
    return reason ?? this.loopReason()
  }

  /** Returns why a message would be refused at the time of the preview, or `null`. */
  private refusalOf(input: NewMessage): string | null {
    const { contactId, accountId } = this.at
    const hasNoFile = input.media_id === NO_FILE
    const refusal =
      this.loopReason() ??
      checkImagined(this.atThatTime(), { contactId, accountId, input, hasNoFile })
    if (refusal !== null) return refusal
    return input.type === 'template' || this.isWindowOpen() ? null : 'window_closed'
  }

  /** Returns the context at the time of the preview. */
  private atThatTime(): Ctx {
    const { ctx, at } = this
    const { clock } = ctx
    const after: typeof clock.after = (delayMs, work) => clock.after(delayMs, work)
    return { ...ctx, clock: { nowMs: () => at.clock.nowMs, after } }
  }

  private isWindowOpen(): boolean {
    const facts = { lastInboundAtMs: this.heardAtMs, windowClosedAtMs: null }
    return isWindowOpen(facts, this.at.clock.nowMs)
  }

  private loopReason(): 'bot_loop' | null {
    return this.silentUntilMs > this.at.clock.nowMs ? 'bot_loop' : null
  }

  /** Counts a message as {@link MAX_PER_MINUTE} does. */
  private watchForLoop(): void {
    const { nowMs } = this.at.clock
    this.sentAtMs = [...this.sentAtMs, nowMs].filter((atMs) => atMs > nowMs - MINUTE_MS)
    if (this.sentAtMs.length > MAX_PER_MINUTE) this.silentUntilMs = nowMs + SILENCE_MS
  }

  /** Changes the contact that later nodes see. */
  private changeContact({ marketingConsent, attributes = {}, ...update }: ContactUpdate): void {
    const consent = marketingConsent === undefined ? {} : { marketing_consent: marketingConsent }
    this.record('update_contact', { ...update, attributes, ...consent })
    const { contact } = this.at
    const known = (contact.values['attributes'] ?? {}) as Record<string, unknown>
    const { name = contact.name, language = contact.language } = update
    this.isLanguageKnown ||= update.language !== undefined
    const merged = { ...known, ...attributes }
    const texts = byField(({ field }) => update[field] ?? contact.values[field] ?? null)
    this.at.contact = {
      ...contact,
      name,
      language,
      values: { ...contact.values, ...merged, ...texts, ...consent, attributes: merged },
    }
  }

  private changeTags({ add, remove }: { add: string[]; remove: string[] }): void {
    const names = existingTags(this.ctx, [...add, ...remove])
    const named = (ids: string[]): string[] => ids.flatMap((id) => names.get(id) ?? [])
    const { contact } = this.at
    const known = (contact.values['tags'] ?? []) as string[]
    const left = [...new Set([...known, ...named(add)])].filter(
      (name) => !named(remove).includes(name),
    )
    this.at.contact = { ...contact, values: { ...contact.values, tags: left } }
  }

  private storing(): Pick<
    Ports,
    | 'startCall'
    | 'continueAt'
    | 'sendWebhook'
    | 'saveSession'
    | 'saveTrace'
    | 'addSent'
    | 'addRefusal'
    | 'setConversation'
  > {
    return {
      startCall: () => ({ reservation: null }),
      continueAt: (_session, atMs) => {
        this.continuesAtMs = atMs
      },
      sendWebhook: (_session, { nodeId, key, webhook }) =>
        this.record('webhook', { node_id: nodeId, idempotency_key: key, ...webhook }),
      saveSession: (session) => {
        this.session = session
      },
      saveTrace: (session, rows) => {
        this.trace.push(...rows)
        for (const row of rows) this.sessionOfRow.set(row, session?.id ?? null)
      },
      addSent: ({ id }, seqs, messageId) => {
        for (const row of this.trace)
          if (this.sessionOfRow.get(row) === id && seqs.includes(row.seq))
            row.sentMessageIds.push(messageId)
      },
      addRefusal: ({ id }, seqs, reason) => {
        for (const row of this.trace)
          if (this.sessionOfRow.get(row) === id && seqs.includes(row.seq)) row.error = reason
      },
      setConversation: (state, { isOnlyIfPending }) => {
        if (!isOnlyIfPending || this.conversationState === 'pending') this.conversationState = state
      },
    }
  }

  /** Adds an effect. */
  record(kind: string, facts: Record<string, unknown>): void {
    this.effects.push({ kind, ...facts })
  }

  /** Returns the call that the session waits for, or `null`. */
  get pendingCall(): PendingCall | null {
    const { session } = this
    return session?.status === 'active' && session.waitingFor === 'http'
      ? (session.state.run?.call ?? null)
      : null
  }
}

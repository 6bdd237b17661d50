import type { Business, Phone, PhoneOptions } from './accounts'
import { issueCode } from './administration'
import { matches, Waits } from './calls'
import type { Call, CallFilter, Deadline, Route } from './calls'
import { createCustomer } from './customers'
import type { Customer, CustomerOptions } from './customers'
import type { Delivery } from './deliveries'
import type { Failure } from './errors'
import { askEndpoint } from './flow-endpoint'
import type { AskOptions, EndpointReply } from './flow-endpoint'
import { setFlowStatus, sendFlowWebhook } from './flows'
import type { SimulatedFlow } from './flow-store'
import type { FaultHandle, Scope, StatusName } from './faults'
import type { LimitOptions } from './limits'
import { startLiveliness } from './liveliness'
import type { Liveliness, LivelinessOptions } from './liveliness'
import type { Webhook } from './payloads'
import { postRaw, verify } from './posting'
import type { PostOptions, Posted } from './posting'
import { answer } from './routes'
import { createWorld } from './setup'
import type { SimulatorOptions } from './setup'
import { review, sendTemplateWebhook } from './review-template'
import type { Verdict } from './review-template'
import type { TemplateOptions, StoredTemplate } from './template-store'
import { ownRoles, type Sharing } from './threads'
import { deliver } from './world'
import type { World } from './world'

/** Starts the simulated platform on a real HTTP port: Graph API, webhooks and customers. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const waits = new Waits()
  const world = createWorld(options, waits, () => server.url.origin)
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: options.hostname ?? '127.0.0.1',
    idleTimeout: 60,
    maxRequestBodySize: 128 * 1024 * 1024,
    fetch: (request) => answer(world, request, () => waits.changed()),
  })
  return new Simulator(world, waits, server)
}

/** The running platform for tests, the demo and benchmarks. */
export class Simulator {
  readonly #world: World
  readonly #waits: Waits
  readonly #server: Bun.Server<undefined>
  readonly #lively: Liveliness[] = []
  #customers = 0

  constructor(world: World, waits: Waits, server: Bun.Server<undefined>) {
    this.#world = world
    this.#waits = waits
    this.#server = server
  }

  /** Base URL of the Graph API, without version and trailing slash. */
  get url(): string {
    return this.#server.url.origin
  }

  get port(): number {
    return Number(this.#server.url.port)
  }

  /** The registered numbers. The first is the default number. */
  get phones(): readonly Phone[] {
    return this.#world.accounts.phones
  }

  /** The first registered number. Throws if there is none. */
  get phone(): Phone {
    const [first] = this.phones
    if (first === undefined) throw new Error('No phone number is registered')
    return first
  }

  /** App secret that signs the webhooks. */
  get appSecret(): string {
    return this.#world.callback.secret
  }

  /** Registers a number, or updates the one with this ID (a new token, another status). */
  addPhone(options: PhoneOptions = {}): Phone {
    return this.#world.accounts.add(options)
  }

  /**
   * Creates a signup code for a number or a business account, valid once, for 30 seconds, for the
   * page that the dialog led to, if it led to one. Throws for an unknown one.
   */
  issueCode(id: string, redirectUri: string | null = null): string {
    const { accounts } = this.#world
    const owner = accounts.phone(id) ?? accounts.business(id)
    if (owner === undefined) throw new Error(`No number or business account ${id} is registered`)
    return issueCode(this.#world, owner, redirectUri)
  }

  /** Adds a business account without phone numbers. */
  addBusiness(options: Pick<Business, 'wabaId' | 'token'> & Partial<Business>): Business {
    return this.#world.accounts.addBusiness(options)
  }

  /** Returns the stored PIN and public key of a number. */
  storedKeys(phoneId: string): { pin: string | undefined; publicKey: string | undefined } {
    return {
      pin: this.#world.accounts.phone(phoneId)?.pin,
      publicKey: this.#world.administration.keys.get(phoneId)?.publicKey,
    }
  }

  /**
   * Stores an approved template for a business account (defaults to that of the first number), as
   * if it were old.
   */
  keepTemplate(template: TemplateOptions, wabaId: string = this.phone.wabaId): StoredTemplate {
    return this.#world.templateStore.keep(template, wabaId)
  }

  /** Accepts this handle as that of a finished upload. */
  acceptHandle(handle: string): void {
    this.#world.administration.handles.add(handle)
  }

  /** Returns the stored templates of a business account. */
  templatesOf(wabaId: string = this.phone.wabaId): StoredTemplate[] {
    return this.#world.templateStore.of(wabaId)
  }

  /** Returns what the platform may change in marketing messages of a business account. */
  creativeFeaturesOf(wabaId: string = this.phone.wabaId): Record<string, string> | undefined {
    return this.#world.templateStore.creativeFeatures.get(wabaId)
  }

  /** Sets the review result of a template and sends the webhook. */
  async review(templateId: string, verdict: Verdict): Promise<void> {
    await review(this.#world, this.#templateOf(templateId), verdict)
  }

  /** Sends another webhook about a template: quality, category or components. */
  async sendTemplateWebhook(
    templateId: string,
    field: string,
    value: Record<string, unknown>,
    at?: number,
  ): Promise<void> {
    await sendTemplateWebhook(this.#world, this.#templateOf(templateId), field, value, at)
  }

  /** Leaves archived templates out of lists from now on. */
  hideArchive(): void {
    this.#world.templateStore.hidesArchived = true
  }

  /** Deletes a template without a webhook. */
  deleteTemplate(templateId: string): void {
    this.#world.templateStore.drop(templateId)
  }

  #templateOf(id: string): StoredTemplate {
    const template = this.#world.templateStore.byId(id)
    if (template === undefined) throw new Error(`No template ${id} is kept`)
    return template
  }

  /** Deletes the public key of a number, as a new registration does. */
  deleteKey(phoneId: string): void {
    this.#world.administration.keys.delete(phoneId)
  }

  /**
   * Adds a Flow that exists only at the platform. Defaults to a draft of the first number's
   * business account.
   */
  addFlow(options: Partial<SimulatedFlow> & Pick<SimulatedFlow, 'name'>): SimulatedFlow {
    return this.#world.flows.add({ wabaId: this.phone.wabaId, ...options })
  }

  /** Returns the stored Flow. */
  flow(id: string): SimulatedFlow | undefined {
    return this.#world.flows.find(id)
  }

  /** Deletes a Flow without a webhook. */
  deleteFlow(id: string): void {
    this.#world.flows.delete(id)
  }

  /** Changes the status of a Flow and sends a webhook. */
  setFlowStatus(id: string, status: string, message?: string): void {
    setFlowStatus(this.#world, this.#flowOf(id), status, message)
  }

  /** Sends a webhook about a Flow, such as an alert. */
  sendFlowWebhook(id: string, news: Record<string, unknown>): void {
    sendFlowWebhook(this.#world, this.#flowOf(id), { flow_id: id, ...news })
  }

  #flowOf(id: string): SimulatedFlow {
    const flow = this.#world.flows.find(id)
    if (flow === undefined) throw new Error(`The platform has no flow ${id}`)
    return flow
  }

  /** Calls the Flow endpoint of a number, encrypted and signed as the platform does. */
  askEndpoint(payload: unknown, options: AskOptions & { phone?: string }): Promise<EndpointReply> {
    const phone = this.#world.accounts.phone(options.phone ?? this.phone.id)
    if (phone === undefined) throw new Error(`No phone number ${options.phone ?? ''} is registered`)
    return askEndpoint(this.#world, phone, payload, options)
  }

  /** Responds to the next call of this route with this body. */
  respondOnce(route: Route, body: Record<string, unknown>): FaultHandle {
    return this.#world.faults.add('answer', body, { route })
  }

  /** Continues from another simulator with the same numbers: takes its calls and subscriptions. */
  takeOver(calls: readonly Call[]): void {
    this.#world.log.takeOver(calls)
    for (const { wabaId } of this.phones)
      if (
        calls.some(
          ({ method, path }) => method === 'POST' && path.endsWith(`/${wabaId}/subscribed_apps`),
        )
      )
        this.#world.accounts.subscribe(wabaId, {})
  }

  /** Sets the callback URL and optionally the app secret. */
  setCallback(url: string, appSecret?: string): void {
    this.#world.callback.url = url
    if (appSecret !== undefined) this.#world.callback.secret = appSecret
  }

  /** The received calls, oldest first. */
  get calls(): readonly Call[] {
    return this.#world.log.all
  }

  /** Calls to unsupported paths. Tests usually expect none. */
  get unexpected(): Call[] {
    return this.callsOf({ route: 'unexpected' })
  }

  /** Accepted messages, oldest first: calls that got a message ID. */
  get messages(): Call[] {
    return this.callsOf({ route: 'messages', accepted: true })
  }

  /** Returns the matching calls. */
  callsOf(filter: CallFilter): Call[] {
    return this.calls.filter((call) => matches(call, filter))
  }

  /** Waits for at least n matching calls. Rejects at the deadline; default 20 seconds. */
  waitForCalls(n: number, filter: CallFilter & Deadline = {}): Promise<Call[]> {
    return this.#world.log.wait(n, filter)
  }

  /** Waits for at least n accepted messages. */
  waitForMessages(n: number, filter: CallFilter & Deadline = {}): Promise<Call[]> {
    return this.#world.log.wait(n, { ...filter, route: 'messages', accepted: true })
  }

  /** Posted, queued and held webhooks, oldest first. */
  get deliveries(): readonly Delivery[] {
    return this.#world.deliveries.all
  }

  /** Waits until at least n webhooks were answered or given up. */
  waitForDeliveries(n: number, deadline: Deadline = {}): Promise<Delivery[]> {
    return this.#world.deliveries.wait(n, deadline)
  }

  /**
   * Waits until no call is open and no webhook is queued, being posted or waiting for a retry. Held
   * webhooks do not count.
   */
  async idle(deadline: Deadline = {}): Promise<void> {
    const { busy, deliveries } = this.#world
    const describe = (): string =>
      `The simulator is not idle: ${busy.count} calls in hand, webhooks ${deliveries.idle ? 'done' : 'under way'}`
    await this.#waits.until(
      () => (busy.count === 0 && deliveries.idle ? true : undefined),
      deadline.deadlineMs ?? 20_000,
      describe,
    )
  }

  /** Delays the response to the next call (or those of the scope): for a time, or until a promise is resolved. */
  slow(until: number | Promise<void>, scope?: Scope): FaultHandle {
    return this.#world.faults.add('slow', until, scope)
  }

  /** Rejects the next call (or those of the scope) with this error. */
  fail(failure: Failure, scope?: Scope): FaultHandle {
    return this.#world.faults.add('fail', failure, scope)
  }

  /** Responds to the next call with an HTML page; default status 502. */
  answerHtml(status = 502, scope?: Scope): FaultHandle {
    return this.#world.faults.add('html', status, scope)
  }

  /** Responds to the next call with this many meaningless bytes. */
  answerNoise(bytes: number, scope?: Scope): FaultHandle {
    return this.#world.faults.add('noise', bytes, scope)
  }

  /**
   * Reports these facts for the next requested file instead of the real ones, such as another URL
   * or checksum.
   */
  overrideFileFacts(facts: Record<string, unknown>, scope?: Scope): FaultHandle {
    return this.#world.faults.add('mediaFacts', facts, { route: 'media', ...scope })
  }

  /** Redirects the next file download to another URL. */
  redirectFile(address: string, scope?: Scope): FaultHandle {
    return this.#world.faults.add('redirect', address, { route: 'media_bytes', ...scope })
  }

  /**
   * Stores a large file of a number (default: the first), generated while it is read. Returns its
   * ID and checksum.
   */
  keepHugeFile(
    sizeBytes: number,
    mime: string,
    phoneId = this.phone.id,
  ): { id: string; sha256: string } {
    return this.#world.media.putHuge({ id: this.#world.ids.media(), phoneId, mime }, sizeBytes)
  }

  /**
   * Accepts the next message and sends its statuses, but cuts the connection instead of responding.
   */
  loseAnswer(scope?: Scope): FaultHandle {
    return this.#world.faults.add('loseAnswer', true, scope)
  }

  /** Sends no status for the next message. */
  swallowStatuses(scope?: Scope): FaultHandle {
    return this.#world.faults.add('statuses', [], scope)
  }

  /** Sends exactly these statuses for the next message. */
  followWith(statuses: readonly StatusName[], scope?: Scope): FaultHandle {
    return this.#world.faults.add('statuses', statuses, scope)
  }

  /** Accepts the next message and reports it as failed later. */
  failLater(failure: Failure, scope?: Scope): FaultHandle {
    return this.#world.faults.add('failLater', failure, scope)
  }

  /** Delivers statuses of the next message before its HTTP response. */
  statusBeforeAnswer(statuses: readonly StatusName[] = ['delivered'], scope?: Scope): FaultHandle {
    return this.#world.faults.add('early', statuses, scope)
  }

  /** Responds to the next message with another wa_id than the dialed number. */
  answerWaId(waId: string, scope?: Scope): FaultHandle {
    return this.#world.faults.add('waId', waId, scope)
  }

  /** Enforces these platform limits from now on. */
  enforce(limits: Partial<LimitOptions>): void {
    this.#world.limits.enforce(limits)
  }

  /** Charges service messages of a number after so many in a month; 1000 unless said. */
  freeServiceMessages(perMonth: number): void {
    this.#world.billing.freePerMonth = perMonth
  }

  /** Posts every webhook twice from now on, or once again. */
  deliverTwice(on = true): void {
    this.#world.deliveries.twice = on
  }

  /**
   * Posts waiting webhooks in random order from now on, or in order again. For a guaranteed
   * reorder: `hold`, then `release('shuffled')`.
   */
  deliverDisordered(on = true): void {
    this.#world.deliveries.disordered = on
  }

  /** Holds every webhook until `release`. */
  hold(): void {
    this.#world.deliveries.hold()
  }

  /** Number of held webhooks. */
  get held(): number {
    return this.#world.deliveries.heldCount
  }

  /** Releases the held webhooks. */
  release(order?: 'kept' | 'reversed' | 'shuffled'): void {
    this.#world.deliveries.release(order)
  }

  /** Removes all faults and delivery disorder. */
  clearFaults(): void {
    this.#world.faults.clear()
    this.deliverTwice(false)
    this.deliverDisordered(false)
    this.release()
  }

  /**
   * Creates a customer of a number (default: the first). Each call creates another one unless
   * `waId` is given.
   */
  customer(options: CustomerOptions = {}): Customer {
    const phone = this.#world.accounts.phone(options.phone ?? this.phone.id)
    if (phone === undefined) throw new Error(`No phone number ${options.phone ?? ''} is registered`)
    this.#customers += 1
    const nth = this.#customers
    return createCustomer(this.#world, phone, options, {
      waId: String(15_550_109_999 - nth + 1),
      userId: `US.9${String(nth).padStart(19, '0')}`,
    })
  }

  /**
   * Shares a number (default: the first) with the platform's agent, which owns every thread until it
   * is passed on, and with another app that has the roles which are not named. Only the escalation
   * partner may take threads. By default the app has every role but that of the agent.
   */
  shareNumber({
    phone = this.phone.id,
    isEscalation = true,
    roles = ownRoles(isEscalation),
    isStandby = true,
  }: Partial<Sharing> & {
    phone?: string | undefined
    isEscalation?: boolean | undefined
  } = {}): void {
    this.#world.threads.share(phone, { roles, isStandby })
  }

  /**
   * Queues any webhook body for a number (default: the first), signed, with retries, subject to
   * hold and reordering.
   */
  deliver(webhook: Webhook, phoneId?: string): Promise<Delivery> {
    const phone = this.#world.accounts.phone(phoneId ?? this.phone.id)
    if (phone === undefined) throw new Error(`No phone number ${phoneId ?? ''} is registered`)
    return deliver(this.#world, phone, webhook)
  }

  /** Posts any body once and immediately. Correctly signed unless the options say otherwise. */
  post(body: unknown, options: PostOptions = {}): Promise<Posted> {
    return postRaw(this.#world, body, options)
  }

  /**
   * Runs the verification handshake of the callback. `verified` is true if the challenge comes back
   * unchanged.
   */
  verifyCallback(verifyToken: string): Promise<{ verified: boolean; status: number }> {
    return verify(this.#world, verifyToken)
  }

  /** Lets customers write at random times until stopped (or until the simulator is). */
  live(options: LivelinessOptions): Liveliness {
    const { accepted } = this.#world
    const lively = startLiveliness(options, (listener) => {
      accepted.add(listener)
      return () => accepted.delete(listener)
    })
    this.#lively.push(lively)
    return lively
  }

  /** Deletes calls, deliveries and faults. Numbers and customers stay. */
  reset(): void {
    this.#world.log.clear()
    this.#world.faults.clear()
    this.#world.deliveries.clear()
  }

  /**
   * Stops everything: no timer, post or connection remains. Later calls get a refused connection.
   */
  async stop(): Promise<void> {
    for (const lively of this.#lively) lively.stop()
    this.#world.timers.clear()
    this.#world.deliveries.stop()
    this.#waits.stop()
    await this.#server.stop(true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

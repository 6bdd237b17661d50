import type { Phone, PhoneOptions } from './accounts'
import { issueCode } from './administration'
import { matches, Waits } from './calls'
import type { Call, CallFilter, Deadline, Route } from './calls'
import { createCustomer } from './customers'
import type { Customer, CustomerOptions } from './customers'
import type { Delivery } from './deliveries'
import type { Failure } from './errors'
import { askEndpoint } from './flow-endpoint'
import type { AskOptions, EndpointReply } from './flow-endpoint'
import { setFlowStatus, tellOfFlow } from './flows'
import type { SimulatedFlow } from './flows'
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
import { review, tellOfTemplate } from './template-desk'
import type { KeptTemplate, StoredTemplate, Verdict } from './template-desk'
import { deliver } from './world'
import type { World } from './world'

/**
 * Starts the messaging platform on a real HTTP port: its Graph API, its webhooks and its customers.
 */
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

/** The running platform, as tests, the demo and benchmarks handle it. */
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

  /** The base address of the Graph API, without version and without a slash at the end. */
  get url(): string {
    return this.#server.url.origin
  }

  get port(): number {
    return Number(this.#server.url.port)
  }

  /** The registered numbers; the first is the default for everything. */
  get phones(): readonly Phone[] {
    return this.#world.accounts.phones
  }

  /** The first registered number. Throws when there is none. */
  get phone(): Phone {
    const [first] = this.phones
    if (first === undefined) throw new Error('No phone number is registered')
    return first
  }

  /** The app secret webhooks are signed with. */
  get appSecret(): string {
    return this.#world.callback.secret
  }

  /** Registers a number, or changes the one with this id (a new token, another status). */
  addPhone(options: PhoneOptions = {}): Phone {
    return this.#world.accounts.add(options)
  }

  /**
   * A code such as the signup dialog gives for a number; good once, for half a minute. Throws for
   * an unknown number.
   */
  issueCode(phoneId: string): string {
    const phone = this.#world.accounts.phone(phoneId)
    if (phone === undefined) throw new Error(`No phone number ${phoneId} is registered`)
    return issueCode(this.#world, phone)
  }

  /** The PIN and the public key a number has at the platform. */
  kept(phoneId: string): { pin: string | undefined; publicKey: string | undefined } {
    return {
      pin: this.#world.accounts.phone(phoneId)?.pin,
      publicKey: this.#world.desk.keys.get(phoneId)?.publicKey,
    }
  }

  /**
   * Keeps an approved template for a business account (that of the first number unless said), as if
   * it had been there for long.
   */
  keepTemplate(template: KeptTemplate, wabaId: string = this.phone.wabaId): StoredTemplate {
    return this.#world.templateDesk.keep(template, wabaId)
  }

  /** Takes this handle as that of a finished upload. */
  acceptHandle(handle: string): void {
    this.#world.desk.handles.add(handle)
  }

  /** The templates of a business account, as the platform has them. */
  templatesOf(wabaId: string = this.phone.wabaId): StoredTemplate[] {
    return this.#world.templateDesk.of(wabaId)
  }

  /** Decides about a template and posts the webhook. */
  async review(templateId: string, verdict: Verdict): Promise<void> {
    await review(this.#world, this.#templateOf(templateId), verdict)
  }

  /** Posts any other news of a template: its quality, its category, its components. */
  async tellOfTemplate(
    templateId: string,
    field: string,
    value: Record<string, unknown>,
    at?: number,
  ): Promise<void> {
    await tellOfTemplate(this.#world, this.#templateOf(templateId), field, value, at)
  }

  /** Forgets a template without a word. */
  dropTemplate(templateId: string): void {
    this.#world.templateDesk.drop(templateId)
  }

  #templateOf(id: string): StoredTemplate {
    const template = this.#world.templateDesk.byId(id)
    if (template === undefined) throw new Error(`No template ${id} is kept`)
    return template
  }

  /** Loses the public key of a number, as registering it anew does. */
  forgetKey(phoneId: string): void {
    this.#world.desk.keys.delete(phoneId)
  }

  /**
   * A form that is only at the platform, a draft of the first number's business account unless
   * said.
   */
  addFlow(options: Partial<SimulatedFlow> & Pick<SimulatedFlow, 'name'>): SimulatedFlow {
    return this.#world.flows.add({ wabaId: this.phone.wabaId, ...options })
  }

  /** A form as the platform has it. */
  flow(id: string): SimulatedFlow | undefined {
    return this.#world.flows.find(id)
  }

  /** Takes a form from the platform without a word. */
  loseFlow(id: string): void {
    this.#world.flows.delete(id)
  }

  /** Gives a form another status, and tells of it by a webhook. */
  setFlowStatus(id: string, status: string, message?: string): void {
    setFlowStatus(this.#world, this.#flowOf(id), status, message)
  }

  /** Delivers news of a form, such as an alert. */
  tellOfFlow(id: string, news: Record<string, unknown>): void {
    tellOfFlow(this.#world, this.#flowOf(id), { flow_id: id, ...news })
  }

  #flowOf(id: string): SimulatedFlow {
    const flow = this.#world.flows.find(id)
    if (flow === undefined) throw new Error(`The platform has no flow ${id}`)
    return flow
  }

  /** Asks the endpoint of a number's forms, encrypted and signed as the platform does. */
  askEndpoint(payload: unknown, options: AskOptions & { phone?: string }): Promise<EndpointReply> {
    const phone = this.#world.accounts.phone(options.phone ?? this.phone.id)
    if (phone === undefined) throw new Error(`No phone number ${options.phone ?? ''} is registered`)
    return askEndpoint(this.#world, phone, payload, options)
  }

  /** Answers the next call of this route with this body, in place of what is true. */
  tellOf(route: Route, body: Record<string, unknown>): FaultHandle {
    return this.#world.faults.add('answer', body, { route })
  }

  /**
   * Begins where another simulator with the same numbers stood: its calls, and the accounts whose
   * webhooks are subscribed to.
   */
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

  /** Says where webhooks go from now on, and optionally the app secret. */
  setCallback(url: string, appSecret?: string): void {
    this.#world.callback.url = url
    if (appSecret !== undefined) this.#world.callback.secret = appSecret
  }

  /** The calls that came in, oldest first. */
  get calls(): readonly Call[] {
    return this.#world.log.all
  }

  /** The calls to paths the simulator does not play: a test may want none. */
  get unexpected(): Call[] {
    return this.callsOf({ route: 'unexpected' })
  }

  /** The messages taken, oldest first: a call the platform gave an id. */
  get messages(): Call[] {
    return this.callsOf({ route: 'messages', accepted: true })
  }

  /** The calls of one kind. */
  callsOf(filter: CallFilter): Call[] {
    return this.calls.filter((call) => matches(call, filter))
  }

  /**
   * Waits until at least n calls (of the kind meant) came in; rejects after the deadline, 5 seconds
   * unless said.
   */
  waitForCalls(n: number, filter: CallFilter & Deadline = {}): Promise<Call[]> {
    return this.#world.log.wait(n, filter)
  }

  /** Waits until at least n messages were taken. */
  waitForMessages(n: number, filter: CallFilter & Deadline = {}): Promise<Call[]> {
    return this.#world.log.wait(n, { ...filter, route: 'messages', accepted: true })
  }

  /** The webhooks posted, queued or held, oldest first. */
  get deliveries(): readonly Delivery[] {
    return this.#world.deliveries.all
  }

  /** Waits until at least n webhooks were answered or given up. */
  waitForDeliveries(n: number, deadline: Deadline = {}): Promise<Delivery[]> {
    return this.#world.deliveries.wait(n, deadline)
  }

  /**
   * Waits until no call is being answered and no webhook is queued, posted or waiting for a retry.
   * Held ones do not count.
   */
  async idle(deadline: Deadline = {}): Promise<void> {
    const { busy, deliveries } = this.#world
    const describe = (): string =>
      `The simulator is not idle: ${busy.count} calls in hand, webhooks ${deliveries.idle ? 'done' : 'under way'}`
    await this.#waits.until(
      () => (busy.count === 0 && deliveries.idle ? true : undefined),
      deadline.deadlineMs ?? 10_000,
      describe,
    )
  }

  /** The next call (or those of the scope) waits so long before it is answered. */
  slow(ms: number, scope?: Scope): FaultHandle {
    return this.#world.faults.add('slow', ms, scope)
  }

  /** The next call (or those of the scope) is refused with this error. */
  fail(failure: Failure, scope?: Scope): FaultHandle {
    return this.#world.faults.add('fail', failure, scope)
  }

  /** The next call is answered with an HTML page, 502 unless said. */
  answerHtml(status = 502, scope?: Scope): FaultHandle {
    return this.#world.faults.add('html', status, scope)
  }

  /** The next call is answered with so many bytes that mean nothing. */
  answerNoise(bytes: number, scope?: Scope): FaultHandle {
    return this.#world.faults.add('noise', bytes, scope)
  }

  /**
   * Tells this of the next file that is asked for, in place of what is true: another address,
   * another checksum.
   */
  tellOfFile(facts: Record<string, unknown>, scope?: Scope): FaultHandle {
    return this.#world.faults.add('mediaFacts', facts, { route: 'media', ...scope })
  }

  /** Sends whoever fetches the next file on to another address. */
  redirectFile(address: string, scope?: Scope): FaultHandle {
    return this.#world.faults.add('redirect', address, { route: 'media_bytes', ...scope })
  }

  /**
   * Keeps a file of a number (the first unless said) that is made up while it is read; returns its
   * id and checksum.
   */
  keepHugeFile(
    sizeBytes: number,
    mime: string,
    phoneId = this.phone.id,
  ): { id: string; sha256: string } {
    return this.#world.media.putHuge({ id: this.#world.ids.media(), phoneId, mime }, sizeBytes)
  }

  /**
   * The next message is taken, its statuses follow, but the connection is cut in place of an
   * answer.
   */
  loseAnswer(scope?: Scope): FaultHandle {
    return this.#world.faults.add('loseAnswer', true, scope)
  }

  /** The next message is followed by no status. */
  swallowStatuses(scope?: Scope): FaultHandle {
    return this.#world.faults.add('statuses', [], scope)
  }

  /** The next message is followed by exactly these statuses. */
  followWith(statuses: readonly StatusName[], scope?: Scope): FaultHandle {
    return this.#world.faults.add('statuses', statuses, scope)
  }

  /** The next message is taken and later reported as failed. */
  failLater(failure: Failure, scope?: Scope): FaultHandle {
    return this.#world.faults.add('failLater', failure, scope)
  }

  /** Statuses of the next message are delivered before its HTTP answer is given. */
  statusBeforeAnswer(statuses: readonly StatusName[] = ['delivered'], scope?: Scope): FaultHandle {
    return this.#world.faults.add('early', statuses, scope)
  }

  /** The next message is answered with another wa_id than the number dialled. */
  answerWaId(waId: string, scope?: Scope): FaultHandle {
    return this.#world.faults.add('waId', waId, scope)
  }

  /** Enforces these limits of the platform from now on. */
  enforce(limits: Partial<LimitOptions>): void {
    this.#world.limits.enforce(limits)
  }

  /** Posts each webhook twice from now on (or no more). */
  deliverTwice(on = true): void {
    this.#world.deliveries.twice = on
  }

  /**
   * Posts waiting webhooks in any order from now on (or no more). To be sure of a disorder: `hold`,
   * then `release('shuffled')`.
   */
  deliverDisordered(on = true): void {
    this.#world.deliveries.disordered = on
  }

  /** Keeps every webhook back until `release`. */
  hold(): void {
    this.#world.deliveries.hold()
  }

  /** How many webhooks are held back. */
  get held(): number {
    return this.#world.deliveries.heldCount
  }

  /** Lets the held webhooks go. */
  release(order?: 'kept' | 'reversed' | 'shuffled'): void {
    this.#world.deliveries.release(order)
  }

  /** Takes every fault and disorder back. */
  heal(): void {
    this.#world.faults.clear()
    this.deliverTwice(false)
    this.deliverDisordered(false)
    this.release()
  }

  /**
   * Plays a customer of a number (the first unless said). Each call plays another one unless `waId`
   * is said.
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
   * Queues any webhook body for a number (the first unless said), signed, with retries, subject to
   * disorder.
   */
  deliver(webhook: Webhook, phoneId?: string): Promise<Delivery> {
    const phone = this.#world.accounts.phone(phoneId ?? this.phone.id)
    if (phone === undefined) throw new Error(`No phone number ${phoneId ?? ''} is registered`)
    return deliver(this.#world, phone, webhook)
  }

  /** Posts any body at once, once; signed right unless told otherwise. */
  post(body: unknown, options: PostOptions = {}): Promise<Posted> {
    return postRaw(this.#world, body, options)
  }

  /**
   * Goes through the handshake of the callback: true when the challenge comes back as it was sent.
   */
  verifyCallback(verifyToken: string): Promise<{ verified: boolean; status: number }> {
    return verify(this.#world, verifyToken)
  }

  /** Lets customers talk by themselves until stopped (or the simulator is). */
  live(options: LivelinessOptions): Liveliness {
    const { accepted } = this.#world
    const lively = startLiveliness(options, (listener) => {
      accepted.add(listener)
      return () => accepted.delete(listener)
    })
    this.#lively.push(lively)
    return lively
  }

  /** Forgets calls, deliveries and faults; numbers and customers stay. */
  reset(): void {
    this.#world.log.clear()
    this.#world.faults.clear()
    this.#world.deliveries.clear()
  }

  /**
   * Stops everything: no timer, no post and no connection is left. Calls then find the connection
   * refused.
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

import { pick } from '../../src/simulator/random'
import { platformJson, signatureOf } from '../../src/simulator/signing'
import {
  message,
  statusChange,
  type BusinessNumber,
  type Person,
  type Webhook,
} from '../../src/simulator/payloads'

/** A signed webhook as it is posted, however often that takes. */
export interface Posting {
  body: string
  signature: string
  /** Messages in it, as keys `line wamid`. */
  messages: string[]
  /** Statuses in it, as keys `line wamid status`. */
  statuses: string[]
}

/** Posts a webhook; the status of the answer, `null` when there is none. */
export async function answerTo(url: string, { body, signature }: Posting): Promise<number | null> {
  try {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
    const response = await fetch(`${url}/api/webhook`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  } catch {
    return null
  }
}

/** What the server must hold in the end. */
export interface Expected {
  /** Text of each message by `line wamid`. */
  texts: Map<string, string>
  /** Reported statuses, as `line wamid status`. */
  statuses: Set<string>
  /** Number of messages of each customer, by `line number`. */
  byCustomer: Map<string, number>
}

const CUSTOMERS = 40
const WORDS = [
  'café',
  '🍕',
  'hello',
  'مرحبا',
  'a/b',
  'blue?',
  '\u0001',
  'order 7',
  '"quoted"',
  'née',
]
const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const

/** How the numbers of customers begin, as opposed to those of recipients of campaigns. */
export const CUSTOMER_PREFIX = '155503'

/**
 * Invents what the platform posts: texts and statuses of two numbers, alone, in batches, for both
 * at once, and repeats of what it has posted.
 */
export class Traffic {
  readonly expected: Expected = { texts: new Map(), statuses: new Set(), byCustomer: new Map() }
  private count = 0
  private readonly past: Posting[] = []
  private readonly pastTexts: Webhook[] = []

  constructor(
    private readonly random: () => number,
    private readonly lines: BusinessNumber[],
    private readonly secret: string,
  ) {}

  /** The next webhook. */
  next(): Posting {
    const dice = this.random()
    const repeat = dice < 0.1 ? pick(this.random, this.past) : undefined
    if (repeat) return repeat
    const posting = this.sign(this.invent(dice))
    this.past.push(posting)
    if (this.past.length > 200) this.past.shift()
    return posting
  }

  private invent(dice: number): Webhook[] {
    const line = this.line()
    if (dice < 0.6) return [this.text(line)]
    if (dice < 0.75) return [this.status(line)]
    if (dice < 0.9)
      return this.many(2 + this.below(20), () =>
        this.random() < 0.7 ? this.text(line) : this.status(line),
      )
    if (dice < 0.98)
      return this.many(2 + this.below(6), () =>
        this.random() < 0.7 ? this.text(this.line()) : this.status(this.line()),
      )
    return this.many(100 + this.below(150), () => this.text(line))
  }

  private many(count: number, make: () => Webhook): Webhook[] {
    return Array.from({ length: count }, make)
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  private line(): BusinessNumber {
    return pick(this.random, this.lines) as BusinessNumber
  }

  private newId(): string {
    this.count += 1
    return `wamid.chaos-${this.count}`
  }

  /** A text of a customer, now and then one that was posted before, in another body. */
  private text(line: BusinessNumber): Webhook {
    const old = this.random() < 0.04 ? pick(this.random, this.pastTexts) : undefined
    if (old) return structuredClone(old)
    const webhook = this.newText(line)
    this.pastTexts.push(structuredClone(webhook))
    if (this.pastTexts.length > 200) this.pastTexts.shift()
    return webhook
  }

  private newText(line: BusinessNumber): Webhook {
    const id = this.newId()
    const nth = this.below(CUSTOMERS)
    const person: Person = {
      waId: `${CUSTOMER_PREFIX}${String(nth).padStart(5, '0')}`,
      userId: `US.77${nth}`,
      name: `Customer ${nth}`,
    }
    const text = `${id} ${pick(this.random, WORDS)}`
    this.expected.texts.set(`${line.phoneNumberId} ${id}`, text)
    const customer = `${line.phoneNumberId} ${person.waId}`
    this.expected.byCustomer.set(customer, (this.expected.byCustomer.get(customer) ?? 0) + 1)
    return message(
      { type: 'text', text: { body: text } },
      { line, person, id, timestamp: seconds() },
    )
  }

  /** A status of a message nobody knows: it waits in the ledger. */
  private status(line: BusinessNumber): Webhook {
    const id = this.newId()
    const status = pick(this.random, STATUSES) ?? 'sent'
    this.expected.statuses.add(`${line.phoneNumberId} ${id} ${status}`)
    return statusChange(id, status, {}, { line, timestamp: seconds() })
  }

  /**
   * One body of several webhooks: items of the same number share a change, as the platform batches
   * them.
   */
  private sign(webhooks: Webhook[]): Posting {
    const byLine = new Map<string, Webhook>()
    for (const webhook of webhooks) {
      const id = webhook.entry[0]?.id ?? ''
      const known = byLine.get(id)
      if (known) join(valueOf(known), valueOf(webhook))
      else byLine.set(id, webhook)
    }
    const entry = [...byLine.values()].flatMap((webhook) => webhook.entry)
    const body = platformJson({ object: 'whatsapp_business_account', entry })
    const values = entry.map(({ changes }) => changes[0]?.value ?? {})
    const keysOf = (kind: 'messages' | 'statuses', more: (item: Item) => string): string[] =>
      values.flatMap(
        (value) =>
          (value[kind] as Item[] | undefined)?.map((item) => `${lineIdOf(value)} ${more(item)}`) ??
          [],
      )
    return {
      body,
      signature: signatureOf(this.secret, body),
      messages: keysOf('messages', ({ id }) => id),
      statuses: keysOf('statuses', ({ id, status }) => `${id} ${status}`),
    }
  }
}

interface Item {
  id: string
  status?: string
}

const seconds = (): number => Math.floor(Date.now() / 1_000)
const valueOf = (webhook: Webhook): Record<string, unknown> =>
  webhook.entry[0]?.changes[0]?.value ?? {}
const lineIdOf = (value: Record<string, unknown>): string =>
  (value['metadata'] as { phone_number_id: string }).phone_number_id

function join(into: Record<string, unknown>, more: Record<string, unknown>): void {
  for (const kind of ['contacts', 'messages', 'statuses']) {
    const items = more[kind] as unknown[] | undefined
    if (items) into[kind] = [...((into[kind] as unknown[] | undefined) ?? []), ...items]
  }
}

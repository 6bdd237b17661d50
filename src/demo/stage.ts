import type { Ctx } from '../infra/ctx'
import { yieldToEventLoop } from '../infra/event-loop'
import { MINUTE_MS } from '../lib/clock'
import { findActiveTransfer } from '../modules/automation/transfers/find'
import { pickUp } from '../modules/automation/transfers/pick-up'
import { resumeTransfer } from '../modules/automation/transfers/end'
import { findContactForSending } from '../modules/inbox/contacts/identities/resolve-recipient'
import { changeConversation } from '../modules/inbox/conversations/change-state'
import type { ConversationRow } from '../modules/inbox/conversations/row'
import { findConversation } from '../modules/inbox/conversations/service'
import { markConversationRead } from '../modules/inbox/messages/conversation/mark-read'
import { createMessage } from '../modules/inbox/messages/outbound/create'
import type { Customer } from '../simulator/customers'
import type { Simulator } from '../simulator/platform'
import { Api } from './api'
import type { Business, Line, Order } from './business'
import { bytesOf, kindOf, type FileName } from './files'
import { memberCtx, OWNER, PASSWORD, type Shop } from './furnish'
import type { PastServer } from './past'
import type { Person } from './people'
import { customerOf } from './platform'

/** A line, and who says it when: the customer, or this member to the customer. */
export interface Spoken {
  atMs: number
  shop: Shop
  person: Person
  line: Line
  /** Position among the members of the business. */
  member: number
  /** Whether the member is done with the customer then. */
  isLast: boolean
}

/** Share of the messages that a customer opens. */
export const SHARE_READ = 0.8

/** Silence after which the bot ends a conversation. */
const QUIET_MS = 35 * MINUTE_MS

/** Time after which the owner signs in again, well within the hour that a session lasts. */
const SESSION_MS = 45 * MINUTE_MS

/** Lets customers and members of the businesses say their lines at the time of the past. */
export class Stage {
  private readonly customers = new Map<string, Customer>()
  private readonly owners = new Map<string, { owner: Api; sinceMs: number }>()

  /** Chance, which is the same at every start. */
  readonly random: () => number
  private readonly signal: AbortSignal

  constructor(
    readonly past: PastServer,
    readonly simulator: Simulator,
    { random, signal }: { random: () => number; signal: AbortSignal },
  ) {
    this.random = random
    this.signal = signal
  }

  /**
   * Moves on to a time and lets something happen. The server has done all of its work before time
   * goes on: it refuses webhooks while others wait for long. Throws if nobody waits for the demo
   * any more.
   */
  async at(ms: number, happens: () => Promise<unknown>): Promise<void> {
    await this.rest()
    const { clock } = this.past
    const quietMs = clock.nowMs() + QUIET_MS
    if (ms > quietMs) {
      clock.moveTo(quietMs)
      await this.past.keepTime()
    }
    clock.moveTo(ms)
    await happens()
    await this.past.work()
    await this.simulator.idle()
    await this.past.work()
  }

  /** Lets the operator in. Throws if nobody waits for the demo any more. */
  async rest(): Promise<void> {
    await yieldToEventLoop()
    this.signal.throwIfAborted()
  }

  /** A line is said. */
  say(spoken: Spoken): Promise<unknown> {
    const { shop, person, line } = spoken
    if (!line.isCustomer) return this.answer(spoken)
    const customer = this.customerOf(shop.business, person)
    return line.file === null ? customer.says(line.text) : this.send(customer, line.file, line.text)
  }

  /** The customer of a line orders from the catalog. */
  order({ shop, person }: Spoken, order: Order): Promise<unknown> {
    return this.customerOf(shop.business, person).orders(
      order.map(([article, quantity, euros]) => ({
        ...{ product_retailer_id: article, quantity, item_price: euros, currency: 'EUR' },
      })),
    )
  }

  private async send(customer: Customer, file: FileName, caption: string): Promise<unknown> {
    return customer.sends({
      ...kindOf(file),
      bytes: await bytesOf(file),
      ...(caption === '' ? {} : { caption }),
    })
  }

  /** A member reads what the customer wrote, takes over from the bot and answers. */
  private async answer({ shop, person, line: { text, file }, member }: Spoken): Promise<unknown> {
    const ctx = memberCtx(this.past, shop, member)
    const { contactId, conversation } = placeOf(ctx, shop, person)
    markConversationRead(ctx, conversation.id, { send_receipt: false })
    const transfer = findActiveTransfer(ctx, contactId)
    if (transfer?.agentId === null) pickUp(ctx, transfer.id)
    const to = { account_id: shop.accountId }
    if (this.random() > SHARE_READ) this.simulator.followWith(['sent', 'delivered'])
    if (file === null) return createMessage(ctx, { contactId }, { ...to, type: 'text', text })
    const media_id = await this.upload(shop, file)
    const { type } = kindOf(file)
    return createMessage(ctx, { contactId }, { ...to, type, media_id, caption: text })
  }

  private async upload(shop: Shop, file: FileName): Promise<string> {
    const form = new FormData()
    form.set('account_id', shop.accountId)
    form.set('file', new File([await bytesOf(file)], file, { type: kindOf(file).mime }))
    const owner = await this.ownerOf(shop)
    return (await owner.post<{ id: string }>('/api/media', form)).id
  }

  /** Returns the owner of a business, signed in again when the session of before has expired. */
  async ownerOf({ organizationId }: Shop): Promise<Api> {
    const nowMs = this.past.clock.nowMs()
    const known = this.owners.get(organizationId)
    if (known && nowMs - known.sinceMs < SESSION_MS) return known.owner
    const person = await new Api(this.past.url).signIn(OWNER.email, PASSWORD)
    const owner = await person.within(organizationId)
    this.owners.set(organizationId, { owner, sinceMs: nowMs })
    return owner
  }

  /** The member is done with the customer. */
  finish({ shop, person, member }: Pick<Spoken, 'shop' | 'person' | 'member'>): void {
    const ctx = memberCtx(this.past, shop, member)
    const { contactId, conversation } = placeOf(ctx, shop, person)
    markConversationRead(ctx, conversation.id, { send_receipt: false })
    const transfer = findActiveTransfer(ctx, contactId)
    if (transfer) resumeTransfer(ctx, transfer.id, {})
    changeConversation(ctx, conversation.id, { state: 'closed' })
  }

  /** Returns a person as a customer of a business. */
  customerOf(business: Business, person: Person): Customer {
    const key = `${business.phone.id} ${person.waId}`
    const known = this.customers.get(key) ?? customerOf(this.simulator, business, person)
    this.customers.set(key, known)
    return known
  }
}

/** The contact and the conversation of a customer. */
interface Place {
  contactId: string
  conversation: ConversationRow
}

/** Finds a customer who has written, otherwise `null`. */
export function findPlace(ctx: Ctx, { accountId }: Shop, { waId }: Person): Place | null {
  const contactId = findContactForSending(ctx, { phoneNumber: `+${waId}` })?.id ?? null
  if (contactId === null) return null
  const conversation = findConversation(ctx, { contactId, accountId })
  return conversation && { contactId, conversation }
}

/** Returns a customer who has written. */
export function placeOf(ctx: Ctx, shop: Shop, person: Person): Place {
  const place = findPlace(ctx, shop, person)
  if (!place) throw new Error(`${person.name} has not written yet`)
  return place
}

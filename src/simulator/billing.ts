const HOUR_MS = 3_600_000

/** An answer within this time after an ad click makes 72 hours free. */
const ANSWER_MS = 24 * HOUR_MS
const FREE_ENTRY_MS = 72 * HOUR_MS

/** From here on service messages and utility templates inside the window are charged. */
const CHARGED_FROM_MS = Date.UTC(2026, 9, 1)

/** Free service messages of a number and month. */
const FREE_PER_MONTH = 1_000

/** The message to charge. */
export type Charged = {
  phoneId: string
  person: string
  /** Category of the template; undefined for all other messages. */
  category: string | undefined
  isInsideWindow: boolean
  nowMs: number
}

/** What a status says about the price of a message. */
export type Pricing = {
  billable: boolean
  pricing_model: 'PMP'
  type: 'regular' | 'free_customer_service' | 'free_entry_point'
  category: string
}

/** Charges messages as the platform does before and since 1 October 2026. */
export class Billing {
  freePerMonth = FREE_PER_MONTH
  readonly #clicks = new Map<string, number>()
  readonly #freeUntil = new Map<string, number>()
  readonly #served = new Map<string, number>()

  /** Records that a customer came from an ad. */
  click(phoneId: string, person: string, atMs: number): void {
    this.#clicks.set(`${phoneId} ${person}`, atMs)
  }

  /** Charges an accepted message. */
  charge(message: Charged): Pricing {
    const type = this.#typeOf(message)
    return {
      billable: type === 'regular',
      pricing_model: 'PMP',
      type,
      category: message.category ?? 'service',
    }
  }

  #typeOf({ phoneId, person, category, isInsideWindow, nowMs }: Charged): Pricing['type'] {
    const key = `${phoneId} ${person}`
    const clickedMs = this.#clicks.get(key)
    if (clickedMs !== undefined && nowMs - clickedMs < ANSWER_MS) {
      this.#clicks.delete(key)
      this.#freeUntil.set(key, nowMs + FREE_ENTRY_MS)
    }
    if (nowMs < (this.#freeUntil.get(key) ?? 0)) return 'free_entry_point'
    if (nowMs < CHARGED_FROM_MS) {
      const isFree =
        category === undefined || (category.toLowerCase() === 'utility' && isInsideWindow)
      return isFree ? 'free_customer_service' : 'regular'
    }
    if (category !== undefined) return 'regular'
    const month = `${phoneId} ${new Date(nowMs).toISOString().slice(0, 7)}`
    const served = (this.#served.get(month) ?? 0) + 1
    this.#served.set(month, served)
    return served <= this.freePerMonth ? 'free_customer_service' : 'regular'
  }
}

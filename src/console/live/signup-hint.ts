/** What the platform's dialog told while it was open. A claim of the browser, nothing proven. */
export interface DialogHint {
  isFinished: boolean
  isCancelled: boolean
  /** The step at which the person gave up. */
  step: string | null
  /** What the dialog reported instead. */
  reason: string | null
  /** The platform's IDs of what was chosen. */
  phoneId: string | null
  businessId: string | null
}

/** Nothing was told. */
export const NO_HINT: DialogHint = {
  isFinished: false,
  isCancelled: false,
  step: null,
  reason: null,
  phoneId: null,
  businessId: null,
}

/** Meta's own pages: the host itself or one below it, over HTTPS. */
const META = /^https:\/\/(?:[a-z0-9-]+\.)*facebook\.com$/

const IDS = /^\d{1,32}$/

const textIn = (data: Record<string, unknown>, name: string): string | null =>
  typeof data[name] === 'string' && data[name] !== '' ? data[name] : null

const idIn = (data: Record<string, unknown>, name: string): string | null => {
  const id = textIn(data, name)
  return id !== null && IDS.test(id) ? id : null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Reads a message, which is an object or its JSON. */
function read(data: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : data
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Returns what a window message of the dialog says, or `null` if it is not one: only messages of
 * Meta's hosts, and of the dialog's own host, are read.
 */
export function hintOf(
  { origin, data }: Pick<MessageEvent<unknown>, 'origin' | 'data'>,
  dialogOrigin: string,
): DialogHint | null {
  if (origin !== dialogOrigin && !META.test(origin)) return null
  const message = read(data)
  if (message?.['type'] !== 'WA_EMBEDDED_SIGNUP') return null
  const event = textIn(message, 'event') ?? ''
  const facts = isRecord(message['data']) ? message['data'] : {}
  const isFinished = event.startsWith('FINISH')
  return {
    isFinished,
    isCancelled: event === 'CANCEL' || event === 'ERROR',
    step: textIn(facts, 'current_step'),
    reason: textIn(facts, 'error_message'),
    phoneId: isFinished ? idIn(facts, 'phone_number_id') : null,
    businessId: isFinished ? idIn(facts, 'waba_id') : null,
  }
}
